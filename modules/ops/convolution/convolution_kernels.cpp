// Convolution as matrix products (im2col): the windows of some images are copied to columns, the right-hand matrix of
// each group's product. Backends with a convolution kernel compute without these copies.
//
// Columns are strided views passed to the copy kernel, so there is no loop over elements here. The number of images per
// step is chosen to bound the size of the columns.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :convolution.convolution_kernels;
import :linalg.matmul_kernels;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"
#include "convolution_at_once.h"

namespace topbit::detail {

namespace {

// The maximum number of elements of the columns; more on devices, to amortise kernel launches.
constexpr std::int64_t most_elements = std::int64_t{1} << 20, most_device_elements = std::int64_t{1} << 25;

tensor view_at(const tensor& t, const shape& sizes, const shape& strides, std::int64_t first) {
  return author::make_view(t, sizes, strides, author::record_of(t).offset + first);
}

// Expands a list to one element per spatial dimension.
shape list_for(backend_call c, std::string_view name, sizes_view given, std::size_t count, std::int64_t least) {
  if (given.size() != 1 && given.size() != count) {
    refuse<error>(
        c, "found " + std::string(name) + " " + list_text(given) + ", wanted one number or " + std::to_string(count));
  }
  shape out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t n = given[given.size() == 1 ? 0 : i];
    if (n < least) {
      refuse<error>(
          c, "found " + std::string(name) + " " + list_text(given) + ", wanted " + std::to_string(least) + " or more");
    }
    out.push_back(n);
  }
  return out;
}

// The dimensions of a convolution, and its operands as dense tensors in the compute type.
struct layout_of_convolution {
  const convolution_shape& given_shape;
  std::size_t windows = given_shape.stride.size();  // dimensions
  std::int64_t images = given_shape.input[0], channels = given_shape.input[1], outputs = given_shape.weight[0];
  std::int64_t groups = given_shape.groups, group_outputs = outputs / groups;
  shape padded{};  // spatial sizes with padding
  shape kernel{};
  std::int64_t padded_size = 1, positions = 1, kernel_size = 1;
  std::int64_t depth = 0;  // K of one product: elements of a window in all channels of a group
  std::int64_t image_windows = 0;

  layout_of_convolution(backend_call c, const convolution_shape& s) : given_shape(s) {
    for (std::size_t i = 0; i < windows; ++i) {
      padded.push_back(s.room(c, i));
      kernel.push_back(s.weight[i + 2]);
      padded_size = product_of(c, "padded input", padded_size, padded[i]);
      positions *= s.out[i + 2];
      kernel_size *= kernel[i];
    }
    depth = given_shape.weight[1] * kernel_size;
    image_windows =
        product_of(c, "windows of an image", groups, product_of(c, "windows of an image", depth, positions));
  }

  std::int64_t chunk(device where) const {
    const std::int64_t most = where == cpu ? most_elements : most_device_elements;
    return std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, image_windows));
  }

  shape padded_sizes() const {
    shape sizes{images, channels};
    for (std::int64_t n : padded) sizes.push_back(n);
    return sizes;
  }
  // The view of the padded images without padding.
  tensor inside(const tensor& all) const {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < windows; ++i) first += given_shape.padding[i] * all.strides()[i + 2];
    return view_at(all, given_shape.input, all.strides(), first);
  }
  tensor padded_input(backend_call c, const tensor& input, dtype type) const {
    if (std::ranges::all_of(given_shape.padding, [](std::int64_t n) { return n == 0; })) {
      return dense(c, in_dtype(c, input, type));
    }
    tensor all = make_result({padded_sizes(), type, input.device(), {}});
    fill(c, all, 0);
    tensor part = inside(all);
    copy(c, part, input);
    return all;
  }
  // Strides between the input elements that one kernel element is multiplied with.
  shape window_strides(const tensor& all) const {
    shape strides;
    for (std::size_t i = 0; i < windows; ++i) strides.push_back(all.strides()[i + 2] * given_shape.stride[i]);
    return strides;
  }
  // The columns of `count` images from `first` on: [count * channels, kernel.., positions..], or [channels, kernel..,
  // count, positions..].
  enum class images_among { channels, positions };
  tensor columns(backend_call c, const tensor& all, std::int64_t first, std::int64_t count, images_among where) const {
    shape sizes{where == images_among::channels ? count * channels : channels}, strides{padded_size};
    for (std::size_t i = 0; i < windows; ++i) {
      sizes.push_back(kernel[i]);
      strides.push_back(all.strides()[i + 2] * given_shape.dilation[i]);
    }
    if (where == images_among::positions) {
      sizes.push_back(count);
      strides.push_back(channels * padded_size);
    }
    const shape steps = window_strides(all);
    for (std::size_t i = 0; i < windows; ++i) {
      sizes.push_back(given_shape.out[i + 2]);
      strides.push_back(steps[i]);
    }
    return dense(c, view_at(all, sizes, strides, first * channels * padded_size));
  }
  // A group's columns of `count` images: [count, depth, positions].
  tensor group_columns(const tensor& all_columns, std::int64_t g, std::int64_t count) const {
    return view_at(all_columns, {count, depth, positions}, {image_windows, positions, 1}, g * depth * positions);
  }
  // A group's results of `count` images: [count, outputs of the group, positions].
  tensor group_results(const tensor& results, std::int64_t g, std::int64_t first, std::int64_t count) const {
    return view_at(results, {count, group_outputs, positions}, {outputs * positions, positions, 1},
                   (first * outputs + g * group_outputs) * positions);
  }
  template <class Visit>
  void each_chunk(device where, Visit visit) const {
    const std::int64_t most = chunk(where);
    for (std::int64_t first = 0; first < images; first += most) visit(first, std::min(most, images - first));
  }
};

