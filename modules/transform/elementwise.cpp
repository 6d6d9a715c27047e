module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;

namespace topbit::detail {

namespace {

// The type that operands promote to: those without dimensions by their category only. `rank_of` says what has none.
template <class RankOf>
dtype promoted_by(std::span<const operand> operands, RankOf rank_of) {
  std::optional<dtype> shaped, number;
  for (const operand& o : operands) {
    if (o.out) continue;
    std::optional<dtype>& of = rank_of(o) == 0 ? number : shaped;
    of = of ? promote(*of, o.physical.dtype()) : o.physical.dtype();
  }
  if (!shaped || !number) return shaped ? *shaped : number.value_or(dtype::float32);
  return can_cast(*number, *shaped) ? *shaped : promote(*shaped, *number);
}

// A batched operand whose examples have no dimensions has one, and so takes part in promotion as its examples do not.
// Casts such operands, if that makes a difference, and returns what is to be done to results: none if nothing.
struct changed_result {
  dtype found, wanted;
};
std::optional<changed_result> promote_as_examples(std::span<operand> operands) {
  bool numbers = false, differ = false;
  for (const operand& o : operands) {
    numbers = numbers || (o.is_batched() && o.rank() == 0);
    differ = differ || o.physical.dtype() != operands[0].physical.dtype();
  }
  if (!numbers || !differ) return std::nullopt;
  const auto of_example = [](const operand& o) { return o.rank(); };
  const auto of_physical = [](const operand& o) { return o.physical.dim(); };
  const dtype wanted = promoted_by(operands, of_example), found = promoted_by(operands, of_physical);
  if (wanted == found) return std::nullopt;
  // Kernels of narrow types compute in float32 or int64, and a number is not rounded to the narrow type before.
  const bool wider = promote(wanted, found) != found;
  const dtype computed = is_floating(wanted) && wanted != dtype::float64 ? dtype::float32 : wanted;
  for (operand& o : operands) {
    if ((is_floating(wanted) || wider) && o.is_batched() && o.rank() == 0 && o.physical.dtype() != wanted && !o.written)
      o.physical = to(o.physical, computed);
  }
  return changed_result{promoted_by(operands, of_physical), wanted};
}

std::int64_t highest_rank(std::span<const operand> operands) {
  std::int64_t rank = 0;
  for (const operand& o : operands) rank = std::max(rank, o.rank());
  return rank;
}

bool first_input_is_plain(std::span<const operand> operands) {
  return !std::ranges::any_of(operands, [](const operand& o) { return !o.written && o.is_batched(); });
}
operand* first_input(std::span<operand> operands) {
  const auto found = std::ranges::find_if(operands, [](const operand& o) { return !o.written; });
  return found == operands.end() ? nullptr : &*found;
}

}  // namespace

void batch_elementwise(const operator_handle& op, boxed_stack& stack) {
  batch(op, stack, [](batched_call& call) {
    const std::span<operand> operands = call.operands();
    if (operands.size() == 1) return call.finish(*operands[0].dim);
    // Results given by an argument have a batch dimension, so the computed one needs one too.
    if (first_input_is_plain(operands)) {
      if (operand* const o = first_input(operands)) call.expand(*o);
    }
    const std::optional<changed_result> change = promote_as_examples(operands);
    const std::int64_t rank = highest_rank(operands);
    for (operand& o : operands) {
      if (o.written && o.rank() != rank) throw shape_error("found operands of more dimensions than what is written");
      if (!o.is_batched()) continue;
      call.move_to_front(o);
      for (std::int64_t missing = rank - o.rank(); missing > 0; --missing) o.physical = aten::unsqueeze(o.physical, 1);
    }
    if (!change) return call.finish(0);
    call.finish(0, [&](const tensor& t) { return t.dtype() == change->found ? to(t, change->wanted) : t; });
  });
}

const batch_level* unwrap(std::span<elementwise_operand> operands, bool writes_first, std::int64_t& dim) noexcept {
  std::uint64_t highest = 0;
  for (elementwise_operand& o : operands) {
    o.batched = batched_of(*o.given);
    if (o.batched != nullptr) highest = std::max(highest, o.batched->level);
  }
  const batch_level* const l = level_numbered(highest);
  if (l == nullptr) return nullptr;
  dim = -1;
  std::int64_t rank = 0, plain_rank = 0;
  bool one_dtype = true;
  for (elementwise_operand& o : operands) {
    const tensor& t = *o.given;
    one_dtype = one_dtype && t.dtype() == operands[0].given->dtype();
    if (o.batched == nullptr || o.batched->level != highest) {
      o.batched = nullptr;
      plain_rank = std::max(plain_rank, t.dim());
      continue;
    }
    if (dim >= 0 && (o.batched->dim != dim || t.dim() != rank)) return nullptr;
    // The memory order of the result of others depends on where the batch dimension is.
    if (o.batched->dim != 0 && operands.size() > 1 && !author::record_of(o.batched->wrapped).dense) return nullptr;
    dim = o.batched->dim;
    rank = t.dim();
  }
  if (writes_first && operands[0].batched == nullptr) return nullptr;
  // Those that are not batched broadcast behind the batch dimension.
  if (plain_rank > rank || (plain_rank != 0 && dim != 0)) return nullptr;
  return rank != 0 || one_dtype ? l : nullptr;
}

tensor rewrapped(tensor result, std::span<const elementwise_operand> operands, std::int64_t dim, const batch_level& l) {
  if (!result.defined()) return result;
  for (const elementwise_operand& o : operands) {
    if (o.batched != nullptr && o.batched->wrapped.same_as(result)) return *o.given;
  }
  return make_batched(std::move(result), dim, l);
}

}  // namespace topbit::detail
