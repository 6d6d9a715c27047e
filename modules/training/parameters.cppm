// Modules: a network is a struct that lists its items, each with a name. An item is a tensor, another such struct, or a
// range of these.
//
//   struct classifier {
//     nn::linear hidden, scores;
//     tensor scale;
//     static void each_parameter(auto& self, auto&& visit) {
//       visit("hidden", self.hidden);
//       visit("scores", self.scores);
//       visit("scale", self.scale);
//     }
//   };
//
// Nested items have dotted names, "hidden.weight", elements of a range numbers, "blocks.0.weight". A tensor that
// requires no gradient is listed too: it is saved and moved, but not optimized.
export module topbit.training:parameters;

import topbit.std;
import topbit.core;
import topbit.ops;
import :named_tensor;

namespace topbit {

namespace detail {
struct any_visitor {
  constexpr void operator()(std::string_view, auto&) const noexcept {}
};
}  // namespace detail

/// A struct whose static each_parameter(self, visit) calls visit(name, item) for each item, const or not.
export template <class Module>
concept trainable = requires(Module& m, const Module& c, detail::any_visitor visit) {
  Module::each_parameter(m, visit);
  Module::each_parameter(c, visit);
};

namespace detail {

template <class Part>
concept range_of_parts = requires(Part& part) {
  part.begin();
  part.end();
};

template <class Part>
concept listed_part = std::same_as<Part, tensor> || trainable<Part> || range_of_parts<Part>;

template <class Part>
consteval author::verdict explain_part() {
  author::verdict v;
  return v.add("each_parameter: found a part of type '")
      .add(type_name<Part>())
      .add("', wanted a tensor, a struct with a static each_parameter(self, visit), or a range of these");
}

inline std::string below(const std::string& outer, std::string_view name) {
  return outer.empty() ? std::string(name) : outer + "." + std::string(name);
}

// Calls on_tensor(name, tensor) for every tensor of an item, and on_module(item) for every struct, outermost first.
template <class Part, class OnTensor, class OnModule>
void walk(Part& part, const std::string& name, OnTensor& on_tensor, OnModule& on_module) {
  using type = std::remove_const_t<Part>;
  static_assert(listed_part<type>, explain_part<type>());
  if constexpr (std::same_as<type, tensor>) {
    if (part.defined()) on_tensor(name, part);
  } else if constexpr (trainable<type>) {
    on_module(part);
    type::each_parameter(part, [&](std::string_view own, auto& p) { walk(p, below(name, own), on_tensor, on_module); });
  } else if constexpr (range_of_parts<Part>) {
    std::size_t i = 0;
    for (auto& p : part) walk(p, below(name, std::to_string(i++)), on_tensor, on_module);
  }
}

template <class Module, class OnTensor>
void each_tensor_of(Module& m, OnTensor on_tensor) {
  const auto nothing = [](auto&) {};
  walk(m, {}, on_tensor, nothing);
}

}  // namespace detail

/// Every tensor of a network with its name, in order; one that is listed twice appears once, at its first position. The
/// tensors share the network's elements.
export template <trainable Module>
std::vector<named_tensor> named_parameters(const Module& m) {
  std::vector<named_tensor> found;
  std::unordered_set<const void*> seen;
  detail::each_tensor_of(m, [&](const std::string& name, const tensor& t) {
    if (seen.insert(&author::record_of(t)).second) found.push_back({name, t});
  });
  return found;
}

/// The same without names.
export template <trainable Module>
std::vector<tensor> parameters(const Module& m) {
  std::vector<tensor> found;
  for (named_tensor& one : named_parameters(m)) found.push_back(std::move(one.value));
  return found;
}

/// The total number of elements.
export template <trainable Module>
std::int64_t count_parameters(const Module& m) {
  std::int64_t count = 0;
  for (const named_tensor& one : named_parameters(m)) count += one.value.numel();
  return count;
}

/// Whether they accumulate gradients: false freezes a network, or a submodule. Throws what require_grad() throws.
export template <trainable Module>
void set_requires_grad(const Module& m, bool wanted) {
  for (const named_tensor& one : named_parameters(m)) require_grad(one.value, wanted);
}

/// Sets the member `training` of the network and of all submodules that have one: false disables dropout.
export template <trainable Module>
void set_training(Module& m, bool on) {
  const auto nothing = [](const std::string&, tensor&) {};
  const auto set = [on](auto& part) {
    if constexpr (requires { part.training = on; }) part.training = on;
  };
  detail::walk(m, {}, nothing, set);
}

/// Moves all tensors to a device, as new leaves that require gradients if the old ones did; those already there are
/// unchanged. Call it before constructing an optimizer.
export template <trainable Module>
void move_to(Module& m, device target) {
  std::unordered_map<const void*, tensor> moved;  // preserves sharing
  std::vector<tensor> kept;                       // so that no address is reused
  const no_grad guard;
  detail::each_tensor_of(m, [&](const std::string&, tensor& t) {
    if (t.device() == target) return;
    tensor& there = moved[&author::record_of(t)];
    if (!there.defined()) there = require_grad(to(t, target), requires_grad(t));
    kept.push_back(std::exchange(t, there));
  });
}

}  // namespace topbit
