// Sparse tensors of every kind, and comparison of results, for the tests of operators. Included after the imports,
// before sparse_values.h.
#pragma once

#include "sparse_values.h"

namespace sparse_test {

// Of one dtype: coalesced, with entries at one place, with dense dimensions, without entries, with one entry, with
// zeros that are specified, of one and of three dimensions, CSR and CSC.
inline std::vector<topbit::tensor> samples(topbit::dtype type) {
  namespace tb = topbit;
  random_tensors random(11);
  const tb::tensor uncoalesced = random.coo({3, 4}, 2, type, 7), square = random.coo({3, 3}, 2, type, 4);
  std::vector<tb::tensor> all{tb::coalesce(uncoalesced),
                              uncoalesced,
                              random.coo({3, 4, 2}, 2, type, 5),
                              tb::coalesce(random.coo({3, 4, 2}, 1, type, 3)),
                              random.coo({3, 4}, 2, type, 0),
                              random.coo({3, 4}, 2, type, 1),
                              random.coo({5}, 1, type, 6),
                              random.coo({2, 3, 4}, 3, type, 9),
                              tb::to_sparse_csr(square),
                              tb::to_sparse_csc(uncoalesced),
                              tb::to_sparse_csr(random.coo({3, 4}, 2, type, 0)),
                              tb::coalesce(square)};
  const tb::tensor places = tb::tensor({{0, 2}, {1, 3}});
  all.push_back(tb::sparse_coo_tensor(places, tb::zeros({2}, tb::arg<"dtype"> = type), {3, 4}));
  return all;
}

// Two tensors of one layout and the same sizes.
inline std::vector<std::array<topbit::tensor, 2>> pairs(topbit::dtype type) {
  namespace tb = topbit;
  random_tensors random(12);
  std::vector<std::array<tb::tensor, 2>> all;
  const auto add = [&](const tb::tensor& a, const tb::tensor& b) { all.push_back({a, b}); };
  const tb::tensor a = random.coo({3, 4}, 2, type, 7), b = random.coo({3, 4}, 2, type, 5),
                   none = random.coo({3, 4}, 2, type, 0);
  add(a, b);
  add(tb::coalesce(a), tb::coalesce(b));
  add(tb::coalesce(a), b);
  add(a, a);
  add(tb::coalesce(a), none);
  add(none, b);
  add(random.coo({3, 4, 2}, 2, type, 6), random.coo({3, 4, 2}, 2, type, 4));
  add(tb::coalesce(random.coo({3, 4, 2}, 2, type, 6)), tb::coalesce(random.coo({3, 4, 2}, 2, type, 4)));
  add(tb::coalesce(random.coo({2, 3, 4}, 3, type, 9)), tb::coalesce(random.coo({2, 3, 4}, 3, type, 8)));
  add(tb::coalesce(random.coo({6}, 1, type, 4)), tb::coalesce(random.coo({6}, 1, type, 3)));
  add(tb::to_sparse_csr(a), tb::to_sparse_csr(b));
  add(tb::to_sparse_csc(a), tb::to_sparse_csc(b));
  add(tb::to_sparse_csr(a), tb::to_sparse_csr(none));
  return all;
}

// The first element that differs by more than the rounding of the dtype, or nothing.
inline std::string difference(const topbit::tensor& found, const topbit::tensor& wanted, topbit::dtype type) {
  if (found.sizes() != wanted.sizes())
    return "sizes " + to_string(found.sizes()) + ", not " + to_string(wanted.sizes());
  if (found.dtype() != wanted.dtype())
    return std::string(name_of(found.dtype())) + ", not " + std::string(name_of(wanted.dtype()));
  const double tolerance = type == topbit::dtype::float64    ? 1e-13
                           : type == topbit::dtype::float16  ? 2e-3
                           : type == topbit::dtype::bfloat16 ? 2e-2
                                                             : 2e-6;
  const std::vector<double> a = doubles(found), b = doubles(wanted);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i] || std::abs(a[i] - b[i]) <= tolerance * std::max(1.0, std::abs(b[i]))) continue;
    return "element " + std::to_string(i) + ": " + std::to_string(a[i]) + ", not " + std::to_string(b[i]);
  }
  return "";
}

}  // namespace sparse_test
