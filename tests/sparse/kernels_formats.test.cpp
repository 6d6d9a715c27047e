// Checks of indices, coalescing and conversions between sparse formats, against naive loops.
#include <algorithm>

#include "sparse/kernels_support.h"
#include "support/scale.h"

using namespace sparse_tests;

namespace {

// Index tuples of a COO tensor, [dims][nnz].
struct coordinates {
  ints sizes, indices;
  std::int64_t nnz;

  coordinates(ints extents, std::int64_t count) : sizes(std::move(extents)), nnz(count) {
    indices.resize(sizes.size() * static_cast<std::size_t>(count));
  }
  std::int64_t dims() const { return static_cast<std::int64_t>(sizes.size()); }
  std::int64_t& at(std::int64_t d, std::int64_t i) { return indices[static_cast<std::size_t>(d * nnz + i)]; }
  ints tuple(std::int64_t i) const {
    ints result;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      result.push_back(indices[d * static_cast<std::size_t>(nnz) + static_cast<std::size_t>(i)]);
    }
    return result;
  }
  tb_coo view() const { return {indices.data(), nnz, sizes.data(), dims(), nnz}; }

  void fill(std::mt19937& random, std::int64_t most_distinct) {
    for (std::int64_t d = 0; d < dims(); ++d) {
      const std::int64_t size = sizes[static_cast<std::size_t>(d)];
      const std::int64_t step = std::max<std::int64_t>(size / most_distinct, 1);
      for (std::int64_t i = 0; i < nnz; ++i) {
        at(d, i) = static_cast<std::int64_t>(random() % std::min(size, most_distinct)) * step;
      }
    }
  }
  void sort() {
    std::vector<ints> tuples;
    for (std::int64_t i = 0; i < nnz; ++i) tuples.push_back(tuple(i));
    std::sort(tuples.begin(), tuples.end());
    for (std::int64_t i = 0; i < nnz; ++i) {
      for (std::int64_t d = 0; d < dims(); ++d)
        at(d, i) = tuples[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)];
    }
  }
};

// Facts of the whole from those of parts.
tb_coo_facts check_in_parts(const tb_sparse_kernels& k, const tb_coo& coo, std::int64_t parts) {
  tb_coo_facts all{-1, 0, 0, 1, 1};
  for (std::int64_t p = 0; p < parts; ++p) {
    const tb_coo_facts one = k.check_coo(&coo, coo.nnz * p / parts, coo.nnz * (p + 1) / parts);
    if (all.bad_entry < 0 && one.bad_entry >= 0) {
      all.bad_entry = one.bad_entry;
      all.bad_dim = one.bad_dim;
      all.bad_index = one.bad_index;
    }
    all.sorted &= one.sorted;
    all.coalesced &= one.coalesced;
  }
  return all;
}

}  // namespace

