// The iteration plan against indices counted one by one: whatever it reorders or collapses, every element of the result
// is visited once, together with the right elements of the other operands.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit.tensor;

namespace tb = topbit;
using support::arrangement;
using tb::dtype;
using tb::shape;
using tb::tensor;
using tb::author::iteration_plan;

namespace {

// The addresses of one step: those of all operands.
using step = std::array<const std::byte*, tb::author::max_operands>;

std::vector<step> steps_of(const iteration_plan& p) {
  std::vector<step> out;
  std::int64_t count = 1;
  for (std::int32_t d = 0; d < p.ndim; ++d) count *= p.sizes[d];
  for (std::int64_t n = 0; n < count; ++n) {
    step s{};
    for (std::int32_t k = 0; k < p.operands; ++k) {
      std::int64_t rest = n, offset = 0;
      for (std::int32_t d = 0; d < p.ndim; ++d) {
        offset += rest % p.sizes[d] * p.operand[k].strides[d];
        rest /= p.sizes[d];
      }
      s[static_cast<std::size_t>(k)] =
          static_cast<const std::byte*>(p.operand[k].data) +
          offset * static_cast<std::int64_t>(tb::size_of(static_cast<dtype>(p.operand[k].dtype)));
    }
    out.push_back(s);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<step> naive_steps(const std::vector<tensor>& operands) {
  std::vector<step> out;
  support::each_index(operands[0].sizes(), [&](const shape& i) {
    step s{};
    for (std::size_t k = 0; k < operands.size(); ++k) {
      s[k] = support::address(operands[k], support::broadcast_index(i, operands[k].sizes()));
    }
    out.push_back(s);
  });
  std::sort(out.begin(), out.end());
  return out;
}

iteration_plan plan_of(const std::vector<tensor>& t) {
  if (t.size() == 1) return tb::author::make_plan({&t[0]});
  if (t.size() == 2) return tb::author::make_plan({&t[0], &t[1]});
  if (t.size() == 3) return tb::author::make_plan({&t[0], &t[1], &t[2]});
  return tb::author::make_plan({&t[0], &t[1], &t[2], &t[3]});
}

// A tensor of that shape whose dimensions lie in memory in a random order, some of them spread, reversed or
// repeated.
tensor random_arranged(support::numbers& source, const shape& sizes, dtype type, bool result) {
  std::vector<std::size_t> order(sizes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(i) - 1))]);
  }
  if (source.whole(0, 1) == 0) std::sort(order.rbegin(), order.rend());
  shape strides(sizes.size(), 0);
  std::int64_t extent = 1, offset = 0;
  for (std::size_t d : order) {
    if (!result && source.whole(0, 4) == 0) continue;  // repeats
    if (source.whole(0, 3) == 0) extent *= 2;          // leaves gaps
    strides[d] = extent;
    extent *= std::max<std::int64_t>(sizes[d], 1);
    if (source.whole(0, 5) == 0 && sizes[d] > 0) {
      offset += (sizes[d] - 1) * strides[d];
      strides[d] = -strides[d];
    }
  }
  const tensor whole = tb::author::make_tensor({extent}, type, tb::cpu);
  return tb::author::make_view(whole, sizes, strides, tb::numel(sizes) == 0 ? 0 : offset);
}

}  // namespace

TEST_CASE("plan: visits every element once, with the right elements of the other operands", "[tensor][plan]") {
  support::numbers source(1);
  for (int round = 0; round < 4000; ++round) {
    shape sizes = source.shape(6, 4);
    if (round % 10 == 0 && !sizes.empty()) sizes[0] = 0;
    std::vector<tensor> operands{random_arranged(source, sizes, support::dtypes[round % 4], true)};
    for (std::int64_t n = source.whole(0, 3); n > 0; --n) {
      const shape narrow = source.whole(0, 1) == 0 ? sizes : source.narrowed(sizes);
      operands.push_back(random_arranged(source, narrow, support::dtypes[source.whole(0, 3)], false));
    }
    std::string shapes;
    for (const tensor& t : operands) shapes += tb::to_string(t.sizes()) + " by " + tb::to_string(t.strides()) + "; ";
    INFO(shapes);
    const iteration_plan p = plan_of(operands);
    REQUIRE(static_cast<std::size_t>(p.operands) == operands.size());
    REQUIRE(p.ndim >= 1);
    REQUIRE(static_cast<std::size_t>(p.ndim) <= tb::max_dims);
    REQUIRE(steps_of(p) == naive_steps(operands));
  }
}

TEST_CASE("plan: dense operands of any shape collapse to one dimension", "[tensor][plan]") {
  for (const shape& sizes : {shape{}, shape{7}, shape{2, 3}, shape{2, 1, 3, 4, 1, 5}}) {
    const tensor a = support::arranged(sizes, dtype::float32, arrangement::dense);
    const iteration_plan p = tb::author::make_plan({&a, &a, &a});
    CHECK(p.ndim == 1);
    CHECK(p.sizes[0] == tb::numel(sizes));
    CHECK(p.operand[2].strides[0] == (sizes.empty() ? 0 : 1));
  }
}

