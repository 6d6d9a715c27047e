// The lists of structured operators built on matrix products: shape function, kernel thunk and all forms of each.
export module topbit.ops:product_families;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :convolution;
import :convolution_rules;
import :linalg;
import :pad;
import :pointwise;
import :pool;
import :pool_rules;
import :product_rules;
import :structured;

namespace topbit::detail {

using linalg_forms =
    forms_list<ruled<product_rule<2>, product_abilities, ops::mm, ops::mm_out>,
               ruled<product_rule<3>, product_abilities, ops::bmm, ops::bmm_out>,
               ruled<add_product_rule<2>, product_abilities, ops::addmm, ops::addmm_, ops::addmm_out>,
               ruled<addmm_activation_rule, product_abilities, ops::addmm_activation, ops::addmm_activation_out>,
               ruled<add_product_rule<3>, product_abilities, ops::baddbmm, ops::baddbmm_, ops::baddbmm_out>>;

// Fronts that copy and fill: the result may not be an input.
using convolution_forms =
    forms_list<ruled<convolve_rule, author::kernel_abilities{}, ops::convolve>,
               ruled<convolve_input_rule, author::kernel_abilities{}, ops::convolve_input_gradient>,
               ruled<convolve_weight_rule, author::kernel_abilities{}, ops::convolve_weight_gradient>,
               ruled<constant_pad_rule, author::kernel_abilities{}, ops::constant_pad_nd>>;

using pool_forms = forms_list<
    ruled<max_pool_rule, author::kernel_abilities{}, ops::max_pool2d_with_indices, ops::max_pool2d_with_indices_out>,
    ruled<max_pool_backward_rule, author::kernel_abilities{}, ops::max_pool2d_with_indices_backward,
          ops::max_pool2d_with_indices_backward_out>,
    ruled<average_pool_rule, author::kernel_abilities{}, ops::avg_pool2d, ops::avg_pool2d_out>,
    ruled<average_pool_backward_rule, author::kernel_abilities{}, ops::avg_pool2d_backward,
          ops::avg_pool2d_backward_out>,
    ruled<adaptive_pool_rule, author::kernel_abilities{}, ops::adaptive_avg_pool2d_forward>,
    ruled<adaptive_pool_backward_rule, author::kernel_abilities{}, ops::adaptive_avg_pool2d_backward>>;

}  // namespace topbit::detail
