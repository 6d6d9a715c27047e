// Convolutions as one call of the backend's kernel, and gradients that are convolutions: that of the input with stride
// 1, and those of depthwise convolutions.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :convolution.convolution_kernels;
import :registration.composite;
import :rowwise.rowwise;

#include "../registration/kernel_abi_bridge.h"
#include "convolution_at_once.h"

namespace topbit::detail {

// Missing spatial dimensions are added in front with size 1.
void convolve_at_once(backend_call c, const convolution_shape& s, const tensor& image, const tensor& weight,
                      const tensor& out) {
  for (const tensor* t : {&out, &image, &weight}) check_storage(c, *t);
  tb_convolution call{};
  call.out = out.data();
  call.image = image.data();
  call.weight = weight.data();
  call.images = s.input[0];
  call.channels = s.input[1];
  call.outputs = s.weight[0];
  call.groups = s.groups;
  const std::size_t windows = s.stride.size();
  for (std::size_t d = 0; d < 3; ++d) {
    const bool there = d + windows >= 3;
    const std::size_t i = there ? d + windows - 3 : 0;
    call.size[d] = there ? s.input[i + 2] : 1;
    call.out_size[d] = there ? s.out[i + 2] : 1;
    call.kernel[d] = there ? s.weight[i + 2] : 1;
    call.stride[d] = there ? s.stride[i] : 1;
    call.padding[d] = there ? s.padding[i] : 0;
    call.dilation[d] = there ? s.dilation[i] : 1;
  }
  call.dtype = static_cast<int>(out.dtype());
  check_status(c, run_kernel(c, out, c.table->convolve, &call), out);
}

namespace {

// The outputs per channel of a depthwise convolution, whose products of matrices would have few rows. The kernel takes
// windows as long as a gradient for up to `most_elements` results.
constexpr std::int64_t most_multiplier = 3, most_elements = 169;

bool runs_at_once(backend_call c, const tensor& out, const tensor& gradient) {
  return is_floating(out.dtype()) && out.device() == cpu && c.table->convolve != nullptr && gradient.numel() != 0;
}

std::int64_t product_from(const shape& sizes, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < sizes.size(); ++i) product *= sizes[i];
  return product;
}

shape ones(std::size_t count) { return shape(count, 1); }

bool is_depthwise(const convolution_shape& s) { return s.weight[1] == 1 && s.weight[0] / s.groups <= most_multiplier; }

// Whether the result is so large that weights are rearranged faster than columns are copied.
bool has_long_results(const convolution_shape& s) {
  return s.out[0] * product_from(s.out, 2) >= 2 * (s.weight[0] / s.groups);
}

// A dense tensor to write `out` by, if it is not dense itself.
tensor dense_result(const tensor& out) {
  return out.is_contiguous() ? out : author::make_tensor(out.sizes(), out.dtype(), out.device());
}

tensor view_of(const tensor& all, const shape& sizes, const shape& strides) {
  return author::make_view(all, sizes, strides, author::record_of(all).offset);
}

// The gradient with zeros between its elements, `stride` apart.
tensor spaced(backend_call c, const tensor& gradient, const convolution_shape& s, const shape& sizes) {
  tensor all = make_result({sizes, gradient.dtype(), gradient.device(), {}});
  fill(c, all, 0);
  shape strides = all.strides();
  for (std::size_t i = 0; i < s.stride.size(); ++i) strides[i + 2] *= s.stride[i];
  tensor elements = view_of(all, gradient.sizes(), strides);
  copy(c, elements, gradient);
  return all;
}

}  // namespace

// Element x of the input is read by window element k of the position y if x = y * stride + k * dilation - padding. So
// from the other side x reads, with stride 1 and the window's elements in reverse, the gradient with its elements
// `stride` apart.
bool input_gradient_at_once(backend_call c, const convolution_shape& s, const tensor& gradient, const tensor& weight,
                            const tensor& out) {
  if (!runs_at_once(c, out, gradient)) return false;
  const std::size_t windows = s.stride.size();
  const std::int64_t outputs = s.weight[0] / s.groups, channels = s.weight[1], elements = product_from(s.weight, 2);
  const bool strided = std::ranges::any_of(s.stride, [](std::int64_t n) { return n != 1; });
  if (!is_depthwise(s) && (strided || !has_long_results(s))) return false;
  convolution_shape of{.input = s.out,
                       .weight = s.weight,
                       .stride = ones(windows),
                       .padding = s.padding,
                       .dilation = s.dilation,
                       .out = s.input,
                       .groups = s.groups};
  of.weight[0] = s.input[1];
  of.weight[1] = outputs;
  for (std::size_t i = 0; i < windows; ++i) {
    of.input[i + 2] = (s.out[i + 2] - 1) * s.stride[i] + 1;
    of.padding[i] = s.dilation[i] * (s.weight[i + 2] - 1) - s.padding[i];
    if (of.padding[i] < 0) return false;
  }
  const tensor factors = dense(c, weight);
  const tensor reversed = make_result({of.weight, weight.dtype(), weight.device(), {}});
  const shape transposed{s.groups, channels, outputs, elements};
  const std::int64_t of_group = outputs * channels * elements;
  copy_flipped(c, view_of(reversed, transposed, {of_group, outputs * elements, elements, 1}),
               view_of(factors, transposed, {of_group, elements, channels * elements, 1}), {false, false, false, true});
  const tensor result = dense_result(out);
  convolve_at_once(c, of, dense(c, strided ? spaced(c, gradient, s, of.input) : gradient), reversed, result);
  if (!result.same_as(out)) copy_result(out, result);
  return true;
}

// The sum over images and positions of the gradient times the input is a convolution whose window is the whole
// gradient: stride and dilation change places, images are its channels, and the input's channels its images.
bool weight_gradient_at_once(backend_call c, const convolution_shape& s, const tensor& gradient, const tensor& input,
                             const tensor& out) {
  if (!runs_at_once(c, out, gradient) || input.numel() == 0) return false;
  const std::int64_t images = s.input[0], channels = s.weight[1], elements = product_from(s.weight, 2);
  const std::int64_t positions = product_from(s.out, 2);
  if (!is_depthwise(s) && (elements < 3 || channels * elements < 64 || !has_long_results(s))) return false;
  const std::size_t last = s.weight.size() - 1;
  if (elements > most_elements || s.out[last] < s.weight[last] || positions <= elements) return false;
  convolution_shape of{.input = s.input,
                       .weight = s.out,
                       .stride = s.dilation,
                       .padding = s.padding,
                       .dilation = s.stride,
                       .out = s.weight,
                       .groups = s.groups};
  of.input[0] = channels;
  of.input[1] = s.groups * images;
  of.weight[0] = of.out[1] = s.weight[0];
  of.weight[1] = images;
  of.out[0] = channels;
  const tensor planes = dense(c, input), results = dense(c, gradient);
  const std::int64_t pixels = product_from(s.input, 2);
  const tensor image = dense(
      c, view_of(planes, {channels, s.groups, images, pixels}, {pixels, channels * pixels, s.input[1] * pixels, 1}));
  const tensor windows =
      dense(c, view_of(results, {s.weight[0], images, positions}, {positions, s.weight[0] * positions, 1}));
  if (channels == 1 && out.is_contiguous()) {
    convolve_at_once(c, of, image, windows, out);
    return true;
  }
  const tensor result = author::make_tensor(of.out, out.dtype(), out.device());
  convolve_at_once(c, of, image, windows, result);
  shape strides = result.strides();
  std::swap(strides[0], strides[1]);
  copy_result(out, view_of(result, s.weight, strides));
  return true;
}

}  // namespace topbit::detail
