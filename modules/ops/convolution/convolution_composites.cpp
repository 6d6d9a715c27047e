// Composite convolution operators, and the registration of the family.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.convolution_kernels;
import :linalg.matmul_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

void check_bias(std::string_view op, const tensor& input, const tensor& weight, const std::optional<tensor>& bias,
                std::int64_t outputs) {
  if (!is_given(bias)) return;
  check_product_types(op, input, *bias);
  if (bias->sizes() == shape{outputs}) return;
  refuse<shape_error>({nullptr, op}, "found a bias " + to_string(bias->sizes()) + " for weights " +
                                         to_string(weight.sizes()) + ", wanted one number for each output channel");
}

// Checks under the composite's name, before it calls other operators.
void check_convolution(std::string_view op, const tensor& input, const tensor& weight,
                       const std::optional<tensor>& bias, sizes_view stride, sizes_view padding, sizes_view dilation,
                       std::int64_t groups) {
  convolve_kernel::meta(op, input, weight, stride, padding, dilation, groups);
  check_bias(op, input, weight, bias, weight.sizes()[0]);
}

// Expands a list of 1 or `windows` numbers to one per spatial dimension.
shape for_each_window(std::string_view op, std::string_view name, sizes_view given, std::size_t windows,
                      std::int64_t least) {
  const backend_call c{nullptr, op};
  const shape numbers = sizes_of(c, given);
  if (numbers.size() != 1 && numbers.size() != windows) {
    refuse<shape_error>(c, "found " + std::string(name) + " " + to_string(numbers) + ", wanted 1 or " +
                               std::to_string(windows) + " numbers");
  }
  shape all;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::int64_t n = numbers[numbers.size() == 1 ? 0 : i];
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (n < least || n > most) {
      refuse<shape_error>(c, "found " + std::string(name) + " " + to_string(numbers) + ", wanted " +
                                 std::to_string(least) + " to " + std::to_string(most));
    }
    all.push_back(n);
  }
  return all;
}

// The result sizes of a transposed convolution: the input sizes that a convolution maps to `input`.
shape transposed_sizes(std::string_view op, const tensor& input, const tensor& weight, sizes_view stride,
                       sizes_view padding, sizes_view dilation, sizes_view output_padding, std::int64_t groups) {
  const backend_call c{nullptr, op};
  check_product_types(op, input, weight);
  if (input.dim() < 3 || weight.dim() != input.dim() || groups < 1 || input.sizes()[1] != weight.sizes()[0] ||
      weight.sizes()[0] % groups != 0) {
    refuse<shape_error>(c, "found input " + to_string(input.sizes()) + ", weight " + to_string(weight.sizes()) +
                               " and " + std::to_string(groups) +
                               " groups, wanted [n, channels, ..] and [channels, outputs / groups, ..], with channels "
                               "that the groups divide");
  }
  const std::size_t windows = input.dim() - 2;
  const shape strides = for_each_window(op, "stride", stride, windows, 1),
              paddings = for_each_window(op, "padding", padding, windows, 0),
              dilations = for_each_window(op, "dilation", dilation, windows, 1),
              more = for_each_window(op, "output_padding", output_padding, windows, 0);
  shape sizes{input.sizes()[0], weight.sizes()[1] * groups};
  for (std::size_t i = 0; i < windows; ++i) {
    if (more[i] >= strides[i]) {
      refuse<shape_error>(
          c, "found output_padding " + to_string(more) + " for stride " + to_string(strides) + ", wanted less");
    }
    const std::int64_t reach = product_of(c, "dilation", dilations[i], weight.sizes()[i + 2] - 1),
                       between = product_of(c, "stride", strides[i], input.sizes()[i + 2] - 1);
    const std::int64_t size = sum_of(c, "size", between, reach) - 2 * paddings[i] + more[i] + 1;
    if (size < 1 || input.sizes()[i + 2] < 1) {
      refuse<shape_error>(c, "found input " + to_string(input.sizes()) + " and padding " + to_string(paddings) +
                                 ", which leave a result of " + std::to_string(size) + " elements in dimension " +
                                 std::to_string(i + 2) + ", wanted one at least");
    }
    sizes.push_back(size);
  }
  return sizes;
}

