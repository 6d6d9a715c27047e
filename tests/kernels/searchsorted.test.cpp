// Rules of searches in sorted rows and of the places of elements that are not zero.
#include <numeric>

#include "plans.h"
#include "row_calls.h"

using namespace kernel_tests;

namespace {

template <typename T>
std::string try_search(backend here, std::int64_t rows, std::int64_t length, std::int64_t values, bool right,
                       bool with_order, bool shared) {
  stage memory(here);
  const std::int64_t sequences = shared ? 1 : rows;
  const auto sorted = memory.make<T>(sequences * length);
  const auto order = memory.make<std::int64_t>(sequences * length);
  const auto wanted = memory.make<T>(rows * values);
  const auto out = memory.make<std::int64_t>(rows * values);
  random_numbers random(4);
  // Sorted, then each row is rotated by a third, which the sorter undoes.
  const std::int64_t turn = with_order ? length / 3 : 0;
  std::vector<std::vector<T>> plain;
  for (std::int64_t r = 0; r < sequences; ++r) {
    std::vector<T> row;
    for (std::int64_t i = 0; i < length; ++i) row.push_back(T(random.bits() >> 9 & (std::is_same_v<T, byte> ? 1 : 31)));
    std::sort(row.begin(), row.end());
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t place = (i + turn) % length;
      sorted[r * length + place] = row[std::size_t(i)];
      order[r * length + i] = place;
    }
    plain.push_back(std::move(row));
  }
  for (T& x : wanted) x = T(random.bits() >> 9 & (std::is_same_v<T, byte> ? 1 : 63));
  if (std::is_floating_point_v<T> && values > 1) wanted[1] = std::numeric_limits<T>::quiet_NaN();
  const rows_operand sequence = shared ? shared_row(sorted, length) : matrix(sorted, length, behind(length));
  const rows_operand sorter = !with_order ? shared_row(order, length, false)
                              : shared    ? shared_row(order, length)
                                          : matrix(order, length, behind(length));
  tb_rowwise call =
      rows_call<T>(TB_SEARCHSORTED, rows, 1,
                   {matrix(out, values, beside(rows)), sequence, matrix(wanted, values, behind(values)), sorter});
  call.number[0].i = right ? 1 : 0;
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<std::int64_t> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::vector<T>& row = plain[std::size_t(shared ? 0 : r)];
    for (std::int64_t i = 0; i < values; ++i) {
      const T x = wanted[r * values + i];
      std::int64_t before = 0;
      for (const T y : row) before += right ? !(y > x) : !(y >= x);
      found.add(i, out[beside(rows).at(r, i)], {before});
    }
  }
  return found.text();
}

std::vector<std::int64_t> places(const shape& of, const operand<float>& in) {
  std::vector<std::int64_t> want;
  std::vector<std::int64_t> index(of.sizes.size(), 0);
  each_position(of, {in.first}, [&](std::int64_t at, std::int64_t, std::int64_t) {
    if (in.memory[at] != 0) want.insert(want.end(), index.rbegin(), index.rend());
    for (std::size_t d = 0; d < index.size() && ++index[d] == of.sizes[d]; ++d) index[d] = 0;
  });
  return want;
}

std::string try_nonzero(backend here, const shape& of, std::uint64_t one_in) {
  stage memory(here);
  shape input = of;
  input.strides = {of.strides[1]};
  const auto in = make_operand<float>(memory, input, 0);
  random_numbers random(17);
  for (float& x : in.memory) x = random.bits() >> 8 & 1 ? -0.0f : 0.0f;
  if (one_in > 0) {
    for (float& x : in.memory) {
      if ((random.bits() >> 8) % one_in == 0) x = random.bits() >> 8 & 1 ? NAN : -2.0f;
    }
  }
  const std::vector<std::int64_t> want = places(input, in);
  const auto coordinates = std::int64_t(of.sizes.size());
  const auto out = memory.make<std::int64_t>(std::int64_t(want.size()));
  tb_nonzero call{};
  call.plan = make_plan(input, in);
  call.coordinates = std::int32_t(coordinates);
  const auto run = [&](const tb_kernels& k) { return k.nonzero(&call, nullptr); };
  CHECK(memory.run(run) == TB_OK);
  std::string failures = call.count * coordinates == std::int64_t(want.size()) ? "" : "the count differs ";
  call.out = out.seen_by_kernel();
  CHECK(memory.run(run) == TB_OK);
  if (call.count * coordinates != std::int64_t(want.size())) failures += "the second count differs ";
  return failures + (std::equal(want.begin(), want.end(), out.begin(), out.end()) ? "" : "places differ");
}

}  // namespace

