// Scatter reductions along rows: sum, product, maximum, minimum.
//
// Elements are combined by atomic operations in the compute type. Rows of another dtype are accumulated in a
// temporary of that type, so that reduced precision is rounded once. In deterministic mode, order-dependent float
// reductions use one thread per row.
#include <string.h>

#include "rowwise/index_rows.cuh"

namespace tb_cuda {
namespace {

template <typename A>
using word_of = std::conditional_t<sizeof(A) == 4, unsigned, unsigned long long>;

template <typename A, typename Fold>
__device__ void reduce_into(A* at, A value) {
  using word = word_of<A>;
  word old;
  memcpy(&old, at, sizeof old);
  for (;;) {
    A before;
    memcpy(&before, &old, sizeof old);
    const A after = Fold::of(before, value);
    word wanted;
    memcpy(&wanted, &after, sizeof wanted);
    if (wanted == old) return;
    const word seen = atomicCAS(reinterpret_cast<word*>(at), old, wanted);
    if (seen == old) return;
    old = seen;
  }
}

// BOOL accumulates as int64_t: the sum is nonzero if any element is.
struct sum {
  static constexpr bool ordered = true;  // float results depend on the order
  template <typename A>
  static __device__ A of(A a, A b) {
    if constexpr (std::is_same_v<A, int64_t>)
      return int64_t(uint64_t(a) + uint64_t(b));
    else
      return a + b;
  }
  template <typename A>
  static __device__ void into(A* at, A value) {
    if constexpr (std::is_same_v<A, int64_t>) {
      atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
    } else {
      atomicAdd(at, value);
    }
  }
};
struct product {
  static constexpr bool ordered = true;
  template <typename A>
  static __device__ A of(A a, A b) {
    if constexpr (std::is_same_v<A, int64_t>)
      return int64_t(uint64_t(a) * uint64_t(b));
    else
      return a * b;
  }
  template <typename A>
  static __device__ void into(A* at, A value) {
    reduce_into<A, product>(at, value);
  }
};
// NaN propagates.
struct greatest {
  static constexpr bool ordered = false;
  template <typename A>
  static __device__ A of(A a, A b) {
    return b > a || b != b ? b : a;
  }
  template <typename A>
  static __device__ void into(A* at, A value) {
    reduce_into<A, greatest>(at, value);
  }
};
struct least {
  static constexpr bool ordered = false;
  template <typename A>
  static __device__ A of(A a, A b) {
    return b < a || b != b ? b : a;
  }
  template <typename A>
  static __device__ void into(A* at, A value) {
    reduce_into<A, least>(at, value);
  }
};

// A source element; BOOL is 0 or 1.
template <typename A, bool Bool>
__device__ A source_at(const row_data& row, int64_t at) {
  if constexpr (Bool)
    return A(row.get<bool_t>(at, 0));
  else
    return row.get<A>(at, 0);
}

template <typename A, bool Bool, typename Fold, bool Atomic>
struct reduce_in {
  A* out;
  row_data source;
  int64_t step;

  __device__ void operator()(int64_t row, int64_t i, int64_t from) const {
    A* const to = out + row + i * step;
    const A value = source_at<A, Bool>(source, from);
    if constexpr (Atomic)
      Fold::into(to, value);
    else
      *to = Fold::of(*to, value);
  }
};

// Copies rows to the temporary and back. Operand 0 of `element_offsets` is the row, operand 1 the temporary.
template <typename A, bool Bool>
__global__ void copy_rows(offsets<3> element_offsets, row_data row, A* copy, bool back) {
  for (int64_t e = first_index(); e < element_offsets.count; e += index_step()) {
    int64_t at[3];
    element_offsets.at(e, at);
    if (back)
      row.put(at[0], 0, copy[at[1]]);
    else
      copy[at[1]] = source_at<A, Bool>(row, at[0]);
  }
}

template <typename A, bool Bool, typename Fold>
tb_status reduce_rows(tb_rowwise call, const scope& on) {
  const int64_t range = call.row[0].length;
  const bool direct = call.row[0].dtype == (std::is_same_v<A, float>    ? TB_F32
                                            : std::is_same_v<A, double> ? TB_F64
                                                                        : TB_I64);
  const row_data result(call.row[0]);
  index_dims copied;
  int64_t elements = range;
  if (!direct) {
    copied.add(range, call.row[0].step, 1, 0);
    for (int d = 0; d < call.ndim; ++d) {
      if (call.row[0].strides[d] == 0) continue;
      copied.add(call.sizes[d], call.row[0].strides[d], elements, 0);
      call.row[0].strides[d] = elements;
      elements *= call.sizes[d];
    }
    call.row[0].step = 1;
  }
  const offsets<3> copied_offsets = copied.made();
  const temporary copy(on, direct ? 0 : uint64_t(elements) * sizeof(A));
  if (copy.status() != TB_OK) return copy.status();
  A* const out = direct ? static_cast<A*>(result.data) : copy.as<A>();
  tb_status status = TB_OK;
  const bool copies = !direct && elements > 0;
  if (copies) status = launch_over(on, "scatter", elements, copy_rows<A, Bool>, copied_offsets, result, out, false);
  if (status != TB_OK) return status;
  const bool in_order = Fold::ordered && !std::is_same_v<A, int64_t> && deterministic();
  const row_data source(call.row[1]);
  const int64_t step = call.row[0].step;
  status = scatter_rows(call, on, in_order, reduce_in<A, Bool, Fold, true>{out, source, step},
                        reduce_in<A, Bool, Fold, false>{out, source, step});
  if (status != TB_OK || !copies) return status;
  return launch_over(on, "scatter", elements, copy_rows<A, Bool>, copied_offsets, result, out, true);
}

template <typename Fold>
tb_status by_compute(const tb_rowwise& call, const scope& on) {
  switch (call.compute) {
    case TB_BOOL: return reduce_rows<int64_t, true, Fold>(call, on);
    case TB_I64: return reduce_rows<int64_t, false, Fold>(call, on);
    case TB_F32: return reduce_rows<float, false, Fold>(call, on);
    case TB_F64: return reduce_rows<double, false, Fold>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace

tb_status scatter_reduce(const tb_rowwise& call, const scope& on) {
  switch (call.op) {
    case TB_SCATTER_ADD: return by_compute<sum>(call, on);
    case TB_SCATTER_MUL: return by_compute<product>(call, on);
    case TB_SCATTER_AMAX: return by_compute<greatest>(call, on);
    case TB_SCATTER_AMIN: return by_compute<least>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
