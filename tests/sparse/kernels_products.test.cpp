// Products of sparse matrices with dense and sparse ones, against naive loops.
#include <cmath>
#include <limits>
#include <map>

#include "sparse/kernels_support.h"
#include "support/scale.h"

using namespace sparse_tests;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_float(std::int32_t dtype) { return dtype >= TB_F16; }

// A dense matrix whose rows are farther apart than their length, with NaN or 77 between them.
struct dense_matrix {
  std::int64_t rows, columns, step;
  array elements;

  dense_matrix(std::int32_t dtype, std::int64_t row_count, std::int64_t column_count, std::int64_t gap)
      : rows(row_count), columns(column_count), step(column_count + gap), elements(dtype, rows * step) {
    for (std::int64_t i = 0; i < elements.size(); ++i) elements.set(i, is_float(dtype) ? not_a_number : 77);
  }
  dense_matrix(std::int32_t dtype, std::int64_t row_count, std::int64_t column_count, std::int64_t gap,
               std::mt19937& random)
      : dense_matrix(dtype, row_count, column_count, gap) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) set(r, c, static_cast<double>(random() % 7) - 3);
    }
  }
  double at(std::int64_t r, std::int64_t c) const { return elements[r * step + c]; }
  void set(std::int64_t r, std::int64_t c, double x) { elements.set(r * step + c, x); }
};

double times(std::int32_t dtype, double a, double b) { return dtype == TB_BOOL ? (a != 0) & (b != 0) : a * b; }

tb_spmm product_of(csr& m, std::int32_t index, const array& values, const dense_matrix& dense, dense_matrix& out) {
  return {.a = m.view(index),
          .values = values.data(),
          .dense = dense.elements.data(),
          .out = out.elements.data(),
          .n = dense.columns,
          .dense_step = dense.step,
          .out_step = out.step,
          .dtype = values.dtype(),
          .reserved = 0};
}

constexpr std::int64_t widths[] = {0, 1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 130, 200};

}  // namespace

