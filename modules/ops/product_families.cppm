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
    forms_list<ruled<product_rule<2>, product_abilities, aten::mm, aten::mm_out>,
               ruled<product_rule<3>, product_abilities, aten::bmm, aten::bmm_out>,
               ruled<add_product_rule<2>, product_abilities, aten::addmm, aten::addmm_, aten::addmm_out>,
               ruled<addmm_activation_rule, product_abilities, aten::_addmm_activation, aten::_addmm_activation_out>,
               ruled<add_product_rule<3>, product_abilities, aten::baddbmm, aten::baddbmm_, aten::baddbmm_out>>;

// Fronts that copy and fill: the result may not be an input.
using convolution_forms =
    forms_list<ruled<convolve_rule, author::kernel_abilities{}, native::convolve>,
               ruled<convolve_input_rule, author::kernel_abilities{}, native::convolve_input_gradient>,
               ruled<convolve_weight_rule, author::kernel_abilities{}, native::convolve_weight_gradient>,
               ruled<constant_pad_rule, author::kernel_abilities{}, aten::constant_pad_nd>>;

using pool_forms = forms_list<
    ruled<max_pool_rule, author::kernel_abilities{}, aten::max_pool2d_with_indices, aten::max_pool2d_with_indices_out>,
    ruled<max_pool_backward_rule, author::kernel_abilities{}, aten::max_pool2d_with_indices_backward,
          aten::max_pool2d_with_indices_backward_grad_input>,
    ruled<average_pool_rule, author::kernel_abilities{}, aten::avg_pool2d, aten::avg_pool2d_out>,
    ruled<average_pool_backward_rule, author::kernel_abilities{}, aten::avg_pool2d_backward,
          aten::avg_pool2d_backward_grad_input>,
    ruled<adaptive_pool_rule, author::kernel_abilities{}, aten::_adaptive_avg_pool2d>,
    ruled<adaptive_pool_backward_rule, author::kernel_abilities{}, aten::_adaptive_avg_pool2d_backward>>;

}  // namespace topbit::detail