TEST_CASE("plan: operands with a common memory order collapse to one dimension", "[tensor][plan]") {
  const tensor a = support::arranged({3, 4, 5}, dtype::float32, arrangement::transposed);
  const iteration_plan p = tb::author::make_plan({&a, &a});
  CHECK(p.ndim == 1);
  CHECK(p.sizes[0] == 60);
  CHECK(p.operand[0].strides[0] == 1);
}

TEST_CASE("plan: a row broadcast to a matrix stays two dimensions, the row's innermost", "[tensor][plan]") {
  const tensor out = support::arranged({4, 3}, dtype::float32, arrangement::dense),
               row = support::arranged({3}, dtype::float32, arrangement::dense);
  const iteration_plan p = tb::author::make_plan({&out, &out, &row});
  CHECK(p.ndim == 2);
  CHECK(p.sizes[0] == 3);
  CHECK(p.operand[2].strides[0] == 1);
  CHECK(p.operand[2].strides[1] == 0);
}

TEST_CASE("plan: a scalar is one dimension of size 1", "[tensor][plan]") {
  const tensor a = support::arranged({}, dtype::int64, arrangement::dense),
               b = support::arranged({1, 1}, dtype::int64, arrangement::dense);
  CHECK(tb::author::make_plan({&a}).ndim == 1);
  CHECK(tb::author::make_plan({&a}).sizes[0] == 1);
  CHECK(tb::author::make_plan({&b, &a}).sizes[0] == 1);
}

TEST_CASE("plan: a reduction visits every element of its input once, with its result, the reduced dimensions first",
          "[tensor][plan]") {
  support::numbers source(2);
  for (int round = 0; round < 4000; ++round) {
    const shape sizes = source.shape(6, 4);
    tb::author::dim_mask mask{};
    shape kept = sizes, left;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      mask[d] = source.whole(0, 1) == 0;
      if (mask[d])
        kept[d] = 1;
      else
        left.push_back(sizes[d]);
    }
    // A result has the reduced dimensions as 1, or does not have them.
    const tensor in = random_arranged(source, sizes, dtype::float32, true),
                 a = random_arranged(source, round % 2 == 0 ? kept : left, dtype::float64, true),
                 b = random_arranged(source, left, dtype::int64, true);
    const bool row_major = source.whole(0, 1) == 0;
    const tensor* const operands[] = {&a, &b, &in};
    const iteration_plan p = tb::author::make_reduction_plan(operands, mask, row_major);
    INFO(tb::to_string(sizes) << " by " << tb::to_string(in.strides()) << " to " << tb::to_string(left));
    REQUIRE((p.operands == 3 && p.reduced >= 1 && p.reduced <= p.ndim &&
             p.ndim <= static_cast<std::int32_t>(tb::max_dims)));
    for (std::int32_t d = 0; d < p.reduced; ++d)
      REQUIRE((p.operand[0].strides[d] == 0 && p.operand[1].strides[d] == 0));
    std::vector<step> wanted;
    std::vector<const std::byte*> first_row;  // what becomes the first element, row-major
    support::each_index(sizes, [&](const shape& i) {
      shape at_kept = i, at_left;
      bool first = true;
      for (std::size_t d = 0; d < i.size(); ++d) {
        if (mask[d]) at_kept[d] = 0;
        if (!mask[d]) at_left.push_back(i[d]);
        first = first && (mask[d] || i[d] == 0);
      }
      wanted.push_back({support::address(a, round % 2 == 0 ? at_kept : at_left), support::address(b, at_left),
                        support::address(in, i)});
      if (first) first_row.push_back(support::address(in, i));
    });
    std::sort(wanted.begin(), wanted.end());
    REQUIRE(steps_of(p) == wanted);
    if (!row_major) continue;
    for (std::size_t n = 0; n < first_row.size(); ++n) {
      std::int64_t rest = static_cast<std::int64_t>(n), offset = 0;
      for (std::int32_t d = 0; d < p.reduced; ++d) {
        offset += rest % p.sizes[d] * p.operand[2].strides[d];
        rest /= p.sizes[d];
      }
      REQUIRE(static_cast<const std::byte*>(p.operand[2].data) + 4 * offset == first_row[n]);
    }
  }
}

TEST_CASE("plan: a reduction's dimensions collapse, reduced and kept dimensions separately", "[tensor][plan]") {
  const tensor in = support::arranged({2, 3, 4, 5}, dtype::float32, arrangement::dense),
               rows = support::arranged({2, 3}, dtype::float32, arrangement::dense),
               columns = support::arranged({4, 5}, dtype::float32, arrangement::dense);
  const tensor *const by_rows[] = {&rows, &in}, *const by_columns[] = {&columns, &in};
  const iteration_plan p = tb::author::make_reduction_plan(by_rows, {false, false, true, true}, false);
  CHECK((p.ndim == 2 && p.reduced == 1 && p.sizes[0] == 20 && p.sizes[1] == 6));
  CHECK((p.operand[1].strides[0] == 1 && p.operand[1].strides[1] == 20 && p.operand[0].strides[1] == 1));
  const iteration_plan q = tb::author::make_reduction_plan(by_columns, {true, true}, false);
  CHECK((q.ndim == 2 && q.reduced == 1 && q.sizes[0] == 6 && q.sizes[1] == 20));
  CHECK((q.operand[1].strides[0] == 20 && q.operand[1].strides[1] == 1));
}
