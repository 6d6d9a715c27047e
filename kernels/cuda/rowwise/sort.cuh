// Sorting and selecting by rank: elements as unsigned keys in the order of the result, and the output of results.
#pragma once

#include "rowwise/rowwise.cuh"

namespace tb_cuda {

struct sorted_rows_of {
  const void* in;
  void *out, *index;  // index is null if not wanted
  int32_t in_dtype, out_dtype, index_dtype;
  int32_t compute;
  int64_t in_step, out_step, index_step;
  int64_t length, results;  // of a row; of its result
  int64_t rank;
  int32_t op;
  int32_t bits;  // of a key
  bool descending, skips_nan, real;
  offsets<3> batch;  // out, in, index

  explicit sorted_rows_of(const tb_rowwise& call);

  // The key of NaN; no number has it.
  __device__ uint64_t nan_key() const { return descending ? 0 : UINT64_MAX >> (64 - bits); }
  __device__ bool is_nan(uint64_t key) const { return real && key == nan_key(); }
};

// Maps the bits of a float to an unsigned integer with the same order; -0 becomes 0, NaN is the maximum.
template <typename Key, typename Bits>
__device__ Key ordered(Bits bits, bool nan, bool zero) {
  constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  if (nan) return Key(Bits(~Bits(0)));
  if (zero) return Key(sign);
  return Key(Bits((bits & sign) != 0 ? Bits(~bits) : Bits(bits | sign)));
}

// The key of the element at offset `at`. Key has at least rows.bits bits.
template <typename Key>
__device__ Key key_at(const sorted_rows_of& rows, int64_t at) {
  const void* const in = rows.in;
  Key key = 0;
  if (rows.compute == TB_F32) {
    if (rows.in_dtype == TB_F16) {
      const half x = static_cast<const half*>(in)[at];
      key = ordered<Key>(x.bits, (x.bits & 0x7fff) > 0x7c00, (x.bits & 0x7fff) == 0);
    } else if (rows.in_dtype == TB_BF16) {
      const bfloat16 x = static_cast<const bfloat16*>(in)[at];
      key = ordered<Key>(x.bits, (x.bits & 0x7fff) > 0x7f80, (x.bits & 0x7fff) == 0);
    } else {
      const float x =
          rows.in_dtype == TB_F32 ? static_cast<const float*>(in)[at] : load_as<float>(in, rows.in_dtype, at);
      key = ordered<Key>(__float_as_uint(x), x != x, x == 0);
    }
  } else if (rows.compute == TB_F64) {
    if constexpr (sizeof(Key) == 8) {
      const double x = load_as<double>(in, rows.in_dtype, at);
      key = ordered<Key>(uint64_t(__double_as_longlong(x)), x != x, x == 0);
    }
  } else if (rows.compute == TB_BOOL) {
    key = load_as<bool_t>(in, rows.in_dtype, at);
  } else if (rows.in_dtype == TB_I32) {
    key = Key(uint32_t(static_cast<const int32_t*>(in)[at]) ^ 0x80000000u);
  } else {
    // Adding the top bit maps signed order to unsigned order.
    key = Key(uint64_t(load_as<int64_t>(in, rows.in_dtype, at)) + (uint64_t(1) << (rows.bits - 1)));
  }
  return rows.descending ? Key(Key(~Key(0)) >> (8 * int(sizeof(Key)) - rows.bits)) ^ key : key;
}

// An element between `in` and `out`: its bits, or if the dtypes differ, its value in the compute type.
__device__ inline uint64_t load_element(const sorted_rows_of& rows, int64_t at) {
  if (rows.in_dtype == rows.out_dtype) {
    switch (rows.in_dtype) {
      case TB_BOOL:
      case TB_U8:
      case TB_I8: return static_cast<const uint8_t*>(rows.in)[at];
      case TB_I16:
      case TB_F16:
      case TB_BF16: return static_cast<const uint16_t*>(rows.in)[at];
      case TB_I32:
      case TB_F32: return static_cast<const uint32_t*>(rows.in)[at];
      default: return static_cast<const uint64_t*>(rows.in)[at];
    }
  }
  if (rows.compute == TB_BOOL) return load_as<bool_t>(rows.in, rows.in_dtype, at);
  if (!rows.real) return uint64_t(load_as<int64_t>(rows.in, rows.in_dtype, at));
  const double x = rows.compute == TB_F32 ? double(load_as<float>(rows.in, rows.in_dtype, at))
                                          : load_as<double>(rows.in, rows.in_dtype, at);
  return uint64_t(__double_as_longlong(x));
}
__device__ inline void store_element(const sorted_rows_of& rows, int64_t at, uint64_t element) {
  if (rows.in_dtype == rows.out_dtype) {
    switch (rows.in_dtype) {
      case TB_BOOL:
      case TB_U8:
      case TB_I8: static_cast<uint8_t*>(rows.out)[at] = uint8_t(element); return;
      case TB_I16:
      case TB_F16:
      case TB_BF16: static_cast<uint16_t*>(rows.out)[at] = uint16_t(element); return;
      case TB_I32:
      case TB_F32: static_cast<uint32_t*>(rows.out)[at] = uint32_t(element); return;
      default: static_cast<uint64_t*>(rows.out)[at] = element; return;
    }
  }
  if (rows.real)
    store_as(rows.out, rows.out_dtype, at, __longlong_as_double(static_cast<long long>(element)));
  else
    store_as(rows.out, rows.out_dtype, at, int64_t(element));
}

// Writes result i of a row: element `from` of the row, whose value is `element`.
__device__ inline void write_result(const sorted_rows_of& rows, const int64_t (&row)[3], int64_t i, int64_t from,
                                    uint64_t element) {
  store_element(rows, row[0] + i * rows.out_step, element);
  if (rows.index != nullptr) store_as(rows.index, rows.index_dtype, row[2] + i * rows.index_step, from);
}
__device__ inline void write_result(const sorted_rows_of& rows, const int64_t (&row)[3], int64_t i, int64_t from) {
  write_result(rows, row, i, from, load_element(rows, row[1] + from * rows.in_step));
}

// A sorted row has key(i) and index(i), the key and the original index of the element of rank i.

// Lower bound: the first rank in [first, last) whose key is not below `key`, else `last`.
template <typename Row>
__device__ int64_t first_of(const Row& row, uint64_t key, int64_t first, int64_t last) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (row.key(middle) < key)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// The rank to select, for all operations but the mode.
template <typename Row>
__device__ int64_t rank_of(const sorted_rows_of& rows, const Row& row) {
  if (rows.op == TB_KTH_VALUE) return rows.rank;
  int64_t count = rows.length;
  if (rows.real) {
    count = first_of(row, rows.nan_key(), 0, rows.length);
    if (count < rows.length && !rows.skips_nan) return count;
  }
  return count == 0 ? 0 : (count - 1) / 2;
}

// The number of elements equal to that of rank i; 0 unless i is the last of them. A NaN equals nothing.
template <typename Row>
__device__ int64_t occurrences(const sorted_rows_of& rows, const Row& row, int64_t i) {
  const uint64_t key = row.key(i);
  if (rows.is_nan(key)) return 1;
  if (i + 1 < rows.length && row.key(i + 1) == key) return 0;
  // Most runs are short: exponential search backwards, then binary search.
  int64_t first = i, step = 1;
  while (first > 0 && row.key(first - 1) == key) {
    first = first > step ? first - step : 0;
    step *= 2;
    if (row.key(first) != key) break;
  }
  return i + 1 - first_of(row, key, first, i);
}

constexpr int64_t longest_short_row = 2048;

// Short rows, in shared memory (sort.cu).
tb_status sort_short_rows(const sorted_rows_of& rows, const scope& on);
// topk, kth value and median, one block per row, at most longest_short_row results (select.cu).
tb_status select_rows(const sorted_rows_of& rows, const scope& on);
// Long rows, sorted together (sort_long.cu).
tb_status sort_long_rows(const sorted_rows_of& rows, const scope& on);

}  // namespace tb_cuda
