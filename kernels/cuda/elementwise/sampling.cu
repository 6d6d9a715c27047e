// Permutations, multinomial sampling, and checks of probabilities and weights. Results are bitwise equal to the CPU's.
#include "elementwise/random.cuh"
#include "philox.h"
#include "random_functions.h"
#include "rowwise/sort_pairs.cuh"

namespace tb_cuda {
namespace {

__device__ uint64_t number_at(const philox_stream& numbers, uint64_t i) {
  const uint64_t position = numbers.first + i;
  return tb_kernel::numbers_of(numbers.seed, numbers.subsequence, position / 2).number[position % 2];
}

// Parallel Fisher-Yates shuffle. Step i swaps positions i and other(i) >= i, so position i ends with the value that
// position other(i) had before step i. The last step j < i with other(j) = other(i) put it there, from position j;
// without such a step it is other(i) itself. A stable sort of the steps by other(i) gives j, and source[p] gives the
// last step before p that swapped with position p. Following source from j ends at the value, after about
// log(count) steps.
template <typename Index>
constexpr Index no_step = Index(~Index(0));

template <typename Index>
__global__ void make_others(philox_stream given, int64_t count, Index* others, Index* steps) {
  const philox_stream numbers = given.found();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const uint64_t number = number_at(numbers, uint64_t(i));
    others[i] = Index(uint64_t(i) + tb_kernel::integer_below(number, uint64_t(count - i)));
    steps[i] = Index(i);
  }
}

// Input: steps sorted by their other position. source[p]: the last step before p that swapped with position p.
template <typename Index>
__global__ void link_steps(int64_t count, const Index* others, const Index* steps, Index* source) {
  for (int64_t k = first_index(); k < count; k += index_step()) {
    const Index position = others[k];
    // other(i) = i sets source[i] = i, but no chain reaches such a step: on a chain, other(j) > j.
    if (k + 1 == count || others[k + 1] != position) source[position] = steps[k];
  }
}

template <typename Index>
__global__ void write_numbers(int64_t count, const Index* others, const Index* steps, const Index* source, int64_t* out,
                              int64_t out_step) {
  for (int64_t k = first_index(); k < count; k += index_step()) {
    const Index position = others[k];
    int64_t value = int64_t(position);
    if (k > 0 && others[k - 1] == position) {
      Index at = steps[k - 1];
      for (Index next = source[at]; next != no_step<Index>; next = source[at]) at = next;
      value = int64_t(at);
    }
    out[int64_t(steps[k]) * out_step] = value;
  }
}

template <typename Index>
tb_status permute(const tb_random& call, const scope& on) {
  const tb_operand& out = call.plan.operand[0];
  const int64_t count = call.plan.sizes[0];
  const uint64_t bytes = uint64_t(count) * sizeof(Index);
  const temporary memory(on, 3 * bytes);
  if (memory.status() != TB_OK) return memory.status();
  Index *const others = memory.as<Index>(), *const steps = others + count, *const source = steps + count;
  tb_status status = check(cudaMemsetAsync(source, 0xff, bytes, on.stream()), "a permutation");
  if (status == TB_OK) {
    status = launch_over(on, "a permutation", count, make_others<Index>, philox_stream(call), count, others, steps);
  }
  if (status == TB_OK) status = sort_pairs(on, others, steps, count);
  const Index *const by_other = others, *const in_order = steps;
  if (status == TB_OK) {
    status = launch_over(on, "a permutation", count, link_steps<Index>, count, by_other, in_order, source);
  }
  if (status != TB_OK) return status;
  return launch_over(on, "a permutation", count, write_numbers<Index>, count, by_other, in_order,
                     static_cast<const Index*>(source), static_cast<int64_t*>(out.data), out.strides[0]);
}

tb_status permutation(const tb_random& call, const scope& on) {
  if (call.plan.operand[0].dtype != TB_I64 || call.plan.ndim != 1) return TB_UNSUPPORTED_DTYPE;
  return call.plan.sizes[0] < INT64_C(0xffffffff) ? permute<uint32_t>(call, on) : permute<uint64_t>(call, on);
}

// Rows of weights, and the samples drawn from them.
struct weighted_rows {
  const void* weights;
  int64_t* out;
  int32_t dtype;
  int32_t again;
  int64_t weight_step, out_step;
  int64_t length, samples;
  philox_stream numbers;
  offsets<2> batch;  // out, weights; without the sample dimension

