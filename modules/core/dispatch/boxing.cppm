// The two adapters between a typed signature and a stack of values, generated from the signature alone.
//
// Typed to boxed: arguments are borrowed into a stack array in this frame, results are checked and moved out. Boxed
// to typed: arguments are read in place, results replace them. Neither direction allocates for arguments.
export module topbit.core:dispatch.boxing;

import topbit.std;
import :boxing.slot;
import :boxing.stack;
import :boxing.unboxed;
import :boxing.value;
import :dispatch.guard;
import :dispatch.handle;
import :dispatch.kernel;
import :keys.key_set;
import :schema.extract;
import :schema.signature;
import :text.error;
import :text.text;

namespace topbit {

namespace detail {

// A boxed kernel that is run for an operator: what errors about its results are told.
struct boxed_target {
  operator_handle op;
  const kernel* target;
};
[[noreturn]] void raise_bad_result(const boxed_target& called, std::size_t index, std::string_view wanted,
                                   std::string_view found);
[[noreturn]] void raise_result_count(const boxed_target& called, std::size_t wanted, std::ptrdiff_t found);
// The argument, one of several candidates, that the result by reference at this index is: the one with its alias set in
// the schema, else, as PyTorch has it, the first candidate for in-place forms and the last ones for out forms.
std::size_t aliased_argument(const operator_handle& op, std::size_t result, std::size_t results,
                             std::span<const bool> candidates);

// Throws bad_argument unless the topmost values are arguments for these slots. What a boxed call meets rarely is not
// worth code for each signature.
void check_arguments(const operator_handle& op, const boxed_stack& s, std::span<const slot_info> slots);
// The topmost values of a stack, as checked arguments of the operator.
std::span<value> arguments_on(boxed_stack& s, const operator_handle& op);

// Out of line, so that the fast path of typed kernels needs no stack frame.
void run_boxed_kernel(const kernel* k, entry_head* head, key_set keys, boxed_stack& s);
// A whole call with values that are not lent, or are no arguments at all: asks each value for its keys.
void call_with_values(entry_head* head, boxed_stack& s);
// The boxed form of a call that selected no kernel. It throws, unless a kernel has been registered meanwhile.
void raise_no_kernel(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s);

// Whether they are arguments as a typed call borrows them: a few instructions for all of them.
template <class... A>
[[gnu::always_inline]] inline bool are_lent(boxed_stack& s) noexcept {
  if (!stack_slots::holds<sizeof...(A)>(s)) return false;
  const value* const first = stack_slots::top<sizeof...(A)>(s);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((std::uintptr_t{0} | ... | unboxed<A>::difference(first[I])) & ~value_word::owned) == 0;
  }(std::index_sequence_for<A...>());
}

// Throws bad_argument unless the kernel left results of these types, and nothing else, where its arguments began.
// Returns the first of them; a result that is taken from it is no reference.
template <class R>
[[gnu::noinline, gnu::cold]] value* check_each_result(const boxed_target& called, boxed_stack& s, std::size_t below) {
  constexpr std::size_t count = result_count<R>;
  if (s.size() != below + count) raise_result_count(called, count, static_cast<std::ptrdiff_t>(s.size() - below));
  value* const first = stack_slots::top<count>(s);
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    std::size_t i = 0;
    ((unboxed_result<T>::fits(first[i])
          ? void()
          : raise_bad_result(called, i, unboxed_result<T>::wanted(), first[i].type_name()),
      std::is_lvalue_reference_v<T> || !first[i].is_reference() ? void() : first[i].make_owned(), ++i),
     ...);
  }(std::type_identity<typename results_of<R>::type>());
  return first;
}
template <class R>
[[gnu::always_inline]] inline value* check_results(const boxed_target& called, boxed_stack& s, std::size_t below) {
  constexpr std::size_t count = result_count<R>;
  const bool good = [&]<class... T, std::size_t... I>(std::type_identity<std::tuple<T...>>, std::index_sequence<I...>) {
    return stack_slots::ends_at<count>(s, below) &&
           ((std::uintptr_t{0} | ... | unboxed_result<T>::difference(stack_slots::top<count>(s)[I])) &
            ~value_word::owned) == 0;
  }(std::type_identity<typename results_of<R>::type>(), std::make_index_sequence<count>());
  if (!good) [[unlikely]]
    return check_each_result<R>(called, s, below);
  return stack_slots::top<count>(s);
}