// `out` if it is dense in the compute type, else a temporary to be copied to it.
tensor result_in(const tensor& out, dtype type) {
  return out.dtype() == type && out.is_contiguous() ? out : author::make_tensor(out.sizes(), type, out.device());
}
void deliver(const tensor& out, const tensor& result) {
  if (!result.same_as(out)) copy_result(out, result);
}

}  // namespace

std::int64_t convolution_shape::room(backend_call c, std::size_t i) const {
  return sum_of(c, "padded size", input[i + 2], product_of(c, "padded size", padding[i], 2));
}

convolution_shape convolution_shape::of(std::string_view op, const shape& input, const shape& weight, sizes_view stride,
                                        sizes_view padding, sizes_view dilation, std::int64_t groups) {
  const backend_call c{nullptr, op};
  const std::string found = "found input " + to_string(input) + " and weight " + to_string(weight);
  if (input.size() < 3 || input.size() > 5 || input.size() != weight.size()) {
    refuse<shape_error>(c, found + ", wanted [n, channels, sizes..] and [out, channels, kernel..], with 1 to 3 sizes");
  }
  const std::size_t count = input.size() - 2;
  convolution_shape s{input,
                      weight,
                      list_for(c, "stride", stride, count, 1),
                      list_for(c, "padding", padding, count, 0),
                      list_for(c, "dilation", dilation, count, 1),
                      {},
                      groups};
  if (groups < 1) refuse<error>(c, "found groups " + std::to_string(groups) + ", wanted 1 or more");
  const std::int64_t channels = product_of(c, "channels", weight[1], groups);
  if (input[1] != channels) {
    refuse<shape_error>(c, found + " in " + std::to_string(groups) + " groups, wanted " + std::to_string(channels) +
                               " channels of the input");
  }
  if (weight[0] % groups != 0) {
    refuse<error>(c, found + ", wanted a first size of the weight that " + std::to_string(groups) + " groups divide");
  }
  s.out = {input[0], weight[0]};
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t room = s.room(c, i);
    if (weight[i + 2] < 1) refuse<shape_error>(c, found + ", wanted a kernel of at least 1");
    const std::int64_t reach =
        sum_of(c, "reach of the kernel", product_of(c, "reach of the kernel", s.dilation[i], weight[i + 2] - 1), 1);
    if (reach > room) {
      refuse<shape_error>(c, found + ", wanted a kernel within the padded input: it spans " + std::to_string(reach) +
                                 " of " + std::to_string(room));
    }
    s.out.push_back((room - reach) / s.stride[i] + 1);
  }
  return s;
}

result_meta convolve_kernel::meta(std::string_view op, const tensor& input, const tensor& weight, sizes_view stride,
                                  sizes_view padding, sizes_view dilation, std::int64_t groups) {
  check_product_types(op, input, weight);
  const auto s = convolution_shape::of(op, input.sizes(), weight.sizes(), stride, padding, dilation, groups);
  return {s.out, input.dtype(), input.device(), {}};
}

