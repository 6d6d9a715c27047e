// The two adapters between a typed signature and a stack of values, generated from the signature alone.
//
// Typed to boxed: arguments are borrowed into a stack array in this frame, results are checked and moved out. Boxed
// to typed: arguments are read in place, results replace them. Neither direction allocates for arguments.
export module topbit.core:boxing;

import topbit.std;
import :error;
import :extract;
import :handle;
import :kernel;
import :key_set;
import :signature;
import :stack;
import :text;
import :value;

namespace topbit {

namespace detail {

[[noreturn]] void raise_bad_argument(const operator_handle& op, std::size_t index, std::string_view wanted,
                                     std::string_view found);
[[noreturn]] void raise_bad_result(const operator_handle& op, std::size_t index, std::string_view wanted,
                                   std::string_view found);
[[noreturn]] void raise_result_count(const operator_handle& op, std::size_t wanted, std::ptrdiff_t found);
[[noreturn]] void raise_too_few(const operator_handle& op, std::size_t wanted, std::size_t found);

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class R>
inline constexpr std::size_t result_count = 1;
template <>
inline constexpr std::size_t result_count<void> = 0;
template <class... T>
inline constexpr std::size_t result_count<std::tuple<T...>> = sizeof...(T);

// Boxes one argument of a typed call without owning it. An empty optional is none.
template <class A>
value borrowed(std::remove_reference_t<A>& x) noexcept {
  using T = std::remove_cvref_t<A>;
  if constexpr (is_optional<T>::value) {
    return x.has_value() ? borrowed<const typename T::value_type&>(*x) : value();
  } else if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) {
    return value::refer<T>(x);
  } else {
    return value::borrow<T>(x);
  }
}

// Reads a stack slot as parameter type A. References bind to the slot, views are copied out.
template <class A>
struct unboxed {
  using T = std::remove_cvref_t<A>;
  static constexpr std::string_view wanted = type_name<T>();
  static bool fits(const value& v) noexcept {
    if constexpr (is_optional<T>::value) return v.is_none() || v.is<canonical_t<typename T::value_type>>();
    else return v.is<canonical_t<T>>();
  }
  static decltype(auto) read(value& v) {
    if constexpr (is_optional<T>::value) {
      using inner = canonical_t<typename T::value_type>;
      return v.is_none() ? T() : T(std::in_place, std::as_const(v).template get<inner>());
    } else if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) {
      // A loan that is written must not write the lender's reference; a value that refers is meant to be written.
      if constexpr (boxed_inline<T>) {
        if (!v.is_reference()) v.make_owned();
      }
      return v.template get<T>();
    } else {
      return std::as_const(v).template get<canonical_t<T>>();
    }
  }
};

template <class T>
T take_result(value& v) {
  if constexpr (is_optional<T>::value) {
    if (v.is_none()) return T();
    return T(take_result<typename T::value_type>(v));
  } else if constexpr (std::same_as<T, std::string>) {
    return T(v.get<std::string_view>());
  } else if constexpr (is_list<T>::value) {
    const auto& view = v.get<canonical_t<T>>();
    return T(view.begin(), view.end());
  } else {
    v.make_owned();
    return std::move(v.get<T>());
  }
}

// A typed call into a kernel that only has a boxed entry point.
template <class Sig>
struct boxed_call;

template <class R, class... A>
struct boxed_call<R(A...)> {
  static constexpr std::size_t results = result_count<R>;

  static R run(const kernel* target, const operator_handle& op, key_set keys, A... a) {
    // One more slot than needed, so that a kernel which forgets to pop is reported and not an overrun.
    inline_stack<(sizeof...(A) > results ? sizeof...(A) : results) + 1> s;
    (s.push(borrowed<A>(a)), ...);
    target->boxed(target, op, keys, s);
    if (s.size() != results) raise_result_count(op, results, static_cast<std::ptrdiff_t>(s.size()));
    if constexpr (std::is_lvalue_reference_v<R>) {
      return written_argument(a...);
    } else if constexpr (is_tuple<R>) {
      return tuple_result(op, s, std::make_index_sequence<results>{}, a...);
    } else if constexpr (!std::is_void_v<R>) {
      check<R>(op, s[0], 0);
      return take_result<R>(s[0]);
    }
  }