TEST_CASE("sparse kernels: spmm multiplies with a dense matrix of any width") {
  std::mt19937 random(1);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int32_t index : index_types) {
        for (const std::int64_t n : widths) {
          if (!sample.is_drawn() && dtype != TB_F32) continue;
          csr m = random_csr(random() % 30, 1 + random() % 40, random);
          const array values = random_array(dtype, m.nnz(), random);
          const dense_matrix dense(dtype, m.columns, n, random() % 4, random);
          dense_matrix out(dtype, m.rows, n, random() % 4), wanted = out;
          for (std::int64_t r = 0; r < m.rows; ++r) {
            for (std::int64_t c = 0; c < n; ++c) wanted.set(r, c, 0);
          }
          std::vector<double> sums(static_cast<std::size_t>(m.rows * n));
          m.each([&](auto row, auto column, auto e) {
            for (std::int64_t c = 0; c < n; ++c) {
              sums[static_cast<std::size_t>(row * n + c)] += times(dtype, values[e], dense.at(column, c));
            }
          });
          for (std::int64_t i = 0; i < m.rows * n; ++i) wanted.set(i / n, i % n, sums[static_cast<std::size_t>(i)]);
          const tb_spmm call = product_of(m, index, values, dense, out);
          in_parts(m.rows, 3, [&](std::int64_t b, std::int64_t e) { k->spmm(&call, b, e); });
          CAPTURE(k->isa, dtype, index, n);
          REQUIRE(out.elements == wanted.elements);
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: every element of spmm is a chain of multiply-adds in the order of entries") {
  std::mt19937 random(2);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int64_t n : widths) {
      csr m = random_csr(20, 60, random);
      array values(TB_F32, m.nnz());
      for (std::int64_t e = 0; e < m.nnz(); ++e) values.set(e, static_cast<double>(random()) / 1e9 - 2);
      dense_matrix dense(TB_F32, m.columns, n, 1), out(TB_F32, m.rows, n, 1);
      for (std::int64_t i = 0; i < m.columns * n; ++i) dense.set(i / n, i % n, static_cast<double>(random()) / 1e9 - 2);
      std::vector<float> sums(static_cast<std::size_t>(m.rows * n));
      m.each([&](auto row, auto column, auto e) {
        for (std::int64_t c = 0; c < n; ++c) {
          const auto x = static_cast<float>(values[e]), y = static_cast<float>(dense.at(column, c));
          float& sum = sums[static_cast<std::size_t>(row * n + c)];
          // In double the product is exact, so only the sum of the unfused form is rounded twice in float.
          const float rounded = x * y;
          sum = fuses(*k) ? std::fma(x, y, sum) : sum + rounded;
        }
      });
      const tb_spmm call = product_of(m, TB_I64, values, dense, out);
      k->spmm(&call, 0, m.rows);
      for (std::int64_t i = 0; i < m.rows * n; ++i) {
        CAPTURE(k->isa, n, i);
        REQUIRE(static_cast<float>(out.at(i / n, i % n)) == sums[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST_CASE("sparse kernels: rows of the dense matrix without an entry do not reach a product") {
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int64_t n : {1, 7, 64}) {
      csr m(2, 3);
      m.end_row();
      m.plain = {0, 2};
      m.end_row();
      const array values(TB_F32, std::vector<double>{2, 3});
      dense_matrix dense(TB_F32, 3, n, 0), out(TB_F32, 2, n, 0);
      for (std::int64_t c = 0; c < n; ++c) dense.set(0, c, 1), dense.set(2, c, 10);
      const tb_spmm call = product_of(m, TB_I32, values, dense, out);
      k->spmm(&call, 0, 2);
      for (std::int64_t c = 0; c < n; ++c) {
        CHECK(out.at(0, c) == 0);
        CHECK(out.at(1, c) == 32);
      }
    }
  }
}

TEST_CASE("sparse kernels: spmm rounds half formats once") {
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
      csr m(1, 4096);
      for (std::int64_t c = 0; c < 4096; ++c) m.plain.push_back(c);
      m.end_row();
      const array values(dtype, std::vector<double>(4096, 1));
      dense_matrix dense(dtype, 4096, 17, 0), out(dtype, 1, 17, 0);
      for (std::int64_t i = 0; i < 4096 * 17; ++i) dense.elements.set(i, 1);
      const tb_spmm call = product_of(m, TB_I64, values, dense, out);
      k->spmm(&call, 0, 1);
      for (std::int64_t c = 0; c < 17; ++c) CHECK(out.at(0, c) == 4096);
    }
  }
}

TEST_CASE("sparse kernels: half formats are converted like everywhere else, in lanes and one by one") {
  std::mt19937 random(7);
  const auto bits_of = [](std::int32_t dtype, float x) {
    return dtype == TB_F16 ? tb_kernel::to_half(x).bits : tb_kernel::to_bfloat16(x).bits;
  };
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
      // 17 columns: a whole vector; 1 column: one number.
      for (const std::int64_t n : {1, 17}) {
        csr m(1, 1);
        m.plain = {0};
        m.end_row();
        for (int round = 0; round < scaled(4000, 1000); ++round) {
          std::vector<std::uint16_t> x(static_cast<std::size_t>(n)), out(x.size());
          for (auto& one : x) one = static_cast<std::uint16_t>(random());
          const std::uint16_t value = round % 2 == 0 ? bits_of(dtype, 1) : static_cast<std::uint16_t>(random());
          tb_spmm call{m.view(TB_I64), &value, x.data(), out.data(), n, n, n, dtype, 0};
          k->spmm(&call, 0, 1);
          const auto number = [&](std::uint16_t bits) {
            return dtype == TB_F16 ? tb_kernel::to_float(tb_kernel::half{bits})
                                   : tb_kernel::to_float(tb_kernel::bfloat16{bits});
          };
          bool agrees = true;
          for (std::size_t c = 0; c < x.size(); ++c) {
            // A sum begins with 0, so -0 becomes 0.
            const float wanted =
                fuses(*k) ? std::fma(number(value), number(x[c]), 0.0f) : number(value) * number(x[c]) + 0.0f;
            agrees &= std::isnan(wanted) ? std::isnan(number(out[c])) : out[c] == bits_of(dtype, wanted);
          }
          CAPTURE(k->isa, dtype, n, round);
          REQUIRE(agrees);
        }
      }
    }
  }
}