void convolve_kernel::run(backend_call c, const tensor& input, const tensor& weight, sizes_view stride,
                          sizes_view padding, sizes_view dilation, std::int64_t groups, const tensor& out) {
  if (out.numel() == 0) return;
  const auto given_shape =
      convolution_shape::of(c.op, input.sizes(), weight.sizes(), stride, padding, dilation, groups);
  const bool at_once = is_floating(out.dtype()) && c.table->convolve != nullptr && input.numel() != 0;
  if (at_once) {
    const tensor result = result_in(out, out.dtype());
    convolve_at_once(c, given_shape, dense(c, input), dense(c, weight), result);
    return deliver(out, result);
  }
  const layout_of_convolution of(c, given_shape);
  const dtype type = product_type(out.dtype());
  const tensor result = result_in(out, type);
  if (input.numel() == 0) {
    tensor zeros = result;
    fill(c, zeros, 0);
    return deliver(out, result);
  }
  const tensor all = of.padded_input(c, input, type), factors = dense(c, in_dtype(c, weight, type));
  of.each_chunk(out.device(), [&](std::int64_t first, std::int64_t count) {
    const tensor columns = of.columns(c, all, first, count, layout_of_convolution::images_among::channels);
    for (std::int64_t g = 0; g < of.groups; ++g) {
      const tensor left =
          view_at(factors, {count, of.group_outputs, of.depth}, {0, of.depth, 1}, g * of.group_outputs * of.depth);
      multiply(c, of.group_results(result, g, first, count), left, of.group_columns(columns, g, count));
    }
  });
  deliver(out, result);
}

namespace {

void check_gradient(std::string_view op, const tensor& gradient, const convolution_shape& s) {
  if (gradient.sizes() == s.out) return;
  refuse<shape_error>({nullptr, op}, "found a gradient " + to_string(gradient.sizes()) + " for a result " +
                                         to_string(s.out) + ", wanted equal sizes");
}

}  // namespace

result_meta convolve_input_kernel::meta(std::string_view op, const tensor& gradient, const tensor& weight,
                                        sizes_view input_sizes, sizes_view stride, sizes_view padding,
                                        sizes_view dilation, std::int64_t groups) {
  check_product_types(op, gradient, weight);
  const shape input = sizes_of({nullptr, op}, input_sizes);
  check_gradient(op, gradient, convolution_shape::of(op, input, weight.sizes(), stride, padding, dilation, groups));
  return {input, gradient.dtype(), gradient.device(), {}};
}

// Accumulates the product of each kernel element to the input elements that it reads (col2im).
void convolve_input_kernel::run(backend_call c, const tensor& gradient, const tensor& weight, sizes_view input_sizes,
                                sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups,
                                const tensor& out) {
  if (out.numel() == 0) return;
  const auto given_shape =
      convolution_shape::of(c.op, shape(input_sizes), weight.sizes(), stride, padding, dilation, groups);
  if (input_gradient_at_once(c, given_shape, gradient, weight, out)) return;
  const layout_of_convolution of(c, given_shape);
  const dtype type = product_type(out.dtype());
  tensor all = make_result({of.padded_sizes(), type, out.device(), {}});
  fill(c, all, 0);
  if (gradient.numel() != 0) {
    const tensor g_results = dense(c, in_dtype(c, gradient, type)), factors = dense(c, in_dtype(c, weight, type));
    of.each_chunk(out.device(), [&](std::int64_t first, std::int64_t count) {
      const tensor columns = author::make_tensor({count, of.groups * of.depth, of.positions}, type, out.device());
      for (std::int64_t g = 0; g < of.groups; ++g) {
        const tensor left =
            view_at(factors, {count, of.depth, of.group_outputs}, {0, 1, of.depth}, g * of.group_outputs * of.depth);
        multiply(c, of.group_columns(columns, g, count), left, of.group_results(g_results, g, first, count));
      }
      shape sizes{count, of.channels}, to_strides{of.channels * of.padded_size, of.padded_size},
          from_strides{of.image_windows, of.kernel_size * of.positions};
      const shape steps = of.window_strides(all);
      shape positions;
      for (std::size_t i = 0; i < of.windows; ++i) positions.push_back(given_shape.out[i + 2]);
      const shape position_strides = dense_strides(positions);
      for (std::size_t i = 0; i < of.windows; ++i) {
        sizes.push_back(positions[i]);
        to_strides.push_back(steps[i]);
        from_strides.push_back(position_strides[i]);
      }
      for (std::int64_t k = 0; k < of.kernel_size; ++k) {
        std::int64_t at = first * of.channels * of.padded_size, rest = k;
        for (std::size_t i = of.windows; i-- > 0; rest /= of.kernel[i]) {
          at += rest % of.kernel[i] * given_shape.dilation[i] * all.strides()[i + 2];
        }
        const tensor to = view_at(all, sizes, to_strides, at);
        run_elementwise_in(c, elementwise::add, type,
                           collect(to, view_at(columns, sizes, from_strides, k * of.positions), scalar(1)), to);
      }
    });
  }
  copy_result(out, of.inside(all));
}

