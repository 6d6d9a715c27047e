// The calls of view operators for the tests that look at all operators alike: a part of each_call(). Include this after
// every other header: it imports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/tensor_values.h"

import topbit;

namespace support {

/// Calls visit(operator, arguments...) for every view operator with this tensor, of sizes [n, 3].
template <class Visit>
void each_view_call(Visit visit, const tb::tensor& t) {
  namespace ops = topbit::ops;
  using integers = std::vector<std::int64_t>;
  using maybe = std::optional<std::int64_t>;
  using tensors = std::vector<tb::tensor>;
  const std::int64_t zero = 0, one = 1, last = -1, n = t.sizes()[0];
  const tb::tensor like = tb::author::make_tensor({3, n}, t.dtype(), tb::cpu);
  const tb::tensor wide = tb::author::make_tensor({4, n, 3}, t.dtype(), tb::cpu);

  visit(ops::transpose, t, zero, last);
  visit(ops::swapaxes, t, zero, last);
  visit(ops::swapdims, t, zero, last);
  visit(ops::permute, t, integers{1, 0});
  visit(ops::movedim, t, integers{0, 1}, integers{-1, 0});
  visit(ops::movedim_int, t, zero, one);
  visit(ops::t, t);
  visit(ops::numpy_T, t);
  visit(ops::mT, t);
  visit(ops::mH, t);
  visit(ops::adjoint, t);
  visit(ops::matrix_H, t);
  visit(ops::unsqueeze, t, one);
  visit(ops::squeeze, t);
  visit(ops::squeeze_dim, t, zero);
  visit(ops::expand, t, integers{4, -1, 3}, false);
  visit(ops::broadcast_to, t, integers{4, -1, 3});
  visit(ops::expand_as, t, wide);
  visit(ops::atleast_1d, t);
  visit(ops::atleast_2d, t);
  visit(ops::atleast_3d, t);
  visit(ops::view, t, integers{n, 1, 3});
  visit(ops::view_as, t, tb::author::make_tensor({1, n, 3}, t.dtype(), tb::cpu));
  visit(ops::reshape, t, integers{3, n});
  visit(ops::reshape_as, t, like);
  visit(ops::flatten, t, zero, last);
  visit(ops::ravel, t);
  visit(ops::unflatten, t, one, integers{3, -1});
  visit(ops::contiguous, t, tb::memory_format::contiguous);
  visit(ops::alias, t);
  visit(ops::detach, t);
  visit(ops::select, t, one, last);
  visit(ops::slice, t, one, maybe(0), maybe(), std::int64_t{2});
  visit(ops::narrow, t, last, one, one);
  visit(ops::diagonal, t, one, zero, one);
  visit(ops::unfold, t, last, std::int64_t{2}, one);
  visit(ops::as_strided, t, integers{n}, integers{1}, maybe());
  visit(ops::split, t, std::int64_t{2}, one);
  visit(ops::split_with_sizes, t, integers{0, 2, 1}, one);
  visit(ops::split_sizes, t, integers{0, 2, 1}, one);
  visit(ops::chunk, t, std::int64_t{2}, zero);
  visit(ops::tensor_split, t, std::int64_t{2}, one);
  visit(ops::tensor_split_indices, t, integers{1, -1}, one);
  visit(ops::unbind, t, one);
  visit(ops::broadcast_tensors, tensors{t, wide});
  const std::int64_t length = n == 0 ? 0 : 3;
  const tb::tensor line = tb::author::make_view(t, {length}, {t.strides()[1]}, t.record().offset);
  const tensors lines{line, line};
  visit(ops::meshgrid, lines);
  visit(ops::meshgrid_indexing, lines, std::string("xy"));
}

}  // namespace support
