// The model of sorting and of selection by rank: the standard library's sort of the positions of a row.
#pragma once

#include <numeric>

#include "support.h"

namespace kernel_tests {

template <typename T>
bool is_nan(T x) {
  return x != x;
}

// Ascending or descending, a NaN above every number, of equals the first one first.
template <typename T>
std::vector<std::int64_t> order_of(const std::vector<T>& row, bool descending) {
  std::vector<std::int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto less = [](T a, T b) { return a < b || (is_nan(b) && !is_nan(a)); };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const T x = row[std::size_t(descending ? b : a)], y = row[std::size_t(descending ? a : b)];
    return less(x, y) || (!less(y, x) && a < b);
  });
  return order;
}

// The places that an operation finds in a row.
template <typename T>
std::vector<std::int64_t> places_of(tb_rowwise_op op, const std::vector<T>& row, std::int64_t number,
                                    std::int64_t results) {
  const std::vector<std::int64_t> order = order_of(row, (op == TB_SORT || op == TB_TOPK) && number != 0);
  if (op == TB_SORT || op == TB_TOPK) return {order.begin(), order.begin() + results};
  if (op == TB_KTH_VALUE) return {order[std::size_t(number)]};
  std::size_t numbers = 0;
  for (const T x : row) numbers += is_nan(x) ? 0 : 1;
  if (op == TB_MEDIAN) {
    if (numbers < row.size() && number == 0) return {order[numbers]};
    return {order[numbers == 0 ? 0 : (numbers - 1) / 2]};
  }
  // The mode: the last of the first longest run.
  std::size_t most = 0, times = 0, best = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    times = i > 0 && row[std::size_t(order[i])] == row[std::size_t(order[i - 1])] ? times + 1 : 1;
    if (times > most) most = times, best = i;
  }
  return {order[best]};
}

}  // namespace kernel_tests
