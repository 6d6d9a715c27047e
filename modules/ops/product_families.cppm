// The lists of structured operators built on products: shape rule, front and all forms of each.
export module topbit.ops:product_families;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :linalg;
import :pointwise;
import :product_rules;
import :structured;

namespace topbit::detail {

using linalg_forms =
    forms_list<ruled<product_rule<2>, product_abilities, ops::mm, ops::mm_out>,
               ruled<product_rule<3>, product_abilities, ops::bmm, ops::bmm_out>,
               ruled<add_product_rule<2>, product_abilities, ops::addmm, ops::addmm_, ops::addmm_out>,
               ruled<add_product_rule<3>, product_abilities, ops::baddbmm, ops::baddbmm_, ops::baddbmm_out>>;

}  // namespace topbit::detail
