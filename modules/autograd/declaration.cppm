// The declared gradients of operators, and the operators without one: a lint. It uses the same selection as calls.
export module topbit.autograd:declaration;

import topbit.std;
import topbit.core;

namespace topbit {

/// What serves an operator's autograd key.
export enum class gradient_declaration : std::uint8_t {
  rule,       // a kernel of its own: it records the call, or refuses what it cannot record
  none,       // a fallthrough: it is not differentiable
  composite,  // a kernel written with other operators, which are examined instead
  needless,   // no declaration, but no argument is a tensor
  missing     // no declaration: the fallback, which throws in backward, or nothing
};
export std::string_view name_of(gradient_declaration d) noexcept;

/// The same for writes that autograd must count and views that it must track: what serves key::ADInplaceOrView.
export enum class alias_declaration : std::uint8_t {
  needless,   // the schema has no write; and no view, or one that leaves the graph, as that of detach() does
  kernel,     // a kernel counts and tracks
  composite,  // the operators that it calls do
  declined,   // a fallthrough of its own
  missing
};
export std::string_view name_of(alias_declaration d) noexcept;

/// How an operator loses a gradient, or detects it too late.
export enum class gradient_defect : std::uint8_t {
  missing_rule,     // backward throws; if it writes, the call is refused
  unrefused_write,  // it writes, and skips autograd: the written tensor loses its gradient
  uncounted_write,  // backward does not notice that a saved tensor was written
  untracked_view    // a write to the result does not reach the gradient of the argument
};
export std::string_view name_of(gradient_defect d) noexcept;

export struct gradient_finding {
  gradient_defect what = gradient_defect::missing_rule;
  std::string sentence;  // "ns::name: has no gradient rule; ...", with a fix
};

/// One operator.
export struct declared_gradient {
  std::string op;
  gradient_declaration gradient = gradient_declaration::missing;
  alias_declaration aliases = alias_declaration::needless;
  bool writes = false, views = false;  // by its schema: to an argument; a result is a view
  inspect::source_location place{};    // of the declaration; else of the kernel without a rule
  std::vector<gradient_finding> findings{};
};

/// Takes the registry's lock and copies, runs nothing; cost: a few selections. `autograd` says of which backend: throws
/// error if it is no autograd key. An operator that is not defined is `missing`.
export gradient_declaration declaration_of(const operator_handle& op, dispatch_key autograd = key::AutogradCPU);

/// The declarations of these operators, in this order; or of all defined ones, by name. As declaration_of().
export std::vector<declared_gradient> declared_gradients(std::span<const operator_handle> operators,
                                                         dispatch_key autograd = key::AutogradCPU);
export std::vector<declared_gradient> declared_gradients(registry& r = registry::process(),
                                                         dispatch_key autograd = key::AutogradCPU);

namespace detail {

// The source location of the computing kernel: the one in the slot of a backend, or, without one, the newest that is
// not a layer's.
inspect::source_location place_of_work(const operator_handle& op, const inspect::table_row& of_backend);

}  // namespace detail

/// As text: a table with a line for each operator, the findings as sentences, and a line of totals.
export std::string to_string(std::span<const declared_gradient> all);

}  // namespace topbit