tensor with_bias(const tensor& out, const std::optional<tensor>& bias) {
  if (!is_given(bias)) return out;
  shape sizes(out.dim() - 1, 1);
  sizes[0] = bias->sizes()[0];
  return aten::add_Tensor(out, aten::reshape(*bias, sizes));
}

tensor transposed_convolution(std::string_view op, const tensor& input, const tensor& weight,
                              const std::optional<tensor>& bias, sizes_view stride, sizes_view padding,
                              sizes_view dilation, sizes_view output_padding, std::int64_t groups) {
  const shape sizes = transposed_sizes(op, input, weight, stride, padding, dilation, output_padding, groups);
  check_bias(op, input, weight, bias, sizes[1]);
  return with_bias(native::convolve_input_gradient(input, weight, sizes, stride, padding, dilation, groups), bias);
}

tensor convolution(const tensor& input, const tensor& weight, const std::optional<tensor>& bias, sizes_view stride,
                   sizes_view padding, sizes_view dilation, bool transposed, sizes_view output_padding,
                   std::int64_t groups) {
  constexpr std::string_view op = aten::convolution.name();
  author::check_one_device(aten::convolution, input, weight, bias);
  if (transposed) {
    return transposed_convolution(op, input, weight, bias, stride, padding, dilation, output_padding, groups);
  }
  check_convolution(op, input, weight, bias, stride, padding, dilation, groups);
  return with_bias(native::convolve(input, weight, stride, padding, dilation, groups), bias);
}

template <std::size_t Windows, const auto& Op>
void check_windows(const tensor& input, const tensor& weight) {
  if (weight.dim() == Windows + 2 && (input.dim() == Windows + 2 || input.dim() == Windows + 1)) return;
  refuse<shape_error>({nullptr, Op.name()}, "found input " + to_string(input.sizes()) + " and weight " +
                                                to_string(weight.sizes()) + ", wanted " + std::to_string(Windows + 2) +
                                                " dimensions each, or one less of the input");
}

template <std::size_t Windows, const auto& Op>
tensor conv_transpose(const tensor& input, const tensor& weight, const std::optional<tensor>& bias, sizes_view stride,
                      sizes_view padding, sizes_view output_padding, std::int64_t groups, sizes_view dilation) {
  check_windows<Windows, Op>(input, weight);
  const bool single = input.dim() == Windows + 1;
  const tensor images = single ? aten::unsqueeze(input, 0) : input;
  author::check_one_device(Op, images, weight, bias);
  const tensor out =
      transposed_convolution(Op.name(), images, weight, bias, stride, padding, dilation, output_padding, groups);
  return single ? aten::reshape(out, shape(std::span(out.sizes().begin() + 1, Windows + 1))) : out;
}

std::tuple<tensor, tensor, tensor> convolution_backward(const tensor& gradient, const tensor& input,
                                                        const tensor& weight,
                                                        std::optional<std::span<const std::int64_t>>, sizes_view stride,
                                                        sizes_view padding, sizes_view dilation, bool transposed,
                                                        sizes_view output_padding, std::int64_t groups,
                                                        std::span<const bool> wanted) {
  constexpr backend_call c{nullptr, aten::convolution_backward.name()};
  if (wanted.size() != 3) {
    refuse<error>(c, "found " + std::to_string(wanted.size()) + " elements of output_mask, wanted 3");
  }
  if (!transposed) {
    convolve_input_kernel::meta(c.op, gradient, weight, input.sizes(), stride, padding, dilation, groups);
  } else {
    const shape sizes = transposed_sizes(c.op, input, weight, stride, padding, dilation, output_padding, groups);
    if (gradient.sizes() != sizes) {
      refuse<shape_error>(c, "found a gradient " + to_string(gradient.sizes()) + " for a result " + to_string(sizes));
    }
  }
  check_product_types(c.op, gradient, input);
  shape over{0};
  for (std::int64_t i = 2; i < gradient.dim(); ++i) over.push_back(i);
  const auto summed = [&] {
    return aten::sum_dim_IntList(gradient, std::optional(sizes_view(over)), false, gradient.dtype());
  };
  if (transposed) {
    return {wanted[0] ? native::convolve(gradient, weight, stride, padding, dilation, groups) : tensor(),
            wanted[1]
                ? native::convolve_weight_gradient(input, gradient, weight.sizes(), stride, padding, dilation, groups)
                : tensor(),
            wanted[2] ? summed() : tensor()};
  }
  return {
      wanted[0] ? native::convolve_input_gradient(gradient, weight, input.sizes(), stride, padding, dilation, groups)
                : tensor(),
      wanted[1] ? native::convolve_weight_gradient(gradient, input, weight.sizes(), stride, padding, dilation, groups)
                : tensor(),
      wanted[2] ? summed() : tensor()};
}