TEST_CASE("sparse kernels: check_coo finds order and repetition of entries, however they are divided") {
  std::mt19937 random(1);
  for (const tb_sparse_kernels* k : tables()) {
    for (const ints& sizes : {ints{}, ints{300}, ints{9, 7}, ints{3, 4, 5}, ints{2, 3, 2, 3, 4}}) {
      for (const std::int64_t nnz : {0, 1, 2, 7, 511, 512, 513, 1200}) {
        for (const bool sorted : {false, true}) {
          coordinates c(sizes, nnz);
          c.fill(random, 1000);
          if (sorted) c.sort();
          std::vector<ints> tuples;
          for (std::int64_t i = 0; i < nnz; ++i) tuples.push_back(c.tuple(i));
          const bool ascends = std::is_sorted(tuples.begin(), tuples.end());
          const bool repeats = std::adjacent_find(tuples.begin(), tuples.end()) != tuples.end();
          for (const std::int64_t parts : {1, 3}) {
            const tb_coo coo = c.view();
            const tb_coo_facts facts = check_in_parts(*k, coo, parts);
            CAPTURE(k->isa, sizes.size(), nnz, sorted, parts);
            CHECK(facts.bad_entry == -1);
            CHECK(facts.sorted == ascends);
            CHECK(facts.coalesced == (ascends && !repeats));
          }
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: check_coo finds one step down at every position") {
  for (const tb_sparse_kernels* k : tables()) {
    for (std::int64_t dims = 1; dims <= 3; ++dims) {
      coordinates c(ints(static_cast<std::size_t>(dims), 5000), 1030);
      for (std::int64_t d = 0; d < dims; ++d) {
        for (std::int64_t i = 0; i < c.nnz; ++i) c.at(d, i) = d == dims - 1 ? i + 10 : 3;
      }
      const tb_coo coo = c.view();
      REQUIRE(k->check_coo(&coo, 0, c.nnz).coalesced == 1);
      for (std::int64_t i = 1; i < c.nnz; ++i) {
        std::int64_t& index = c.at(dims - 1, i);
        const std::int64_t before = index;
        index = before - 1;
        const tb_coo_facts repeated = k->check_coo(&coo, 0, c.nnz);
        index = before - 2;
        const tb_coo_facts down = k->check_coo(&coo, 0, c.nnz);
        index = before;
        if (repeated.sorted != 1 || repeated.coalesced != 0 || down.sorted != 0) FAIL(k->isa << dims << " " << i);
      }
    }
  }
}

TEST_CASE("sparse kernels: check_coo reports the first index out of range, wherever it is") {
  std::mt19937 random(2);
  for (const tb_sparse_kernels* k : tables()) {
    for (const ints& sizes : {ints{300}, ints{9, 7}, ints{3, 4, 5}}) {
      coordinates c(sizes, 1100);
      c.fill(random, 1000);
      for (std::int64_t i = 0; i < c.nnz; i += 1 + static_cast<std::int64_t>(random() % 9)) {
        for (std::int64_t d = 0; d < c.dims(); ++d) {
          const std::int64_t size = sizes[static_cast<std::size_t>(d)], before = c.at(d, i);
          for (const std::int64_t bad : {std::int64_t(-1), size, INT64_MIN, INT64_MAX}) {
            c.at(d, i) = bad;
            const tb_coo coo = c.view();
            const tb_coo_facts facts = k->check_coo(&coo, 0, c.nnz);
            if (facts.bad_entry != i || facts.bad_dim != d || facts.bad_index != bad || facts.coalesced != 0) {
              FAIL(k->isa << ": index " << bad << " of entry " << i << " in dimension " << d);
            }
          }
          c.at(d, i) = before;
        }
      }
    }
  }
}

namespace {

// The first fault of a row, as the definitions say.
tb_csr_fault naive_fault(const csr& m, std::int64_t nnz) {
  const auto at = [&](std::int64_t row) { return m.compressed[static_cast<std::size_t>(row)]; };
  if (at(0) != 0) return TB_CSR_FIRST;
  if (at(m.rows) != nnz) return TB_CSR_LAST;
  for (std::int64_t r = 0; r < m.rows; ++r) {
    if (at(r) < 0 || at(r) > nnz) return TB_CSR_OFFSET;
    if (at(r + 1) < at(r)) return TB_CSR_DESCENDS;
    if (at(r + 1) <= nnz && at(r + 1) - at(r) > m.columns) return TB_CSR_TOO_LONG;
  }
  for (std::int64_t r = 0; r < m.rows; ++r) {
    for (std::int64_t e = at(r); e < at(r + 1); ++e) {
      const auto i = static_cast<std::size_t>(e);
      if (m.plain[i] < 0 || m.plain[i] >= m.columns) return TB_CSR_OUT_OF_RANGE;
      if (e > at(r) && m.plain[i] <= m.plain[i - 1]) return TB_CSR_UNSORTED;
    }
  }
  return TB_CSR_VALID;
}

}  // namespace

TEST_CASE("sparse kernels: check_csr accepts valid matrices and names each fault of damaged ones") {
  std::mt19937 random(3);
  int found[8] = {};
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t index : index_types) {
      for (int round = 0; round < scaled(200, 100); ++round) {
        csr m = random_csr(1 + random() % 700, 1 + random() % 60, random);
        const std::int64_t nnz = m.nnz();
        if (round % 4 != 0) {
          ints& damaged = nnz == 0 || round % 4 == 1 ? m.compressed : m.plain;
          std::int64_t& number = damaged[random() % damaged.size()];
          const std::int64_t choices[] = {number - 1, number + 1, -1, m.columns, INT32_MAX, INT32_MIN, number + 70};
          number = choices[random() % std::size(choices)];
        }
        const tb_csr a = m.view(index);
        const tb_csr_fault wanted = naive_fault(m, nnz);
        ++found[wanted];
        const tb_csr_facts facts = k->check_csr(&a, 0, a.rows);
        CAPTURE(k->isa, index, round, facts.row, facts.entry, facts.found);
        REQUIRE(facts.fault == wanted);
        bool valid_in_parts = true;
        in_parts(a.rows, std::min<std::int64_t>(a.rows, 5), [&](std::int64_t b, std::int64_t e) {
          valid_in_parts &= k->check_csr(&a, b, e).fault == TB_CSR_VALID;
        });
        REQUIRE(valid_in_parts == (wanted == TB_CSR_VALID));
        if (wanted == TB_CSR_OUT_OF_RANGE || wanted == TB_CSR_UNSORTED) {
          REQUIRE(m.plain[static_cast<std::size_t>(facts.entry)] == facts.found);
          REQUIRE(m.compressed[static_cast<std::size_t>(facts.row)] <= facts.entry);
          REQUIRE(m.compressed[static_cast<std::size_t>(facts.row + 1)] > facts.entry);
        }
      }
      // More columns and entries than the index type can count.
      const std::int64_t compressed[] = {0, 1}, plain[] = {7};
      const array compressed_32(TB_I32, ints{0, 1}), plain_32(TB_I32, ints{7});
      const bool narrow = index == TB_I32;
      tb_csr wide{
          narrow ? compressed_32.data() : compressed, narrow ? plain_32.data() : plain, 1, INT64_MAX, 1, index, 0};
      CHECK(k->check_csr(&wide, 0, 1).fault == TB_CSR_VALID);
      wide.nnz = INT64_MAX;
      CHECK(k->check_csr(&wide, 0, 1).fault == TB_CSR_LAST);
      // No rows.
      const tb_csr none{narrow ? compressed_32.data() : compressed, nullptr, 0, 3, 0, index, 0};
      CHECK(k->check_csr(&none, 0, 0).fault == TB_CSR_VALID);
    }
  }
  for (const int count : found) CHECK(count > 0);
}

namespace {

struct sorted_entries {
  workspace memory;
  tb_sort sort;
  std::int64_t count;

  sorted_entries(const tb_sparse_kernels& k, const coordinates& c, std::int64_t parts)
      : memory(size_for(k, c)), sort{c.view(), memory.data()} {
    k.sort_begin(&sort);
    in_parts(TB_SORT_BUCKETS, parts, [&](std::int64_t b, std::int64_t e) { k.sort_buckets(&sort, b, e); });
    count = k.sort_end(&sort);
  }
  static std::size_t size_for(const tb_sparse_kernels& k, const coordinates& c) {
    const tb_coo coo = c.view();
    return k.sort_workspace(&coo);
  }
};

void check_coalesce(const tb_sparse_kernels& k, const coordinates& c, std::int32_t dtype, std::int64_t inner,
                    std::mt19937& random) {
  ints order(static_cast<std::size_t>(c.nnz));
  std::vector<std::pair<ints, std::int64_t>> keys;
  for (std::int64_t i = 0; i < c.nnz; ++i) keys.emplace_back(c.tuple(i), i);
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), order.begin(), [](const auto& key) { return key.second; });
  const array values = random_array(dtype, c.nnz * inner, random);
  std::vector<ints> tuples;
  std::vector<double> sums;
  ints groups(order.size());
  for (const std::int64_t i : order) {
    if (tuples.empty() || tuples.back() != c.tuple(i)) {
      tuples.push_back(c.tuple(i));
      sums.resize(sums.size() + static_cast<std::size_t>(inner));
    }
    groups[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(tuples.size()) - 1;
    for (std::int64_t j = 0; j < inner; ++j) {
      sums[(tuples.size() - 1) * static_cast<std::size_t>(inner) + static_cast<std::size_t>(j)] +=
          values[i * inner + j];
    }
  }
  for (const std::int64_t parts : {1, 7}) {
    sorted_entries sorted(k, c, parts);
    REQUIRE(sorted.count == static_cast<std::int64_t>(tuples.size()));
    ints indices(c.sizes.size() * tuples.size()), found(order.size());
    array result(dtype, sorted.count * inner);
    const tb_coalesce call{&sorted.sort, indices.data(), sorted.count, values.data(), result.data(), inner, dtype, 0};
    in_parts(TB_SORT_BUCKETS, parts, [&](std::int64_t b, std::int64_t e) {
      k.coalesce(&call, b, e);
      k.sort_groups(&sorted.sort, found.data(), b, e);
    });
    ints wanted;
    for (std::size_t d = 0; d < c.sizes.size(); ++d) {
      for (const ints& tuple : tuples) wanted.push_back(tuple[d]);
    }
    REQUIRE(indices == wanted);
    REQUIRE(result == array(dtype, sums));
    REQUIRE(found == groups);
  }
}

}  // namespace

TEST_CASE("sparse kernels: coalesce sorts entries and adds those with the same indices") {
  std::mt19937 random(4);
  constexpr std::int64_t big = std::int64_t(1) << 40;
  // Keys in one word with the position, in a word of their own, and in more than a word.
  const ints shapes[] = {
      {},        {1},           {7},          {100000},       {INT64_MAX},      {5, 6},
      {1, 1, 4}, {1000, 1, 90}, {3, 4, 5, 6}, {big, 1 << 20}, {big, big, 3, 5}, {INT64_MAX, 2, INT64_MAX}};
  for (const tb_sparse_kernels* k : tables()) {
    int round = 0;
    for (const ints& sizes : shapes) {
      for (const std::int64_t nnz : {0, 1, 2, 40, 900}) {
        for (const std::int64_t most_distinct : {3, 100000}) {
          const int repetitions = scaled(2, 1);
          for (int i = 0; i < repetitions; ++i) {
            const std::int32_t dtype = all_dtypes[round++ % std::size(all_dtypes)];
            coordinates c(sizes, nnz);
            c.fill(random, most_distinct);
            CAPTURE(k->isa, sizes.size(), nnz, most_distinct, dtype);
            check_coalesce(*k, c, dtype, 1 + random() % 2 * 4, random);
          }
        }
      }
      ++round;
    }
  }
}

TEST_CASE("sparse kernels: coalesce sorts many entries of one bucket") {
  std::mt19937 random(5);
  for (const tb_sparse_kernels* k : tables()) {
    coordinates c({1 << 20, 1 << 20}, scaled(10000, 5000));
    for (std::int64_t i = 0; i < c.nnz; ++i) {
      c.at(0, i) = static_cast<std::int64_t>(random() % 4096);
      c.at(1, i) = static_cast<std::int64_t>(random() % (1 << 20));
    }
    check_coalesce(*k, c, TB_I32, 1, random);
  }
}

TEST_CASE("sparse kernels: coalesce adds in order of appearance, half precision in float") {
  for (const tb_sparse_kernels* k : tables()) {
    coordinates c({3, 3}, 4096);
    for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
      const array ones(dtype, std::vector<double>(4096, 1));
      sorted_entries sorted(*k, c, 1);
      array sum(dtype, 1);
      const tb_coalesce call{&sorted.sort, nullptr, 0, ones.data(), sum.data(), 1, dtype, 0};
      k->coalesce(&call, 0, TB_SORT_BUCKETS);
      CHECK(sum[0] == 4096);
    }
    // Each of the others is less than half an ulp of the first.
    std::vector<float> values(4096, 30);
    values[0] = 1e9f;
    // In each of the three forms of a key.
    for (const ints& sizes : {ints{3, 3}, ints{1 << 30, 1 << 30}, ints{INT64_MAX, INT64_MAX}}) {
      const coordinates zeros(sizes, 4096);
      sorted_entries all(*k, zeros, 1);
      float sum = 0;
      const tb_coalesce call{&all.sort, nullptr, 0, values.data(), &sum, 1, TB_F32, 0};
      k->coalesce(&call, 0, TB_SORT_BUCKETS);
      CHECK(sum == 1e9f);
    }
  }
}

