// Why a call selects its kernel, without calling it: the selection as data.
//
// explain walks the very function that fills the tables, with a visitor that keeps each candidate and the reason it was
// taken or passed over. The error of a call without a kernel is the short form of the same data.
export module topbit.core:inspect.explain;

import topbit.std;
import :boxing.value;
import :dispatch.handle;
import :dispatch.operator_info;
import :dispatch.precedence;
import :keys.key;
import :keys.key_set;
import :operators.call;
import :operators.op;
import :operators.overloads;
import :schema.default_value;
import :schema.extract;
import :schema.signature;

namespace topbit {

namespace inspect {

/// One candidate for one key, in the order the selection looked at them.
export struct candidate {
  dispatch_key key;
  bool taken = false;
  row_reason rule = row_reason::missing;
  std::string why;
  std::string note;  // what the kernel does, if it says; of the one that is taken, to these arguments
  std::string file;  // where it was registered; empty if nothing was
  unsigned line = 0;
};

export struct explained_argument {
  std::string name;
  key_set keys;
};

/// What a call with these arguments on this thread would do.
export struct explanation {
  std::string op;
  std::string schema;
  std::vector<explained_argument> arguments;
  key_set included, excluded;         // the thread's
  key_set always;                     // the operator's and the process's layers
  key_set masked;                     // functionalities of all these that fall through for this operator
  key_set effective;                  // what the kernel would receive
  std::vector<std::string> backends;  // that arguments bring, ascending; a kernel may throw where there are several
  std::optional<key_set> placed;      // where arguments such as a device say to run; empty where none is asked
  std::vector<candidate> candidates;
  dispatch_key selected;
  bool found = false;  // false: the call would throw no_kernel
};

/// Explains a call through a handle whose arguments bring these keys. `placed` is what arguments such as a device stand
/// for, where the operator is placed by them: without it the explanation ends at BackendSelect. Takes the registry's
/// lock and copies; runs nothing.
export explanation explain_keys(const operator_handle& op, std::span<const key_set> arguments,
                                std::optional<key_set> placed = std::nullopt);

}  // namespace inspect

/// Human-readable: one fact per line.
export std::string to_string(const inspect::explanation& e);

namespace detail {

// explain_keys() with the arguments, for kernels that say what they would do to them.
inspect::explanation explain_call(const operator_handle& op, std::span<const key_set> arguments,
                                  std::optional<key_set> placed, std::span<const value> values);

// The keys x brings as a parameter of type A, into which a call would convert it.
template <class A, class T>
key_set keys_as(const T& x) {
  using P = std::remove_cvref_t<A>;
  if constexpr (std::same_as<P, T> || !std::is_convertible_v<const T&, P>) {
    return keys_in(x);
  } else {
    const P converted = x;
    return keys_in(converted);
  }
}

// The keys of the I-th argument of a call with these arguments; a default brings none.
template <class Op, std::size_t I, class... Args>
key_set keys_of_argument(const Args&... args) {
  constexpr std::size_t source = sources<Op, Args...>[I];
  if constexpr (source < sizeof...(Args)) {
    using parameter = function_traits<typename Op::signature>::template parameter<I>;
    const auto& x = std::get<source>(std::tie(args...));
    if constexpr (is_named<std::remove_cvref_t<decltype(x)>>)
      return keys_as<parameter>(x.given);
    else
      return keys_as<parameter>(x);
  } else {
    return {};
  }
}

// What the I-th argument says of where to run, its default included.
template <class Op, std::size_t I, class... Args>
key_set placed_by_argument(const Args&... args) {
  using P = std::remove_cvref_t<typename function_traits<typename Op::signature>::template parameter<I>>;
  if constexpr (author::selects_backend<P>) {
    constexpr std::size_t source = sources<Op, Args...>[I];
    if constexpr (source < sizeof...(Args)) {
      const auto& x = std::get<source>(std::tie(args...));
      const auto place = [](const P& p) -> key_set { return backend_keys_of(p); };
      if constexpr (is_named<std::remove_cvref_t<decltype(x)>>)
        return place(x.given);
      else
        return place(x);
    } else if constexpr (source == from_default) {
      if constexpr (default_for<P, Op, I>) {
        return backend_keys_of(default_reader<P>::template value<Op, I>());
      }
    }
  }
  return {};
}

// The same for all arguments, where they place the operator.
template <class Op, class... Args>
std::optional<key_set> placed_by(const Args&... args) {
  if constexpr (signature_selects_backend<typename Op::signature>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (key_set() | ... | placed_by_argument<Op, I>(args...));
    }(std::make_index_sequence<Op::arity>{});
  } else {
    return std::nullopt;
  }
}

// The I-th argument of a call with these arguments as a value; none if it brings no keys, or is left out.
template <class Op, std::size_t I, class... Args>
value keyed_value(const Args&... args) {
  using parameter = function_traits<typename Op::signature>::template parameter<I>;
  constexpr std::size_t source = sources<Op, Args...>[I];
  if constexpr (may_bring_keys<parameter> && can_copy<std::remove_cvref_t<parameter>> && source < sizeof...(Args)) {
    const auto as_value = []<class T>(const T& x) {
      using P = std::remove_cvref_t<parameter>;
      if constexpr (std::convertible_to<const T&, P>)
        return value(static_cast<P>(x));
      else
        return value();
    };
    const auto& x = std::get<source>(std::tie(args...));
    if constexpr (is_named<std::remove_cvref_t<decltype(x)>>)
      return as_value(x.given);
    else
      return as_value(x);
  } else {
    return {};
  }
}
template <class Op, class... Args>
std::array<value, Op::arity> keyed_values(const Args&... args) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<value, Op::arity>{keyed_value<Op, I>(args...)...};
  }(std::make_index_sequence<Op::arity>{});
}

// The keys of all arguments.
template <class Op, class... Args>
std::array<key_set, Op::arity> keys_of_arguments(const Args&... args) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<key_set, Op::arity>{keys_of_argument<Op, I>(args...)...};
  }(std::make_index_sequence<Op::arity>{});
}

// An argument as one that can be written to; keywords are no variables.
template <class T>
using as_variable = std::conditional_t<is_named<T>, T, T&>;

}  // namespace detail

/// Explains `op(args...)` without running it; arguments may go by name and be left out as in the call.
export template <class Op, class... Args>
inspect::explanation explain(const Op& op, const Args&... args) {
  return detail::explain_call(op.handle(), detail::keys_of_arguments<Op>(args...), detail::placed_by<Op>(args...),
                              detail::keyed_values<Op>(args...));
}

/// Explains the call of the operator that `set(args...)` means. Nothing is written, so constants may be given too.
export template <class Set, class... Args>
  requires detail::is_overload_set<Set>
inspect::explanation explain(const Set&, const Args&... args) {
  static_assert(detail::means_one<typename Set::rules, detail::as_variable<Args>...>,
                Set::rules::template explain<detail::as_variable<Args>...>());
  return explain(typename Set::rules::template chosen_operator<detail::as_variable<Args>...>{}, args...);
}

}  // namespace topbit
