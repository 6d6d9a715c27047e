module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :options;
import :sparse_gradient;

namespace topbit {

namespace {

constexpr int most_skipped = 40;

// The numbers of the state.
enum number : std::int64_t { the_factor, good_updates, skipped_updates };
tensor number_of(const tensor& state, number n) { return aten::select_int(state, 0, static_cast<std::int64_t>(n)); }

tensor state_with(double factor) { return from_values<double>({factor, 0, 0}, {3}); }

struct numbered_gradient {
  std::size_t parameter;  // through all groups
  tensor value;
};
std::vector<numbered_gradient> gradients_of(const optimizer& o) {
  std::vector<numbered_gradient> all;
  std::size_t parameter = 0;
  for (std::size_t g = 0; g < o.group_count(); ++g) {
    for (const tensor& p : o.parameters(g)) {
      if (tensor gradient = leaf_grad(p); gradient.defined()) all.push_back({parameter, std::move(gradient)});
      ++parameter;
    }
  }
  return all;
}

dtype wide(const tensor& t) { return promote(t.dtype(), dtype::float32); }

// A number that is NaN or infinite if an element is.
tensor largest(const tensor& gradient) {
  return aten::linalg_vector_norm(detail::elements_of(gradient), std::numeric_limits<double>::infinity(),
                                  arg<"dtype"> = wide(gradient));
}

tensor non_finite(std::span<const numbered_gradient> gradients, device target) {
  std::vector<tensor> largest_of_each;
  for (const numbered_gradient& g : gradients) {
    if (detail::elements_of(g.value).numel() != 0)
      largest_of_each.push_back(to(to(largest(g.value), dtype::float64), target));
  }
  if (largest_of_each.empty()) return aten::zeros(shape{}, arg<"dtype"> = dtype::float64, arg<"device"> = target);
  return to(aten::any(!aten::isfinite(aten::stack(largest_of_each))), dtype::float64);
}

void check_gradients(std::string_view who, std::span<const numbered_gradient> gradients) {
  for (const numbered_gradient& g : gradients) {
    if (author::is_read_only(g.value)) {
      throw error(std::string(who) + ": found a gradient in read-only memory, of parameter " +
                      std::to_string(g.parameter) + ", wanted one that can be divided by the factor; clone() it",
                  std::string(who));
    }
    if (g.value.dtype() != dtype::float16) continue;
    throw dtype_error(std::string(who) + ": found a float16 gradient, of parameter " + std::to_string(g.parameter) +
                          ", wanted float32; keep parameters in float32, autocast casts them",
                      std::string(who));
  }
}

// Divides gradients by the factor in the state. Returns whether one was not finite, as non_finite() does.
tensor unscale_all(std::string_view who, std::span<const numbered_gradient> gradients, const tensor& state) {
  const no_grad guard;
  check_gradients(who, gradients);
  const tensor found = non_finite(gradients, state.device()), by = aten::reciprocal(number_of(state, the_factor));
  for (const numbered_gradient& g : gradients) {
    tensor gradient = detail::elements_of(g.value);
    gradient *= topbit::to(by, gradient.device());
  }
  return found;
}

}  // namespace

loss_scaler::loss_scaler(const loss_scaler_options& options) : options_(options), state_(state_with(options.scale)) {
  detail::require_option("loss_scaler", options.scale > 0 && std::isfinite(options.scale), "scale", options.scale,
                         "a number above 0");
  detail::require_option("loss_scaler", options.growth > 1 && std::isfinite(options.growth), "growth", options.growth,
                         "a number above 1");
  detail::require_option("loss_scaler", options.backoff > 0 && options.backoff < 1, "backoff", options.backoff,
                         "a number between 0 and 1");
  detail::require_option("loss_scaler", options.growth_interval > 0, "growth_interval",
                         static_cast<double>(options.growth_interval), "a number from 1 up");
}

loss_scaler::visit& loss_scaler::visit_of(const optimizer& o) {
  const auto at = std::ranges::find(visits_, &o, &visit::of);
  return at != visits_.end() ? *at : visits_.emplace_back(visit{&o, {}});
}

void loss_scaler::check_scaled(std::string_view function) const {
  if (placed_) return;
  throw error("loss_scaler::" + std::string(function) + ": found no scaled loss, wanted backward(scale(loss)) before",
              "loss_scaler");
}

void loss_scaler::raise_skipped(const optimizer& o) const {
  std::string text = "loss_scaler: " + std::to_string(most_skipped) + " steps in a row were skipped";
  for (const numbered_gradient& g : gradients_of(o)) {
    if (detail::elements_of(g.value).numel() == 0 || std::isfinite(item(largest(g.value)))) continue;
    text += "; the gradient of parameter " + std::to_string(g.parameter) + ", " + detail::kind_of(g.value) +
            ", is not finite";
    break;
  }
  throw error(text + "; the factor is " + to_string(scalar(factor())), "loss_scaler");
}

tensor loss_scaler::scale(const tensor& loss) {
  if (!options_.enabled) return loss;
  if (!loss.defined() || !is_floating(loss.dtype())) {
    throw dtype_error("loss_scaler::scale: found " + (loss.defined() ? detail::kind_of(loss) : "an undefined tensor") +
                          ", wanted a floating loss",
                      "loss_scaler");
  }
  if (!std::exchange(placed_, true)) state_ = topbit::to(state_, loss.device());
  const tensor by = topbit::to(topbit::to(number_of(state_, the_factor), wide(loss)), loss.device());
  return topbit::to(loss, wide(loss)) * by;
}

void loss_scaler::unscale(optimizer& o) {
  if (!options_.enabled) return;
  check_scaled("unscale");
  visit& v = visit_of(o);
  if (v.stepped || v.unscaled) {
    throw error("loss_scaler::unscale: found that " +
                    std::string(v.stepped ? "step() was called for this optimizer, wanted unscale() before it"
                                          : "it was called for this optimizer already, wanted update() before it"),
                "loss_scaler");
  }
  v.found = unscale_all("loss_scaler::unscale", gradients_of(o), state_);
  v.unscaled = true;
}

step_result loss_scaler::step(optimizer& o) {
  const std::vector<numbered_gradient> gradients = gradients_of(o);
  if (!options_.enabled) {
    o.step();
    return gradients.empty() ? step_result::nothing_to_do : step_result::stepped;
  }
  if (visit_of(o).stepped) {
    throw error("loss_scaler::step: found a second step of this optimizer, wanted update() before it", "loss_scaler");
  }
  if (gradients.empty()) {
    visit_of(o).stepped = true;
    return step_result::nothing_to_do;
  }
  check_scaled("step");
  const device here = state_.device();
  const bool together =
      std::ranges::all_of(gradients, [&](const numbered_gradient& g) { return g.value.device() == here; });
  visit& v = visit_of(o);
  const no_grad guard;
  if (!v.unscaled && !(together && o.takes_scaling())) {
    v.found = unscale_all("loss_scaler::step", gradients, state_);
    v.unscaled = true;
  }
  if (!v.unscaled) {
    check_gradients("loss_scaler::step", gradients);
    v.found = non_finite(gradients, here);
  }
  const tensor by = v.unscaled ? tensor() : number_of(state_, the_factor);
  step_result done = step_result::stepped;
  if (together && o.takes_scaling() && o.counts_on_device()) {
    o.step({by, v.found});
    done = step_result::decided_on_device;
  } else if (item(v.found) == 0) {
    o.step({by, {}});
  } else {
    if (item(number_of(state_, skipped_updates)) + 1 >= most_skipped) raise_skipped(o);
    done = step_result::skipped;
  }
  v.stepped = true;
  return done;
}

void loss_scaler::update() {
  if (!options_.enabled) return;
  if (std::ranges::find(visits_, true, &visit::stepped) == visits_.end()) {
    throw error("loss_scaler::update: found no step since the last update(), wanted step(optimizer) before it",
                "loss_scaler");
  }
  const no_grad guard;
  std::vector<tensor> found_by_each;
  for (const visit& v : visits_) {
    if (v.found.defined()) found_by_each.push_back(v.found);
  }
  visits_.clear();
  if (found_by_each.empty()) return;
  const tensor found = aten::amax(aten::stack(found_by_each), std::array<std::int64_t, 1>{0});
  const tensor by = number_of(state_, the_factor), grown = by * options_.growth;
  const tensor good = (number_of(state_, good_updates) + 1) * (1 - found);
  const tensor is_due = good >= options_.growth_interval;
  const tensor grows = is_due & (grown <= std::numeric_limits<float>::max());
  const std::array next{
      aten::where_self(found != 0, by * options_.backoff, aten::where_self(grows, grown, by)),
      aten::where_self(is_due, good * 0, good),
      (number_of(state_, skipped_updates) + 1) * found,
  };
  aten::copy_(state_, aten::stack(next));
}

double loss_scaler::factor() const { return options_.enabled ? item(number_of(state_, the_factor)) : 1; }

void loss_scaler::set_factor(double scale) {
  detail::require_option("loss_scaler", scale > 0 && std::isfinite(scale), "factor", scale, "a number above 0");
  aten::copy_(state_, state_with(scale));
}

std::vector<named_tensor> loss_scaler::state() const { return {{"state", state_}}; }

void loss_scaler::load_state(std::span<const named_tensor> state) {
  const detail::name_index found = detail::check_same_names("loss_scaler: ", state, this->state());
  aten::copy_(state_, *found.at("state"));
}

}  // namespace topbit