TEST_CASE("sparse kernels: row numbers and offsets are converted into each other") {
  std::mt19937 random(7);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t index : index_types) {
      for (const std::int64_t rows : {0, 1, 5, 300}) {
        csr m = random_csr(rows, 40, random);
        const tb_csr a = m.view(index);
        ints row_of(m.plain.size()), found(m.plain.size(), -1);
        m.each([&](std::int64_t row, std::int64_t, std::int64_t e) { row_of[static_cast<std::size_t>(e)] = row; });
        array offsets(index, rows + 1);
        in_parts(rows, 4, [&](std::int64_t b, std::int64_t e) {
          k->offsets_to_rows(a.compressed, index, found.data(), b, e);
          k->rows_to_offsets(row_of.data(), m.nnz(), rows, index, offsets.data(), b, e);
        });
        CHECK(found == row_of);
        CHECK(offsets == array(index, m.compressed));
      }
    }
  }
}

TEST_CASE("sparse kernels: transpose moves entries of any size and tells where they were") {
  std::mt19937 random(8);
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t index : index_types) {
      for (const std::int32_t dtype : {TB_U8, TB_BF16, TB_I32, TB_F64}) {
        for (const std::int64_t parts : {1, 5}) {
          csr m = random_csr(random() % 40, 1 + random() % 50, random);
          const array values = random_array(dtype, m.nnz(), random);
          std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> columns(static_cast<std::size_t>(m.columns));
          m.each(
              [&](auto row, auto column, auto e) { columns[static_cast<std::size_t>(column)].emplace_back(row, e); });
          ints compressed{0}, plain, order;
          array moved(dtype, m.nnz());
          for (const auto& column : columns) {
            for (const auto& [row, e] : column) {
              moved.set(static_cast<std::int64_t>(plain.size()), values[e]);
              plain.push_back(row);
              order.push_back(e);
            }
            compressed.push_back(static_cast<std::int64_t>(plain.size()));
          }
          array got_compressed(index, m.columns + 1), got_plain(index, m.nnz()), got(dtype, m.nnz());
          array cursor(index, m.columns);
          ints got_order(plain.size());
          const auto run = [&](bool with_values, bool with_order) {
            const tb_transpose call{m.view(index),
                                    got_compressed.data(),
                                    got_plain.data(),
                                    with_order ? got_order.data() : nullptr,
                                    with_values ? values.data() : nullptr,
                                    got.data(),
                                    cursor.data(),
                                    static_cast<std::int64_t>(size_of(dtype))};
            in_parts(m.columns, parts, [&](std::int64_t b, std::int64_t e) { k->transpose(&call, b, e); });
            CHECK(got_compressed == array(index, compressed));
            CHECK(got_plain == array(index, plain));
            if (with_values) CHECK(got == moved);
            if (with_order) CHECK(got_order == order);
          };
          run(true, true);
          run(true, false);
          run(false, true);
          run(false, false);
        }
      }
    }
  }
}

