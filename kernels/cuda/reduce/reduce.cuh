// Reduction kernels and their launch. A reducer defines how an element is accumulated, how two partial results are
// joined and what is stored.
//
// If the reduced dimension is the innermost in memory, a group of lanes or a whole block reduces one result
// (reduce_rows). If results are denser than the reduced elements, neighbouring threads reduce neighbouring results
// (reduce_columns). Few long reductions are split into parts: the partial results go to memory, and a second kernel
// joins them in a fixed order, so that results are deterministic.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "reduce/block_reduce.cuh"

namespace tb_cuda {

// A reducer has: compute, the compute type; part, the partial result; identity(); take(part&, x, index, origin),
// called with increasing indices per thread; join(part, part); store(part, count, destination, offset, index
// offset). With needs_origin, origin is the first element of the reduction.
struct reduced_value {
  void* out;
  int64_t* index;
  int32_t dtype;
};

// Offsets of the elements of a reduction. Operands: the result, its index, the input.
struct reduction_space {
  offsets<3> kept;
  offsets<1> reduced;
  int64_t outputs, count;
  int64_t step;  // of the reduced dimension, if `flat`
  bool flat;     // there is one reduced dimension

  __device__ int64_t offset(int64_t i) const {
    if (flat) return i * step;
    int64_t at[1];
    reduced.at(i, at);
    return at[0];
  }
};

template <typename C, typename E>
struct typed_input {
  static constexpr bool typed = true;
  using element = E;
  const E* data;
  __device__ C at(int64_t i) const { return to_compute<C>(data[i]); }
};
template <typename C>
struct any_input {
  static constexpr bool typed = false;
  using element = C;
  const void* data;
  int32_t dtype;
  __device__ C at(int64_t i) const { return load_as<C>(data, dtype, i); }
};

// Accumulates contiguous elements, numbered from `first`: 16-byte loads between an unaligned head and a tail.
template <typename F, typename E>
__device__ void take_dense(const F& f, typename F::part& part, const E* from, int64_t first, int64_t count, int lane,
                           int width, typename F::compute origin) {
  using C = typename F::compute;
  constexpr int V = pack_of<E>, together = 4;
  const int64_t ragged = int64_t((16 - reinterpret_cast<uintptr_t>(from) % 16) % 16 / sizeof(E));
  const int64_t head = least_of(ragged, count), packs = (count - head) / V;
  for (int64_t i = lane; i < head; i += width) f.take(part, to_compute<C>(from[i]), first + i, origin);
  const row_pack<E, V>* const body = reinterpret_cast<const row_pack<E, V>*>(from + head);
  int64_t p = lane;
  for (; p + (together - 1) * int64_t(width) < packs; p += together * int64_t(width)) {
    row_pack<E, V> x[together];
#pragma unroll
    for (int u = 0; u < together; ++u) x[u] = body[p + u * int64_t(width)];
#pragma unroll
    for (int u = 0; u < together; ++u) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        f.take(part, to_compute<C>(x[u].at[v]), first + head + (p + u * int64_t(width)) * V + v, origin);
      }
    }
  }
  for (; p < packs; p += width) {
    const row_pack<E, V> x = body[p];
#pragma unroll
    for (int v = 0; v < V; ++v) f.take(part, to_compute<C>(x.at[v]), first + head + p * V + v, origin);
  }
  for (int64_t i = head + packs * V + lane; i < count; i += width) {
    f.take(part, to_compute<C>(from[i]), first + i, origin);
  }
}

// Accumulates every `step`-th element from `first` to `last` - 1.
template <typename F, typename In>
__device__ void take_apart(const F& f, typename F::part& part, const In& in, const reduction_space& space, int64_t base,
                           int64_t first, int64_t last, int64_t step, typename F::compute origin) {
  constexpr int together = In::typed ? 8 : 2;
  int64_t i = first;
  for (; i + (together - 1) * step < last; i += together * step) {
    typename F::compute x[together];
#pragma unroll
    for (int u = 0; u < together; ++u) x[u] = in.at(base + space.offset(i + u * step));
#pragma unroll
    for (int u = 0; u < together; ++u) f.take(part, x[u], i + u * step, origin);
  }
  for (; i < last; i += step) f.take(part, in.at(base + space.offset(i)), i, origin);
}

template <typename F>
struct join_parts {
  const F& f;
  __device__ typename F::part operator()(typename F::part a, typename F::part b) const { return f.join(a, b); }
};

// How a reduction is split: the number of parts, their length, and the memory of partial results.
template <typename P>
struct reduction_split {
  int64_t parts, length;
  P* aside;
};

