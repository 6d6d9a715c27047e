// Calls of dual tensors that are not boxed: of products, sums and elementwise operators, where one level has tangents.
// All others go to the kernels of :forward. Internal.
module topbit.transform:forward_unboxed;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :dual;
import :elementwise;
import :forward;

namespace topbit::detail {

// A tensor argument, and its tangent at the level of the call; null if it has none.
struct dual_operand {
  const tensor* given = nullptr;
  const tensor* along = nullptr;
};
using dual_operands = std::span<dual_operand>;

// The level of which operands have tangents that are seen; finds these tangents.
inline constexpr std::uint64_t no_level = 0, several_levels = std::numeric_limits<std::uint64_t>::max();
std::uint64_t seen_level(dual_operands operands) noexcept;
// Whether the tangents or the operands are to be derived by reverse mode.
bool is_derived_again(std::span<const dual_operand> operands) noexcept;
// Gives a result that is no argument its tangent, which may be one of an argument.
void give_tangent(const tensor& result, std::uint64_t level, const tensor& along, std::span<const dual_operand> of);

template <class... A>
inline constexpr std::size_t operand_count = (std::size_t{is_operand<A>} + ...);
// The operands of a call, in order.
template <class... A>
auto dual_operands_of(const A&... a) {
  static_assert(((is_operand<A> || !has_tensors<A>) && ...), "wanted no optional tensors and no lists of them");
  std::array<dual_operand, operand_count<A...>> operands;
  std::size_t i = 0;
  const auto add = [&]<class T>(const T& x) {
    if constexpr (is_operand<T>) operands[i++].given = &x;
  };
  (add(a), ...);
  return operands;
}

// Calls `call(arguments...)` with `replaced(operand number)` in place of each tensor.
template <class... A, class Call, class Replaced>
decltype(auto) with_operands(Call call, Replaced replaced, std::type_identity_t<A>&... a) {
  std::size_t next = 0;
  const auto one = [&]<class T>(std::type_identity<T>, auto& x) -> T {
    if constexpr (is_operand<T>)
      return replaced(next++);
    else
      return static_cast<T>(x);
  };
  // In order, since `one` counts.
  std::tuple<A...> arguments{one(std::type_identity<A>{}, a)...};
  return std::apply([&](auto&... x) -> decltype(auto) { return call(static_cast<A>(x)...); }, arguments);
}

struct unboxed_product {
  static constexpr author::kernel_note note = product_kind::note;

  template <class R, class... A>
  R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
    auto operands = dual_operands_of(a...);
    const std::uint64_t level = seen_level(operands);
    if (level == several_levels) return author::call_boxed_kernel<product_kind{}>(op, keys, static_cast<A>(a)...);
    R result = op.redispatch(keys & below(key::ForwardAD), static_cast<A>(a)...);
    if (level == no_level) return result;
    const tangent_levels::formula_scope scope(level);
    tensor sum;
    for (std::size_t wanted = 0; wanted < operands.size(); ++wanted) {
      if (operands[wanted].along == nullptr) continue;
      const auto factor = [&](std::size_t i) -> const tensor& {
        return i == wanted ? *operands[i].along : *operands[i].given;
      };
      add_term(sum, with_operands<A...>(op, factor, a...));
    }
    give_tangent(result, level, sum, operands);
    return result;
  }
};

// self + alpha * other, or the difference.
struct unboxed_sum {
  static constexpr author::kernel_note note = sum_kind::note;

  template <class R, class... A>
  R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
    auto operands = dual_operands_of(a...);
    const std::uint64_t level = seen_level(operands);
    if (level == several_levels || (level != no_level && !are_alike(operands)))
      return author::call_boxed_kernel<sum_kind{}>(op, keys, static_cast<A>(a)...);
    R result = op.redispatch(keys & below(key::ForwardAD), static_cast<A>(a)...);
    if (level == no_level) return result;
    const tangent_levels::formula_scope scope(level);
    if (operands[1].along == nullptr) {
      give_tangent(result, level, *operands[0].along, operands);
      return result;
    }
    const tensor of_self = operands[0].along != nullptr ? *operands[0].along : zeros_for(*operands[0].given);
    const auto term = [&](std::size_t i) -> const tensor& { return i == 0 ? of_self : *operands[1].along; };
    give_tangent(result, level, with_operands<A...>(op, term, a...), operands);
    return result;
  }

 private:
  // Others broadcast, convert, or count as constants.
  static bool are_alike(std::span<const dual_operand> operands) noexcept;
  static tensor zeros_for(const tensor& t);
};

// What a recorded call gave: its result outside of the graph, and its tangent by the gradient rule.
struct derived_result {
  tensor result, along;
};

struct unboxed_elementwise {
  static constexpr author::kernel_note note = elementwise_kind::note;

  template <class R, class... A>
  R operator()(typed_handle<R(A...)> op, key_set keys, A... a) const {
    auto operands = dual_operands_of(a...);
    const std::uint64_t level = seen_level(operands);
    if (level == no_level) return op.redispatch(keys & below(key::ForwardAD), static_cast<A>(a)...);
    if (level == several_levels || !can_record(operands) || is_derived_again(operands))
      return author::call_boxed_kernel<elementwise_kind{}>(op, keys, static_cast<A>(a)...);
    std::array<tensor, operand_count<A...>> leaves;
    const key_set recording = make_leaves(operands, leaves);
    const tensor recorded = [&] {
      const enable_grad on;
      return with_operands<A...>(
          [&](A... x) { return op.redispatch((keys & below(key::ForwardAD)) | recording, static_cast<A>(x)...); },
          [&](std::size_t i) -> const tensor& { return leaves[i].defined() ? leaves[i] : *operands[i].given; }, a...);
    }();
    const tangent_levels::formula_scope scope(level);
    std::optional<derived_result> found = derived(op.handle(), recorded, operands, leaves);
    if (!found) return author::call_boxed_kernel<elementwise_kind{}>(op, keys, static_cast<A>(a)...);
    if (found->along.defined()) give_tangent(found->result, level, found->along, operands);
    return std::move(found->result);
  }

 private:
  // One floating dtype, beside masks.
  static bool can_record(std::span<const dual_operand> operands) noexcept;
  // A leaf for each operand with a tangent; the keys that record them.
  static key_set make_leaves(std::span<const dual_operand> operands, std::span<tensor> leaves);
  // None if the call was recorded as that of other operators.
  static std::optional<derived_result> derived(const operator_handle& op, const tensor& recorded,
                                               std::span<const dual_operand> operands, std::span<const tensor> leaves);
};

}  // namespace topbit::detail
