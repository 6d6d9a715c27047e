// What operators say of their gradients, and which say nothing: the answer of a lint. It asks the selection that calls
// use, so it cannot disagree with them.
export module topbit.autograd:declaration;

import topbit.std;
import topbit.core;

namespace topbit {

/// What serves an operator where autograd stands.
export enum class gradient_declaration : std::uint8_t {
  rule,       // a kernel of its own: it records the call, or refuses what it cannot record
  none,       // a fallthrough: it is not differentiable
  composite,  // a kernel written with other operators, which are asked in its place
  needless,   // nothing of its own, but no argument is a tensor
  missing     // nothing of its own: the fallback, which raises in backward, or nothing at all
};
export std::string_view name_of(gradient_declaration d) noexcept;

/// The same for writes that autograd has to count and views that it has to track: what stands at key::ADInplaceOrView.
export enum class alias_declaration : std::uint8_t {
  needless,   // the schema has no write; and no view, or one that leaves the graph, as that of detach() does
  kernel,     // a kernel counts and tracks
  composite,  // the operators that it is written with do
  declined,   // a fallthrough of its own
  missing
};
export std::string_view name_of(alias_declaration d) noexcept;

/// How an operator loses a gradient, or finds out too late.
export enum class gradient_defect : std::uint8_t {
  missing_rule,     // backward raises; where it writes, the call is refused
  unrefused_write,  // it writes, and passes autograd by: what was written loses its gradient
  uncounted_write,  // backward does not notice that a saved tensor was written
  untracked_view    // a write to the result does not reach the gradient of the argument
};
export std::string_view name_of(gradient_defect d) noexcept;

export struct gradient_finding {
  gradient_defect what = gradient_defect::missing_rule;
  std::string sentence;  // "ns::name: has no gradient rule; ...", with what to do
};

/// One operator.
export struct declared_gradient {
  std::string op;
  gradient_declaration gradient = gradient_declaration::missing;
  alias_declaration aliases = alias_declaration::needless;
  bool writes = false, views = false;  // by its schema: to an argument; a result is a view
  source_place place{};                // of what declares it; else of the kernel that lacks a rule
  std::vector<gradient_finding> findings{};
};

/// Takes the registry's lock and copies, runs nothing; cost: a few selections. `autograd` says of which backend: throws
/// error if it is no autograd key. An operator that is not defined says nothing: `missing`.
export gradient_declaration declaration_of(const operator_handle& op, dispatch_key autograd = key::AutogradCPU);

/// All there is to say of these operators, in this order; and of those that are defined, by name. As declaration_of().
export std::vector<declared_gradient> declared_gradients(std::span<const operator_handle> operators,
                                                         dispatch_key autograd = key::AutogradCPU);
export std::vector<declared_gradient> declared_gradients(registry& r = registry::process(),
                                                         dispatch_key autograd = key::AutogradCPU);

namespace detail {

// Where the kernel is registered that computes: the one in the row of a backend, which has been looked up, or where
// that has none, the newest that is no layer's.
source_place place_of_work(const operator_handle& op, const table_row& of_backend);

}  // namespace detail

/// For people: a table with a line for each operator, what was found in sentences, and a line of sums.
export std::string to_string(std::span<const declared_gradient> all);

}  // namespace topbit