result_meta convolve_weight_kernel::meta(std::string_view op, const tensor& gradient, const tensor& input,
                                         sizes_view weight_sizes, sizes_view stride, sizes_view padding,
                                         sizes_view dilation, std::int64_t groups) {
  check_product_types(op, gradient, input);
  const shape weight = sizes_of({nullptr, op}, weight_sizes);
  check_gradient(op, gradient, convolution_shape::of(op, input.sizes(), weight, stride, padding, dilation, groups));
  return {weight, gradient.dtype(), gradient.device(), {}};
}

// The gradient times the transposed columns, as one product over the positions of all images.
void convolve_weight_kernel::run(backend_call c, const tensor& gradient, const tensor& input, sizes_view weight_sizes,
                                 sizes_view stride, sizes_view padding, sizes_view dilation, std::int64_t groups,
                                 const tensor& out) {
  if (out.numel() == 0) return;
  const auto given_shape =
      convolution_shape::of(c.op, input.sizes(), shape(weight_sizes), stride, padding, dilation, groups);
  if (weight_gradient_at_once(c, given_shape, gradient, input, out)) return;
  const layout_of_convolution of(c, given_shape);
  const dtype type = product_type(out.dtype());
  tensor result = result_in(out, type);
  fill(c, result, 0);
  if (gradient.numel() != 0) {
    const tensor g_results = dense(c, in_dtype(c, gradient, type)), all = of.padded_input(c, input, type);
    of.each_chunk(out.device(), [&](std::int64_t first, std::int64_t count) {
      const std::int64_t positions = count * of.positions;
      const tensor columns = of.columns(c, all, first, count, layout_of_convolution::images_among::positions);
      const tensor results =
          dense(c, view_at(g_results, {of.outputs, count, of.positions}, {of.positions, of.outputs * of.positions, 1},
                           first * of.outputs * of.positions));
      for (std::int64_t g = 0; g < of.groups; ++g) {
        const tensor to = view_at(result, {of.group_outputs, of.depth}, {of.depth, 1}, g * of.group_outputs * of.depth);
        const tensor left =
            view_at(results, {of.group_outputs, positions}, {positions, 1}, g * of.group_outputs * positions);
        const tensor right = view_at(columns, {positions, of.depth}, {1, positions}, g * of.depth * positions);
        multiply(c, to, left, right, {1, 1, &to, {}});
      }
    });
  }
  deliver(out, result);
}

result_meta constant_pad_kernel::meta(std::string_view op, const tensor& self, sizes_view pad, const scalar&) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  if (pad.size() % 2 != 0 || pad.size() > 2 * self.sizes().size()) {
    refuse<shape_error>(c, "found " + std::to_string(pad.size()) + " numbers for " + to_string(self.sizes()) +
                               ", wanted two for each of the last dimensions");
  }
  shape sizes = self.sizes();
  for (std::int64_t n : pad) product_of(c, "padding", n, -1);  // must be negatable: the gradient pads by -n
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    std::int64_t& size = sizes[self.dim() - 1 - i];
    size = sum_of(c, "padded size", sum_of(c, "padded size", size, pad[2 * i]), pad[2 * i + 1]);
    if (size < 0) {
      refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and a padding of " + std::to_string(pad[2 * i]) +
                                 " and " + std::to_string(pad[2 * i + 1]) + ", wanted a size of 0 or more");
    }
  }
  return {sizes, self.dtype(), self.device(), {}};
}

void constant_pad_kernel::run(backend_call c, const tensor& self, sizes_view pad, const scalar& value,
                              const tensor& out) {
  if (out.numel() == 0) return;
  tensor whole = out;
  fill(c, whole, value);
  // Copies the common part: skips the padding in `out` and the cropped elements in `self`.
  shape sizes = self.sizes();
  std::int64_t from = 0, to = 0;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t d = self.dim() - 1 - i;
    sizes[d] += std::min<std::int64_t>(pad[2 * i], 0) + std::min<std::int64_t>(pad[2 * i + 1], 0);
    if (sizes[d] <= 0) return;
    from += std::max<std::int64_t>(-pad[2 * i], 0) * self.strides()[d];
    to += std::max<std::int64_t>(pad[2 * i], 0) * out.strides()[d];
  }
  tensor part = view_at(out, sizes, out.strides(), to);
  copy(c, part, view_at(self, sizes, self.strides(), from));
}

}  // namespace topbit::detail
