// Row kernel calls for tests: operands with any stride and step, and runs with several thread counts.
#pragma once

#include "support.h"

namespace kernel_tests {

struct rows_operand {
  const void* data;
  std::int64_t length, stride, step;  // stride: between rows of the batch
  std::int32_t dtype;
};

// One batch dimension; the first `written` operands are outputs.
template <typename T>
tb_rowwise rows_call(tb_rowwise_op op, std::int64_t rows, int written, std::initializer_list<rows_operand> operands) {
  tb_rowwise call{};
  call.op = op;
  call.compute = dtype_of<T>;
  call.ndim = 1;
  call.sizes[0] = rows;
  for (const rows_operand& o : operands) {
    tb_row_operand& row = call.row[call.operands];
    row.data = const_cast<void*>(o.data);
    row.length = o.length;
    row.strides[0] = o.stride;
    row.step = o.step;
    row.dtype = o.dtype;
    row.written = call.operands < written ? 1 : 0;
    ++call.operands;
  }
  return call;
}

// Storage of the rows of a matrix: contiguous rows, or rows interleaved with a step.
struct lie {
  std::int64_t stride, step;
  std::int64_t at(std::int64_t row, std::int64_t i) const { return row * stride + i * step; }
};
inline lie behind(std::int64_t length) { return {length, 1}; }
inline lie beside(std::int64_t rows) { return {1, rows}; }

template <typename T>
rows_operand matrix(const array<T>& data, std::int64_t length, lie how) {
  return {data.seen_by_kernel(), length, how.stride, how.step, dtype_of<T>};
}
template <typename T>
rows_operand number_of_row(const array<T>& data) {
  return {data.seen_by_kernel(), 1, 1, 1, dtype_of<T>};
}
// One row shared by the whole batch; `given` false: no operand.
template <typename T>
rows_operand shared_row(const array<T>& data, std::int64_t length, bool given = true) {
  if (!given) return {nullptr, 0, 0, 0, 0};
  return {data.seen_by_kernel(), length, 0, 1, dtype_of<T>};
}

// Runs with 1, 2, 3 and 5 threads; empty if the results are bitwise equal.
template <typename T>
std::string same_on_threads(const array<T>& out, const std::function<void()>& compute) {
  std::vector<T> first;
  for (const std::int32_t count : {1, 2, 3, 5}) {
    const with_threads now(count);
    std::fill(out.begin(), out.end(), T(7));
    compute();
    if (count == 1) first.assign(out.begin(), out.end());
    if (std::memcmp(first.data(), out.begin(), first.size() * sizeof(T)) != 0) {
      return std::to_string(count) + " threads compute something else than one";
    }
  }
  return "";
}

}  // namespace kernel_tests
