module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor one_batch(const tensor& t) {
  if (t.dim() == 3) return t;
  std::int64_t count = 1;
  for (std::size_t i = 0; i + 2 < t.sizes().size(); ++i) count *= t.sizes()[i];
  const std::int64_t rows = t.size(-2), columns = t.size(-1);
  if (!t.is_contiguous()) {
    const tensor exchanged = aten::transpose_int(t, -1, -2);
    if (exchanged.is_contiguous())
      return aten::transpose_int(aten::reshape(exchanged, shape{count, columns, rows}), 1, 2);
  }
  return aten::reshape(t, shape{count, rows, columns});
}

}  // namespace topbit::detail
