// Parts of tensors: by numbers, slices, masks and other tensors; what is a view, and what is a copy.
#include <cstdint>
#include <cstdio>
#include <string>

import topbit;
namespace tb = topbit;
using tb::ellipsis, tb::newaxis, tb::none, tb::slice;

static void print(const tb::tensor& t) { std::puts(to_string(t, {.one_line = true}).c_str()); }

int main() {
  const tb::tensor x = tb::reshape(tb::arange(12), {3, 4});
  print(x);  // prints: [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]] (int64 [3, 4])

  // 1. An integer removes a dimension, a slice keeps it; bounds may be negative or omitted.
  print(tb::index(x, 1));                                   // prints: [4, 5, 6, 7] (int64 [4])
  print(tb::index(x, -1, 2));                               // prints: 10 (int64 [])
  print(tb::index(x, slice(1, none), slice(none, -1, 2)));  // prints: [[4, 6], [8, 10]] (int64 [2, 2])

  // 2. An ellipsis stands for whole dimensions, newaxis for a new one. Here: every difference of two rows.
  print(tb::index(x, ellipsis, 0));  // prints: [0, 4, 8] (int64 [3])
  const tb::tensor apart = tb::index(x, newaxis) - tb::index(x, slice(), newaxis);
  std::puts(to_string(apart.sizes()).c_str());  // prints: [3, 3, 4]

  // 3. All of these are views: a write to one is a write to x.
  tb::assign(tb::index(x, ellipsis, -1), 0);
  tb::tensor corner = tb::index(x, slice(0, 2), slice(0, 2));
  corner *= 10;
  print(x);  // prints: [[0, 10, 2, 0], [40, 50, 6, 0], [8, 9, 10, 0]] (int64 [3, 4])

  // 4. A mask, made by comparing. What it selects is a copy, in one dimension; filling leaves the shape.
  const tb::tensor large = x > 8;
  print(tb::index(x, large));            // prints: [10, 40, 50, 9, 10] (int64 [5])
  print(tb::masked_fill(x, large, -1));  // prints: [[0, -1, 2, 0], [-1, -1, 6, 0], [8, -1, -1, 0]] (int64 [3, 4])
  print(tb::where(large, tb::neg(x), x));
  // prints: [[0, -10, 2, 0], [-40, -50, 6, 0], [8, -9, -10, 0]] (int64 [3, 4])

  // 5. Index tensors: rows in any order, one element of each row, and elements at coordinates. The result is a copy;
  // assign() writes to the elements themselves.
  const tb::tensor picked = tb::from_values<std::int64_t>({2, 0, 2}, {3});
  print(tb::index(x, picked));  // prints: [[8, 9, 10, 0], [0, 10, 2, 0], [8, 9, 10, 0]] (int64 [3, 4])
  print(tb::gather(x, 1, tb::unsqueeze(picked, 1)));  // prints: [[2], [40], [10]] (int64 [3, 1])
  print(tb::index(x, tb::arange(3), picked));         // prints: [2, 40, 10] (int64 [3])
  print(tb::index(x, slice(), picked));               // prints: [[2, 0, 2], [6, 40, 6], [10, 8, 10]] (int64 [3, 3])
  tb::tensor y = tb::clone(x);
  tb::assign(y, 7, large);
  print(y);  // prints: [[0, 7, 2, 0], [7, 7, 6, 0], [8, 7, 7, 0]] (int64 [3, 4])
}