template <class T>
T take_result(value& v) {
  if constexpr (is_optional<T>::value) {
    if (v.is_none()) return T();
    return T(take_result<typename T::value_type>(v));
  } else if constexpr (std::same_as<T, std::string>) {
    return v.is_borrowed() ? T(v.get<std::string_view>()) : value_word::take_owner<std::string_view>(v);
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    return list_of_copies<T>(v.get<std::span<const bool>>());
  } else if constexpr (is_list<T>::value) {
    return v.is_borrowed() ? list_of_copies<T>(v.get<canonical_t<T>>()) : value_word::take_owner<canonical_t<T>>(v);
  } else if constexpr (boxed_form<T>::trivial) {
    return value_word::plain<T>(v);
  } else {
    v.make_owned();
    return std::move(v.write<T>());
  }
}

// True if values of these results own nothing.
template <class... T>
constexpr bool all_trivial(std::type_identity<std::tuple<T...>>) {
  return (boxed_form<typename unboxed_result<T>::held>::trivial && ...);
}

// A result as a value, for as long as it is there. A list, which is boxed as a view of an owner, is copied.
template <class T>
value borrowed_result(const T& x) {
  if constexpr (is_optional<T>::value)
    return x.has_value() ? borrowed_result(*x) : value();
  else if constexpr (std::same_as<canonical_t<T>, T>)
    return value::borrow<T>(x);
  else
    return value(x);
}

// A typed call into a kernel that only has a boxed entry point.
template <class Sig>
struct boxed_call;

template <class R, class... A>
struct boxed_call<R(A...)> {
  static constexpr std::size_t results = result_count<R>;

  [[gnu::always_inline]] static inline R run(const kernel* target, operator_handle op, key_set keys, A... a) {
    const boxed_target called{op, target};
    // One more slot than needed, so that a kernel which forgets to pop is reported and not an overrun.
    inline_stack<(sizeof...(A) > results ? sizeof...(A) : results) + 1> s;
    (stack_slots::push(s, borrowed<A>(a)), ...);
    target->boxed(target, called.op, keys, s);
    value* const found = check_results<R>(called, s, 0);
    if constexpr (all_trivial(std::type_identity<typename results_of<R>::type>())) stack_slots::forget(s);
    if constexpr (is_tuple<R>) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return R(result<std::tuple_element_t<I, R>>(called.op, found[I], I, a...)...);
      }(std::make_index_sequence<results>{});
    } else if constexpr (!std::is_void_v<R>) {
      return result<R>(called.op, *found, 0, a...);
    }
  }

 private:
  // A result that is a reference is the argument with its alias set; another is taken from the stack.
  template <class T>
  [[gnu::always_inline]] static inline T result(const operator_handle& op, value& v, std::size_t index, A&... a) {
    if constexpr (std::is_lvalue_reference_v<T>) {
      static_assert((std::same_as<A, T> || ...), "a result that is a reference needs an argument of that very type");
      const std::array<bool, sizeof...(A)> candidates{std::same_as<A, T>...};
      constexpr bool is_plain = (std::same_as<A, T> + ...) == 1;
      std::remove_reference_t<T>* found = nullptr;
      ((std::same_as<A, T> && (is_plain || is_reference_to<T>(v, a)) ? void(found = address_as<T>(a)) : void()), ...);
      if (!is_plain && found == nullptr) {
        const std::size_t chosen = aliased_argument(op, index, results, {candidates.data(), sizeof...(A)});
        std::size_t i = 0;
        ((i++ == chosen ? void(found = address_as<T>(a)) : void()), ...);
      }
      return *found;
    } else {
      return take_result<T>(v);
    }
  }
  template <class T, class X>
  static bool is_reference_to(const value& v, const X& x) noexcept {
    return v.is_reference() && &value_word::referred<const X>(v) == std::addressof(x);
  }
  template <class T, class X>
  static std::remove_reference_t<T>* address_as(X& x) noexcept {
    if constexpr (std::convertible_to<X*, std::remove_reference_t<T>*>)
      return std::addressof(x);
    else
      return nullptr;
  }
};

// A typed kernel run with the values of a stack.
template <class Sig>
struct unboxed_call;

template <std::size_t Arguments>
[[gnu::noinline]] void replace_owned(boxed_stack& s, value_word::parts result) noexcept {
  s.drop(Arguments);
  stack_slots::push(s, value_word::put(result));
}

template <class R, class... A>
struct unboxed_call<R(A...)> {
  // Slow path, compiled for size and compile time, since every signature has it.
  [[clang::optnone, gnu::noinline]] static void run_any(const kernel* k, const operator_handle& op, key_set keys,
                                                        boxed_stack& s) {
    check_arguments(op, s, {slots<A...>.data(), sizeof...(A)});
    run_with<false>(k, keys, s, stack_slots::top<sizeof...(A)>(s));
  }

