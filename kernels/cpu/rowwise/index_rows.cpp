// Gather and scatter along a row. Elements that are only moved are copied as integers of the same size.
#include <type_traits>

#include "elementwise/for_each_row.h"
#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename Bytes>
void gather(const rows_at& r) {
  Bytes* const out = r.as<Bytes>(0);
  const Bytes* const in = r.as<const Bytes>(1);
  const int64_t* const index = r.as<const int64_t>(2);
  for (int64_t i = 0; i < r.length[0]; ++i) out[i * r.step[0]] = in[index[i] * r.step[1]];
}

template <typename Bytes>
void scatter(const rows_at& r) {
  Bytes* const out = r.as<Bytes>(0);
  const Bytes* const source = r.as<const Bytes>(1);
  const int64_t* const index = r.as<const int64_t>(2);
  for (int64_t i = 0; i < r.length[2]; ++i) out[index[i] * r.step[0]] = source[i * r.step[1]];
}

// The sum of bools is their or. int64_t wraps by unsigned arithmetic, as signed overflow is undefined.
struct sum {
  static uint8_t of(uint8_t a, uint8_t b) { return a | b; }
  static int64_t of(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
  template <typename T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct product {
  static uint8_t of(uint8_t a, uint8_t b) { return a & b; }
  static int64_t of(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
  template <typename T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct greatest {
  template <typename T>
  static T of(T a, T b) {
    return b > a || b != b ? b : a;
  }
};
struct least {
  template <typename T>
  static T of(T a, T b) {
    return b < a || b != b ? b : a;
  }
};

template <typename Fold, typename T>
void scatter_reduce(const rows_at& r) {
  T* const out = r.as<T>(0);
  const T* const source = r.as<const T>(1);
  const int64_t* const index = r.as<const int64_t>(2);
  for (int64_t i = 0; i < r.length[2]; ++i) {
    T& to = out[index[i]];
    to = Fold::of(to, source[i]);
  }
}

template <typename Fold>
rows_loop scattering(const tb_rowwise& call) {
  return {.run = by_number(call, scatter_reduce<Fold, uint8_t>, scatter_reduce<Fold, int64_t>,
                           scatter_reduce<Fold, float>, scatter_reduce<Fold, double>),
          .whole = operand(2),
          .updated = operand(0),
          .index = 2,
          .range = 0};
}

void check_only(const rows_at&) {}

rows_fn by_bytes(const tb_rowwise& call, rows_fn one, rows_fn two, rows_fn four, rows_fn eight) {
  switch (element_bytes[call.row[0].dtype]) {
    case 1: return one;
    case 2: return two;
    case 4: return four;
    default: return eight;
  }
}

}  // namespace

rows_loop index_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_GATHER:
      return {.run = by_bytes(call, gather<uint8_t>, gather<uint16_t>, gather<uint32_t>, gather<uint64_t>),
              .whole = operand(2),
              .as_is = operand(0) | operand(1),
              .index = 2,
              .range = 1};
    case TB_SCATTER:
      return {.run = by_bytes(call, scatter<uint8_t>, scatter<uint16_t>, scatter<uint32_t>, scatter<uint64_t>),
              .whole = operand(2),
              .as_is = operand(0) | operand(1),
              .index = 2,
              .range = 0};
    case TB_SCATTER_ADD: return scattering<sum>(call);
    case TB_SCATTER_MUL: return scattering<product>(call);
    case TB_SCATTER_AMAX: return scattering<greatest>(call);
    case TB_SCATTER_AMIN: return scattering<least>(call);
    case TB_CHECK_INDEX: return {.run = check_only, .as_is = operand(0) | operand(1), .index = 0, .range = 1};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
