// Rules of elements of rows by index: read, written, folded into a row, and checked.
#include "row_calls.h"

using namespace kernel_tests;

namespace {

constexpr std::int64_t rows = 7, range = 23, count = 61;

// Rows of an operand, of some dtype, that lie in some way; a repeated row is the same for all.
template <typename E>
struct some_rows {
  array<E> data;
  std::int64_t length;
  lie how;
  std::int32_t dtype;

  some_rows(stage& memory, std::int64_t n, lie h, std::int32_t code)
      : data(memory.make<E>(h.stride == 0 ? n * h.step : rows * n)), length(n), how(h), dtype(code) {}
  E& at(std::int64_t row, std::int64_t i) const { return data[how.at(row, i)]; }
  rows_operand described() const { return {data.seen_by_kernel(), length, how.stride, how.step, dtype}; }
};

void fill_indices(const array<std::int64_t>& index) {
  random_numbers random(5);
  for (std::int64_t& i : index) i = std::int64_t(random.bits() % range);
}

// What differs, element by element, and how often.
template <typename E>
std::string compare(const some_rows<E>& got, const std::vector<E>& want) {
  std::int64_t differ = 0;
  for (std::size_t i = 0; i < want.size(); ++i) differ += got.data[std::int64_t(i)] != want[i];
  return differ == 0 ? "" : std::to_string(differ) + " elements differ ";
}

template <typename E>
E any_value(random_numbers& random, std::int32_t dtype) {
  return E(dtype == TB_BOOL ? random.bits() >> 9 & 1 : random.bits() >> 9 & 7);
}

const lie lies[] = {behind(count), beside(rows)};

template <typename E>
std::string try_gather(backend here, std::int32_t dtype) {
  std::string failures;
  for (const bool in_beside : {false, true}) {
    for (const bool out_beside : {false, true}) {
      for (const bool index_repeats : {false, true}) {
        stage memory(here);
        const some_rows<E> out(memory, count, out_beside ? beside(rows) : behind(count), dtype);
        const some_rows<E> in(memory, range, in_beside ? beside(rows) : behind(range), dtype);
        const some_rows<std::int64_t> index(memory, count, index_repeats ? lie{0, 1} : behind(count), TB_I64);
        random_numbers random(3);
        for (E& x : in.data) x = any_value<E>(random, dtype);
        fill_indices(index.data);
        std::vector<E> want(std::size_t(out.data.size()));
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t i = 0; i < count; ++i) want[std::size_t(out.how.at(r, i))] = in.at(r, index.at(r, i));
        }
        const tb_rowwise call =
            rows_call<float>(TB_GATHER, rows, 1, {out.described(), in.described(), index.described()});
        CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
        failures += compare(out, want);
      }
    }
  }
  return failures;
}

// `fold` of integers; their results are exact in every dtype.
template <typename E>
std::string try_fold(backend here, tb_rowwise_op op, std::int32_t dtype, std::int32_t compute,
                     const std::function<E(E, E)>& fold) {
  std::string failures;
  for (const lie out_lie : {behind(range), beside(rows), lie{0, 1}, lie{0, 3}}) {
    for (const lie source_lie : lies) {
      stage memory(here);
      const some_rows<E> out(memory, range, out_lie, dtype), source(memory, count, source_lie, dtype);
      const some_rows<std::int64_t> index(memory, count, source_lie, TB_I64);
      random_numbers random(4);
      for (E& x : out.data) x = any_value<E>(random, dtype);
      for (E& x : source.data) x = any_value<E>(random, dtype);
      if (op == TB_SCATTER_MUL) {
        // Few factors that are not 1, so that floats hold the product.
        for (E& x : source.data) x = E(x == E(7) && dtype != TB_BOOL ? 2 : dtype == TB_BOOL ? x : E(1));
      }
      fill_indices(index.data);
      std::vector<E> want(out.data.begin(), out.data.end());
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
          E& to = want[std::size_t(out.how.at(r, index.at(r, i)))];
          to = fold(to, source.at(r, i));
        }
      }
      tb_rowwise call = rows_call<float>(op, rows, 1, {out.described(), source.described(), index.described()});
      call.compute = compute;
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
      failures += compare(out, want);
    }
  }
  return failures;
}