namespace {

// The extreme product of a row and its first entry; NaN is more extreme than numbers.
struct extreme {
  double value = 0;
  std::int64_t entry = -1;

  void add(double x, std::int64_t e, bool greatest) {
    const bool replaces = entry < 0 || (!std::isnan(value) && (std::isnan(x) || (greatest ? x > value : x < value)));
    if (replaces) *this = {x, e};
  }
};

}  // namespace

TEST_CASE("sparse kernels: spmm_reduce finds the mean and the extremes of each row") {
  std::mt19937 random(3);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int64_t n : widths) {
        if (!sample.is_drawn() && dtype != TB_F32) continue;
        const std::int32_t index = index_types[random() % 2];
        csr m = random_csr(random() % 30, 1 + random() % 40, random);
        array values = random_array(dtype, m.nnz(), random);
        if (is_float(dtype) && m.nnz() > 5) values.set(m.nnz() / 2, not_a_number);
        // Stored as the dtype: an unsigned -3 is 253, and its products wrap.
        const dense_matrix dense(dtype, m.columns, n, random() % 4, random);
        const auto stored = [&](double x) {
          array one(dtype, 1);
          one.set(0, x);
          return one[0];
        };
        dense_matrix out(dtype, m.rows, n, 2);
        ints arg(static_cast<std::size_t>(m.rows * n), -7);
        tb_spmm_reduce call{product_of(m, index, values, dense, out), nullptr, TB_SPMM_AMAX, 0};
        CAPTURE(k->isa, dtype, index, n);
        for (const std::int32_t op : {TB_SPMM_AMAX, TB_SPMM_AMIN}) {
          std::vector<extreme> wanted(arg.size());
          m.each([&](auto row, auto column, auto e) {
            for (std::int64_t c = 0; c < n; ++c) {
              // Products in half precision are compared before they are rounded, which small integers are not.
              const double x = stored(times(dtype, values[e], dense.at(column, c)));
              wanted[static_cast<std::size_t>(row * n + c)].add(x, e, op == TB_SPMM_AMAX);
            }
          });
          for (const bool with_arg : {false, true}) {
            call.op = op;
            call.arg = with_arg ? arg.data() : nullptr;
            in_parts(m.rows, 3, [&](std::int64_t b, std::int64_t e) { k->spmm_reduce(&call, b, e); });
            bool agrees = true;
            for (std::int64_t i = 0; i < m.rows * n; ++i) {
              const extreme& w = wanted[static_cast<std::size_t>(i)];
              const double x = out.at(i / n, i % n);
              agrees &= x == w.value || (std::isnan(x) && std::isnan(w.value));
              agrees &= !with_arg || arg[static_cast<std::size_t>(i)] == w.entry;
            }
            REQUIRE(agrees);
          }
        }
        if (!is_float(dtype)) continue;
        std::vector<double> totals(arg.size());
        m.each([&](auto row, auto column, auto e) {
          for (std::int64_t c = 0; c < n; ++c) {
            totals[static_cast<std::size_t>(row * n + c)] += times(dtype, values[e], dense.at(column, c));
          }
        });
        call.op = TB_SPMM_MEAN;
        k->spmm_reduce(&call, 0, m.rows);
        for (std::int64_t i = 0; i < m.rows * n; ++i) {
          const auto row = static_cast<std::size_t>(i / n);
          const auto count = static_cast<double>(m.compressed[row + 1] - m.compressed[row]);
          const double sum = totals[static_cast<std::size_t>(i)];
          const double mean = count == 0        ? 0
                              : dtype == TB_F64 ? sum / count
                                                : static_cast<float>(sum) / static_cast<float>(count);
          const double x = out.at(i / n, i % n);
          REQUIRE((x == stored(mean) || (std::isnan(x) && std::isnan(mean))));
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: sddmm takes dot products of any length at the entries") {
  std::mt19937 random(4);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int32_t index : index_types) {
        for (const std::int64_t n : widths) {
          if (!sample.is_drawn() && dtype != TB_F32) continue;
          csr m = random_csr(random() % 20, 1 + random() % 30, random);
          const dense_matrix left(dtype, m.rows, n, random() % 4, random),
              right(dtype, m.columns, n, random() % 4, random);
          array out(dtype, m.nnz()), wanted(dtype, m.nnz());
          m.each([&](auto row, auto column, auto e) {
            double sum = 0;
            for (std::int64_t c = 0; c < n; ++c) sum += times(dtype, left.at(row, c), right.at(column, c));
            wanted.set(e, sum);
          });
          const tb_sddmm call{m.view(index),
                              left.elements.data(),
                              right.elements.data(),
                              out.data(),
                              n,
                              left.step,
                              right.step,
                              dtype,
                              0};
          in_parts(m.rows, 3, [&](std::int64_t b, std::int64_t e) { k->sddmm(&call, b, e); });
          CAPTURE(k->isa, dtype, index, n);
          REQUIRE(out == wanted);
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: a dot product of sddmm does not depend on its entry") {
  std::mt19937 random(5);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int64_t n : {3, 16, 70}) {
      csr full(9, 9);
      for (std::int64_t row = 0; row < 9; ++row) {
        for (std::int64_t c = 0; c < 9; ++c) full.plain.push_back(c);
        full.end_row();
      }
      csr few = random_csr(9, 9, random);
      std::vector<double> x(static_cast<std::size_t>(9 * n));
      for (double& one : x) one = static_cast<double>(random()) / 1e9;
      const array numbers(TB_F32, x);
      array all(TB_F32, 81), some(TB_F32, few.nnz());
      const tb_sddmm of_full{full.view(TB_I64), numbers.data(), numbers.data(), all.data(), n, n, n, TB_F32, 0};
      const tb_sddmm of_few{few.view(TB_I64), numbers.data(), numbers.data(), some.data(), n, n, n, TB_F32, 0};
      k->sddmm(&of_full, 0, 9);
      k->sddmm(&of_few, 0, 9);
      few.each([&](auto row, auto column, auto e) {
        CHECK(some[e] == all[row * 9 + column]);
        double wanted = 0;
        for (std::int64_t c = 0; c < n; ++c) wanted += numbers[row * n + c] * numbers[column * n + c];
        CHECK(std::abs(some[e] - wanted) <= wanted * 1e-6);
      });
    }
  }
}

