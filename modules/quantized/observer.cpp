module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;

namespace topbit::quantized {

namespace {

constexpr std::string_view name = "quantized observer";

observer_options checked(const observer_options& o) {
  check_bits(name, o.bits);
  return o;
}

// The range of x, over all elements or of each index of a dimension, or nothing for an empty tensor.
std::optional<std::pair<tensor, tensor>> range_of_elements(const tensor& x, std::optional<std::int64_t> axis) {
  const no_grad guard;
  check_values(name, x);
  if (x.numel() == 0) return std::nullopt;
  shape dims;
  if (axis.has_value()) {
    const std::int64_t kept = wrap_dim(name, *axis, x.dim());
    for (std::int64_t d = 0; d < x.dim(); ++d) {
      if (d != kept) dims.push_back(d);
    }
    if (dims.empty()) return std::pair(clone(x), clone(x));
  }
  return std::pair(amin(x, dims), amax(x, dims));
}

void widen(tensor& least, tensor& greatest, const std::pair<tensor, tensor>& seen) {
  const no_grad guard;
  if (!least.defined()) {
    least = seen.first;
    greatest = seen.second;
    return;
  }
  if (least.sizes() != seen.first.sizes()) {
    refuse<shape_error>(name, "found " + to_string(seen.first.sizes()) + " channels after " + to_string(least.sizes()) +
                                  ", wanted as many");
  }
  least = minimum(least, seen.first);
  greatest = maximum(greatest, seen.second);
}

parameters chosen(const tensor& least, const tensor& greatest, const observer_options& o) {
  const no_grad guard;
  if (!least.defined()) refuse<error>(name, "found no tensor observed, wanted one at least before parameters()");
  check_finite(name, "elements", stack({least, greatest}));
  return choose_parameters(least, greatest, range_of(o.bits, o.is_signed), o.symmetric);
}

tensor_parameters of_tensor(const tensor& least, const tensor& greatest, const observer_options& o) {
  const parameters p = chosen(least, greatest, o);
  return {item(p.scales), item<std::int64_t>(to(p.zero_points, dtype::int64))};
}

tensor quantized_by(const tensor& x, const tensor_parameters& p, const observer_options& o) {
  return quantize_per_tensor(x, p.scale, p.zero_point, o.bits, o.is_signed);
}

}  // namespace

min_max_observer::min_max_observer(const observer_options& o) : options_(checked(o)) {}
void min_max_observer::observe(const tensor& x) {
  if (const auto seen = range_of_elements(x, std::nullopt)) widen(least_, greatest_, *seen);
}
tensor_parameters min_max_observer::parameters() const { return of_tensor(least_, greatest_, options_); }
tensor min_max_observer::quantize(const tensor& x) const { return quantized_by(x, parameters(), options_); }

moving_average_observer::moving_average_observer(const observer_options& o, double rate)
    : options_(checked(o)), rate_(rate) {}
void moving_average_observer::observe(const tensor& x) {
  const auto seen = range_of_elements(x, std::nullopt);
  if (!seen.has_value()) return;
  const no_grad guard;
  least_ = least_.defined() ? least_ + (seen->first - least_) * rate_ : seen->first;
  greatest_ = greatest_.defined() ? greatest_ + (seen->second - greatest_) * rate_ : seen->second;
}
tensor_parameters moving_average_observer::parameters() const { return of_tensor(least_, greatest_, options_); }
tensor moving_average_observer::quantize(const tensor& x) const { return quantized_by(x, parameters(), options_); }

channel_observer::channel_observer(std::int64_t axis, const observer_options& o) : options_(checked(o)), axis_(axis) {}
void channel_observer::observe(const tensor& x) {
  if (const auto seen = range_of_elements(x, axis_)) widen(least_, greatest_, *seen);
}
parameters channel_observer::parameters() const { return chosen(least_, greatest_, options_); }
tensor channel_observer::quantize(const tensor& x) const {
  const quantized::parameters p = parameters();
  return quantize_per_channel(x, p.scales, p.zero_points, axis_, options_.bits, options_.is_signed);
}

}  // namespace topbit::quantized