// A convolution over the last `Windows` dimensions; an unbatched input becomes a batch of one.
template <std::size_t Windows, const auto& Op>
tensor convolution_of(const tensor& input, const tensor& weight, const std::optional<tensor>& bias, sizes_view stride,
                      sizes_view padding, sizes_view dilation, std::int64_t groups) {
  check_windows<Windows, Op>(input, weight);
  const bool single = input.dim() == Windows + 1;
  const tensor images = single ? aten::unsqueeze(input, 0) : input;
  author::check_one_device(Op, images, weight, bias);
  check_convolution(Op.name(), images, weight, bias, stride, padding, dilation, groups);
  const tensor out = aten::convolution(images, weight, bias, stride, padding, dilation, false, shape{0}, groups);
  return single ? aten::reshape(out, shape(std::span(out.sizes().begin() + 1, Windows + 1))) : out;
}

template <std::size_t Windows, const auto& Op, const auto& Plain>
tensor convolution_padded(const tensor& input, const tensor& weight, const std::optional<tensor>& bias,
                          sizes_view stride, std::string_view padding, sizes_view dilation, std::int64_t groups) {
  constexpr backend_call c{nullptr, Op.name()};
  if (padding == "valid") return Plain(input, weight, bias, stride, shape{0}, dilation, groups);
  if (padding != "same") refuse<error>(c, "found padding '" + std::string(padding) + "', wanted 'valid' or 'same'");
  if (weight.dim() != Windows + 2) {
    refuse<shape_error>(
        c, "found weight " + to_string(weight.sizes()) + ", wanted " + std::to_string(Windows + 2) + " dimensions");
  }
  for (std::int64_t n : stride) {
    if (n != 1) refuse<error>(c, "found stride " + list_text(stride) + " with padding 'same', wanted 1");
  }
  if (dilation.size() != 1 && dilation.size() != Windows) {
    refuse<shape_error>(
        c, "found dilation " + list_text(dilation) + ", wanted 1 or " + std::to_string(Windows) + " numbers");
  }
  for (std::int64_t n : dilation) {
    if (n < 1) refuse<error>(c, "found dilation " + list_text(dilation) + ", wanted 1 or more");
  }
  // For an odd total, the extra element at the end is padded by a separate call.
  shape both, behind(2 * Windows, 0);
  bool even = true;
  for (std::size_t i = 0; i < Windows; ++i) {
    const std::int64_t total =
        product_of(c, "padding", dilation[dilation.size() == 1 ? 0 : i], weight.sizes()[i + 2] - 1);
    both.push_back(total / 2);
    behind[2 * (Windows - 1 - i) + 1] = total % 2;
    even = even && total % 2 == 0;
  }
  return Plain(even ? input : aten::constant_pad_nd(input, behind, 0), weight, bias, stride, both, dilation, groups);
}

}  // namespace

void register_convolution() {
  register_forms(convolution_forms);
  register_composite<&convolution, aten::convolution>();
  register_composite<&convolution_backward, aten::convolution_backward>();
  register_composite<&convolution_of<1, aten::conv1d>, aten::conv1d>();
  register_composite<&convolution_of<2, aten::conv2d>, aten::conv2d>();
  register_composite<&convolution_of<3, aten::conv3d>, aten::conv3d>();
  register_composite<&convolution_padded<1, aten::conv1d_padding, aten::conv1d>, aten::conv1d_padding>();
  register_composite<&convolution_padded<2, aten::conv2d_padding, aten::conv2d>, aten::conv2d_padding>();
  register_composite<&convolution_padded<3, aten::conv3d_padding, aten::conv3d>, aten::conv3d_padding>();
  register_composite<&conv_transpose<1, aten::conv_transpose1d>, aten::conv_transpose1d>();
  register_composite<&conv_transpose<2, aten::conv_transpose2d_input>, aten::conv_transpose2d_input>();
  register_composite<&conv_transpose<3, aten::conv_transpose3d_input>, aten::conv_transpose3d_input>();
}

}  // namespace topbit::detail
