module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :calls;
import :plan;
import :shadow_difference;

namespace topbit::graphs {

tolerance usual_tolerance(dtype t) noexcept {
  if (t == dtype::float16) return {1e-3, 1e-3};
  if (t == dtype::bfloat16) return {1e-2, 1e-2};
  if (t == dtype::float32) return {1e-5, 1e-5};
  if (t == dtype::float64) return {1e-8, 1e-8};
  return {};
}

void check_shadow_map(const shadow_options& options) {
  for (const auto& [from, to] : options.map) {
    if (to.type == backend::Meta)
      throw graph_error("shadow: found meta, wanted a device whose tensors have elements to compare", "shadow");
  }
}

// A copy for the other device, with the strides of the first.
tensor shadow_copy(const tensor& t, device to) {
  if (!t.defined()) return t;
  const tensor dense = topbit::to(t, to);
  return dense.same_as(t) ? aten::clone(t) : dense;
}

namespace {

std::vector<double> elements_of(const tensor& t) {
  const tensor host = aten::contiguous(topbit::to(topbit::to(t, cpu), dtype::float64));
  const double* const first = host.data_ptr<double>();
  return {first, first + host.numel()};
}

// The distance of two neighbours at x in a floating dtype; 0 for others.
double ulp_at(double x, dtype t) {
  const auto of = [&](int digits, int least) {
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023;
    const auto biased = static_cast<std::uint64_t>(std::max(std::max(exponent, least) - digits + 1023, 1));
    return std::bit_cast<double>(biased << 52);
  };
  switch (t) {
    case dtype::float16: return of(10, -14);
    case dtype::bfloat16: return of(7, -126);
    case dtype::float32: return of(23, -126);
    case dtype::float64: return of(52, -1022);
    default: return 0;
  }
}

void compare_elements(shadow_finding& f, const tensor& a, const tensor& b, tolerance within) {
  const std::vector<double> x = elements_of(a), y = elements_of(b);
  double squares = 0, errors = 0;
  f.elements = static_cast<std::int64_t>(x.size());
  double worst = -1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += x[i] * x[i];
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const bool one_is_nan = std::isnan(x[i]) != std::isnan(y[i]);
    const double absolute = one_is_nan ? std::numeric_limits<double>::infinity() : std::abs(x[i] - y[i]);
    f.nan_on_one += one_is_nan;
    // Nothing is near infinity.
    const bool is_near = std::abs(x[i]) < std::numeric_limits<double>::infinity() &&
                         absolute <= within.absolute + within.relative * std::abs(x[i]);
    f.differing += !is_near;
    f.max_absolute = std::max(f.max_absolute, absolute);
    errors += absolute * absolute;
    if (const double ulp = ulp_at(std::max(std::abs(x[i]), std::abs(y[i])), a.dtype()); ulp != 0) {
      f.max_ulp = std::max(f.max_ulp, absolute / ulp);
    }
    if (x[i] != 0) f.max_relative = std::max(f.max_relative, absolute / std::abs(x[i]));
    if (absolute <= worst) continue;
    worst = absolute;
    f.worst = static_cast<std::int64_t>(i);
    f.first = x[i];
    f.second = y[i];
  }
  if (errors != 0) f.nmse = errors / squares;
}

// Their elements are what memory held.
bool is_uninitialised(std::string_view op) {
  constexpr std::string_view without_elements[] = {"aten::empty", "aten::new_empty"};
  return std::ranges::any_of(without_elements, [&](std::string_view name) { return op.starts_with(name); });
}

std::string kernel_on(const operator_handle& op, device where) {
  return to_string(inspect::computed_row(op, key_of(where.type)));
}

}  // namespace

std::optional<shadow_finding> shadow_difference(const operator_handle& op, const tensor& a, const tensor& b,
                                                const shadow_options& options) {
  if (!a.defined() || !b.defined() || a.numel() == 0) return std::nullopt;
  shadow_finding f{.op = std::string(op.name())};
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) {
    f.differing = a.numel();
  } else if (!is_uninitialised(op.name())) {
    compare_elements(f, a, b, options.within ? options.within(op, a.dtype()) : usual_tolerance(a.dtype()));
  }
  if (f.differing == 0) return std::nullopt;
  f.kernels[0] = kernel_on(op, a.device());
  f.kernels[1] = kernel_on(op, b.device());
  return f;
}

