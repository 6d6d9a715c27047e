// Why a call goes where it goes, without going there: the selection as data.
//
// explain walks the very function that fills the tables, with a visitor that keeps each candidate and the reason it was
// taken or passed over. The error of a call without a kernel is the short form of the same data.
export module topbit.core:explain;

import topbit.std;
import :call;
import :extract;
import :handle;
import :key;
import :key_set;
import :op;
import :signature;
import :table;

namespace topbit {

/// One candidate for one key, in the order the selection looked at them.
export struct candidate {
  dispatch_key key;
  bool taken = false;
  row_reason rule = row_reason::missing;
  std::string why;
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
  key_set included, excluded;  // the thread's
  key_set always;              // the operator's and the process's layers
  key_set masked;              // functionalities that fall through for this operator
  key_set effective;           // what the kernel would receive
  std::vector<candidate> candidates;
  dispatch_key selected;
  bool found = false;  // false: the call would throw no_kernel
};

/// For people: one fact per line.
export std::string to_string(const explanation& e);

/// Explains a call through a handle whose arguments bring these keys. Takes the registry's lock; runs nothing.
export explanation explain_keys(const operator_handle& op, std::span<const key_set> arguments);

namespace detail {

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
  constexpr std::size_t source = source_of<Op, I, Args...>();
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

}  // namespace detail

/// Explains `op(args...)` without running it; arguments may go by name and be left out as in the call.
export template <class Op, class... Args>
explanation explain(const Op& op, const Args&... args) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const std::array<key_set, sizeof...(I)> keys{detail::keys_of_argument<Op, I>(args...)...};
    return explain_keys(op.handle(), keys);
  }(std::make_index_sequence<Op::arity>{});
}

}  // namespace topbit
