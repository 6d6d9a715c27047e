module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :forward;
import :forward_unboxed;

namespace topbit::detail {

std::uint64_t seen_level(dual_operands operands) noexcept {
  std::uint64_t level = no_level;
  for (dual_operand& o : operands) {
    const tangents* const e = may_be_dual(*o.given) ? author::extension_of<tangents>(*o.given) : nullptr;
    if (e == nullptr) continue;
    for (const tangents::one& found : e->all) {
      if (!tangent_levels::is_seen(found.level)) continue;
      if (level != no_level && found.level != level) return several_levels;
      level = found.level;
      o.along = &found.along;
    }
  }
  return level;
}

bool is_derived_again(std::span<const dual_operand> operands) noexcept {
  return grad_enabled() && std::ranges::any_of(operands, [](const dual_operand& o) {
           return requires_grad(*o.given) || (o.along != nullptr && requires_grad(*o.along));
         });
}

void give_tangent(const tensor& result, std::uint64_t level, const tensor& along, std::span<const dual_operand> of) {
  const bool shared = std::ranges::any_of(of, [&](const dual_operand& o) {
    return o.along != nullptr && author::record_of(*o.along).data == author::record_of(along).data;
  });
  set_tangent(result, level, along, shared);
  remember_result(result);
}

bool unboxed_sum::are_alike(std::span<const dual_operand> operands) noexcept {
  const tensor &a = *operands[0].given, &b = *operands[1].given;
  return a.defined() && b.defined() && is_floating(a.dtype()) && a.dtype() == b.dtype() && a.sizes() == b.sizes();
}
tensor unboxed_sum::zeros_for(const tensor& t) { return aten::zeros_like(aten::detach(t)); }

bool unboxed_elementwise::can_record(std::span<const dual_operand> operands) noexcept {
  const tensor* floating = nullptr;
  for (const dual_operand& o : operands) {
    if (!o.given->defined()) return false;
    if (!is_floating(o.given->dtype())) continue;
    if (floating != nullptr && floating->dtype() != o.given->dtype()) return false;
    floating = o.given;
  }
  return floating != nullptr;
}

key_set unboxed_elementwise::make_leaves(std::span<const dual_operand> operands, std::span<tensor> leaves) {
  key_set recording;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].along == nullptr) continue;
    leaves[i] = author::make_alias(*operands[i].given);
    // It stands for the primal, which has no tangents that are seen but those.
    author::record_of(leaves[i]).keys = leaves[i].keys() - key_set(key::ForwardAD);
    require_grad(leaves[i]);
    recording = recording | (leaves[i].keys() & autograd_keys);
  }
  return recording;
}

namespace {

// While it lives a rule reads results as they were saved. They have no tangents, and the rule does not run in the
// engine, which says whose results are read.
class results_as_saved {
 public:
  results_as_saved() noexcept : before_(author::set_saved_result_reader(nullptr)) {}
  results_as_saved(const results_as_saved&) = delete;
  results_as_saved& operator=(const results_as_saved&) = delete;
  ~results_as_saved() { author::set_saved_result_reader(before_); }

 private:
  const author::saved_result_reader before_;
};

}  // namespace

std::optional<derived_result> unboxed_elementwise::derived(const operator_handle& op, const tensor& recorded,
                                                           std::span<const dual_operand> operands,
                                                           std::span<const tensor> leaves) {
  const intrusive_ptr<node> n = author::gradient_edge(recorded);
  if (!n) return derived_result{recorded, {}};
  if (n->name() != op.name()) return std::nullopt;
  const no_grad unrecorded;
  const results_as_saved plain;
  const std::span<const intrusive_ptr<node>> inputs = n->inputs();
  derived_result found{author::make_alias(recorded), {}};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].along == nullptr) continue;
    const intrusive_ptr<node> leaf = author::gradient_edge(leaves[i]);
    const auto at = std::ranges::find_if(inputs, [&](const intrusive_ptr<node>& e) { return e.get() == leaf.get(); });
    if (at == inputs.end()) return std::nullopt;
    const tensor& t = *operands[i].along;
    const tensor along = t.sizes() == recorded.sizes() ? t : aten::expand(t, recorded.sizes());
    std::vector<tensor> gradients(inputs.size());
    n->backward({&along, 1}, gradients);
    add_term(found.along, gradients[static_cast<std::size_t>(at - inputs.begin())]);
  }
  return found;
}

}  // namespace topbit::detail
