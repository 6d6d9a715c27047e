// Quantizing the parameters of a network in place.
export module topbit.quantized:network;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :access;
import :payload;
import :scales;

namespace topbit::quantized {

struct ignores_parts {
  constexpr void operator()(std::string_view, auto&) const noexcept {}
};

/// A struct whose static each_parameter(self, visit) calls visit(name, item) for each tensor, each such struct, and
/// each range of these: a module of topbit.training.
export template <class Module>
concept lists_parameters = requires(Module& m, ignores_parts visit) { Module::each_parameter(m, visit); };

template <class Part, class F>
void each_tensor_of(Part& part, const std::string& name, F& f) {
  const auto below = [&](std::string_view own) {
    return name.empty() ? std::string(own) : name + "." + std::string(own);
  };
  if constexpr (std::same_as<Part, tensor>) {
    if (part.defined()) f(name, part);
  } else if constexpr (lists_parameters<Part>) {
    Part::each_parameter(part, [&](std::string_view own, auto& p) { each_tensor_of(p, below(own), f); });
  } else {
    std::size_t i = 0;
    for (auto& p : part) each_tensor_of(p, below(std::to_string(i++)), f);
  }
}

/// Replaces each parameter for which choose(name, parameter) returns a scheme by quantize(parameter, scheme), which
/// requires no gradient; nothing is chosen for those that are quantized already. The name is "second.weight". One that
/// is listed twice stays shared. Returns how many were replaced. Throws what quantize() throws; the parameters before
/// stay replaced then. Construct optimizers after it.
///
///   quantize_parameters(net, [](std::string_view name, const tensor&) {
///     return name.ends_with("weight") ? std::optional(int8) : std::nullopt;
///   });
export template <lists_parameters Module, class Choose>
  requires std::is_invocable_r_v<std::optional<scheme>, Choose&, std::string_view, const tensor&>
std::int64_t quantize_parameters(Module& m, Choose choose) {
  std::unordered_map<const void*, tensor> replaced;
  std::vector<tensor> kept;  // so that no address is reused
  const auto replace = [&](const std::string& name, tensor& t) {
    const void* const address = &author::record_of(t);
    auto found = replaced.find(address);
    if (found == replaced.end()) {
      if (is_quantized(t)) return;
      const std::optional<scheme> s = choose(std::string_view(name), std::as_const(t));
      if (!s.has_value()) return;
      found = replaced.emplace(address, quantize(t, *s)).first;
    }
    kept.push_back(std::exchange(t, found->second));
  };
  each_tensor_of(m, {}, replace);
  return static_cast<std::int64_t>(replaced.size());
}

/// Of every parameter with two dimensions or more, and for groups with rows of one group at least: those of layers, but
/// not their biases.
export template <lists_parameters Module>
std::int64_t quantize_parameters(Module& m, const scheme& s) {
  return quantize_parameters(m, [&](std::string_view, const tensor& t) {
    const bool fits =
        t.dim() >= 2 && is_floating(t.dtype()) && (s.scales != granularity::per_group || t.size(-1) >= s.group);
    return fits ? std::optional(s) : std::nullopt;
  });
}

}  // namespace topbit::quantized
