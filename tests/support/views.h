// Random strided tensors, and a check by addresses that one tensor is a view of another. Include this after every other
// header: it imports.
#pragma once

#include <algorithm>
#include <vector>

#include "support/tensor_values.h"

import topbit;

namespace support {

inline bool shares(const tb::tensor& a, const tb::tensor& b) {
  return tb::author::record_of(a).data.get() == tb::author::record_of(b).data.get();
}

/// Up to four dimensions of size `least` to 3, with strides that may be 0 or overlap, and a random element size.
/// Elements of the storage are distinct.
inline tb::tensor random_view(numbers& source, std::int64_t least = 0) {
  tb::shape sizes, strides;
  std::int64_t reach = source.whole(0, 3);
  const std::int64_t offset = reach;
  for (std::int64_t d = source.whole(0, 4), inner = 1; d > 0; --d) {
    sizes.push_back(source.whole(0, 5) == 0 ? least : source.whole(1, 3));
    const std::int64_t strides_like[] = {inner, 2 * inner, 0, source.whole(0, 5)};
    strides.push_back(strides_like[source.whole(0, 9) < 6 ? 0 : source.whole(0, 3)]);
    inner *= std::max<std::int64_t>(sizes[sizes.size() - 1], 1);
    reach += std::max<std::int64_t>(sizes[sizes.size() - 1] - 1, 0) * strides[strides.size() - 1];
  }
  if (source.whole(0, 3) != 0) {  // usually row-major strides
    for (std::size_t i = 0, j = sizes.size(); i + 1 < j; ++i, --j) {
      std::swap(sizes[i], sizes[j - 1]);
      std::swap(strides[i], strides[j - 1]);
    }
  }
  // Dtypes that represent all the numbers; views depend on the element size only.
  constexpr tb::dtype widths[] = {tb::dtype::float64, tb::dtype::float16, tb::dtype::float32,
                                  tb::dtype::int16,   tb::dtype::int32,   tb::dtype::int64};
  const tb::tensor whole = tb::author::make_tensor({reach + 1}, widths[source.whole(0, 5)], tb::cpu);
  each_index(whole.sizes(), [&](const tb::shape& i) { set(whole, i, static_cast<double>(i[0])); });
  return tb::author::make_view(whole, sizes, strides, offset);
}

/// All shapes with `elements` elements and at most `most_dims` dimensions.
inline std::vector<tb::shape> shapes_of(std::int64_t elements, std::size_t most_dims) {
  std::vector<tb::shape> all;
  if (elements == 1) all.emplace_back();
  if (most_dims == 0) return all;
  for (std::int64_t first = 1; first <= elements; ++first) {
    if (elements % first != 0) continue;
    for (const tb::shape& rest : shapes_of(elements / first, most_dims - 1)) {
      tb::shape given_shape{first};
      for (std::int64_t s : rest) given_shape.push_back(s);
      all.push_back(given_shape);
    }
  }
  return all;
}

/// True if y shares x's storage and its element at each index is x's element at place(index).
template <class Place>
bool views(const tb::tensor& y, const tb::tensor& x, Place place) {
  bool good = shares(x, y) && !y.same_as(x) && y.dtype() == x.dtype() && y.keys() == x.keys();
  each_index(y.sizes(), [&](const tb::shape& i) { good = good && address(y, i) == address(x, place(i)); });
  return good;
}

/// The list with a value inserted at an index, and without the value at an index.
inline tb::shape with(const tb::shape& d, std::size_t where, std::int64_t value) {
  tb::shape out;
  for (std::size_t i = 0; i <= d.size(); ++i) {
    if (i == where) out.push_back(value);
    if (i < d.size()) out.push_back(d[i]);
  }
  return out;
}
inline tb::shape without(const tb::shape& d, std::size_t where) {
  tb::shape out = d;
  out.erase(where);
  return out;
}

}  // namespace support
