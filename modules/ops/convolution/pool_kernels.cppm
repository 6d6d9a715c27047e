// Shape functions and kernel thunks of pooling.
module topbit.ops:convolution.pool_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :convolution.convolution_kernels;
import :registration.structured;
import :registration.structured_forms;
import :convolution.pool;

namespace topbit::detail {

// The ABI's operation codes, with the same values.
enum class pool_code : std::int32_t { max_pool, max_pool_backward, avg_pool, avg_pool_backward, count };
template <>
inline constexpr table_entry entry_of<pool_code> = table_entry::pool;

struct max_pool_kernel {
  static constexpr auto needs = all_of(pool_code::max_pool);
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self, sizes_view kernel, sizes_view stride,
                                         sizes_view padding, sizes_view dilation, bool ceil);
  static void run(backend_call c, const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding,
                  sizes_view dilation, bool ceil, const tensor& out, const tensor& indices);
};

struct max_pool_backward_kernel {
  static constexpr auto needs = all_of(pool_code::max_pool_backward);
  static result_meta meta(std::string_view op, const tensor& gradient, const tensor& self, sizes_view kernel,
                          sizes_view stride, sizes_view padding, sizes_view dilation, bool ceil, const tensor& indices);
  static void run(backend_call c, const tensor& gradient, const tensor& self, sizes_view kernel, sizes_view stride,
                  sizes_view padding, sizes_view dilation, bool ceil, const tensor& indices, const tensor& out);
};

using divisor_override = std::optional<std::int64_t>;

struct average_pool_kernel {
  static constexpr auto needs = all_of(pool_code::avg_pool);
  static result_meta meta(std::string_view op, const tensor& self, sizes_view kernel, sizes_view stride,
                          sizes_view padding, bool ceil, bool count_padding, const divisor_override& divisor);
  static void run(backend_call c, const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding,
                  bool ceil, bool count_padding, const divisor_override& divisor, const tensor& out);
};

struct average_pool_backward_kernel {
  static constexpr auto needs = all_of(pool_code::avg_pool_backward);
  static result_meta meta(std::string_view op, const tensor& gradient, const tensor& self, sizes_view kernel,
                          sizes_view stride, sizes_view padding, bool ceil, bool count_padding,
                          const divisor_override& divisor);
  static void run(backend_call c, const tensor& gradient, const tensor& self, sizes_view kernel, sizes_view stride,
                  sizes_view padding, bool ceil, bool count_padding, const divisor_override& divisor,
                  const tensor& out);
};

struct adaptive_pool_kernel {
  static constexpr auto needs = all_of(pool_code::avg_pool);
  static result_meta meta(std::string_view op, const tensor& self, sizes_view output_size);
  static void run(backend_call c, const tensor& self, sizes_view output_size, const tensor& out);
};

struct adaptive_pool_backward_kernel {
  static constexpr auto needs = all_of(pool_code::avg_pool_backward);
  static result_meta meta(std::string_view op, const tensor& gradient, const tensor& self);
  static void run(backend_call c, const tensor& gradient, const tensor& self, const tensor& out);
};

inline constexpr auto pool_forms = forms_list<
    structured_forms<max_pool_kernel, author::kernel_abilities{}, aten::max_pool2d_with_indices,
                     aten::max_pool2d_with_indices_out>,
    structured_forms<max_pool_backward_kernel, author::kernel_abilities{}, aten::max_pool2d_with_indices_backward,
                     aten::max_pool2d_with_indices_backward_grad_input>,
    structured_forms<average_pool_kernel, author::kernel_abilities{}, aten::avg_pool2d, aten::avg_pool2d_out>,
    structured_forms<average_pool_backward_kernel, author::kernel_abilities{}, aten::avg_pool2d_backward,
                     aten::avg_pool2d_backward_grad_input>,
    structured_forms<adaptive_pool_kernel, author::kernel_abilities{}, aten::_adaptive_avg_pool2d>,
    structured_forms<adaptive_pool_backward_kernel, author::kernel_abilities{}, aten::_adaptive_avg_pool2d_backward>>();

}  // namespace topbit::detail
