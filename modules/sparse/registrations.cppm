// What registers the operators of each source file. Internal.
module topbit.sparse:registrations;

import topbit.std;

namespace topbit::sparse {

void register_parts();
void register_construct();
void register_access();
void register_convert();
void register_copies();
void register_views();
void register_selections();
void register_unary();
void register_arithmetic();
void register_product_parts();
void register_spgemm();
void register_product();
void register_reduce();
void register_softmax();
void register_mask();
void register_reader();

}  // namespace topbit::sparse
