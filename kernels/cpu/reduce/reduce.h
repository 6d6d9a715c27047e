// The interface of reducers, and their lookup by operation code. A reducer sees dense blocks of the compute type;
// reduce.cpp iterates over the plan and converts operands of any dtype and stride for it.
//
// Elements are reduced along a row, or across rows, for a tile of neighbouring results (columns) at once.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

constexpr int64_t tile = 512;
constexpr int64_t most_few_rows = 32;

// Storage for a reducer's state for each column of a tile.
struct alignas(64) reducer_state {
  unsigned char bytes[tile * 32];
};

// Storage for the partial result of one column.
struct alignas(64) reducer_record {
  unsigned char bytes[32];
};

struct reducer {
  int32_t result = 0;  // the type that finish writes
  // `constant` has a number for each of n columns: the result of the first reducer, or the operation's n0.
  void (*start)(void* state, int64_t n, const double* constant) = nullptr;
  // Accumulates `count` elements in column 0; the first has index `first` within the reduced dimensions.
  void (*along)(void* state, const void* elements, int64_t count, int64_t first) = nullptr;
  // Accumulates rows of n columns; rows are `step` elements apart.
  void (*across)(void* state, const void* elements, int64_t n, int64_t rows, int64_t step, int64_t first) = nullptr;
  // put_aside saves the partial result of column 0 in a record; take_in merges a record into column 0, as elements that
  // come later. So the parts of a long reduction can be reduced independently.
  void (*put_aside)(const void* state, reducer_record* to) = nullptr;
  void (*take_in)(void* state, const reducer_record* from) = nullptr;
  // `count` is the number of reduced elements; `index` is for reducers that return an index.
  void (*finish)(void* state, int64_t n, int64_t count, const tb_scalar* number, void* out, int64_t* index) = nullptr;
  // Reduces each of n dense rows of `count` elements by itself, as start, along and finish do, but in one call; rows
  // are `step` elements apart. Null for reducers that return an index.
  void (*rows)(const void* elements, int64_t n, int64_t step, int64_t count, const tb_scalar* number,
               void* out) = nullptr;
  // Reduces each of n columns of at most most_few_rows rows by itself, as start, across and finish do, but in one call.
  // Null for reducers that return an index.
  void (*few_rows)(const void* elements, int64_t n, int64_t rows, int64_t step, const tb_scalar* number,
                   void* out) = nullptr;
  // As along, for F16 and BF16 elements; null: they are converted to F32 in a buffer first.
  void (*along_f16)(void* state, const void* elements, int64_t count, int64_t first) = nullptr;
  void (*along_bf16)(void* state, const void* elements, int64_t count, int64_t first) = nullptr;
};

// An operation as one reducer, or as two passes: the F64 results of the first are the constants of the second.
struct reducers {
  reducer first, second;
  bool indexed = false;  // operand[1] is the index
};

// Reducers with null functions for operations of the other source file, and for unsupported ones.
reducers sum_reducers(int32_t op, int32_t compute, const tb_scalar* number);
reducers minmax_reducers(int32_t op, int32_t compute);
// The maximum as F64, and the maximum or minimum of absolute values, of F32 or F64.
reducer greatest_as_double(int32_t compute);
reducer magnitude_reducer(int32_t compute, bool greatest);

}  // namespace tb_cpu::TOPBIT_ARCH
