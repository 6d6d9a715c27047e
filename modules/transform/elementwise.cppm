// The kernel of elementwise operators within vmap. Most calls have operands that only need to lose their wrappers: they
// are not boxed.
export module topbit.transform:elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :batched;
import :level;
import :rule;

namespace topbit::detail {

// For all calls: aligns the operands, and casts them where they would promote as their examples do not.
void batch_elementwise(const operator_handle& op, boxed_stack& stack);

// A tensor argument, and what it is as batched at the level of the call; null if it is not.
struct elementwise_operand {
  const tensor* given = nullptr;
  const batched_tensor* batched = nullptr;
  const tensor& physical() const noexcept { return batched != nullptr ? batched->wrapped : *given; }
};
// The level of a call whose operands only have to lose their wrappers, and the batch dimension `dim` of the result.
// Null if more is to be done: batched operands of different numbers of dimensions or with different batch dimensions,
// others with more dimensions, or with any beside a batch dimension that is not the first, numbers of different dtypes,
// a write to what is not batched, a vmap that has ended.
const batch_level* unwrap(std::span<elementwise_operand> operands, bool writes_first, std::int64_t& dim) noexcept;
// The result as the examples' function sees it: the argument itself if the operator returned its physical tensor.
tensor rewrapped(tensor result, std::span<const elementwise_operand> operands, std::int64_t dim, const batch_level& l);

template <class T>
inline constexpr bool is_operand = std::same_as<std::remove_cvref_t<T>, tensor>;

template <class T>
inline constexpr bool has_tensors = is_operand<T>;
template <class T>
inline constexpr bool has_tensors<T&> = has_tensors<std::remove_const_t<T>>;
template <class T>
inline constexpr bool has_tensors<std::optional<T>> = has_tensors<T>;
template <class T>
inline constexpr bool has_tensors<std::span<const T>> = has_tensors<T>;

// Tensors, and at least one, beside numbers and the like.
template <class First, class... A>
inline constexpr bool has_plain_operands =
    is_operand<First> && ((std::same_as<A, const tensor&> || !has_tensors<A>) && ...);
// One result, which is made, or is the first operand and what alone is written.
template <class Sig>
inline constexpr bool is_plain_elementwise = false;
template <class First, class... A>
inline constexpr bool is_plain_elementwise<tensor(First, A...)> =
    std::same_as<First, const tensor&> && has_plain_operands<First, A...>;
template <class First, class... A>
inline constexpr bool is_plain_elementwise<tensor&(First, A...)> =
    std::same_as<First, tensor&> && has_plain_operands<First, A...>;

struct batched_elementwise {
  static constexpr author::kernel_note note{"batched element by element"};

  template <class R, class... A>
  R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
    constexpr std::size_t count = (std::size_t{is_operand<A>} + ...);
    constexpr bool writes = std::is_reference_v<R>;
    std::array<elementwise_operand, count> operands;
    std::size_t i = 0;
    const auto add = [&]<class T>(const T& x) {
      if constexpr (is_operand<T>) operands[i++].given = &x;
    };
    (add(a), ...);
    std::int64_t dim = 0;
    const batch_level* const l = unwrap({operands.data(), count}, writes, dim);
    if (l == nullptr) return author::call_boxed_kernel<&batch_elementwise>(op, keys, static_cast<A>(a)...);
    try {
      const below_level outside(*l);
      if constexpr (writes) {
        tensor written = operands[0].physical();
        call(op, written, operands.data(), std::index_sequence_for<A...>{}, a...);
        return std::get<0>(std::tie(a...));
      } else {
        return rewrapped(call(op, nullptr, operands.data(), std::index_sequence_for<A...>{}, a...),
                         {operands.data(), count}, dim, *l);
      }
    } catch (error& e) {
      raise_for_batch(op.handle(), &e, a...);
    }
  }

 private:
  // The operands before argument `to`.
  template <class... A>
  static consteval std::size_t operands_before(std::size_t to) {
    const bool all[] = {is_operand<A>...};
    return static_cast<std::size_t>(std::count(all, all + to, true));
  }
  template <class T, class Written, class X>
  static T&& place(Written& written, const elementwise_operand* operand, X& x) noexcept {
    if constexpr (std::same_as<T, tensor&>)
      return written;
    else if constexpr (is_operand<T>)
      return operand->physical();
    else
      return static_cast<T&&>(x);
  }
  template <class R, class... A, class Written, std::size_t... I>
  static R call(typed_handle<R(A...)> op, Written&& written, const elementwise_operand* operands,
                std::index_sequence<I...>, std::type_identity_t<A>&... a) {
    return op(place<A>(written, operands + operands_before<A...>(I), a)...);
  }
};

}  // namespace topbit::detail
