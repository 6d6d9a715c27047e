// The checks of index tensors, and errors of this module. Internal.
module topbit.sparse:checks;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

// Throws E: "op: text".
template <class E>
[[noreturn]] void refuse(std::string_view op, std::string_view text) {
  throw E(std::string(op) + ": " + std::string(text), std::string(op));
}

// The call that makes a tensor of this layout: "to_sparse(x)".
std::string conversion_to(layout how, std::string_view name = "x");
// Throws shape_error for a size below 0, and for more elements than 64 bits can count.
void check_sizes(std::string_view op, const shape& sizes);
// Throws layout_error unless t is defined and COO, CSR and so on.
void check_layout(std::string_view op, std::string_view argument, const tensor& t, layout wanted);
void check_sparse(std::string_view op, const tensor& t);
// As the operator's dimension, not negative. Throws shape_error.
std::int64_t wrapped_dim(std::string_view op, std::int64_t dim, std::int64_t dims);

// int64 [dims, entries] in rows of consecutive indices. Throws shape_error for an index out of range. Returns whether
// the entries strictly ascend.
bool check_coo(std::string_view op, const tensor& indices, const shape& sizes);
// Throws shape_error, with a sentence for each rule that the tensors may break.
void check_compressed(std::string_view op, layout how, const tensor& compressed, const tensor& plain,
                      std::int64_t lines, std::int64_t columns);

}  // namespace topbit::sparse