template <typename E>
std::string try_folds(backend here, std::int32_t dtype, std::int32_t compute) {
  const bool truth = dtype == TB_BOOL;
  return try_fold<E>(here, TB_SCATTER_ADD, dtype, compute, [=](E a, E b) { return truth ? E(a || b) : E(a + b); }) +
         try_fold<E>(here, TB_SCATTER_MUL, dtype, compute, [=](E a, E b) { return E(a * b); }) +
         try_fold<E>(here, TB_SCATTER_AMAX, dtype, compute, [](E a, E b) { return std::max(a, b); }) +
         try_fold<E>(here, TB_SCATTER_AMIN, dtype, compute, [](E a, E b) { return std::min(a, b); });
}

}  // namespace

TEMPLATE_TEST_CASE("gather: the elements that the indices name, for any memory layout", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  CHECK(try_gather<std::uint8_t>(here, TB_U8) == "");
  CHECK(try_gather<std::uint16_t>(here, TB_BF16) == "");
  CHECK(try_gather<float>(here, TB_F32) == "");
  CHECK(try_gather<double>(here, TB_F64) == "");
}

TEMPLATE_TEST_CASE("scatter: each element is written at its index, of equal indices one wins", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const lie out_lie : {behind(range), beside(rows)}) {
    for (const lie source_lie : lies) {
      stage memory(here);
      const some_rows<float> out(memory, range, out_lie, TB_F32), source(memory, count, source_lie, TB_F32);
      const some_rows<std::int64_t> index(memory, count, source_lie, TB_I64);
      std::fill(out.data.begin(), out.data.end(), -1.0f);
      for (std::int64_t i = 0; i < source.data.size(); ++i) source.data[i] = float(i);
      fill_indices(index.data);
      const tb_rowwise call =
          rows_call<float>(TB_SCATTER, rows, 1, {out.described(), source.described(), index.described()});
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
      std::int64_t wrong = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t place = 0; place < range; ++place) {
          bool any = false, found = false;
          for (std::int64_t i = 0; i < count; ++i) {
            if (index.at(r, i) != place) continue;
            any = true;
            found = found || out.at(r, place) == source.at(r, i);
          }
          wrong += any ? !found : out.at(r, place) != -1.0f;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("scatter: sums, products, maximum and minimum of every dtype, by row and into one row", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  CHECK(try_folds<byte>(here, TB_BOOL, TB_BOOL) == "");
  CHECK(try_folds<std::uint8_t>(here, TB_U8, TB_I64) == "");
  CHECK(try_folds<std::int16_t>(here, TB_I16, TB_I64) == "");
  CHECK(try_folds<std::int32_t>(here, TB_I32, TB_I64) == "");
  CHECK(try_folds<std::int64_t>(here, TB_I64, TB_I64) == "");
  CHECK(try_folds<float>(here, TB_F32, TB_F32) == "");
  CHECK(try_folds<double>(here, TB_F64, TB_F64) == "");
}

TEMPLATE_TEST_CASE("scatter: a NaN is both maximum and minimum", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const tb_rowwise_op op : {TB_SCATTER_AMAX, TB_SCATTER_AMIN}) {
    stage memory(here);
    const auto out = memory.make<float>(3), source = memory.make<float>(4);
    const auto index = memory.make<std::int64_t>(4);
    std::fill(out.begin(), out.end(), 1.0f);
    out[2] = NAN;
    const float values[] = {5, NAN, -5, 3};
    const std::int64_t places[] = {0, 0, 0, 2};
    std::copy_n(values, 4, source.begin());
    std::copy_n(places, 4, index.begin());
    const tb_rowwise call = rows_call<float>(
        op, 1, 1, {matrix(out, 3, behind(3)), matrix(source, 4, behind(4)), matrix(index, 4, behind(4))});
    CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
    CHECK(std::isnan(out[0]));
    CHECK(out[1] == 1);
    CHECK(std::isnan(out[2]));
  }
}

TEMPLATE_TEST_CASE("rows by index: indices out of range access nothing outside", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const tb_rowwise_op op : {TB_GATHER, TB_SCATTER, TB_SCATTER_ADD, TB_SCATTER_AMAX}) {
    for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(5), INT64_MIN, INT64_MAX}) {
      stage memory(here);
      const auto out = memory.make<float>(5), other = memory.make<float>(5);
      const auto index = memory.make<std::int64_t>(5);
      std::fill(out.begin(), out.end(), 2.0f);
      std::fill(other.begin(), other.end(), 3.0f);
      std::fill(index.begin(), index.end(), bad);
      const tb_rowwise call = rows_call<float>(
          op, 1, 1, {matrix(out, 5, behind(5)), matrix(other, 5, behind(5)), matrix(index, 5, behind(5))});
      memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); });
      CHECK(std::count(out.begin(), out.end(), 2.0f) == 5);
    }
  }
}
