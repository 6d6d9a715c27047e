// Casting one argument: what is cast, and the casts that wrappers written by hand call.
export module topbit.autocast:cast;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :policy;

namespace topbit {

namespace detail {

constexpr std::uint32_t bit_of(dtype t) noexcept { return std::uint32_t{1} << static_cast<unsigned>(t); }
// The dtypes that are cast, a bit for each: floating, but not float64.
inline constexpr std::uint32_t castable = bit_of(dtype::float16) | bit_of(dtype::bfloat16) | bit_of(dtype::float32);

inline bool is_on(const tensor& t, backend on) noexcept {
  const backend there = t.device().type;
  return t.defined() && (there == on || (there == backend::CPU && t.dim() == 0));
}

}  // namespace detail

export namespace author {

/// Whether autocast on this backend casts the tensor: floating, not float64, and on the backend, or a number beside
/// tensors of the backend: without dimensions, on the host.
inline bool is_eligible(const tensor& t, backend on) noexcept {
  return (topbit::detail::castable & topbit::detail::bit_of(t.dtype())) != 0 && topbit::detail::is_on(t, on);
}

/// The tensor in this dtype: itself, if it is not eligible or has the dtype already. Casts of weights, and
/// of constants where the scope says so, come from the cache of the outermost scope. Casts are recorded, in a
/// no_grad scope too when they are cached. Call it with Autocast excluded.
tensor cached_cast(const tensor& t, dtype to, backend on);

/// The dtype to which `so_far`, at first the scope's, and this tensor promote; `so_far` if the tensor is not eligible,
/// or a number from the host beside tensors of a device.
inline dtype promote_type(dtype so_far, const tensor& t, backend on) noexcept {
  return is_eligible(t, on) && t.device().type == on ? promote(so_far, t.dtype()) : so_far;
}

}  // namespace author

namespace detail {

// What a cast is to, and which dtypes it changes: all but its own.
struct cast_target {
  dtype to;
  backend on;
  std::uint32_t changed;

  inline cast_target(dtype type, backend of_backend) noexcept
      : to(type), on(of_backend), changed(castable & ~bit_of(type)) {}
  inline bool changes(const tensor& t) const noexcept { return (changed & bit_of(t.dtype())) != 0 && is_on(t, on); }
};
[[gnu::noinline]] tensor cast_out_of_line(const tensor& t, dtype to);

// Where cast_out_of_line() would take a cast from now.
enum class cast_state : std::uint8_t { made_anew, made_for_cache, cached };
cast_state state_of_cast(const tensor& t, dtype to);

inline const tensor* tensor_in(const tensor& t) noexcept { return &t; }
inline const tensor* tensor_in(const std::optional<tensor>& t) noexcept { return t ? &*t : nullptr; }

// The tensors of an argument: none of a number, those of a list.
template <class A, class Visit>
inline void each_tensor_in(const A& a, Visit visit) {
  if constexpr (tensor_argument<A>) {
    if (const tensor* const t = tensor_in(a)) visit(*t);
  } else if constexpr (tensor_list_argument<A>) {
    for (const tensor& t : a) visit(t);
  }
}

template <class A>
inline bool changes_argument(const cast_target& target, const A& a) noexcept {
  bool found = false;
  each_tensor_in(a, [&](const tensor& t) { found = found || target.changes(t); });
  return found;
}

// An argument on its way to the operator: the caller's, or a cast that lives as long as this.
template <class A>
struct cast_argument {
  A given;
  cast_argument(A a, const cast_target&) : given(std::forward<A>(a)) {}
  A get() { return std::forward<A>(given); }
};
template <tensor_argument A>
struct cast_argument<A> {
  using type = std::remove_cvref_t<A>;
  const type* at;
  type made;
  cast_argument(const type& x, const cast_target& target) : at(&x) {
    if (!changes_argument(target, x)) return;
    made = cast_out_of_line(*tensor_in(x), target.to);
    at = &made;
  }
  const type& get() const { return *at; }
};
template <tensor_list_argument A>
struct cast_argument<A> {
  std::span<const tensor> given;
  std::vector<tensor> made;
  cast_argument(std::span<const tensor> all, const cast_target& target) : given(all) {
    if (!changes_argument(target, all)) return;
    for (const tensor& t : all) made.push_back(target.changes(t) ? cast_out_of_line(t, target.to) : t);
    given = made;
  }
  std::span<const tensor> get() const { return given; }
};

template <class A>
dtype promoted_with(dtype so_far, const A& a, backend on) noexcept {
  each_tensor_in(a, [&](const tensor& t) { so_far = author::promote_type(so_far, t, on); });
  return so_far;
}

}  // namespace detail

}  // namespace topbit
