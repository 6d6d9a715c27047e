// Common code of the tests of sparse kernels: their tables, typed arrays, random patterns.
//
// Oracles compute in double with small integers, so that every order of a sum is exact, and convert once.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "half.h"
#include "sparse_kernels.h"

namespace sparse_tests {

inline std::vector<const tb_sparse_kernels*> tables() {
  std::vector<const tb_sparse_kernels*> found;
  for (const char* isa : {"scalar", "sse2", "avx2", "avx512"}) {
    if (const tb_sparse_kernels* table = tb_sparse_kernels_for(isa)) found.push_back(table);
  }
  return found;
}

inline bool fuses(const tb_sparse_kernels& table) { return std::string(table.isa).starts_with("avx"); }

inline constexpr std::int32_t all_dtypes[] = {TB_BOOL, TB_U8,  TB_I8,   TB_I16, TB_I32,
                                              TB_I64,  TB_F16, TB_BF16, TB_F32, TB_F64};
inline constexpr std::int32_t index_types[] = {TB_I32, TB_I64};

inline std::size_t size_of(std::int32_t dtype) {
  switch (dtype) {
    case TB_BOOL:
    case TB_U8:
    case TB_I8: return 1;
    case TB_I16:
    case TB_F16:
    case TB_BF16: return 2;
    case TB_I32:
    case TB_F32: return 4;
    default: return 8;
  }
}

// Elements of a dtype in memory of exactly their size, so that a sanitizer sees accesses past them.
class array {
 public:
  array(std::int32_t dtype, std::int64_t count)
      : dtype_(dtype), bytes_(static_cast<std::size_t>(count) * size_of(dtype)) {}
  template <class Range>
    requires requires(const Range& range) { range.size(); }
  array(std::int32_t dtype, const Range& numbers) : array(dtype, static_cast<std::int64_t>(numbers.size())) {
    std::int64_t i = 0;
    for (const auto x : numbers) set(i++, static_cast<double>(x));
  }

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  std::int32_t dtype() const { return dtype_; }
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size() / size_of(dtype_)); }

  // Integers wrap; half precision is rounded from float.
  void set(std::int64_t i, double x) {
    switch (dtype_) {
      case TB_BOOL: return put<std::uint8_t>(i, x != 0);
      case TB_U8:
      case TB_I8: return put(i, static_cast<std::uint8_t>(static_cast<std::int64_t>(x)));
      case TB_I16: return put(i, static_cast<std::uint16_t>(static_cast<std::int64_t>(x)));
      case TB_I32: return put(i, static_cast<std::uint32_t>(static_cast<std::int64_t>(x)));
      case TB_I64: return put(i, static_cast<std::int64_t>(x));
      case TB_F16: return put(i, tb_kernel::to_half(static_cast<float>(x)).bits);
      case TB_BF16: return put(i, tb_kernel::to_bfloat16(static_cast<float>(x)).bits);
      case TB_F32: return put(i, static_cast<float>(x));
      default: return put(i, x);
    }
  }
  double operator[](std::int64_t i) const {
    switch (dtype_) {
      case TB_BOOL:
      case TB_U8: return get<std::uint8_t>(i);
      case TB_I8: return get<std::int8_t>(i);
      case TB_I16: return get<std::int16_t>(i);
      case TB_I32: return get<std::int32_t>(i);
      case TB_I64: return static_cast<double>(get<std::int64_t>(i));
      case TB_F16: return tb_kernel::to_float(tb_kernel::half{get<std::uint16_t>(i)});
      case TB_BF16: return tb_kernel::to_float(tb_kernel::bfloat16{get<std::uint16_t>(i)});
      case TB_F32: return get<float>(i);
      default: return get<double>(i);
    }
  }
  // As bits, with which NaN equals itself and 0 does not equal -0.
  bool operator==(const array&) const = default;

 private:
  template <class T>
  void put(std::int64_t i, T x) {
    std::memcpy(bytes_.data() + static_cast<std::size_t>(i) * sizeof x, &x, sizeof x);
  }
  template <class T>
  T get(std::int64_t i) const {
    T x;
    std::memcpy(&x, bytes_.data() + static_cast<std::size_t>(i) * sizeof x, sizeof x);
    return x;
  }

  std::int32_t dtype_;
  std::vector<unsigned char> bytes_;
};

using ints = std::vector<std::int64_t>;

// Small integers.
inline array random_array(std::int32_t dtype, std::int64_t count, std::mt19937& random) {
  array result(dtype, count);
  for (std::int64_t i = 0; i < count; ++i) result.set(i, static_cast<double>(random() % 7) - 3);
  return result;
}

// A matrix in CSR format, in arrays of both index types.
struct csr {
  std::int64_t rows, columns;
  ints compressed{0}, plain;
  array compressed_32{TB_I32, 0}, plain_32{TB_I32, 0};

  csr(std::int64_t row_count, std::int64_t column_count) : rows(row_count), columns(column_count) {}

  std::int64_t nnz() const { return static_cast<std::int64_t>(plain.size()); }
  void end_row() { compressed.push_back(nnz()); }
  tb_csr view(std::int32_t index) {
    compressed_32 = array(TB_I32, compressed);
    plain_32 = array(TB_I32, plain);
    const bool narrow = index == TB_I32;
    return {.compressed = narrow ? compressed_32.data() : compressed.data(),
            .plain = narrow ? plain_32.data() : plain.data(),
            .rows = rows,
            .columns = columns,
            .nnz = nnz(),
            .index = index,
            .reserved = 0};
  }
  // The entry at a place, or -1.
  std::int64_t find(std::int64_t row, std::int64_t column) const {
    for (std::int64_t e = compressed[static_cast<std::size_t>(row)]; e < compressed[static_cast<std::size_t>(row + 1)];
         ++e) {
      if (plain[static_cast<std::size_t>(e)] == column) return e;
    }
    return -1;
  }
  template <class F>
  void each(F f) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t e = compressed[static_cast<std::size_t>(row)];
           e < compressed[static_cast<std::size_t>(row + 1)]; ++e) {
        f(row, plain[static_cast<std::size_t>(e)], e);
      }
    }
  }
};

// Rows of very different lengths, many of them empty.
inline csr random_csr(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  csr result(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint32_t density = std::uint32_t(1) << random() % 8;
    for (std::int64_t c = 0; c < columns; ++c) {
      if (random() % 128 < density - 1) result.plain.push_back(c);
    }
    result.end_row();
  }
  return result;
}

// Calls run(begin, end) over [0, count) in `parts` ranges, the last one first.
template <class F>
void in_parts(std::int64_t count, std::int64_t parts, F run) {
  for (std::int64_t i = parts; i-- > 0;) run(count * i / parts, count * (i + 1) / parts);
}

// Memory of the alignment that kernels want.
class workspace {
 public:
  explicit workspace(std::size_t bytes) : bytes_(bytes), memory_(bytes + 64) {}
  void* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::vector<unsigned char> memory_;
};

// counts[i] entries in row i: where each row begins.
inline ints offsets_of(const ints& counts) {
  ints result{0};
  for (const std::int64_t count : counts) result.push_back(result.back() + count);
  return result;
}

}  // namespace sparse_tests
