// How reductions fold elements, and how a fold is found. A fold sees dense blocks of the type of the computation;
// reduce.cpp walks the plan and brings operands of any dtype and stride into that form.
//
// Elements are folded along a row, or across the columns of a tile: neighbouring positions of the result side by side.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

constexpr int64_t tile = 512;

// What a fold keeps for each column of a tile.
struct alignas(64) reducer_state {
  unsigned char bytes[tile * 32];
};

// What was folded of one column, kept apart.
struct alignas(64) reducer_record {
  unsigned char bytes[32];
};

struct reducer {
  int32_t result = 0;  // the type of what finish writes
  // `constant` has a number for each of n columns: what an earlier fold found, or the operation's n0.
  void (*start)(void* state, int64_t n, const double* constant) = nullptr;
  // Takes in count elements of column 0, which are the first-th and those after it of all that are reduced.
  void (*along)(void* state, const void* elements, int64_t count, int64_t first) = nullptr;
  // Takes in rows of n columns, `step` elements from one row to the next.
  void (*across)(void* state, const void* elements, int64_t n, int64_t rows, int64_t step, int64_t first) = nullptr;
  // What column 0 has is put into a record; and taken in, after what the column has already. So the parts of a long
  // reduction are folded apart.
  void (*put_aside)(const void* state, reducer_record* to) = nullptr;
  void (*take_in)(void* state, const reducer_record* from) = nullptr;
  // `count` is the number of all that were reduced; index is for folds that find a value and its place.
  void (*finish)(void* state, int64_t n, int64_t count, const tb_scalar* number, void* out, int64_t* index) = nullptr;
};

// An operation as one fold over all elements, or as two: the results of the first, F64, are the second's constants.
struct reducers {
  reducer first, second;
  bool indexed = false;  // operand[1] is the index
};

// Folds without functions for what the other source has, and for what there is not.
reducers sum_reducers(int32_t op, int32_t compute, const tb_scalar* number);
reducers minmax_reducers(int32_t op, int32_t compute);
// Of F32 or F64: the greatest element; the greatest or least magnitude.
reducer greatest_as_double(int32_t compute);
reducer magnitude_reducer(int32_t compute, bool greatest);

}  // namespace tb_cpu::TOPBIT_ARCH
