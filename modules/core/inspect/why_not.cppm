// Why a kernel is not selected: explain's answer from the point of view of one registration.
export module topbit.core:inspect.why_not;

import topbit.std;
import :dispatch.handle;
import :inspect.explain;
import :inspect.inspect;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace inspect {

/// Why a kernel is not selected, in the order of the checks.
export enum class why_not_reason : std::uint8_t {
  not_defined,     // the operator: every call throws
  not_registered,  // nothing is registered for the key
  fallthrough,     // what is registered tells calls to pass through
  not_brought,     // no argument and no layer brings the key
  excluded,        // this thread hides the key
  higher_key,      // another key of the call comes first, with a kernel of its own or without one
  composite,       // another key comes first whose slot holds a composite, which calls other operators instead
  not_covered,     // the alias does not stand for the key that the call selects
  preferred,       // the selected slot prefers another registration
  overridden,      // a newer registration for the same key is what runs
  runs             // nothing: it is the one
};

export struct why_not_answer {
  std::string op;
  key_target key;
  why_not_reason reason = why_not_reason::runs;
  source_location kernel{};   // the registration the answer is about; empty if there is none
  dispatch_key selected{};    // where the call ends
  bool found = false;         // false: the call would throw
  source_location instead{};  // of the kernel that runs; empty if there is none
  std::string sentence{};     // all of that as a sentence
};

/// Why does a call with arguments that bring these keys, on this thread, not run the kernel registered for `key`?
/// `placed` as in explain_keys. Takes the registry's lock and copies; runs nothing.
export why_not_answer why_not_keys(const operator_handle& op, key_target key, std::span<const key_set> arguments,
                                   std::optional<key_set> placed = std::nullopt);

}  // namespace inspect

export std::string_view name_of(inspect::why_not_reason r) noexcept;

export std::string to_string(const inspect::why_not_answer& a);

/// The same for a call that brings `key` alone. For an alias: is there a slot that holds its kernel?
export inspect::why_not_answer why_not(const operator_handle& op, key_target key);

/// The same for `op(args...)`; arguments may go by name and be left out as in the call. Without any argument, for a
/// call that brings `key` alone.
export template <class Op, class... Args>
inspect::why_not_answer why_not(const Op& op, key_target key, const Args&... args) {
  if constexpr (sizeof...(Args) == 0 && Op::arity != 0)
    return why_not(op.handle(), key);
  else
    return inspect::why_not_keys(op.handle(), key, detail::keys_of_arguments<Op>(args...),
                                 detail::placed_by<Op>(args...));
}

}  // namespace topbit