  // Of arguments that are lent: the keys come from types that are known here, without asking each value.
  [[gnu::always_inline]] static key_set keys_of_call(const entry_head* head, const value* arguments) {
    return keys_of_call(head, arguments, everything);
  }
  template <bool Lent>
  [[gnu::always_inline]] static void run_with(const kernel* k, key_set keys, boxed_stack& s, value* arguments) {
    run_with<Lent>(k, keys, s, arguments, everything);
  }

 private:
  static constexpr std::index_sequence_for<A...> everything{};

  template <std::size_t... I>
  [[gnu::always_inline]] static key_set keys_of_call(const entry_head* head, const value* arguments,
                                                     std::index_sequence<I...>) {
    return detail::keys_of_call(*head, (key_set() | ... | unboxed<A>::keys_lent(arguments[I])).raw());
  }
  template <class P, bool Lent>
  [[gnu::always_inline]] static decltype(auto) read(value& v) {
    if constexpr (Lent)
      return unboxed<P>::read_lent(v);
    else
      return unboxed<P>::read(v);
  }
  // The slots are looked for anew after the call: only the stack is kept during it.
  template <bool Lent, std::size_t... I>
  [[gnu::always_inline]] static void run_with(const kernel* k, key_set keys, boxed_stack& s, value* arguments,
                                              std::index_sequence<I...>) {
    const auto* typed = static_cast<const typed_kernel<R(A...)>*>(k);
    if constexpr (std::is_void_v<R>) {
      typed->unboxed(read<A, Lent>(arguments[I])..., keys, k);
      value* const first = stack_slots::top<sizeof...(A)>(s);
      if (stack_slots::own_nothing<sizeof...(A)>(first)) [[likely]]
        stack_slots::end_at(s, first);
      else
        s.drop(sizeof...(A));
    } else {
      decltype(auto) result = typed->unboxed(read<A, Lent>(arguments[I])..., keys, k);
      replace<R>(s, result);
    }
  }
  // Boxes all results before the arguments go, since one may be an argument, and before one is pushed, since that may
  // move the slots.
  template <class T>
  [[gnu::always_inline]] static void replace(boxed_stack& s, std::remove_reference_t<T>& result) {
    value* const arguments = stack_slots::top<sizeof...(A)>(s);
    if constexpr (is_tuple<T>) {
      constexpr std::size_t count = std::tuple_size_v<T>;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::array<value, count> all{boxed<std::tuple_element_t<I, T>>(std::get<I>(result), arguments)...};
        s.drop(sizeof...(A));
        for (value& v : all) s.push(std::move(v));
      }(std::make_index_sequence<count>{});
    } else if constexpr (sizeof...(A) == 0) {
      s.push(boxed<T>(result, arguments));
    } else {
      value v = boxed<T>(result, arguments);
      if (stack_slots::own_nothing<sizeof...(A)>(arguments)) [[likely]] {
        stack_slots::end_at(s, arguments);
        stack_slots::push(s, std::move(v));
      } else {
        replace_owned<sizeof...(A)>(s, value_word::take_apart(std::move(v)));
      }
    }
  }
  template <class T>
  [[gnu::always_inline]] static value boxed(std::remove_reference_t<T>& x, value* arguments) {
    if constexpr (std::is_lvalue_reference_v<T>) {
      value v;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (... || (std::same_as<A, T> && take_if_same(x, arguments[I], v)));
      }(std::index_sequence_for<A...>{});
      if (v.is_none()) v = value(std::as_const(x));
      return v;
    } else if constexpr (is_optional<T>::value) {
      return x.has_value() ? boxed<typename T::value_type>(*x, arguments) : value();
    } else {
      return value(std::move(x));
    }
  }
  // A result that is an argument is that argument's value: borrowed if it was, so no count is taken. Several results
  // may be one argument.
  template <class T>
  static bool take_if_same(T& x, value& argument, value& taken) noexcept {
    using held = unboxed<T&>::held;
    if constexpr (!std::same_as<held, std::remove_cvref_t<T>>) {
      return false;
    } else {
      if (!argument.is<held>() || std::addressof(std::as_const(argument).get<held>()) != std::addressof(x))
        return false;
      if constexpr (!std::is_const_v<T>) {
        if (argument.is_reference()) return taken = value::refer(x), true;
      }
      taken = std::move(argument);
      return true;
    }
  }
};

}  // namespace detail

}  // namespace topbit
