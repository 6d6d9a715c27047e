module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor with_dimension(const tensor& t, std::size_t d) {
  dims sizes;
  for (std::size_t i = 0; i <= t.dim(); ++i) sizes.push_back(i == d ? 1 : t.sizes()[i < d ? i : i - 1]);
  if (t.is_contiguous()) return ops::view(t, sizes);
  dims front{1}, order;
  for (std::size_t i = 0; i < t.dim(); ++i) front.push_back(t.sizes()[i]);
  for (std::size_t i = 0; i <= t.dim(); ++i) {
    order.push_back(i == d ? 0 : static_cast<std::int64_t>(i < d ? i + 1 : i));
  }
  return rearranged(ops::expand(t, front), order);
}

tensor rearranged(const tensor& t, const dims& order) {
  tensor out = t;
  dims now;  // which dimension of t stands where
  for (std::size_t i = 0; i < t.dim(); ++i) now.push_back(static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t from = i;
    while (now[from] != order[i]) ++from;
    if (from == i) continue;
    out = ops::transpose(out, static_cast<std::int64_t>(i), static_cast<std::int64_t>(from));
    std::swap(now[i], now[from]);
  }
  return out;
}

tensor one_batch(const tensor& t) {
  if (t.dim() == 3) return t;
  std::int64_t count = 1;
  for (std::size_t i = 0; i + 2 < t.dim(); ++i) count *= t.sizes()[i];
  const std::int64_t rows = t.size(-2), columns = t.size(-1);
  if (!t.is_contiguous()) {
    const tensor exchanged = ops::transpose(t, -1, -2);
    if (exchanged.is_contiguous()) return ops::transpose(ops::view(exchanged, dims{count, columns, rows}), 1, 2);
  }
  return ops::reshape(t, dims{count, rows, columns});
}

tensor diagonal_of(const tensor& t, std::size_t d, std::int64_t offset) {
  const auto at = static_cast<std::int64_t>(d);
  const std::int64_t rows = t.sizes()[d], columns = t.sizes()[d + 1];
  const std::int64_t skipped_rows = std::min(rows, std::max<std::int64_t>(-offset, 0));
  const std::int64_t skipped_columns = std::min(columns, std::max<std::int64_t>(offset, 0));
  const std::int64_t length = std::min(rows - skipped_rows, columns - skipped_columns);
  // A square, of which every (length + 1)th element is wanted.
  const tensor square = ops::slice(ops::slice(t, at, skipped_rows, skipped_rows + length), at + 1, skipped_columns,
                                   skipped_columns + length);
  dims sizes = square.sizes();
  sizes[d] = length * length;
  sizes.erase(d + 1);
  return ops::slice(ops::reshape(square, sizes), at, std::nullopt, std::nullopt, length + 1);
}

}  // namespace topbit::detail
