// Composite pooling operators, and the registration of the family.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.pool_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

tensor max_pool2d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, sizes_view dilation,
                  bool ceil) {
  max_pool_kernel::meta(aten::max_pool2d.name(), self, kernel, stride, padding, dilation, ceil);
  return std::get<0>(aten::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil));
}
tensor adaptive_avg_pool2d(const tensor& self, sizes_view output_size) {
  adaptive_pool_kernel::meta(aten::adaptive_avg_pool2d.name(), self, output_size);
  return aten::_adaptive_avg_pool2d(self, output_size);
}

// One-dimensional pooling as two-dimensional: an image of height 1. Lists have one number, for the columns.
tensor as_image(std::string_view op, const tensor& self, std::initializer_list<sizes_view> lists) {
  check_defined({nullptr, op}, self);
  if (self.dim() != 2 && self.dim() != 3) {
    refuse<shape_error>({nullptr, op},
                        "found " + to_string(self.sizes()) + ", wanted [n, channels, length] or [channels, length]");
  }
  for (sizes_view list : lists) {
    if (list.size() <= 1) continue;
    refuse<error>({nullptr, op}, "found " + to_string(sizes_of({nullptr, op}, list)) + ", wanted one number");
  }
  return aten::unsqueeze(self, -2);
}
shape across(sizes_view one, std::int64_t down) { return one.empty() ? shape{} : shape{down, one[0]}; }

// Runs the checks of max_pool2d_with_indices under the name of the called operator.
tensor row_image(std::string_view op, const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding,
                 sizes_view dilation, bool ceil) {
  const tensor image = as_image(op, self, {kernel, stride, padding, dilation});
  max_pool_kernel::meta(op, image, across(kernel, 1), across(stride, 1), across(padding, 0), across(dilation, 1), ceil);
  return image;
}

std::tuple<tensor, tensor> max_pool1d_with_indices(const tensor& self, sizes_view kernel, sizes_view stride,
                                                   sizes_view padding, sizes_view dilation, bool ceil) {
  const tensor image = row_image(aten::max_pool1d_with_indices.name(), self, kernel, stride, padding, dilation, ceil);
  const auto [out, indices] = aten::max_pool2d_with_indices(image, across(kernel, 1), across(stride, 1),
                                                            across(padding, 0), across(dilation, 1), ceil);
  return {aten::squeeze_dim(out, -2), aten::squeeze_dim(indices, -2)};
}
tensor max_pool1d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, sizes_view dilation,
                  bool ceil) {
  row_image(aten::max_pool1d.name(), self, kernel, stride, padding, dilation, ceil);
  return std::get<0>(aten::max_pool1d_with_indices(self, kernel, stride, padding, dilation, ceil));
}
tensor avg_pool1d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, bool ceil,
                  bool count_padding) {
  const tensor image = as_image(aten::avg_pool1d.name(), self, {kernel, stride, padding});
  return aten::squeeze_dim(
      aten::avg_pool2d(image, across(kernel, 1), across(stride, 1), across(padding, 0), ceil, count_padding), -2);
}
tensor adaptive_avg_pool1d(const tensor& self, sizes_view output_size) {
  const tensor image = as_image(aten::adaptive_avg_pool1d.name(), self, {output_size});
  return aten::squeeze_dim(aten::adaptive_avg_pool2d(image, across(output_size, 1)), -2);
}

}  // namespace

void register_pool() {
  register_forms(pool_forms);
  register_composite<&max_pool2d, aten::max_pool2d>();
  register_composite<&adaptive_avg_pool2d, aten::adaptive_avg_pool2d>();
  register_out_variants<aten::adaptive_avg_pool2d, aten::adaptive_avg_pool2d_out>();
  register_composite<&max_pool1d, aten::max_pool1d>();
  register_composite<&max_pool1d_with_indices, aten::max_pool1d_with_indices>();
  register_composite<&avg_pool1d, aten::avg_pool1d>();
  register_composite<&adaptive_avg_pool1d, aten::adaptive_avg_pool1d>();
}

}  // namespace topbit::detail
