// Checks of indices, in blocks whose loops the compiler vectorizes. A block with a fault is searched again for the
// first one.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 512;

bool any_outside(const int64_t* indices, int64_t size, int64_t count) {
  uint64_t outside = 0;
  for (int64_t i = 0; i < count; ++i) outside |= (indices[i] < 0) | (indices[i] >= size);
  return outside != 0;
}

// Compares entries with their predecessors, which exist.
struct order {
  bool descends, repeats;
};

order order_of_one(const int64_t* x, int64_t count) {
  uint64_t descends = 0, repeats = 0;
  for (int64_t i = 0; i < count; ++i) {
    descends |= x[i] < x[i - 1];
    repeats |= x[i] == x[i - 1];
  }
  return {descends != 0, repeats != 0};
}

order order_of_two(const int64_t* x, const int64_t* y, int64_t count) {
  uint64_t descends = 0, repeats = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t same = x[i] == x[i - 1];
    descends |= (x[i] < x[i - 1]) | (same & (y[i] < y[i - 1]));
    repeats |= same & (y[i] == y[i - 1]);
  }
  return {descends != 0, repeats != 0};
}

order order_of_many(const tb_coo& coo, int64_t begin, int64_t count) {
  uint64_t same[block], less[block];
  for (int64_t i = 0; i < count; ++i) same[i] = 1, less[i] = 0;
  for (int64_t d = 0; d < coo.dims; ++d) {
    const int64_t* const x = coo.indices + d * coo.step + begin;
    for (int64_t i = 0; i < count; ++i) {
      less[i] |= same[i] & (x[i] < x[i - 1]);
      same[i] &= x[i] == x[i - 1];
    }
  }
  uint64_t descends = 0, repeats = 0;
  for (int64_t i = 0; i < count; ++i) descends |= less[i], repeats |= same[i];
  return {descends != 0, repeats != 0};
}

order order_of(const tb_coo& coo, int64_t begin, int64_t count) {
  const int64_t* const first = coo.indices + begin;
  if (coo.dims == 1) return order_of_one(first, count);
  if (coo.dims == 2) return order_of_two(first, first + coo.step, count);
  return order_of_many(coo, begin, count);
}

void find_outside(const tb_coo& coo, int64_t begin, tb_coo_facts& facts) {
  for (int64_t i = begin;; ++i) {
    for (int64_t d = 0; d < coo.dims; ++d) {
      const int64_t index = coo.indices[d * coo.step + i];
      if (index < 0 || index >= coo.sizes[d]) {
        facts.bad_entry = i;
        facts.bad_dim = d;
        facts.bad_index = index;
        return;
      }
    }
  }
}

template <typename I>
tb_csr_facts fault_at(tb_csr_fault fault, int64_t row, int64_t entry, I found) {
  return {.fault = fault, .reserved = 0, .row = row, .entry = entry, .found = found};
}

template <typename I>
I at_most_greatest(int64_t x) {
  constexpr I greatest = sizeof(I) == 4 ? static_cast<I>(INT32_MAX) : static_cast<I>(INT64_MAX);
  return x < greatest ? static_cast<I>(x) : greatest;
}

// The offsets of rows [begin, end) ascend from 0 to nnz, by at most `columns`.
template <typename I>
tb_csr_facts check_offsets(const matrix<I>& a, int64_t begin, int64_t end) {
  const I* const offsets = a.compressed;
  if (begin == 0 && offsets[0] != 0) return fault_at(TB_CSR_FIRST, 0, 0, offsets[0]);
  if (end == a.rows && offsets[end] != a.nnz) return fault_at(TB_CSR_LAST, end, 0, offsets[end]);
  if (offsets[end] < 0 || offsets[end] > a.nnz) return fault_at(TB_CSR_OFFSET, end, 0, offsets[end]);
  const I nnz = at_most_greatest<I>(a.nnz), longest = at_most_greatest<I>(a.columns);
  for (int64_t row = begin; row < end; row += block) {
    const int64_t stop = row + block < end ? row + block : end;
    I bad = 0;
    for (int64_t r = row; r < stop; ++r) {
      // Wraps only where an offset is out of range.
      const I length = static_cast<I>(static_cast<uint64_t>(offsets[r + 1]) - static_cast<uint64_t>(offsets[r]));
      bad |= static_cast<I>(offsets[r] < 0) | static_cast<I>(offsets[r] > nnz) | static_cast<I>(length < 0) |
             static_cast<I>(length > longest);
    }
    if (bad == 0) continue;
    for (int64_t r = row; r < stop; ++r) {
      const int64_t first = offsets[r], last = offsets[r + 1];
      if (first < 0 || first > a.nnz) return fault_at(TB_CSR_OFFSET, r, 0, first);
      if (last < first) return fault_at(TB_CSR_DESCENDS, r, 0, last);
      if (last <= a.nnz && last - first > a.columns) return fault_at(TB_CSR_TOO_LONG, r, 0, last - first);
    }
  }
  return fault_at(TB_CSR_VALID, 0, 0, 0);
}

