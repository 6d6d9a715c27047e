// A tensor within vmap as the plain tensor below all levels, and back.
export module topbit.transform:places;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :level;

namespace topbit::detail {

// Where a plain tensor's batch dimensions are, from the innermost level outwards: how to wrap a tensor like another
// one.
struct batch_places {
  std::vector<std::pair<const batch_level*, std::int64_t>> all;
};

// The tensor with a batch dimension at every level from this one outwards: of stride 0, where it had none.
tensor lifted(const tensor& x, const batch_level* l);
// The plain tensor that a batched one stands for, and its batch dimensions. Throws error for a tensor of a vmap that
// has ended.
tensor plain(const tensor& x, batch_places& at);
// A plain tensor, or one batched at other levels, wrapped at these places, and the inverse.
tensor wrapped_at(const tensor& x, const batch_places& at);
tensor unwrapped_at(const tensor& x, const batch_places& at);

}  // namespace topbit::detail
