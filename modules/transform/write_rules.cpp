module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :call;
import :write_rules;

namespace topbit::detail {

void check_written_within(const operator_handle& op, std::span<const tensor* const> tensors) {
  const batch_level* const l = this_thread_level;
  if (l == nullptr) return;
  // Of a batched call its rule says what may be written.
  if (std::ranges::any_of(tensors, [&](const tensor* t) { return is_batched_at(*t, *l); })) return;
  const tensor* below = tensors[0];
  while (const batched_tensor* const b = batched_of(*below)) below = &b->wrapped;
  if (!author::record_of(*below).data || author::birth_number(*below) >= birth_of(*l)) return;
  throw error(std::string(op.name()) + ": " + argument_text(op, 0) + " " + to_string(tensors[0]->sizes()) +
                  ", which is written, is from outside of the vmap (" + describe(*l) +
                  "), and what is written is the same for all examples: it would be written once, and by a loop for "
                  "each; write to a clone(), or outside of the vmap",
              std::string(op.name()));
}

}  // namespace topbit::detail
