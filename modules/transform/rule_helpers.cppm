// What batching rules written by hand share. Internal.
module topbit.transform:rule_helpers;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :batched;
import :level;

namespace topbit::detail {

// A result and its batch dimension.
using batched_result = std::tuple<tensor, batch_dim>;

inline bool is_present(const std::optional<tensor>& x) { return x.has_value() && x->defined(); }
// Null if there is none.
inline const tensor* if_present(const std::optional<tensor>& x) { return is_present(x) ? &*x : nullptr; }

// The number of dimensions of an example.
inline std::int64_t rank_of(const tensor& t, batch_dim d) { return t.dim() - (d ? 1 : 0); }
// The batch dimension moved to the front, if there is one.
inline tensor in_front(const tensor& t, batch_dim d) { return d ? with_batch_first(t, d, 0) : t; }
// All elements of an example in one dimension, behind the batch dimension.
tensor flattened(const tensor& all) {
  std::int64_t elements = 1;
  for (std::int64_t i = 1; i < all.dim(); ++i) elements *= all.size(i);
  return aten::reshape(all, shape{all.size(0), elements});
}
// With the batch dimension first, and examples of `rank` dimensions, by ones before theirs.
inline tensor of_rank(tensor x, std::int64_t rank) {
  while (x.dim() < rank + 1) x = aten::unsqueeze(x, 1);
  return x;
}
// The same of a tensor to broadcast with such examples, which needs nothing if it has no batch dimension.
inline tensor beside_examples(const tensor& x, batch_dim d, std::int64_t rank) {
  return d ? of_rank(in_front(x, d), rank) : x;
}
// The number of examples, by the first of these that is batched.
inline std::int64_t batch_size(std::initializer_list<std::pair<const tensor*, batch_dim>> all) {
  for (const auto& [t, d] : all) {
    if (d) return t->size(*d);
  }
  return 0;
}

// Dimension `dim` of an example of this rank, behind the batch dimension. Throws shape_error if there is none.
inline std::int64_t behind_batch(std::int64_t dim, std::int64_t rank) {
  const std::int64_t dims = rank == 0 ? 1 : rank;
  if (dim < -dims || dim >= dims) throw shape_error("found no such dimension");
  return (dim < 0 ? dim + dims : dim) + 1;
}

}  // namespace topbit::detail
