// Autocast as a layer: the policies of a table around kernels, in the dynamic table or in front of a kernel set.
export module topbit.autocast:layer;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :cast;
import :policy;
import :scope;

namespace topbit {

namespace detail {

[[noreturn]] void raise_banned(std::string_view op);
// What a call with these arguments casts now, on this thread: "argument 2 'mat2' float32 to bfloat16, cached".
std::string describe_casts(author::cast_policy policy, backend on, const operator_handle& op,
                           std::span<const value> arguments);

// The argument `dtype` of a call whose first argument is eligible: float32 if it was not given.
template <class A>
decltype(auto) with_dtype(bool set, A&& a) {
  if constexpr (std::same_as<std::remove_cvref_t<A>, std::optional<dtype>>)
    return set && !a ? std::optional<dtype>(dtype::float32) : std::optional<dtype>(a);
  else
    return std::forward<A>(a);
}

template <class First, class... A>
const First& first_of(const First& first, const A&...) noexcept {
  return first;
}

}  // namespace detail

/// The policies as a layer: `layered<cpu, autocasting<backend::CPU, autocast_cpu>>` casts with no dispatch, and
/// `author::install_casts` puts the same functions into the table. Operators without a policy are not handled.
export template <backend Where, const auto& Table>
struct autocasting {
  using table = std::remove_cvref_t<decltype(Table)>;
  template <class Op>
  static constexpr author::cast_policy policy = table::template policy<Op>;
  template <class Op>
  static constexpr bool handles = policy<Op> != author::cast_policy::none;
  template <class Op>
  static constexpr std::string_view note = author::note_of(policy<Op>);
  template <class Op>
  static std::string describe(const operator_handle& op, std::span<const value> arguments) {
    return detail::describe_casts(policy<Op>, Where, op, arguments);
  }

  template <class Op, class Next, class... A>
  [[gnu::always_inline]] static auto run(Next next, A&&... a) {
    const detail::autocast_state& now = detail::this_thread_autocast;
    if (!now.is_on(Where)) [[unlikely]]
      return next(std::forward<A>(a)...);
    const dtype type = now.lower[static_cast<std::size_t>(Where)];
    // A composite's parts have policies of their own, which are not for them.
    const exclude_guard parts(key::AutocastFunctionality);
    using enum author::cast_policy;
    if constexpr (policy<Op> == unchanged) {
      return next(std::forward<A>(a)...);
    } else if constexpr (policy<Op> == lower) {
      return cast_to(type, next, std::forward<A>(a)...);
    } else if constexpr (policy<Op> == fp32) {
      return cast_to(dtype::float32, next, std::forward<A>(a)...);
    } else if constexpr (policy<Op> == promote) {
      dtype promoted = type;
      ((promoted = detail::promoted_with(promoted, static_cast<const std::remove_cvref_t<A>&>(a), Where)), ...);
      return cast_to(promoted, next, std::forward<A>(a)...);
    } else if constexpr (policy<Op> == set_dtype) {
      const bool set = author::is_eligible(detail::first_of(a...), Where);
      return next(detail::with_dtype(set, std::forward<A>(a))...);
    } else if constexpr (policy<Op> == append_dtype) {
      const tensor& first = detail::first_of(a...);
      using other = table::template entry<Op>::other;
      return other{}(std::forward<A>(a)..., author::is_eligible(first, Where) ? dtype::float32 : first.dtype());
    } else {
      if (type == dtype::float16) detail::raise_banned(Op::name());
      return cast_to(dtype::float32, next, std::forward<A>(a)...);
    }
  }

 private:
  template <class Next, class... A>
  [[gnu::always_inline]] static auto cast_to(dtype to, Next next, A&&... a) {
    const detail::cast_target target(to, Where);
    if (!(detail::changes_argument(target, a) || ...)) [[likely]]
      return next(std::forward<A>(a)...);
    return call_cast(to, next, std::forward<A>(a)...);
  }
  template <class Next, class... A>
  [[gnu::noinline]] static auto call_cast(dtype to, Next next, A&&... a) {
    const detail::cast_target target(to, Where);
    return call(next, detail::cast_argument<A&&>(std::forward<A>(a), target)...);
  }
  template <class Next, class... Argument>
  static auto call(Next next, Argument&&... a) {
    return next(a.get()...);
  }
};

}  // namespace topbit
