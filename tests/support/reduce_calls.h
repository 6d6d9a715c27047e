// The calls of reductions for the tests that look at all operators alike: a part of each_call(). Include this after
// every other header: it imports.
#pragma once

#include <optional>
#include <vector>

#include "support/tensor_values.h"

import topbit;

namespace support {

/// Calls visit(operator, arguments...) for every reduction with this floating tensor, of sizes [n, 3], n > 0.
template <class Visit>
void each_reduce_call(Visit visit, const tb::tensor& t) {
  namespace ops = topbit::ops;
  using integers = std::vector<std::int64_t>;
  using list = std::optional<integers>;
  using maybe = std::optional<std::int64_t>;
  const std::optional<tb::dtype> no_type;
  const std::int64_t one = 1, last = -1, n = t.sizes()[0];
  const integers rows{0};
  const list some(rows);
  const std::optional<tb::scalar> order(tb::scalar(2.5));
  const auto like = [&](const tb::dims& sizes, tb::dtype type) { return arranged(sizes, type, arrangement::sliced); };
  const auto result = [&](const tb::dims& sizes) { return like(sizes, t.dtype()); };

  visit(ops::sum, t, no_type);
  visit(ops::sum, t, std::optional(tb::dtype::float64));
  visit(ops::sum_dim, t, list(integers{-1}), false, no_type);
  visit(ops::sum_dim, t, list(integers{0, 1}), true, no_type);
  visit(ops::sum_dim, t, list(), false, no_type);
  visit(ops::sum_out, t, some, false, no_type, result({3}));
  visit(ops::nansum, t, some, true, no_type);
  visit(ops::nansum_out, t, some, false, no_type, result({3}));
  visit(ops::mean, t, no_type);
  visit(ops::mean_dtype_out, t, no_type, result({}));
  visit(ops::mean_dim, t, some, true, no_type);
  visit(ops::mean_out, t, some, false, no_type, result({3}));
  visit(ops::prod, t, no_type);
  visit(ops::prod_dim, t, last, false, no_type);
  visit(ops::prod_out, t, last, false, no_type, result({n}));
  visit(ops::max, t);
  visit(ops::max_unary_out, t, result({}));
  visit(ops::max_dim, t, one, true);
  visit(ops::max_dim_out, t, one, false, result({n}), like({n}, tb::dtype::int64));
  visit(ops::max_other, t, t);
  visit(ops::max_out, t, t, result({n, 3}));
  visit(ops::min, t);
  visit(ops::min_unary_out, t, result({}));
  visit(ops::min_dim, t, one, true);
  visit(ops::min_dim_out, t, one, false, result({n}), like({n}, tb::dtype::int64));
  visit(ops::min_other, t, t);
  visit(ops::min_out, t, t, result({n, 3}));
  visit(ops::amax, t, rows, false);
  visit(ops::amax_out, t, rows, false, result({3}));
  visit(ops::amin, t, rows, false);
  visit(ops::amin_out, t, rows, false, result({3}));
  visit(ops::aminmax, t, maybe(), false);
  visit(ops::aminmax_out, t, maybe(1), false, result({n}), result({n}));
  visit(ops::argmax, t, maybe(1), true);
  visit(ops::argmax, t, maybe(), false);
  visit(ops::argmax_out, t, maybe(1), false, like({n}, tb::dtype::int64));
  visit(ops::argmin, t, maybe(1), true);
  visit(ops::argmin_out, t, maybe(1), false, like({n}, tb::dtype::int64));
  visit(ops::any, t);
  visit(ops::any_all_out, t, like({}, tb::dtype::boolean));
  visit(ops::any_dim, t, one, false);
  visit(ops::any_out, t, one, false, like({n}, tb::dtype::boolean));
  visit(ops::all, t);
  visit(ops::all_all_out, t, like({}, tb::dtype::boolean));
  visit(ops::all_dim, t, one, false);
  visit(ops::all_out, t, one, false, like({n}, tb::dtype::boolean));
  visit(ops::count_nonzero, t, maybe());
  visit(ops::count_nonzero_dim, t, rows);
  visit(ops::norm, t, tb::scalar(2));
  visit(ops::norm_dtype, t, order, tb::dtype::float64);
  visit(ops::norm_dim, t, order, rows, true);
  visit(ops::norm_dim_dtype, t, order, rows, true, tb::dtype::float64);
  visit(ops::norm_out, t, order, rows, false, result({3}));
  visit(ops::norm_dtype_out, t, order, rows, false, tb::dtype::float64, like({3}, tb::dtype::float64));
  visit(ops::linalg_vector_norm, t, tb::scalar(1), some, false, no_type);
  visit(ops::linalg_vector_norm_out, t, tb::scalar(1), some, false, no_type, result({3}));
  visit(ops::logsumexp, t, rows, false);
  visit(ops::logsumexp_out, t, rows, false, result({3}));
  visit(ops::var, t, true);
  visit(ops::var_dim, t, some, true, false);
  visit(ops::var_out, t, some, true, false, result({3}));
  visit(ops::var_correction, t, some, maybe(0), false);
  visit(ops::var_correction_out, t, some, maybe(0), false, result({3}));
  visit(ops::stddev, t, true);
  visit(ops::stddev_dim, t, some, true, false);
  visit(ops::stddev_out, t, some, true, false, result({3}));
  visit(ops::stddev_correction, t, some, maybe(0), false);
  visit(ops::stddev_correction_out, t, some, maybe(0), false, result({3}));
  visit(ops::var_mean, t, true);
  visit(ops::var_mean_dim, t, some, true, false);
  visit(ops::var_mean_correction, t, some, maybe(0), false);
  visit(ops::stddev_mean, t, true);
  visit(ops::stddev_mean_dim, t, some, true, false);
  visit(ops::stddev_mean_correction, t, some, maybe(0), false);
}

}  // namespace support