template <typename F, typename In>
__global__ void __launch_bounds__(reduce_threads)
    reduce_rows(F f, In in, reduced_value to, reduction_space space, reduction_split<typename F::part> cut, int width) {
  const int lane = int(threadIdx.x) % width;
  const int64_t groups = reduce_threads / width, units = space.outputs * cut.parts;
  for (int64_t first = blockIdx.x * groups; first < units; first += gridDim.x * groups) {
    const int64_t unit = first + int(threadIdx.x) / width;
    const bool active = unit < units;
    const int64_t output = cut.parts == 1 ? unit : unit / cut.parts, which = unit - output * cut.parts;
    typename F::part part = f.identity();
    int64_t at[3] = {};
    if (active) {
      space.kept.at(output, at);
      const int64_t begin = which * cut.length, end = least_of(begin + cut.length, space.count);
      typename F::compute origin{};
      if constexpr (F::needs_origin) origin = in.at(at[2]);
      bool taken = false;
      if constexpr (In::typed) {
        if (space.flat && space.step == 1) {
          take_dense(f, part, in.data + at[2] + begin, begin, end - begin, lane, width, origin);
          taken = true;
        }
      }
      if (!taken) take_apart(f, part, in, space, at[2], begin + lane, end, width, origin);
    }
    part = join_group(part, width, join_parts<F>{f});
    if (!active || lane != 0) continue;
    if (cut.parts == 1) {
      f.store(part, space.count, to, at[0], at[1]);
    } else {
      cut.aside[unit] = part;
    }
  }
}

// A block reduces `columns` neighbouring results, a power of two; the threads of a column share its elements.
template <typename F, typename In>
__global__ void __launch_bounds__(reduce_threads) reduce_columns(F f, In in, reduced_value to, reduction_space space,
                                                                 reduction_split<typename F::part> cut, int columns) {
  using part_type = typename F::part;
  part_type* const shared = dynamic_shared<part_type>();
  const int column = int(threadIdx.x) % columns, row = int(threadIdx.x) / columns, rows = reduce_threads / columns;
  const int64_t begin = blockIdx.y * cut.length, end = least_of(begin + cut.length, space.count);
  for (int64_t first = int64_t(blockIdx.x) * columns; first < space.outputs; first += int64_t(gridDim.x) * columns) {
    const int64_t output = first + column;
    const bool active = output < space.outputs;
    part_type part = f.identity();
    int64_t at[3] = {};
    if (active) {
      space.kept.at(output, at);
      typename F::compute origin{};
      if constexpr (F::needs_origin) origin = in.at(at[2]);
      take_apart(f, part, in, space, at[2], begin + row, end, rows, origin);
    }
    for (int half = rows / 2; half > 0; half /= 2) {
      __syncthreads();
      if (row >= half && row < 2 * half) shared[threadIdx.x] = part;
      __syncthreads();
      if (row < half) part = f.join(part, shared[threadIdx.x + half * columns]);
    }
    if (!active || row != 0) continue;
    if (cut.parts == 1) {
      f.store(part, space.count, to, at[0], at[1]);
    } else {
      cut.aside[blockIdx.y * space.outputs + output] = part;
    }
  }
}

template <typename F>
__global__ void __launch_bounds__(reduce_threads)
    join_aside(F f, reduced_value to, reduction_space space, reduction_split<typename F::part> cut, int64_t output_step,
               int64_t part_step, int width) {
  const int lane = int(threadIdx.x) % width;
  const int64_t groups = reduce_threads / width;
  for (int64_t first = blockIdx.x * groups; first < space.outputs; first += gridDim.x * groups) {
    const int64_t output = first + int(threadIdx.x) / width;
    const bool active = output < space.outputs;
    typename F::part part = f.identity();
    if (active) {
#pragma unroll 4
      for (int64_t p = lane; p < cut.parts; p += width) {
        part = f.join(part, cut.aside[output * output_step + p * part_step]);
      }
    }
    part = join_group(part, width, join_parts<F>{f});
    if (!active || lane != 0) continue;
    int64_t at[3];
    space.kept.at(output, at);
    f.store(part, space.count, to, at[0], at[1]);
  }
}

inline int64_t distance(int64_t stride) { return stride == 0 ? INT64_MAX : stride < 0 ? -stride : stride; }

// Shorter parts are not worth a second kernel.
constexpr int64_t least_part = 4096;