 private:
  template <class T>
  static void check(const operator_handle& op, const value& v, std::size_t index) {
    if (!unboxed<T>::fits(v)) raise_bad_result(op, index, unboxed<T>::wanted, v.type_name());
  }
  // A reference result is one of the arguments: the first if that is the one to write, else the last.
  static R written_argument(A&... a) {
    auto all = std::forward_as_tuple(a...);
    using first = std::tuple_element_t<0, std::tuple<A...>>;
    if constexpr (std::same_as<first, R>) return std::get<0>(all);
    else return std::get<sizeof...(A) - 1>(all);
  }
  template <std::size_t... I>
  static R tuple_result(const operator_handle& op, stack& s, std::index_sequence<I...>, A&... a) {
    if constexpr ((std::is_lvalue_reference_v<std::tuple_element_t<I, R>> && ...)) {
      auto all = std::forward_as_tuple(a...);
      return R(std::get<sizeof...(A) - results + I>(all)...);
    } else {
      (check<std::tuple_element_t<I, R>>(op, s[I], I), ...);
      return R(take_result<std::tuple_element_t<I, R>>(s[I])...);
    }
  }
};

// The boxed entry point of a kernel that has an unboxed one.
template <class Sig>
struct unboxed_call;

template <class R, class... A>
struct unboxed_call<R(A...)> {
  static void run(const kernel* k, const operator_handle& op, key_set keys, stack& s) {
    if (s.size() < sizeof...(A)) raise_too_few(op, sizeof...(A), s.size());
    run_with(k, op, keys, s, std::index_sequence_for<A...>{});
  }

 private:
  template <std::size_t... I>
  static void run_with(const kernel* k, const operator_handle& op, key_set keys, stack& s, std::index_sequence<I...>) {
    const std::span<value> arguments = s.top(sizeof...(A));
    (check<A>(op, arguments[I], I), ...);
    const auto* typed = static_cast<const typed_kernel<R(A...)>*>(k);
    if constexpr (std::is_void_v<R>) {
      typed->unboxed(unboxed<A>::read(arguments[I])..., keys, k);
      s.drop(sizeof...(A));
    } else {
      // A reference result may refer to an argument: box it before the arguments go.
      decltype(auto) result = typed->unboxed(unboxed<A>::read(arguments[I])..., keys, k);
      push_results<R>(s, result);
      s.drop_below(sizeof...(A), result_count<R>);
    }
  }
  template <class T>
  static void check(const operator_handle& op, const value& v, std::size_t index) {
    if (!unboxed<T>::fits(v)) raise_bad_argument(op, index, unboxed<T>::wanted, v.type_name());
  }
  // A reference result stays the caller's: it is copied. Anything else is moved into the box.
  template <class T>
  static value boxed(std::remove_reference_t<T>& x) {
    if constexpr (std::is_lvalue_reference_v<T>) {
      return value(std::as_const(x));
    } else if constexpr (is_optional<T>::value) {
      return x.has_value() ? boxed<typename T::value_type>(*x) : value();
    } else {
      return value(std::move(x));
    }
  }
  // All are boxed before one is pushed: a reference result may sit in a slot, and a push may move the slots.
  template <class T>
  static void push_results(stack& s, std::remove_reference_t<T>& result) {
    if constexpr (is_tuple<T>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::array<value, sizeof...(I)> all{boxed<std::tuple_element_t<I, T>>(std::get<I>(result))...};
        for (value& v : all) s.push(std::move(v));
      }(std::make_index_sequence<std::tuple_size_v<T>>{});
    } else {
      s.push(boxed<T>(result));
    }
  }
};

}  // namespace detail

}  // namespace topbit