namespace {

void check_sparse_product(const tb_sparse_kernels& k, csr& a, csr& b, std::int32_t dtype, std::int32_t index,
                          std::mt19937& random) {
  const array x = random_array(dtype, a.nnz(), random), y = random_array(dtype, b.nnz(), random);
  std::vector<std::map<std::int64_t, double>> rows(static_cast<std::size_t>(a.rows));
  a.each([&](auto row, auto middle, auto e) {
    const auto m = static_cast<std::size_t>(middle);
    for (std::int64_t f = b.compressed[m]; f < b.compressed[m + 1]; ++f) {
      rows[static_cast<std::size_t>(row)][b.plain[static_cast<std::size_t>(f)]] += times(dtype, x[e], y[f]);
    }
  });
  ints counts(rows.size()), wanted_counts, columns;
  std::vector<double> sums;
  for (const auto& row : rows) {
    wanted_counts.push_back(static_cast<std::int64_t>(row.size()));
    for (const auto& [column, sum] : row) columns.push_back(column), sums.push_back(sum);
  }
  tb_spgemm call{};
  call.a = a.view(index);
  call.b = b.view(index);
  call.a_values = x.data();
  call.b_values = y.data();
  call.counts = counts.data();
  call.dtype = dtype;
  workspace memory(k.spgemm_workspace(b.columns, dtype));
  in_parts(a.rows, 3, [&](std::int64_t begin, std::int64_t end) { k.spgemm_count(&call, memory.data(), begin, end); });
  REQUIRE(counts == wanted_counts);
  const array compressed(index, offsets_of(counts));
  array plain(index, static_cast<std::int64_t>(columns.size())), values(dtype, plain.size());
  call.compressed = compressed.data();
  call.plain = plain.data();
  call.values = values.data();
  in_parts(a.rows, 3, [&](std::int64_t begin, std::int64_t end) { k.spgemm_fill(&call, memory.data(), begin, end); });
  REQUIRE(plain == array(index, columns));
  REQUIRE(values == array(dtype, sums));
  const auto* const bytes = static_cast<const unsigned char*>(memory.data());
  REQUIRE((bytes[0] == 0 && std::memcmp(bytes, bytes + 1, memory.size() - 1) == 0));
}

}  // namespace