  explicit weighted_rows(const tb_random& call)
      : weights(call.plan.operand[1].data),
        out(static_cast<int64_t*>(call.plan.operand[0].data)),
        dtype(call.plan.operand[1].dtype),
        again(call.number[1].i != 0),
        weight_step(call.plan.operand[1].strides[0]),
        out_step(call.plan.operand[0].strides[0]),
        length(call.number[0].i),
        samples(call.plan.sizes[0]),
        numbers(call),
        batch(call.plan, 1) {}
};

// The weights of rows first to first + count - 1, each as a binary tree in an array: node 1 is the root, node i has
// the children 2i and 2i + 1, and a node is the sum of its children.
struct weight_trees {
  double* nodes;
  int64_t leaves, first, count;
  __device__ double* tree(int64_t r) const { return nodes + (r - first) * 2 * leaves; }
};

__global__ void make_trees(weighted_rows rows, weight_trees all) {
  for (int64_t r = all.first + blockIdx.x; r < all.first + all.count; r += gridDim.x) {
    int64_t row[2];
    rows.batch.at(r, row);
    double* const node = all.tree(r);
    for (int64_t i = threadIdx.x; i < all.leaves; i += blockDim.x) {
      node[all.leaves + i] =
          i < rows.length ? load_as<double>(rows.weights, rows.dtype, row[1] + i * rows.weight_step) : 0;
    }
    for (int64_t level = all.leaves / 2; level > 0; level /= 2) {
      __syncthreads();
      for (int64_t i = level + threadIdx.x; i < 2 * level; i += blockDim.x) node[i] = node[2 * i] + node[2 * i + 1];
    }
  }
}

// Descends to the leaf of u. Never a leaf of weight 0, unless all are. Calls visit(left, right, goes_right) per node.
template <typename Visit>
__device__ int64_t draw(const double* node, int64_t leaves, double u, Visit visit) {
  double rest = tb_kernel::product(u, node[1]);
  int64_t i = 1;
  while (i < leaves) {
    const double left = node[2 * i], right = node[2 * i + 1];
    const bool goes_right = right > 0 && !(rest < left);
    if (goes_right) rest -= left;
    visit(left, right, goes_right);
    i = 2 * i + (goes_right ? 1 : 0);
  }
  return i - leaves;
}

__global__ void draw_again(weighted_rows rows, weight_trees all) {
  const philox_stream numbers = rows.numbers.found();
  for (int64_t t = first_index(); t < all.count * rows.samples; t += index_step()) {
    const int64_t r = all.first + t / rows.samples, i = t % rows.samples;
    int64_t row[2];
    rows.batch.at(r, row);
    const double u = tb_kernel::unit(number_at(numbers, uint64_t(r * rows.samples + i)));
    rows.out[row[0] + i * rows.out_step] = draw(all.tree(r), all.leaves, u, [](double, double, bool) {});
  }
}

// Sampling without replacement: sets the drawn weight to 0 and recomputes the sums on its path from the other children.
__global__ void draw_once(weighted_rows rows, weight_trees all) {
  constexpr int deepest = 48;
  const philox_stream numbers = rows.numbers.found();
  for (int64_t r = all.first + first_index(); r < all.first + all.count; r += index_step()) {
    int64_t row[2];
    rows.batch.at(r, row);
    double* const node = all.tree(r);
    for (int64_t i = 0; i < rows.samples; ++i) {
      double other[deepest];
      int depth = 0;
      const double u = tb_kernel::unit(number_at(numbers, uint64_t(r * rows.samples + i)));
      const int64_t drawn = draw(node, all.leaves, u, [&](double left, double right, bool goes_right) {
        other[depth++] = goes_right ? left : right;
      });
      rows.out[row[0] + i * rows.out_step] = drawn;
      int64_t at = all.leaves + drawn;
      double sum = 0;
      node[at] = sum;
      while ((at /= 2) > 0) {
        sum += other[--depth];
        node[at] = sum;
      }
    }
  }
}

tb_status multinomial(const tb_random& call, const scope& on) {
  if (call.plan.operand[0].dtype != TB_I64) return TB_UNSUPPORTED_DTYPE;
  const weighted_rows rows(call);
  if (rows.batch.count == 0 || rows.samples == 0) return TB_OK;
  int64_t leaves = 1;
  while (leaves < rows.length) leaves *= 2;
  // Trees of at most 256 MiB at a time, and of at least one row.
  const int64_t fit = (int64_t(1) << 24) / leaves;
  int64_t at_once = fit < 1 ? 1 : fit;
  if (at_once > rows.batch.count) at_once = rows.batch.count;
  const temporary nodes(on, uint64_t(at_once * 2 * leaves) * sizeof(double));
  tb_status status = nodes.status();
  for (int64_t first = 0; status == TB_OK && first < rows.batch.count; first += at_once) {
    const int64_t left = rows.batch.count - first;
    const weight_trees all{nodes.as<double>(), leaves, first, left < at_once ? left : at_once};
    const int threads = leaves >= 2048 ? 1024 : 128;
    status = launch(on, "sums of weights", make_trees, grid_for(all.count, 1), threads, 0, rows, all);
    if (status != TB_OK) break;
    status = rows.again != 0 ? launch_over(on, "draws", all.count * rows.samples, draw_again, rows, all)
                             : launch(on, "draws", draw_once, grid_for(all.count, 32), 32, 0, rows, all);
  }
  return status;
}

__global__ void check_weights_of(weighted_rows rows, reporter report) {
  __shared__ double sums[block_threads];
  __shared__ int64_t positive[block_threads];
  const int thread = int(threadIdx.x);
  for (int64_t r = blockIdx.x; r < rows.batch.count; r += gridDim.x) {
    int64_t row[2];
    rows.batch.at(r, row);
    double sum = 0;
    int64_t above = 0;
    bool good = true;
    for (int64_t i = thread; i < rows.length; i += block_threads) {
      const double w = load_as<double>(rows.weights, rows.dtype, row[1] + i * rows.weight_step);
      good = good && w >= 0;
      above += w > 0;
      sum += w;
    }
    sums[thread] = sum;
    positive[thread] = above;
    for (int half = block_threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half) {
        sums[thread] += sums[thread + half];
        positive[thread] += positive[thread + half];
      }
    }
    if (thread == 0) good = good && sums[0] < double(INFINITY) && positive[0] >= (rows.again != 0 ? 1 : rows.samples);
    if (!good) report(TB_BAD_VALUE, r);
    __syncthreads();
  }
}

