// Unions and intersections of sparse matrices, and operations on their rows, against naive loops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparse/kernels_support.h"
#include "support/scale.h"

using namespace sparse_tests;

namespace {

// The rows of one matrix and, with some probability, entries of the other.
std::pair<csr, csr> overlapping(std::mt19937& random) {
  const std::int64_t rows = random() % 40, columns = 1 + random() % 60;
  csr a = random_csr(rows, columns, random), b(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const bool in_a = a.find(row, c) >= 0;
      if (row % 5 == 4 ? in_a : random() % 4 == 0 ? !in_a && random() % 2 == 0 : in_a && random() % 2 == 0) {
        b.plain.push_back(c);
      }
    }
    b.end_row();
  }
  return {std::move(a), std::move(b)};
}

struct merged {
  ints counts, columns;
  std::vector<double> values;
};

// `alpha` for the union, none for the intersection.
merged naive_merge(const csr& a, const csr& b, const array& x, const array& y, std::int64_t inner, bool sum,
                   double alpha) {
  merged result;
  const bool logical = x.dtype() == TB_BOOL;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    result.counts.push_back(0);
    for (std::int64_t c = 0; c < a.columns; ++c) {
      const std::int64_t i = a.find(row, c), j = b.find(row, c);
      if (sum ? i < 0 && j < 0 : i < 0 || j < 0) continue;
      ++result.counts.back();
      result.columns.push_back(c);
      for (std::int64_t q = 0; q < inner; ++q) {
        const double left = i < 0 ? 0 : x[i * inner + q], right = j < 0 ? 0 : y[j * inner + q];
        const double scaled = logical ? alpha != 0 && right != 0 : alpha * right;
        const double both = i < 0 ? scaled : j < 0 ? left : left + scaled;
        result.values.push_back(sum ? both : logical ? left != 0 && right != 0 : left * right);
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sparse kernels: union and intersection merge entries and their values") {
  std::mt19937 random(1);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (int round = 0; round < 24; ++round) {
        if (!sample.is_drawn() && dtype != TB_F32) continue;
        const std::int32_t index = index_types[round % 2];
        const std::int64_t inner = round % 3 == 0 ? 3 : 1;
        const bool sum = round % 4 < 2;
        auto [a, b] = overlapping(random);
        const array x = random_array(dtype, a.nnz() * inner, random), y = random_array(dtype, b.nnz() * inner, random);
        const double alpha = round % 7 == 0 ? 1 : -2;
        const merged wanted = naive_merge(a, b, x, y, inner, sum, alpha);
        ints counts(static_cast<std::size_t>(a.rows));
        tb_merge call{};
        call.a = a.view(index);
        call.b = b.view(index);
        call.a_values = x.data();
        call.b_values = y.data();
        call.counts = counts.data();
        call.inner = inner;
        call.alpha = {alpha, static_cast<std::int64_t>(alpha)};
        call.dtype = dtype;
        CAPTURE(k->isa, dtype, round);
        in_parts(a.rows, 3,
                 [&](auto begin, auto end) { (sum ? k->union_count : k->intersect_count)(&call, begin, end); });
        REQUIRE(counts == wanted.counts);
        const array compressed(index, offsets_of(counts));
        array plain(index, static_cast<std::int64_t>(wanted.columns.size())), values(dtype, plain.size() * inner);
        call.compressed = compressed.data();
        call.plain = plain.data();
        call.values = values.data();
        in_parts(a.rows, 3,
                 [&](auto begin, auto end) { (sum ? k->union_fill : k->intersect_fill)(&call, begin, end); });
        REQUIRE(plain == array(index, wanted.columns));
        REQUIRE(values == array(dtype, wanted.values));
      }
    }
  }
}

TEST_CASE("sparse kernels: a union keeps the sign of a zero that one matrix has") {
  for (const tb_sparse_kernels* k : tables()) {
    csr a(1, 4), b(1, 4);
    a.plain = {0, 2};
    b.plain = {1, 2, 3};
    a.end_row();
    b.end_row();
    const float x[] = {-0.0f, 1}, y[] = {-0.0f, 2, -0.0f};
    const ints compressed{0, 4};
    ints plain(4);
    float out[4] = {};
    tb_merge call{};
    call.a = a.view(TB_I64);
    call.b = b.view(TB_I64);
    call.a_values = x;
    call.b_values = y;
    call.compressed = compressed.data();
    call.plain = plain.data();
    call.values = out;
    call.inner = 1;
    call.alpha = {1, 1};
    call.dtype = TB_F32;
    k->union_fill(&call, 0, 1);
    CHECK((std::signbit(out[0]) && std::signbit(out[1]) && out[2] == 3 && std::signbit(out[3])));
  }
}

TEST_CASE("sparse kernels: locate finds entries of another matrix") {
  std::mt19937 random(2);
  for (const tb_sparse_kernels* k : tables()) {
    for (int round = 0; round < 40; ++round) {
      auto [a, b] = overlapping(random);
      const std::int32_t index = index_types[round % 2];
      const tb_csr left = a.view(index), right = b.view(index);
      ints found(a.plain.size(), -9), wanted(a.plain.size());
      a.each([&](auto row, auto column, auto e) { wanted[static_cast<std::size_t>(e)] = b.find(row, column); });
      in_parts(a.rows, 3, [&](auto begin, auto end) { k->locate(&left, &right, found.data(), begin, end); });
      REQUIRE(found == wanted);
    }
  }
}

