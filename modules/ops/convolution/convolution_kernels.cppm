// Shape functions and kernel thunks of convolution and padding.
module topbit.ops:convolution.convolution_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;
import :convolution.convolution;
import :convolution.pad;

namespace topbit::detail {

using sizes_view = std::span<const std::int64_t>;

struct constant_pad_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill);
  static result_meta meta(std::string_view op, const tensor& self, sizes_view pad, const scalar& value);
  static void run(backend_call c, const tensor& self, sizes_view pad, const scalar& value, const tensor& out);
};

// The checked arguments of a convolution. Lists have one element per spatial dimension.
struct convolution_shape {
  shape input, weight, stride, padding, dilation, out;
  std::int64_t groups = 1;

  // Spatial size i of an image with its padding.
  std::int64_t room(backend_call c, std::size_t i) const;
  static convolution_shape of(std::string_view op, const shape& input, const shape& weight, sizes_view stride,
                              sizes_view padding, sizes_view dilation, std::int64_t groups);
};

struct convolve_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill, table_entry::matmul);
  static result_meta meta(std::string_view op, const tensor& input, const tensor& weight, sizes_view stride,
                          sizes_view padding, sizes_view dilation, std::int64_t groups);
  static void run(backend_call c, const tensor& input, const tensor& weight, sizes_view stride, sizes_view padding,
                  sizes_view dilation, std::int64_t groups, const tensor& out);
};

struct convolve_input_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill, elementwise::add, table_entry::matmul);
  static result_meta meta(std::string_view op, const tensor& gradient, const tensor& weight, sizes_view input_sizes,
                          sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups);
  static void run(backend_call c, const tensor& gradient, const tensor& weight, sizes_view input_sizes,
                  sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups, const tensor& out);
};

struct convolve_weight_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill, table_entry::matmul);
  static result_meta meta(std::string_view op, const tensor& gradient, const tensor& input, sizes_view weight_sizes,
                          sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups);
  static void run(backend_call c, const tensor& gradient, const tensor& input, sizes_view weight_sizes,
                  sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups, const tensor& out);
};

// Kernels that copy and fill: the result may not be an input.
inline constexpr auto convolution_forms =
    forms_list<structured_forms<convolve_kernel, author::kernel_abilities{}, native::convolve>,
               structured_forms<convolve_input_kernel, author::kernel_abilities{}, native::convolve_input_gradient>,
               structured_forms<convolve_weight_kernel, author::kernel_abilities{}, native::convolve_weight_gradient>,
               structured_forms<constant_pad_kernel, author::kernel_abilities{}, aten::constant_pad_nd>>();

}  // namespace topbit::detail