TEST_CASE("sparse kernels: transpose of a matrix without columns writes one offset") {
  for (const tb_sparse_kernels* k : tables()) {
    for (const std::int32_t index : index_types) {
      csr m(2, 0);
      m.end_row();
      m.end_row();
      array offset(index, ints{7}), none(index, 0);
      const tb_transpose call{m.view(index), offset.data(), none.data(), nullptr, nullptr, nullptr, none.data(), 4};
      k->transpose(&call, 0, 0);
      CHECK(offset == array(index, ints{0}));
    }
  }
}

TEST_CASE("sparse kernels: row_of_part divides rows by their entries") {
  const tb_sparse_kernels& k = *tables().back();
  for (const std::int32_t index : index_types) {
    csr m(100, 1000);
    for (std::int64_t row = 0; row < 100; ++row) {
      for (std::int64_t c = 0; c < (row == 50 ? 900 : 1); ++c) m.plain.push_back(c);
      m.end_row();
    }
    const tb_csr a = m.view(index);
    CHECK(k.row_of_part(&a, 0, 4) == 0);
    CHECK(k.row_of_part(&a, 1, 4) == 51);  // the long row is a part of its own, with the rows before it
    CHECK(k.row_of_part(&a, 3, 4) == 51);
    CHECK(k.row_of_part(&a, 4, 4) == 100);
    csr empty(7, 3);
    for (int row = 0; row < 7; ++row) empty.end_row();
    const tb_csr b = empty.view(index);
    CHECK(k.row_of_part(&b, 2, 4) == 3);
    for (std::int64_t part = 0; part < 9; ++part) CHECK(k.row_of_part(&a, part, 9) <= k.row_of_part(&a, part + 1, 9));
  }
}

TEST_CASE("sparse kernels: a table has the name that was asked for") {
  REQUIRE(tb_sparse_kernels_for("scalar") != nullptr);
  CHECK(tb_sparse_kernels_for("sse9") == nullptr);
  CHECK(tb_sparse_kernels_for("") == nullptr);
  for (const char* isa : {"scalar", "sse2", "avx2", "avx512"}) {
    const tb_sparse_kernels* const table = tb_sparse_kernels_for(isa);
    CHECK((table != nullptr) == (tb_cpu_kernels_for(isa) != nullptr));
    if (table != nullptr) CHECK(std::string(table->isa) == isa);
  }
}