namespace {

class side_by_side {
 public:
  side_by_side(const graph& g, std::span<const tensor> inputs, const shadow_options& options)
      : options_(options), first_(g, {}), second_(g, {.map = options.map}), differs_(g.tensors().size()) {
    first_.take_inputs(inputs);
    const graph& recorded = first_.recorded();
    std::vector<tensor> there;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      there.push_back(
          shadow_copy(inputs[i], mapped(options.map, recorded.tensors()[recorded.inputs()[i].tensor].where)));
    }
    second_.take_inputs(there);
    second_.copy_bound();  // what the graph writes from outside is written by the first
  }

  std::vector<shadow_finding> run() {
    const no_grad no_graph;
    inline_stack<24> stack;
    const std::span<const replay_plan::call> calls = first_.calls(), others = second_.calls();
    for (std::size_t i = 0; i < calls.size() && found_.size() < options_.most; ++i) {
      bool arguments_differ = false;
      first_.each_argument(calls[i], [&](number slot, bool) {
        arguments_differ = arguments_differ || differs_[slot];
        if (options_.how == shadowing::isolated) second_.slot(slot) = shadow_copy(first_.slot(slot), place(slot));
      });
      first_.run(calls[i], stack);
      second_.run(others[i], stack);
      first_.each_argument(calls[i], [&](number slot, bool is_written) {
        if (is_written) look(calls[i], slot, arguments_differ);
      });
      first_.each_result(calls[i], [&](number slot) { look(calls[i], slot, arguments_differ); });
      first_.drop_dead(calls[i]);
      second_.drop_dead(others[i]);
    }
    first_.clear();
    second_.clear();
    return std::move(found_);
  }

 private:
  device place(number tensor) const { return mapped(options_.map, first_.recorded().tensors()[tensor].where); }

  void look(const replay_plan::call& c, number slot, bool arguments_differ) {
    // A written argument is a result too.
    if (!found_.empty() && found_.back().node == c.node && found_.back().tensor == slot) return;
    std::optional<shadow_finding> f = shadow_difference(c.op, first_.slot(slot), second_.slot(slot), options_);
    differs_[slot] = f.has_value();
    if (!f) return;
    f->node = c.node;
    f->tensor = slot;
    f->arguments_differed = arguments_differ && options_.how == shadowing::chained;
    found_.push_back(std::move(*f));
  }

  const shadow_options& options_;
  replay_plan first_, second_;
  std::vector<bool> differs_;
  std::vector<shadow_finding> found_;
};

}  // namespace

std::vector<shadow_finding> shadow(const graph& g, std::span<const tensor> inputs, const shadow_options& options) {
  check_shadow_map(options);
  return side_by_side(g, inputs, options).run();
}

std::string to_string(const shadow_finding& f) {
  const auto number_text = [](double x) {
    std::string text;
    author::write_text(text, x);
    return text;
  };
  const std::string which = f.tensor == nothing ? "" : ", %" + std::to_string(f.tensor);
  std::string text = "node " + std::to_string(f.node) + ", " + f.op + which + ": " + std::to_string(f.differing) +
                     " of " + std::to_string(f.elements) + " elements differ, by " + number_text(f.max_absolute) +
                     " at most, relative " + number_text(f.max_relative) + ", " + number_text(f.max_ulp) +
                     " ulp, NMSE " + number_text(f.nmse) + "; element " + std::to_string(f.worst) + " is " +
                     number_text(f.first) + " and " + number_text(f.second);
  if (f.nan_on_one != 0) text += "; " + std::to_string(f.nan_on_one) + " are NaN on one side";
  if (f.arguments_differed) text += "; its arguments differed already";
  return text + "\n  " + f.kernels[0] + "\n  " + f.kernels[1] + "\n";
}

}  // namespace topbit::graphs