template <typename F, typename In>
tb_status reduce_over(const scope& on, const tb_reduction& call, const F& f, const In& in) {
  using part = typename F::part;
  const tb_plan& plan = call.plan;
  const bool indexed = plan.operands == 3;
  const tb_operand& source = plan.operand[plan.operands - 1];
  reduction_space space;
  space.kept = offsets<3>(plan.ndim - plan.reduced, plan.sizes + plan.reduced, [&](int o) {
    return plan.operand[o == 2 ? plan.operands - 1 : o == 1 && !indexed ? 0 : o].strides + plan.reduced;
  });
  space.reduced = offsets<1>(plan.reduced, plan.sizes, [&](int) { return source.strides; });
  space.outputs = space.kept.count;
  space.count = space.reduced.count;
  space.flat = plan.reduced == 1;
  space.step = source.strides[0];
  const reduced_value to{plan.operand[0].data, indexed ? static_cast<int64_t*>(plan.operand[1].data) : nullptr,
                         plan.operand[0].dtype};
  const int64_t processors = multiprocessors(on);
  const bool across = plan.reduced < plan.ndim && distance(source.strides[plan.reduced]) < distance(source.strides[0]);
  reduction_split<part> cut{1, space.count, nullptr};
  const auto cut_into = [&](int64_t parts) {
    cut.length = parts_of(parts_of(space.count, parts), 64) * 64;
    cut.parts = parts_of(space.count, cut.length);
  };
  if (across) {
    int64_t columns = reduce_threads / least_of(8, power_of_two_above(parts_of(space.count, 8)));
    columns = least_of(columns, power_of_two_above(space.outputs));
    const int64_t blocks = parts_of(space.outputs, columns), rows = reduce_threads / columns;
    const int64_t wanted = processors * 16 / blocks;
    if (blocks < processors * 4) cut_into(greatest_of(1, least_of(wanted, space.count / (rows * 16))));
    const temporary aside(on, cut.parts == 1 ? 0 : uint64_t(cut.parts * space.outputs) * sizeof(part));
    if (aside.status() != TB_OK) return aside.status();
    cut.aside = aside.as<part>();
    const dim3 grid(unsigned(least_of(blocks, INT64_C(1) << 20)), unsigned(cut.parts));
    const tb_status status = launch(on, "reduce", reduce_columns<F, In>, grid, reduce_threads,
                                    reduce_threads * sizeof(part), f, in, to, space, cut, int(columns));
    if (status != TB_OK || cut.parts == 1) return status;
    const int width = cut.parts <= lanes_of_warp || space.outputs >= 4096 ? 1 : reduce_threads;
    return launch(on, "reduce", join_aside<F>, grid_for(space.outputs * width), reduce_threads, 0, f, to, space, cut,
                  INT64_C(1), space.outputs, width);
  }
  const int64_t warps = processors * 32;
  int width = int(power_of_two_above(least_of(lanes_of_warp, parts_of(space.count, 4))));
  if (space.count >= 16384 || (space.count >= 1024 && space.outputs < warps)) width = reduce_threads;
  if (width == reduce_threads && space.outputs < processors * 4) {
    cut_into(greatest_of(1, least_of(processors * 32 / space.outputs, space.count / least_part)));
  }
  const temporary aside(on, cut.parts == 1 ? 0 : uint64_t(cut.parts * space.outputs) * sizeof(part));
  if (aside.status() != TB_OK) return aside.status();
  cut.aside = aside.as<part>();
  const int64_t blocks = parts_of(space.outputs * cut.parts, reduce_threads / width);
  const tb_status status = launch(on, "reduce", reduce_rows<F, In>, unsigned(least_of(blocks, INT64_C(1) << 24)),
                                  reduce_threads, 0, f, in, to, space, cut, width);
  if (status != TB_OK || cut.parts == 1) return status;
  const int joining = cut.parts <= 8 ? 1 : reduce_threads;
  return launch(on, "reduce", join_aside<F>, grid_for(space.outputs * joining), reduce_threads, 0, f, to, space, cut,
                cut.parts, INT64_C(1), joining);
}

// Dtypes with their own instance of the kernels; the others are loaded with load_as().
template <typename C, typename E>
inline constexpr bool loads_directly =
    std::is_same_v<C, compute_of<E>> &&
    !(std::is_same_v<E, uint8_t> || std::is_same_v<E, int8_t> || std::is_same_v<E, int16_t>);

template <typename F>
tb_status reduce_elements(const scope& on, const tb_reduction& call, const F& f) {
  using C = typename F::compute;
  const tb_operand& source = call.plan.operand[call.plan.operands - 1];
  return with_element(source.dtype, [&](auto type) {
    using E = typename decltype(type)::type;
    if constexpr (loads_directly<C, E>) {
      return reduce_over(on, call, f, typed_input<C, E>{static_cast<const E*>(source.data)});
    } else {
      return reduce_over(on, call, f, any_input<C>{source.data, source.dtype});
    }
  });
}

// Families, selected in reduce.cu. TB_UNSUPPORTED_DTYPE if the family has no reducer for the operation and dtype.
tb_status reduce_sums(const tb_reduction& call, const scope& on);     // sums, products, counts
tb_status reduce_moments(const tb_reduction& call, const scope& on);  // variance, norms, logsumexp
tb_status reduce_minmax(const tb_reduction& call, const scope& on);   // maximum and minimum
tb_status reduce_arg(const tb_reduction& call, const scope& on);      // argmax and argmin

}  // namespace tb_cuda