template <typename I>
tb_csr_facts find_fault(const matrix<I>& a, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first = a.compressed[row], last = a.compressed[row + 1];
    for (int64_t e = first; e < last; ++e) {
      const I column = a.plain[e];
      if (column < 0 || column >= a.columns) return fault_at(TB_CSR_OUT_OF_RANGE, row, e, column);
      if (e > first && column <= a.plain[e - 1]) return fault_at(TB_CSR_UNSORTED, row, e, column);
    }
  }
  return fault_at(TB_CSR_VALID, 0, 0, 0);
}

template <typename I>
tb_csr_facts check_matrix(const matrix<I>& a, int64_t begin, int64_t end) {
  const tb_csr_facts offsets = check_offsets(a, begin, end);
  if (offsets.fault != TB_CSR_VALID || a.plain == nullptr) return offsets;
  const int64_t first = a.compressed[begin], last = a.compressed[end];
  if (first == last) return offsets;
  const I* const plain = a.plain;
  // Within a row columns ascend, so all steps that do not are between rows: both are counted, without branches.
  const I limit = at_most_greatest<I>(a.columns - 1);
  I outside = plain[first] < 0 || plain[first] > limit;
  int64_t steps_down = 0;
  for (int64_t e = first + 1; e < last; e += block) {
    const int64_t stop = e + block < last ? e + block : last;
    I down = 0;
    for (int64_t i = e; i < stop; ++i) {
      outside |= static_cast<I>(plain[i] < 0) | static_cast<I>(plain[i] > limit);
      down += static_cast<I>(plain[i] <= plain[i - 1]);
    }
    steps_down += down;
  }
  for (int64_t row = begin; row < end; ++row) {
    const int64_t start = a.compressed[row];
    if (start > first && start < a.compressed[row + 1]) steps_down -= plain[start] <= plain[start - 1];
  }
  return outside == 0 && steps_down == 0 ? offsets : find_fault(a, begin, end);
}

}  // namespace

tb_coo_facts check_coo(const tb_coo* coo, int64_t begin, int64_t end) {
  tb_coo_facts facts{.bad_entry = -1, .bad_dim = 0, .bad_index = 0, .sorted = 1, .coalesced = 1};
  for (int64_t i = begin; i < end; i += block) {
    const int64_t count = i + block < end ? block : end - i;
    bool outside = false;
    for (int64_t d = 0; d < coo->dims; ++d) {
      outside |= any_outside(coo->indices + d * coo->step + i, coo->sizes[d], count);
    }
    if (outside) {
      find_outside(*coo, i, facts);
      facts.sorted = facts.coalesced = 0;
      return facts;
    }
    if (facts.sorted == 0) continue;
    // Entry 0 has no predecessor.
    const int64_t skip = i == 0 ? 1 : 0;
    const order found = order_of(*coo, i + skip, count - skip);
    if (found.descends) facts.sorted = facts.coalesced = 0;
    if (found.repeats) facts.coalesced = 0;
  }
  return facts;
}

tb_csr_facts check_csr(const tb_csr* a, int64_t begin, int64_t end) {
  return with_index(a->index, [&](auto index) { return check_matrix(matrix<decltype(index)>(*a), begin, end); });
}

}  // namespace tb_sparse::TOPBIT_ARCH
