// Rules of elements and rows by index in calls larger than the blocks in which indices are checked and columns are
// processed, on any number of threads, and of indices that are out of range in one of these blocks.
#include "row_calls.h"

using namespace kernel_tests;

namespace {

// Rows of a batch: `count` indices of each into a row of `range` elements.
struct extent {
  std::int64_t rows, range, count;
};
const extent extents[] = {{5, 4, 3}, {70, 2000, 700}, {1, 900, 100000}, {300, 3, 2}, {130, 40, 50}};

// Which operands are one row for the whole batch.
struct repetition {
  bool source, index;
};

struct by_index {
  stage memory;
  tb_rowwise_op op;
  extent of;
  lie long_rows, source_rows, index_rows;
  array<float> table, source;  // gather reads `table` and writes `source`; scatter the reverse
  array<std::int64_t> index;
  std::int64_t told = 0;
  tb_rowwise call{};

  by_index(backend here, tb_rowwise_op o, extent e, bool interleaved, repetition same)
      : memory(here),
        op(o),
        of(e),
        long_rows(interleaved ? beside(e.rows) : behind(e.range)),
        source_rows(same.source   ? lie{0, 0}
                    : interleaved ? beside(e.rows)
                                  : behind(e.count)),
        index_rows(same.index    ? lie{0, 1}
                   : interleaved ? beside(e.rows)
                                 : behind(e.count)),
        table(memory.make<float>(e.rows * e.range)),
        source(memory.make<float>(same.source ? 1 : e.rows * e.count)),
        index(memory.make<std::int64_t>(same.index ? e.count : e.rows * e.count)) {
    random_numbers random(7);
    for (float& x : table) x = float(random.bits() >> 9 & 63);
    for (float& x : source) x = float(random.bits() >> 9 & 63);
    // Of several elements written to one place any may stay, so indices of TB_SCATTER differ as far as they can.
    for (std::int64_t i = 0; i < index.size(); ++i) {
      index[i] = std::int64_t(op == TB_SCATTER ? std::uint64_t(i / (same.index    ? 1
                                                                    : interleaved ? e.rows
                                                                                  : 1))
                                               : random.bits() >> 9) %
                 e.range;
    }
    const rows_operand whole = matrix(table, e.range, long_rows), part = matrix(source, e.count, source_rows);
    const bool reads = op == TB_GATHER;
    call = rows_call<float>(op, e.rows, 1,
                            {reads ? part : whole, reads ? whole : part, matrix(index, e.count, index_rows)});
    call.bad_index = &told;
  }
  std::vector<float> model() const {
    std::vector<float> t(table.begin(), table.end()), s(source.begin(), source.end());
    for (std::int64_t r = 0; r < of.rows; ++r) {
      for (std::int64_t i = 0; i < of.count; ++i) {
        float& place = t[std::size_t(long_rows.at(r, index[index_rows.at(r, i)]))];
        float& element = s[std::size_t(source_rows.at(r, i))];
        if (op == TB_GATHER) element = place;
        if (op == TB_SCATTER) place = element;
        if (op == TB_SCATTER_ADD) place += element;
      }
    }
    return op == TB_GATHER ? s : t;
  }
  tb_status run() {
    return memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); });
  }
  bool right() {
    const std::vector<float> want = model();
    const array<float>& got = op == TB_GATHER ? source : table;
    return run() == TB_OK && std::equal(want.begin(), want.end(), got.begin());
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows by index: long rows and many columns, of which some may be one row", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int32_t threads : {1, 2, 5}) {
    const with_threads now(threads);
    for (const extent e : extents) {
      for (const bool interleaved : {false, true}) {
        for (const bool same_index : {false, true}) {
          CAPTURE(threads, e.rows, e.range, e.count, interleaved, same_index);
          CHECK(by_index(here, TB_GATHER, e, interleaved, {false, same_index}).right());
          for (const bool same_source : {false, true}) {
            CAPTURE(same_source);
            CHECK(by_index(here, TB_SCATTER_ADD, e, interleaved, {same_source, same_index}).right());
            // Only with one source are elements of equal indices equal.
            if (e.count > e.range && !same_source) continue;
            CHECK(by_index(here, TB_SCATTER, e, interleaved, {same_source, same_index}).right());
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows by index: one index out of range anywhere is reported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int32_t threads : {1, 3}) {
    const with_threads now(threads);
    for (const tb_rowwise_op op : {TB_GATHER, TB_SCATTER, TB_SCATTER_ADD, TB_CHECK_INDEX}) {
      for (const bool interleaved : {false, true}) {
        for (const std::int64_t at : {0, 511, 512, 699, 700, 35000, 48999}) {
          for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(2000), INT64_MIN, INT64_MAX}) {
            by_index one(here, op, {70, 2000, 700}, interleaved, {false, false});
            if (op == TB_CHECK_INDEX) {
              one.call = rows_call<float>(
                  op, 70, 0, {matrix(one.index, 700, one.index_rows), matrix(one.table, 2000, one.long_rows)});
              one.call.bad_index = &one.told;
            }
            one.index[at] = bad;
            CAPTURE(threads, int(op), interleaved, at, bad);
            CHECK(one.run() == TB_BAD_INDEX);
            CHECK(one.memory.refused(one.told) == bad);
          }
        }
      }
    }
  }
}

namespace {

// Rows of a table by one index, or by two, of which every element is read or written.
struct taken {
  stage memory;
  array<float> rows, table;
  array<std::int64_t> first, second;
  std::int64_t told[2] = {};
  tb_take call{};

  taken(backend here, tb_take_op op, std::int64_t outer, std::int64_t count, std::int64_t inner, bool wraps)
      : memory(here),
        rows(memory.make<float>(outer * count * inner)),
        table(memory.make<float>(outer * 30 * 20 * inner)),
        first(memory.make<std::int64_t>(count)),
        second(memory.make<std::int64_t>(count)) {
    for (std::int64_t i = 0; i < table.size(); ++i) table[i] = float(i % 1009);
    for (std::int64_t i = 0; i < rows.size(); ++i) rows[i] = float(i % 31);
    for (std::int64_t i = 0; i < count; ++i) {
      first[i] = i * 7 % 30 - (wraps && i % 3 == 0 ? 30 : 0);
      second[i] = i * i % 20 - (wraps && i % 5 == 0 ? 20 : 0);
    }
    call.rows = rows.seen_by_kernel();
    call.table = table.seen_by_kernel();
    call.index[0] = first.seen_by_kernel(), call.index[1] = second.seen_by_kernel();
    call.length[0] = 30, call.length[1] = 20;
    call.outer = outer, call.count = count, call.inner = inner;
    call.bad_index = told;
    call.op = op;
    call.dtype = TB_F32;
    call.indices = 2;
    call.wraps = wraps ? 1 : 0;
  }
  std::int64_t position(std::int64_t o, std::int64_t k) const {
    return (o * 30 + (first[k] + 30) % 30) * 20 + (second[k] + 20) % 20;
  }
  tb_status run() {
    return memory.run([&](const tb_kernels& k) { return k.take(&call, nullptr); });
  }
};

}  // namespace

TEMPLATE_TEST_CASE("take: positions of two indices, in calls of several blocks", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::take);
  for (const std::int32_t threads : {1, 3}) {
    const with_threads now(threads);
    for (const std::int64_t outer : {1, 4}) {
      for (const std::int64_t inner : {1, 16, 70}) {
        for (const bool wraps : {false, true}) {
          taken one(here, TB_TAKE, outer, 1500, inner, wraps);
          REQUIRE(one.run() == TB_OK);
          std::int64_t wrong = 0;
          for (std::int64_t i = 0; i < one.rows.size(); ++i) {
            const std::int64_t o = i / inner / 1500, k = i / inner % 1500;
            wrong += one.rows[i] != one.table[one.position(o, k) * inner + i % inner];
          }
          CHECK(wrong == 0);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("take: an index out of range is reported, and no row is written because of it", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::take);
  for (const tb_take_op op : {TB_TAKE, TB_PUT, TB_PUT_ADD, TB_CHECK}) {
    for (const std::int64_t outer : {1, 4}) {
      for (const bool wraps : {false, true}) {
        for (const std::int64_t at : {0, 511, 512, 1499}) {
          for (const std::int64_t bad : {std::int64_t(-21), std::int64_t(20), INT64_MIN, INT64_MAX}) {
            taken one(here, op, outer, 1500, 1, wraps);
            one.second[at] = bad;
            const std::vector<float> before(one.table.begin(), one.table.end());
            CAPTURE(int(op), outer, wraps, at, bad);
            CHECK(one.run() == TB_BAD_INDEX);
            CHECK(one.memory.refused(one.told[0]) == bad);
            if (here.memory != nullptr) continue;  // a device skips the row
            CHECK(one.told[1] == 1);
            CHECK(std::equal(before.begin(), before.end(), one.table.begin()));
          }
        }
      }
    }
  }
}