namespace {

// Rows of the lengths at which softmax changes its way, and their offsets.
constexpr std::int64_t lengths[] = {0, 1, 2, 15, 16, 17, 0, 127, 128, 129, 300, 5};

double tolerance(std::int32_t dtype) {
  return dtype == TB_F64 ? 1e-14 : dtype == TB_F32 ? 4e-6 : dtype == TB_F16 ? 2e-3 : 1.6e-2;
}

struct softmax_rows {
  ints compressed{0};
  std::vector<double> x, grad;

  explicit softmax_rows(std::mt19937& random) {
    for (const std::int64_t length : lengths) {
      compressed.push_back(compressed.back() + length);
      const double shift = static_cast<double>(random() % 100) - 50;
      for (std::int64_t i = 0; i < length; ++i) {
        x.push_back(shift + static_cast<double>(random() % 64) / 8);
        grad.push_back(static_cast<double>(random() % 64) / 16 - 2);
      }
    }
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(std::size(lengths)); }
  template <class F>
  void each(F f) const {
    for (std::size_t row = 0; row + 1 < compressed.size(); ++row) f(compressed[row], compressed[row + 1]);
  }
};

}  // namespace

TEST_CASE("sparse kernels: row_softmax and its gradient agree with a naive model") {
  std::mt19937 random(3);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : {TB_F16, TB_BF16, TB_F32, TB_F64}) {
      for (const std::int32_t index : index_types) {
        for (const bool log : {false, true}) {
          const softmax_rows data(random);
          const array x(dtype, data.x), grad(dtype, data.grad), compressed(index, data.compressed);
          array y = x;  // in place
          const tb_row_softmax call{compressed.data(), y.data(), nullptr, y.data(), index, dtype, log, 0};
          in_parts(data.rows(), 3, [&](auto begin, auto end) { k->row_softmax(&call, begin, end); });
          array dx = grad;
          const tb_row_softmax backward{compressed.data(), y.data(), grad.data(), dx.data(), index, dtype, log, 0};
          in_parts(data.rows(), 3, [&](auto begin, auto end) { k->row_softmax_backward(&backward, begin, end); });
          CAPTURE(k->isa, dtype, index, log);
          data.each([&](std::int64_t first, std::int64_t last) {
            double greatest = -1e300, sum = 0, weighted = 0, total = 0;
            for (auto e = first; e < last; ++e) greatest = std::max(greatest, x[e]);
            for (auto e = first; e < last; ++e) sum += std::exp(x[e] - greatest);
            for (auto e = first; e < last; ++e) weighted += grad[e] * y[e], total += grad[e];
            for (auto e = first; e < last; ++e) {
              const double logged = x[e] - greatest - std::log(sum), wanted = log ? logged : std::exp(logged);
              REQUIRE(std::abs(y[e] - wanted) <= tolerance(dtype) * std::max(1.0, std::abs(wanted)));
              const double slope = log ? grad[e] - std::exp(y[e]) * total : y[e] * (grad[e] - weighted);
              REQUIRE(std::abs(dx[e] - slope) <= tolerance(dtype) * std::max(1.0, std::abs(total)));
            }
          });
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: row_softmax passes on NaN and ignores entries of minus infinity") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const tb_sparse_kernels* k : tables()) {
    const ints compressed{0, 3, 5};
    const float x[] = {1, -infinity, 1, nan, 2};
    float y[5] = {};
    const tb_row_softmax call{compressed.data(), x, nullptr, y, TB_I64, TB_F32, 0, 0};
    k->row_softmax(&call, 0, 2);
    CHECK((y[0] == 0.5f && y[1] == 0 && y[2] == 0.5f));
    CHECK((std::isnan(y[3]) && std::isnan(y[4])));
  }
}

TEST_CASE("sparse kernels: row_sum adds the entries of each row, integers in int64") {
  std::mt19937 random(4);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int32_t index : index_types) {
        for (const std::int64_t inner : {1, 2, 40}) {
          csr m = random_csr(30, 40, random);
          const tb_csr a = m.view(index);
          const array values = random_array(dtype, m.nnz() * inner, random);
          std::vector<double> sums(static_cast<std::size_t>(m.rows * inner));
          m.each([&](auto row, auto, auto e) {
            for (std::int64_t c = 0; c < inner; ++c)
              sums[static_cast<std::size_t>(row * inner + c)] += values[e * inner + c];
          });
          const std::int32_t out_dtype = dtype < TB_F16 ? std::int32_t(TB_I64) : dtype;
          array out(out_dtype, m.rows * inner);
          const tb_row_sum call{a.compressed, values.data(), out.data(), inner, index, dtype, out_dtype, 0};
          in_parts(m.rows, 3, [&](auto begin, auto end) { k->row_sum(&call, begin, end); });
          CAPTURE(k->isa, dtype, index, inner);
          REQUIRE(out == array(out_dtype, sums));
        }
      }
    }
    // The error does not grow with the length of a row.
    const array many(TB_F32, std::vector<double>(2'000'000, 0.1f));
    const ints compressed{0, many.size()};
    float sum = 0;
    const tb_row_sum call{compressed.data(), many.data(), &sum, 1, TB_I64, TB_F32, TB_F32, 0};
    k->row_sum(&call, 0, 1);
    CHECK(sum == static_cast<float>(static_cast<double>(0.1f) * 2e6));
  }
}