TEMPLATE_TEST_CASE("searchsorted: the position before or after equals, also with a sorter; NaN goes to the end",
                   "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const bool right : {false, true}) {
    for (const bool with_order : {false, true}) {
      for (const bool shared : {false, true}) {
        for (const std::int64_t length : {1, 2, 63, 1000}) {
          failures += try_search<float>(here, 3, length, 50, right, with_order, shared) +
                      try_search<double>(here, 1, length, 7, right, with_order, shared) +
                      try_search<std::int64_t>(here, 5, length, 33, right, with_order, shared) +
                      try_search<byte>(here, 2, length, 3, right, with_order, shared);
        }
      }
    }
  }
  CHECK(failures == "");
  CHECK(try_search<float>(here, 3, 0, 5, false, false, false) == "");
}

TEMPLATE_TEST_CASE("searchsorted: a sorter that points outside the row is reported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(40), INT64_MAX}) {
    stage memory(here);
    const auto sorted = memory.make<float>(40);
    const auto order = memory.make<std::int64_t>(40);
    const auto wanted = memory.make<float>(3);
    const auto out = memory.make<std::int64_t>(3);
    std::iota(sorted.begin(), sorted.end(), 0.0f);
    std::iota(order.begin(), order.end(), 0);
    std::fill(wanted.begin(), wanted.end(), 30.0f);
    order[3] = bad;  // where no search passes
    const tb_rowwise call = rows_call<float>(TB_SEARCHSORTED, 1, 1,
                                             {matrix(out, 3, behind(3)), matrix(sorted, 40, behind(40)),
                                              matrix(wanted, 3, behind(3)), matrix(order, 40, behind(40))});
    CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_BAD_INDEX);
  }
}

TEMPLATE_TEST_CASE("nonzero: coordinates in row-major order, -0 is 0 and a NaN is not", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::nonzero);
  std::string failures = over_shapes([&](const shape& of) { return try_nonzero(here, of, 3); });
  for (const std::uint64_t one_in : {0, 1, 2, 1000}) {
    failures += try_nonzero(here, {"long", {20000}, {{1}, {1}}}, one_in) +
                try_nonzero(here, {"transposed", {70, 130}, {{1, 70}, {130, 1}}}, one_in);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("nonzero: a zero-dimensional tensor has no coordinates", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::nonzero);
  stage memory(here);
  const auto in = memory.make<std::int64_t>(1);
  const auto out = memory.make<std::int64_t>(0);
  for (const std::int64_t x : {0, 5}) {
    in[0] = x;
    tb_nonzero call{};
    call.plan.ndim = call.plan.operands = 1;
    call.plan.sizes[0] = 1;
    call.plan.operand[0].data = in.seen_by_kernel();
    call.plan.operand[0].dtype = TB_I64;
    call.out = out.seen_by_kernel();
    CHECK(memory.run([&](const tb_kernels& k) { return k.nonzero(&call, nullptr); }) == TB_OK);
    CHECK(call.count == (x == 0 ? 0 : 1));
  }
}

TEMPLATE_TEST_CASE("searchsorted and nonzero: many elements are the same for every number of threads",
                   "[kernels][threads]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::nonzero);
  std::string failures;
  for (const std::int32_t count : {2, 3, 5}) {
    const with_threads now(count);
    failures += try_search<float>(here, 1, 40, 170001, count == 3, false, true) +
                try_nonzero(here, {"long", {170001}, {{1}, {1}}}, 3) +
                try_nonzero(here, {"matrix", {301, 523}, {{1, 301}, {1, 301}}}, 2) +
                try_nonzero(here, {"transposed", {301, 523}, {{523, 1}, {523, 1}}}, 50);
  }
  CHECK(failures == "");
}
