// Pooling: composites, and the list of what is registered.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

tensor max_pool2d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, sizes_view dilation,
                  bool ceil) {
  max_pool_rule::meta(ops::max_pool2d.name(), self, kernel, stride, padding, dilation, ceil);
  return std::get<0>(ops::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil));
}
tensor adaptive_avg_pool2d(const tensor& self, sizes_view output_size) {
  adaptive_pool_rule::meta(ops::adaptive_avg_pool2d.name(), self, output_size);
  return ops::adaptive_avg_pool2d_forward(self, output_size);
}

// A row is an image one element high; a list has one number, for the columns.
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
  return ops::unsqueeze(self, -2);
}
dims across(sizes_view one, std::int64_t down) { return one.empty() ? dims{} : dims{down, one[0]}; }

// What max_pool2d_with_indices would refuse, under the name that was called.
tensor row_image(std::string_view op, const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding,
                 sizes_view dilation, bool ceil) {
  const tensor image = as_image(op, self, {kernel, stride, padding, dilation});
  max_pool_rule::meta(op, image, across(kernel, 1), across(stride, 1), across(padding, 0), across(dilation, 1), ceil);
  return image;
}

std::tuple<tensor, tensor> max_pool1d_with_indices(const tensor& self, sizes_view kernel, sizes_view stride,
                                                   sizes_view padding, sizes_view dilation, bool ceil) {
  const tensor image = row_image(ops::max_pool1d_with_indices.name(), self, kernel, stride, padding, dilation, ceil);
  const auto [out, indices] = ops::max_pool2d_with_indices(image, across(kernel, 1), across(stride, 1),
                                                           across(padding, 0), across(dilation, 1), ceil);
  return {ops::squeeze_dim(out, -2), ops::squeeze_dim(indices, -2)};
}
tensor max_pool1d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, sizes_view dilation,
                  bool ceil) {
  row_image(ops::max_pool1d.name(), self, kernel, stride, padding, dilation, ceil);
  return std::get<0>(ops::max_pool1d_with_indices(self, kernel, stride, padding, dilation, ceil));
}
tensor avg_pool1d(const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding, bool ceil,
                  bool count_padding) {
  const tensor image = as_image(ops::avg_pool1d.name(), self, {kernel, stride, padding});
  return ops::squeeze_dim(
      ops::avg_pool2d(image, across(kernel, 1), across(stride, 1), across(padding, 0), ceil, count_padding), -2);
}
tensor adaptive_avg_pool1d(const tensor& self, sizes_view output_size) {
  const tensor image = as_image(ops::adaptive_avg_pool1d.name(), self, {output_size});
  return ops::squeeze_dim(ops::adaptive_avg_pool2d(image, across(output_size, 1)), -2);
}

}  // namespace

void register_pool() {
  register_forms<pool_forms>();
  register_composite<&max_pool2d, ops::max_pool2d>();
  register_composite<&adaptive_avg_pool2d, ops::adaptive_avg_pool2d>();
  register_written<ops::adaptive_avg_pool2d, ops::adaptive_avg_pool2d_out>();
  register_composite<&max_pool1d, ops::max_pool1d>();
  register_composite<&max_pool1d_with_indices, ops::max_pool1d_with_indices>();
  register_composite<&avg_pool1d, ops::avg_pool1d>();
  register_composite<&adaptive_avg_pool1d, ops::adaptive_avg_pool1d>();
}

}  // namespace topbit::detail
