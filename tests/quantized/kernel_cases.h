// Common code of the tests of quantized kernels: the tables of this processor, random weights, and what their elements
// are, by definition.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "half.h"
#include "quantized_kernels.h"
#include "support/scale.h"

namespace quantized_tests {

inline std::vector<const tb_quantized_kernels*> tables() {
  std::vector<const tb_quantized_kernels*> all;
  for (const char* isa : {"scalar", "sse2", "avx2", "avx512bw", "avx512"}) {
    const tb_quantized_kernels* const table = tb_quantized_kernels_for(isa);
    if (table != nullptr && std::ranges::find(all, table) == all.end()) all.push_back(table);
  }
  return all;
}

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint32_t bits() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n)); }
  float unit() { return static_cast<float>(static_cast<std::int32_t>(bits())) * 0x1p-31f; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<std::int64_t>(all.size()))];
  }

 private:
  std::uint64_t state_;
};

// Numbers of one of the floating-point types, as the kernels take them.
struct numbers {
  std::int32_t dtype = TB_F32;
  std::vector<unsigned char> bytes;

  numbers() = default;
  numbers(std::int32_t type, std::int64_t count) : dtype(type), bytes(static_cast<std::size_t>(count * size())) {}
  std::int64_t size() const { return dtype == TB_F64 ? 8 : dtype == TB_F32 ? 4 : 2; }
  void set(std::int64_t i, double x) {
    unsigned char* const to = bytes.data() + i * size();
    const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
    switch (dtype) {
      case TB_F64: return put(x);
      case TB_F32: return put(static_cast<float>(x));
      case TB_F16: return put(tb_kernel::to_half(static_cast<float>(x)));
      default: return put(tb_kernel::to_bfloat16(static_cast<float>(x)));
    }
  }
  double get(std::int64_t i) const {
    const unsigned char* const from = bytes.data() + i * size();
    const auto as = [&]<class T>(T value) {
      std::memcpy(&value, from, sizeof value);
      return value;
    };
    switch (dtype) {
      case TB_F64: return as(double{});
      case TB_F32: return double{as(float{})};
      case TB_F16: return double{to_float(as(tb_kernel::half{}))};
      default: return double{to_float(as(tb_kernel::bfloat16{}))};
    }
  }
};

// What describes a matrix of codes.
struct form {
  std::int64_t rows = 1, columns = 1, group = 1, scale_rows = 1;
  int bits = 8;
  std::int32_t offset = TB_OFFSET_NONE;
  std::int32_t scale_dtype = TB_F32;
};

inline std::string text(const form& f) {
  return "rows " + std::to_string(f.rows) + " columns " + std::to_string(f.columns) + " group " +
         std::to_string(f.group) + " scale_rows " + std::to_string(f.scale_rows) + " bits " + std::to_string(f.bits) +
         " offset " + std::to_string(f.offset) + " scales " + std::to_string(f.scale_dtype);
}

// A matrix of random codes. Rows are some bytes apart, and there is nothing behind the last one.
struct weights {
  form how;
  std::int64_t groups, row_bytes;
  std::vector<unsigned char> codes;
  numbers scales, offsets;
  std::vector<std::int32_t> zero_points;

  weights(const form& f, random_numbers& random)
      : how(f),
        groups((f.columns + f.group - 1) / f.group),
        row_bytes((f.bits == 8 ? f.columns : (f.columns + 1) / 2) + random.below(3)),
        codes(static_cast<std::size_t>((f.rows - 1) * row_bytes + (f.bits == 8 ? f.columns : (f.columns + 1) / 2))),
        scales(f.scale_dtype, f.scale_rows * groups),
        offsets(f.scale_dtype, f.scale_rows * groups),
        zero_points(static_cast<std::size_t>(f.scale_rows * groups)) {
    for (unsigned char& c : codes) c = static_cast<unsigned char>(random.bits() >> 24);
    for (std::int64_t g = 0; g < f.scale_rows * groups; ++g) {
      scales.set(g, 0.01 + 0.02 * std::fabs(random.unit()));
      offsets.set(g, 0.1 * random.unit());
      zero_points[static_cast<std::size_t>(g)] =
          static_cast<std::int32_t>(f.bits == 8 ? random.below(256) - 128 : random.below(16));
    }
  }

  tb_quantized described() {
    tb_quantized w{};
    w.codes = codes.data();
    w.scales = scales.bytes.data();
    w.rows = how.rows;
    w.columns = how.columns;
    w.row_bytes = row_bytes;
    w.group = how.group;
    w.scale_rows = how.scale_rows;
    w.bits = how.bits;
    w.scale_dtype = how.scale_dtype;
    w.offset = how.offset;
    if (how.offset == TB_OFFSET_ZERO_POINT) {
      w.offsets = zero_points.data();
      w.offset_dtype = TB_I32;
    } else if (how.offset == TB_OFFSET_MINIMUM) {
      w.offsets = offsets.bytes.data();
      w.offset_dtype = how.scale_dtype;
    }
    return w;
  }

  std::int64_t parameter(std::int64_t row, std::int64_t column) const {
    return row % how.scale_rows * groups + column / how.group;
  }
  int code(std::int64_t row, std::int64_t column) const {
    const std::int64_t at = row * row_bytes + (how.bits == 8 ? column : column / 2);
    const int byte = codes[static_cast<std::size_t>(at)];
    if (how.bits == 4) return byte >> (column % 2 * 4) & 15;
    return byte < 128 ? byte : byte - 256;
  }
  int zero_point(std::int64_t row, std::int64_t column) const {
    if (how.offset == TB_OFFSET_ZERO_POINT) return zero_points[static_cast<std::size_t>(parameter(row, column))];
    return how.offset == TB_OFFSET_NONE && how.bits == 4 ? 8 : 0;
  }
  // By definition, computed in T.
  template <class T>
  T value(std::int64_t row, std::int64_t column) const {
    const T scale = static_cast<T>(scales.get(parameter(row, column)));
    if (how.offset == TB_OFFSET_MINIMUM) {
      const T product = static_cast<T>(code(row, column)) * scale;
      return product + static_cast<T>(offsets.get(parameter(row, column)));
    }
    return static_cast<T>(code(row, column) - zero_point(row, column)) * scale;
  }
};

inline form random_form(random_numbers& random, std::int64_t most_rows, std::int64_t most_columns) {
  form f;
  f.rows = 1 + random.below(most_rows);
  f.columns = 1 + random.below(most_columns);
  f.bits = random.one_of({8, 4});
  f.group = random.one_of<std::int64_t>({32, 32, 64, 128, 256, 48, 1, 3, f.columns, 100000});
  f.scale_rows = random.one_of<std::int64_t>({1, f.rows, f.rows, 1 + random.below(f.rows)});
  f.offset = random.one_of({TB_OFFSET_NONE, TB_OFFSET_ZERO_POINT, TB_OFFSET_MINIMUM});
  f.scale_dtype = random.one_of({TB_F32, TB_F16, TB_BF16});
  return f;
}

// Nothing differs if the text is empty.
inline std::string difference(const numbers& found, const numbers& wanted) {
  const std::int64_t count = static_cast<std::int64_t>(wanted.bytes.size()) / wanted.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = found.get(i), b = wanted.get(i);
    if (a != b && !(std::isnan(a) && std::isnan(b))) {
      return "element " + std::to_string(i) + ": found " + std::to_string(a) + ", wanted " + std::to_string(b) + "; ";
    }
  }
  return "";
}

}  // namespace quantized_tests