TEST_CASE("sparse kernels: masked_spgemm computes elements of a product with a transpose") {
  std::mt19937 random(7);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int32_t index : index_types) {
        if (!sample.is_drawn() && dtype != TB_F32) continue;
        for (const std::int64_t columns : {1, 64, 300}) {
          const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 12);
          csr a = random_csr(rows, columns, random), b = random_csr(1 + random() % 9, columns, random),
              mask = random_csr(rows, b.rows, random);
          const array x = random_array(dtype, a.nnz(), random), y = random_array(dtype, b.nnz(), random);
          std::vector<double> wanted;
          mask.each([&](auto row, auto column, auto) {
            double total = 0;
            for (std::int64_t c = 0; c < columns; ++c) {
              const std::int64_t i = a.find(row, c), j = b.find(column, c);
              if (i >= 0 && j >= 0) total += times(dtype, x[i], y[j]);
            }
            wanted.push_back(total);
          });
          array out(dtype, mask.nnz());
          tb_masked_spgemm call{};
          call.mask = mask.view(index);
          call.a = a.view(index);
          call.b = b.view(index);
          call.a_values = x.data();
          call.b_values = y.data();
          call.out = out.data();
          call.dtype = dtype;
          workspace memory(k->spgemm_workspace(columns, dtype));
          CAPTURE(k->isa, dtype, index, columns);
          in_parts(rows, 3,
                   [&](std::int64_t begin, std::int64_t end) { k->masked_spgemm(&call, memory.data(), begin, end); });
          REQUIRE(out == array(dtype, wanted));
          const auto* const bytes = static_cast<const unsigned char*>(memory.data());
          REQUIRE((bytes[0] == 0 && std::memcmp(bytes, bytes + 1, memory.size() - 1) == 0));
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: masked_spgemm does not read columns that one row lacks") {
  for (const tb_sparse_kernels* k : tables()) {
    csr a(1, 3), b(1, 3), mask(1, 1);
    a.plain = {0};
    b.plain = {0, 2};
    mask.plain = {0};
    for (csr* m : {&a, &b, &mask}) m->end_row();
    const double x[] = {3}, y[] = {2, std::numeric_limits<double>::infinity()};
    double out = 0;
    tb_masked_spgemm call{};
    call.mask = mask.view(TB_I64);
    call.a = a.view(TB_I64);
    call.b = b.view(TB_I64);
    call.a_values = x;
    call.b_values = y;
    call.out = &out;
    call.dtype = TB_F64;
    workspace memory(k->spgemm_workspace(3, TB_F64));
    k->masked_spgemm(&call, memory.data(), 0, 1);
    CHECK(out == 6);
  }
}

TEST_CASE("sparse kernels: spgemm multiplies two sparse matrices and sorts the columns") {
  std::mt19937 random(6);
  sampled_cases sample;
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t dtype : all_dtypes) {
      for (const std::int32_t index : index_types) {
        if (!sample.is_drawn() && dtype != TB_F32) continue;
        for (const std::int64_t columns : {index == TB_I32 ? 1 : 63, index == TB_I32 ? 64 : 65, 300, 1000}) {
          csr a = random_csr(random() % 20, 1 + random() % 12, random), b = random_csr(a.columns, columns, random);
          CAPTURE(k->isa, dtype, index, columns);
          check_sparse_product(*k, a, b, dtype, index, random);
        }
        // Wide enough for the second bitmap.
        csr a = random_csr(5, 4, random), b(4, 100000);
        for (int row = 0; row < 4; ++row) {
          for (std::int64_t c = random() % 9000; c < 100000; c += 1 + random() % 9000) b.plain.push_back(c);
          b.end_row();
        }
        check_sparse_product(*k, a, b, dtype, index, random);
      }
    }
  }
}
