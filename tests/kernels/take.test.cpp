// Rules of rows picked by indices and put back: every one in its place, in order, on any number of threads.
#include "products.h"
#include "row_calls.h"

using namespace kernel_tests;

namespace {

struct picked {
  stage memory;
  std::int64_t outer, count, length, inner;
  array<float> rows, table;
  array<std::int64_t> index;
  tb_take call{};

  picked(backend here, tb_take_op op, std::int64_t o, std::int64_t c, std::int64_t l, std::int64_t i)
      : memory(here),
        outer(o),
        count(c),
        length(l),
        inner(i),
        rows(memory.make<float>(o * c * i)),
        table(memory.make<float>(o * l * i)),
        index(memory.make<std::int64_t>(c)) {
    fill_between(rows, 1, -2, 2);
    fill_between(table, 2, -2, 2);
    // A device adds in any order, which does not matter to sums without rounding.
    if (here.memory != nullptr) {
      for (float& x : rows) x = std::round(x * 64) / 64;
      for (float& x : table) x = std::round(x * 64) / 64;
    }
    for (std::int64_t k = 0; k < c; ++k) index[k] = k * k * 31 % l - (k % 3 == 0 ? l : 0);
    call.rows = rows.seen_by_kernel();
    call.table = table.seen_by_kernel();
    call.index[0] = index.seen_by_kernel();
    call.length[0] = l;
    call.outer = o;
    call.count = c;
    call.inner = i;
    call.op = op;
    call.dtype = TB_F32;
    call.indices = 1;
    call.wraps = 1;
  }
  // The numbers of what the operation writes.
  std::vector<float> model() const {
    std::vector<float> r(rows.begin(), rows.end()), t(table.begin(), table.end());
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t at = index[k] < 0 ? index[k] + length : index[k];
        for (std::int64_t i = 0; i < inner; ++i) {
          float& row = r[std::size_t((o * count + k) * inner + i)];
          float& place = t[std::size_t((o * length + at) * inner + i)];
          if (call.op == TB_TAKE) row = place;
          if (call.op == TB_PUT) place = row;
          if (call.op == TB_PUT_ADD) place += row;
        }
      }
    }
    return call.op == TB_TAKE ? r : t;
  }
  std::string run() {
    const std::vector<float> want = model();
    CHECK(memory.run([&](const tb_kernels& k) { return k.take(&call, nullptr); }) == TB_OK);
    const array<float>& got = call.op == TB_TAKE ? rows : table;
    return std::equal(want.begin(), want.end(), got.begin()) ? "" : "other elements";
  }
};

}  // namespace

TEMPLATE_TEST_CASE("take: rows are read, written and added in order, on any number of threads", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::take);
  for (const std::int32_t threads : {1, 2, 3, 5}) {
    const with_threads now(threads);
    for (const tb_take_op op : {TB_TAKE, TB_PUT, TB_PUT_ADD}) {
      for (const std::int64_t inner : {0, 1, 3, 16, 300}) {
        CHECK(picked(here, op, 1, 7, 5, inner).run() == "");
        CHECK(picked(here, op, 3, 200, 40, inner).run() == "");
        CHECK(picked(here, op, 1, 500, 3, inner).run() == "");
      }
      CHECK(picked(here, op, 1, 100000, 50000, 1).run() == "");
    }
  }
}

namespace {

// Each element of the table in one dtype, added to by rows that share places, in order or not: sums of small whole
// numbers.
template <typename E>
void try_add(backend here) {
  constexpr std::int64_t places = 7, count = 300, inner = 5;
  stage memory(here);
  const auto rows = memory.make<E>(count * inner), table = memory.make<E>(places * inner);
  const auto index = memory.make<std::int64_t>(count);
  std::vector<double> want(places * inner);
  for (std::int64_t i = 0; i < places * inner; ++i) table[i] = element<E>::from(want[std::size_t(i)] = double(i % 3));
  for (std::int64_t k = 0; k < count; ++k) {
    index[k] = k * k % places;
    for (std::int64_t i = 0; i < inner; ++i) {
      const double more = double((k + i) % 3) - 1;
      rows[k * inner + i] = element<E>::from(more);
      want[std::size_t(index[k] * inner + i)] += more;
    }
  }
  tb_take call{};
  call.rows = rows.seen_by_kernel();
  call.table = table.seen_by_kernel();
  call.index[0] = index.seen_by_kernel();
  call.length[0] = places;
  call.outer = 1, call.count = count, call.inner = inner;
  call.op = TB_PUT_ADD;
  call.dtype = element<E>::dtype;
  call.indices = 1;
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.take(&call, nullptr); }) == TB_OK);
  for (std::int64_t i = 0; i < places * inner; ++i) {
    CHECK(double(element<E>::value(table[i])) == double(element<E>::value(element<E>::from(want[std::size_t(i)]))));
  }
}

// Integers of any width, by their dtype.
template <typename E, std::int32_t Dtype>
struct integer {
  E number;
};

}  // namespace

namespace kernel_tests {
template <typename E, std::int32_t Dtype>
struct element<integer<E, Dtype>> {
  static constexpr std::int32_t dtype = Dtype;
  static integer<E, Dtype> from(double x) { return {E(std::int64_t(x))}; }
  static E value(integer<E, Dtype> x) { return x.number; }
};
}  // namespace kernel_tests

TEMPLATE_TEST_CASE("take: rows with equal indices are all added, in every dtype", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::take);
  try_add<float>(here);
  try_add<double>(here);
  try_add<std::int64_t>(here);
  try_add<tb_kernel::half>(here);
  try_add<tb_kernel::bfloat16>(here);
  try_add<integer<std::uint8_t, TB_U8>>(here);
  try_add<integer<std::int8_t, TB_I8>>(here);
  try_add<integer<std::int16_t, TB_I16>>(here);
  try_add<integer<std::int32_t, TB_I32>>(here);
}
