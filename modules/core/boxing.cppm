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
// The argument, one of the candidates, that the reference result at this index is: the one with its alias set in the
// schema, else, as the reference has it, the first candidate for in-place forms and the last ones for out forms.
std::size_t aliased_argument(const operator_handle& op, std::size_t result, std::size_t results,
                             std::span<const bool> candidates);
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

template <class A>
inline constexpr bool is_written = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;

// Boxes one argument of a typed call without owning it. An empty optional is none.
template <class A>
value borrowed(std::remove_reference_t<A>& x) noexcept {
  using T = std::remove_cvref_t<A>;
  if constexpr (is_written<A>)
    return value::refer<T>(x);
  else if constexpr (is_optional<T>::value)
    return x.has_value() ? borrowed<const typename T::value_type&>(*x) : value();
  else
    return value::borrow<T>(x);
}

// Reads a stack slot as parameter type A. References bind to the slot, views are copied out.
template <class A>
struct unboxed {
  using T = std::remove_cvref_t<A>;
  static constexpr std::string_view wanted = type_name<T>();
  static bool fits(const value& v) noexcept {
    if constexpr (is_written<A>)
      return v.is<T>();
    else if constexpr (is_optional<T>::value)
      return v.is_none() || v.is<canonical_t<typename T::value_type>>();
    else
      return v.is<canonical_t<T>>();
  }
  static decltype(auto) read(value& v) {
    if constexpr (is_written<A>) {
      return v.template write<T>();
    } else if constexpr (is_optional<T>::value) {
      using inner = canonical_t<typename T::value_type>;
      return v.is_none() ? T() : T(std::in_place, v.template get<inner>());
    } else {
      return std::as_const(v).template get<canonical_t<T>>();
    }
  }
};

template <class A>
void check_argument(const operator_handle& op, const value& v, std::size_t index) {
  if (!unboxed<A>::fits(v)) raise_bad_argument(op, index, unboxed<A>::wanted, v.type_name());
}
// A result that is a reference is boxed as what it refers to.
template <class R>
void check_result(const operator_handle& op, const value& v, std::size_t index) {
  using held = std::remove_cvref_t<R>;
  if (!unboxed<held>::fits(v)) raise_bad_result(op, index, unboxed<held>::wanted, v.type_name());
}

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
    return std::move(v.write<T>());
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
    if constexpr (is_tuple<R>) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return R(result<std::tuple_element_t<I, R>>(op, s, I, a...)...);
      }(std::make_index_sequence<results>{});
    } else if constexpr (!std::is_void_v<R>) {
      return result<R>(op, s, 0, a...);
    }
  }

 private:
  // A result that is a reference is the argument with its alias set; another is taken from the stack.
  template <class T>
  static T result(const operator_handle& op, stack& s, std::size_t index, A&... a) {
    check_result<T>(op, s[index], index);
    if constexpr (std::is_lvalue_reference_v<T>) {
      static_assert((std::same_as<A, T> || ...), "a result that is a reference needs an argument of that very type");
      const std::array<bool, sizeof...(A)> candidates{std::same_as<A, T>...};
      const std::size_t chosen = aliased_argument(op, index, results, candidates);
      std::remove_reference_t<T>* found = nullptr;
      std::size_t i = 0;
      ((i++ == chosen ? void(found = address_as<T>(a)) : void()), ...);
      return *found;
    } else {
      return take_result<T>(s[index]);
    }
  }
  template <class T, class X>
  static std::remove_reference_t<T>* address_as(X& x) noexcept {
    if constexpr (std::convertible_to<X*, std::remove_reference_t<T>*>)
      return std::addressof(x);
    else
      return nullptr;
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
    (check_argument<A>(op, arguments[I], I), ...);
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

// What a stack must hold before and after a call of this signature; throws bad_argument.
template <class Sig>
struct stack_check;
template <class R, class... A>
struct stack_check<R(A...)> {
  static void arguments(const operator_handle& op, std::span<const value> values) {
    std::size_t i = 0;
    ((check_argument<A>(op, values[i], i), ++i), ...);
  }
  static void results(const operator_handle& op, std::span<const value> values) {
    if constexpr (is_tuple<R>) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check_result<std::tuple_element_t<I, R>>(op, values[I], I), ...);
      }(std::make_index_sequence<result_count<R>>{});
    } else if constexpr (!std::is_void_v<R>) {
      check_result<R>(op, values[0], 0);
    }
  }
};

}  // namespace detail

}  // namespace topbit
