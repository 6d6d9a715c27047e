// The interface of row operation loops, and their lookup by operation code. rowwise.cpp makes rows dense for the loops.
#pragma once

#include <atomic>

#include "elementwise/for_each_row.h"
#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// Rows of a batch with a constant pitch, in the compute type, indices in I64; null for an omitted operand. Rows are
// dense, except for `as_is` operands and interleaved rows.
struct rows_at {
  void* row[TB_MAX_ROWS];  // the first row of each operand
  int64_t length[TB_MAX_ROWS];
  int64_t step[TB_MAX_ROWS];   // between elements of a row, in elements
  int64_t pitch[TB_MAX_ROWS];  // between rows, in elements; 0: broadcast
  int64_t count;               // number of rows; 1 unless the loop takes many
  const tb_scalar* number;
  void* work;
  bool streams;                // the operands exceed the cache: the loop should write past it
  std::atomic<bool>* refused;  // set by a loop that checks indices itself

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

// A loop and its requirements on operands. Sets of operands are bit masks.
struct rows_loop {
  rows_fn run = nullptr;
  rows_fn across = nullptr;  // for interleaved rows: pitches are 1, steps arbitrary
  bool many = false;         // `run` takes any number of rows
  int64_t least_rows = 1;    // fewer are not worth a task
  int64_t columns = 16;      // that `across` processes at once: as many, if there are enough, for a task
  uint32_t shared = 0;       // operands that `across` needs broadcast, with pitch 0
  uint32_t whole = 0;        // I64 operands, whatever the compute type
  uint32_t as_is = 0;        // neither converted nor made dense
  uint32_t updated = 0;      // written operands whose previous elements are read
  int64_t work_bytes = 0;    // scratch bytes per element of the longest row
  int index = -1;            // the operand whose elements are checked as indices into the row of operand `range`
  int range = -1;
  bool streams = false;  // `run` treats operands that exceed the cache in another way
  bool ignores = false;  // indices equal to number[0].i are not checked
  bool checks = false;   // `run` and `across` check the indices themselves, and access nothing outside
};

// Null loops for operations of another source file, and for unsupported compute types.
rows_loop softmax_rows(const tb_rowwise& call);
rows_loop scan_rows(const tb_rowwise& call);
rows_loop sort_rows(const tb_rowwise& call);
rows_loop select_rows(const tb_rowwise& call);
rows_loop count_rows(const tb_rowwise& call);
rows_loop compress_rows(const tb_rowwise& call);
rows_loop search_rows(const tb_rowwise& call);
rows_loop index_rows(const tb_rowwise& call);
rows_loop layer_norm(const tb_rowwise& call);
rows_loop loss_rows(const tb_rowwise& call);
rows_loop distance_rows(const tb_rowwise& call);

// Reductions of bags of rows, which are not batched.
tb_status reduce_bags(const tb_rowwise& call);

namespace {

inline rows_fn by_float(const tb_rowwise& call, rows_fn f32, rows_fn f64) {
  return call.compute == TB_F32 ? f32 : call.compute == TB_F64 ? f64 : nullptr;
}
inline rows_fn by_number(const tb_rowwise& call, rows_fn boolean, rows_fn integer, rows_fn f32, rows_fn f64) {
  return call.compute == TB_BOOL ? boolean : call.compute == TB_I64 ? integer : by_float(call, f32, f64);
}
// The loop that moves elements of this dtype as integers of their size.
template <typename F>
F by_bytes(int32_t dtype, F one, F two, F four, F eight) {
  switch (element_bytes[dtype]) {
    case 1: return one;
    case 2: return two;
    case 4: return four;
    default: return eight;
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
