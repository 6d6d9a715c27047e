// Operations on rows as their loops see them, and how a loop is found. rowwise.cpp brings rows into that form.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// Rows of a batch that lie evenly apart, in the type of the computation, indices I64; a null row was not given. Rows
// are dense, but for those taken as they are and for rows side by side.
struct rows_at {
  void* row[TB_MAX_ROWS];  // the first of each
  int64_t length[TB_MAX_ROWS];
  int64_t step[TB_MAX_ROWS];   // in elements
  int64_t pitch[TB_MAX_ROWS];  // in elements, from a row to the next; 0 repeats it
  int64_t count;               // of rows: 1, but for loops that take many
  const tb_scalar* number;
  void* work;

  template <typename T>
  T* as(int k) const {
    return static_cast<T*>(row[k]);
  }
  template <typename T>
  T* as(int k, int64_t i) const {
    return static_cast<T*>(row[k]) + i * pitch[k];
  }
};
using rows_fn = void (*)(const rows_at&);

constexpr uint32_t operand(int k) { return uint32_t(1) << k; }

// Sets of operands are bits.
struct rows_loop {
  rows_fn run = nullptr;
  rows_fn across = nullptr;  // of rows side by side: pitches are 1, and steps any
  bool many = false;         // `run` takes any count of rows
  uint32_t shared = 0;       // by rows side by side: pitches are 0
  uint32_t whole = 0;        // I64 whatever is computed
  uint32_t as_is = 0;        // neither converted nor made dense
  uint32_t updated = 0;      // written ones whose old elements count
  int64_t work_bytes = 0;    // for each element of the longest row
  int index = -1;            // the operand whose elements are checked to be indices into `range`
  int range = -1;
  bool ignores = false;  // but for number[0].i
};

// Null loops for codes of another source, and for types that the operation has no loop for.
rows_loop softmax_rows(const tb_rowwise& call);
rows_loop scan_rows(const tb_rowwise& call);
rows_loop sort_rows(const tb_rowwise& call);
rows_loop search_rows(const tb_rowwise& call);
rows_loop index_rows(const tb_rowwise& call);
rows_loop layer_norm(const tb_rowwise& call);
rows_loop loss_rows(const tb_rowwise& call);

namespace {

inline rows_fn by_float(const tb_rowwise& call, rows_fn f32, rows_fn f64) {
  return call.compute == TB_F32 ? f32 : call.compute == TB_F64 ? f64 : nullptr;
}
inline rows_fn by_number(const tb_rowwise& call, rows_fn boolean, rows_fn integer, rows_fn f32, rows_fn f64) {
  return call.compute == TB_BOOL ? boolean : call.compute == TB_I64 ? integer : by_float(call, f32, f64);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