tb_status check_weights(const tb_random& call, const scope& on) {
  const weighted_rows rows(call);
  if (rows.batch.count == 0) return TB_OK;
  return launch(on, "a check of weights", check_weights_of, grid_for(rows.batch.count, 1), block_threads, 0, rows,
                report_for(on));
}

struct probabilities {
  const void* data;
  int32_t dtype;
  offsets<2> at;
};

__global__ void check_each(probabilities all, reporter report) {
  for (int64_t i = first_index(); i < all.at.count; i += index_step()) {
    int64_t offset[2];
    all.at.at(i, offset);
    const double p = load_as<double>(all.data, all.dtype, offset[1]);
    if (!(p >= 0 && p <= 1)) report(TB_BAD_VALUE, i);
  }
}

tb_status check_probabilities(const tb_random& call, const scope& on) {
  const tb_operand& of = call.plan.operand[1];
  const probabilities all{of.data, of.dtype, offsets<2>(call.plan)};
  if (all.at.count == 0) return TB_OK;
  return launch_over(on, "a check of probabilities", all.at.count, check_each, all, report_for(on));
}

}  // namespace

tb_status draw_many(const tb_random& call, const scope& on) {
  switch (call.op) {
    case TB_RANDOM_PERMUTATION: return permutation(call, on);
    case TB_RANDOM_MULTINOMIAL: return multinomial(call, on);
    case TB_RANDOM_CHECK_PROBABILITIES: return check_probabilities(call, on);
    case TB_RANDOM_CHECK_WEIGHTS: return check_weights(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
