// Random numbers over a plan. Element i in row-major order uses number first + i of the random stream, whatever the
// strides and the dtype, so any part can be computed independently.
#include <atomic>

#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "elementwise/partition.h"
#include "half.h"
#include "layout.h"
#include "philox.h"
#include "random_functions.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using namespace tb_kernel;

constexpr int64_t block = 512;

uint64_t number_at(const tb_random& call, uint64_t i) {
  return numbers_of(call.seed, call.subsequence, (call.first + i) / 2).number[(call.first + i) % 2];
}

// Numbers 2 * pair on, two for each pair: philox() with a word in the lower 32 bits of each 64-bit lane, so that the
// compiler multiplies whole registers without unpacking. The upper bits are ignored.
void fill_pairs(const tb_random& call, uint64_t pair, int64_t pairs, uint64_t* out) {
  constexpr uint64_t low = 0xffffffff;
  uint64_t key[philox_rounds][2];
  uint32_t key0 = uint32_t(call.seed), key1 = uint32_t(call.seed >> 32);
  for (uint64_t (&round)[2] : key) {
    round[0] = key0;
    round[1] = key1;
    key0 += philox_step0;
    key1 += philox_step1;
  }
  for (int64_t p = 0; p < pairs; ++p) {
    const uint64_t counter = pair + uint64_t(p);
    uint64_t word[4] = {counter, counter >> 32, call.subsequence, call.subsequence >> 32};
#pragma clang loop unroll(full)
    for (const uint64_t (&round)[2] : key) {
      const uint64_t a = philox_factor0 * (word[0] & low), b = philox_factor1 * (word[2] & low);
      word[0] = b >> 32 ^ word[1] ^ round[0];
      word[1] = b;
      word[2] = a >> 32 ^ word[3] ^ round[1];
      word[3] = a;
    }
    out[2 * p] = (word[0] & low) | word[1] << 32;
    out[2 * p + 1] = (word[2] & low) | word[3] << 32;
  }
}

// Random numbers i to i + count - 1 of the call.
void fill_numbers(const tb_random& call, uint64_t i, int64_t count, uint64_t* out) {
  int64_t n = 0;
  for (; n < count && (call.first + i + uint64_t(n)) % 2 != 0; ++n) out[n] = number_at(call, i + uint64_t(n));
  const int64_t pairs = (count - n) / 2;
  fill_pairs(call, (call.first + i + uint64_t(n)) / 2, pairs, out + n);
  n += 2 * pairs;
  if (n < count) out[n] = number_at(call, i + uint64_t(n));
}

// Calls visit(slice of the plan, row-major index of its first element) for slices that cover the plan, in parallel.
// Only a cut of the slowest dimension leaves the elements of a slice adjacent in row-major order.
template <typename Visit>
void each_ordered_part(const tb_plan& plan, const Visit& visit) {
  constexpr int64_t work = 2;  // an element costs as much as several of a copy
  int d = plan.ndim - 1;
  while (d > 0 && plan.sizes[d] == 1) --d;
  const int64_t size = plan.sizes[d], inner = positions(plan) / size;
  const int64_t most = work * positions(plan) / parallel_grain, wanted = most < 4 * threads() ? most : 4 * threads();
  const int64_t parts = threads() == 1 || wanted < 1 ? 1 : wanted, step = (size + parts - 1) / parts;
  each_part((size + step - 1) / step, [&](int64_t i) {
    const int64_t first = i * step;
    visit(slice(plan, d, first, size - first < step ? size - first : step), uint64_t(first * inner));
  });
}

// Calls make(numbers, values, count, row, i) for blocks of elements and stores the values, of type `inside`. `row` is
// the address of the last operand's row, and i the index of the block's first element in the row. Several threads call
// make.
template <typename Value, int Operands = 1, typename Make>
tb_status each_block(const tb_random& call, int32_t inside, Make make) {
  const tb_operand& out = call.plan.operand[0];
  const convert_fn store = conversion(out.dtype, inside);
  const int64_t step = out.strides[0], bytes = element_bytes[out.dtype];
  each_ordered_part(call.plan, [&](const tb_plan& plan, uint64_t done) {
    const int64_t count = plan.sizes[0];
    each_row<Operands>(plan, [&](char* const* at) {
      uint64_t numbers[block];
      Value values[block];
      for (int64_t i = 0; i < count; i += block) {
        const int64_t some = count - i < block ? count - i : block;
        fill_numbers(call, done + uint64_t(i), some, numbers);
        make(numbers, values, some, at[Operands - 1], i);
        store(at[0] + i * step * bytes, step, values, 1, some);
      }
      done += uint64_t(count);
    });
  });
  return TB_OK;
}

template <typename Function>
tb_status reals(const tb_random& call, Function function) {
  return each_block<double>(call, TB_F64, [&](const uint64_t* n, double* x, int64_t count, char*, int64_t) {
    for (int64_t i = 0; i < count; ++i) x[i] = function(n[i]);
  });
}

// Standard normal variates of `count` numbers, at most a block. Loops without branches, which the compiler vectorizes:
// each variate is first computed as if it were central, as 85 % are, and those of the tails then again, side by side.
void standard_normals(const uint64_t* numbers, int64_t count, double* x) {
  double p[block], root[block];
  uint8_t in_tail[block];
  int32_t place[block];
  for (int64_t i = 0; i < count; ++i) {
    p[i] = open_unit(numbers[i]);
    x[i] = central_quantile(p[i] - 0.5);
    in_tail[i] = !is_central(p[i] - 0.5);
  }
  int32_t tails = 0;
  for (int32_t i = 0; i < int32_t(count); ++i) {
    place[tails] = i;
    tails += in_tail[i];
  }
  for (int64_t k = 0; k < tails; ++k) {
    const double one = p[place[k]];
    root[k] = one < 0.5 ? one : 1 - one;
  }
  double far[block];
  int64_t farther = 0;
  for (int64_t k = 0; k < tails; ++k) {
    root[k] = ::sqrt(-logarithm(root[k]));
    far[k] = tail_quantile(root[k]);
    farther += root[k] > 5;
  }
  for (int64_t k = 0; farther != 0 && k < tails; ++k) {
    if (root[k] > 5) far[k] = far_tail_quantile(root[k]);
  }
  for (int64_t k = 0; k < tails; ++k) x[place[k]] = p[place[k]] < 0.5 ? -far[k] : far[k];
}

tb_status normal(const tb_random& call) {
  const double mean = call.number[0].f, deviation = call.number[1].f;
  return each_block<double>(call, TB_F64, [=](const uint64_t* n, double* x, int64_t count, char*, int64_t) {
    standard_normals(n, count, x);
    for (int64_t i = 0; i < count; ++i) x[i] = mean + product(deviation, x[i]);
  });
}

template <typename Function>
tb_status integers(const tb_random& call, Function function) {
  return each_block<int64_t>(call, TB_I64, [&](const uint64_t* n, int64_t* x, int64_t count, char*, int64_t) {
    for (int64_t i = 0; i < count; ++i) x[i] = function(n[i]);
  });
}

double as_stored(double x, int32_t dtype) {
  if (dtype == TB_F32) return double(float(x));
  if (dtype == TB_F16) return double(to_float(to_half(float(x))));
  if (dtype == TB_BF16) return double(to_float(to_bfloat16(float(x))));
  return x;
}

// Draws multiples of the dtype's ulp just below 1, so that nothing is rounded for [0, 1). With other bounds, rounding
// can yield the excluded upper bound; the lower bound is returned then.
tb_status uniform(const tb_random& call) {
  const int32_t dtype = call.plan.operand[0].dtype;
  const int digits = dtype == TB_F32 ? 24 : dtype == TB_F16 ? 11 : dtype == TB_BF16 ? 8 : 53;
  const double from = call.number[0].f, to = call.number[1].f;
  return reals(call, [=](uint64_t n) {
    const double x = from + product(unit(n, digits), to - from);
    return as_stored(x, dtype) < to ? x : from;
  });
}

bool is_probability(double p) { return p >= 0 && p <= 1; }

tb_status check_probabilities(const tb_random& call) {
  const tb_operand& of = call.plan.operand[1];
  const int64_t step = of.strides[0], bytes = element_bytes[of.dtype];
  const convert_fn load = conversion(TB_F64, of.dtype);
  std::atomic<bool> good{true};
  each_ordered_part(call.plan, [&](const tb_plan& plan, uint64_t) {
    bool fine = true;
    each_row<2>(plan, [&](char* const* at) {
      double p[block];
      for (int64_t i = 0; i < plan.sizes[0]; i += block) {
        const int64_t some = plan.sizes[0] - i < block ? plan.sizes[0] - i : block;
        load(p, 1, at[1] + i * step * bytes, step, some);
        for (int64_t k = 0; k < some; ++k) fine = fine && is_probability(p[k]);
      }
    });
    if (!fine) good.store(false, std::memory_order_relaxed);
  });
  return good.load(std::memory_order_relaxed) ? TB_OK : TB_BAD_VALUE;
}

tb_status bernoulli_of(const tb_random& call) {
  const tb_operand& of = call.plan.operand[1];
  const int64_t step = of.strides[0], bytes = element_bytes[of.dtype];
  const convert_fn load = conversion(TB_F64, of.dtype);
  return each_block<int64_t, 2>(call, TB_I64,
                                [&](const uint64_t* n, int64_t* x, int64_t count, char* row, int64_t first) {
                                  double p[block];
                                  load(p, 1, row + first * step * bytes, step, count);
                                  for (int64_t i = 0; i < count; ++i) x[i] = unit(n[i]) < p[i];
                                });
}

// Fisher-Yates shuffle: position i is swapped with a random position from i on.
tb_status permutation(const tb_random& call) {
  const tb_operand& out = call.plan.operand[0];
  if (out.dtype != TB_I64 || call.plan.ndim != 1) return TB_UNSUPPORTED_DTYPE;
  int64_t* const x = static_cast<int64_t*>(out.data);
  const int64_t count = call.plan.sizes[0], step = out.strides[0];
  for (int64_t i = 0; i < count; ++i) x[i * step] = i;
  uint64_t numbers[block];
  for (int64_t first = 0; first < count; first += block) {
    const int64_t some = count - first < block ? count - first : block;
    fill_numbers(call, uint64_t(first), some, numbers);
    // All positions of a block are known before its swaps, so that memory can be read ahead.
    for (int64_t i = 0; i < some; ++i) {
      numbers[i] = uint64_t(first + i) + integer_below(numbers[i], uint64_t(count - first - i));
      __builtin_prefetch(x + int64_t(numbers[i]) * step, 1);
    }
    for (int64_t i = 0; i < some; ++i) {
      const int64_t here = (first + i) * step, other = int64_t(numbers[i]) * step, kept = x[here];
      x[here] = x[other];
      x[other] = kept;
    }
  }
  return TB_OK;
}

// The weights of a row as the leaves of a binary tree whose inner nodes hold the sums of their children. Node 1 is the
// root, 2i and 2i + 1 are the children of i. Drawing a leaf and removing one take O(log n). Rounding errors do not
// accumulate, since sums are recomputed rather than updated by subtraction.
struct weight_tree {
  double* node;
  int64_t leaves;  // a power of two

  void make_sums() {
    for (int64_t i = leaves - 1; i > 0; --i) node[i] = node[2 * i] + node[2 * i + 1];
  }
  // Never returns a leaf of weight 0, unless all weights are 0.
  int64_t draw(double u) const {
    double rest = product(u, node[1]);
    int64_t i = 1;
    while (i < leaves) {
      const double left = node[2 * i];
      const bool right = node[2 * i + 1] > 0 && !(rest < left);
      if (right) rest -= left;
      i = 2 * i + (right ? 1 : 0);
    }
    return i - leaves;
  }
  void remove(int64_t leaf) {
    int64_t i = leaves + leaf;
    node[i] = 0;
    while ((i /= 2) > 0) node[i] = node[2 * i] + node[2 * i + 1];
  }
};

// Calls visit(tree, address of the result row) for each row; the tree holds all weights of the row.
template <typename Visit>
tb_status each_tree(const tb_random& call, Visit visit) {
  const tb_operand& weights = call.plan.operand[1];
  const int64_t length = call.number[0].i;
  const convert_fn load = conversion(TB_F64, weights.dtype);
  int64_t leaves = 1;
  while (leaves < length) leaves *= 2;
  weight_tree tree{static_cast<double*>(scratch(2 * leaves * int64_t(sizeof(double)))), leaves};
  if (tree.node == nullptr) return TB_OUT_OF_MEMORY;
  each_row<2>(call.plan, [&](char* const* at) {
    load(tree.node + leaves, 1, at[1], weights.strides[0], length);
    for (int64_t i = length; i < leaves; ++i) tree.node[leaves + i] = 0;
    tree.make_sums();
    visit(tree, at[0]);
  });
  return TB_OK;
}

tb_status check_weights(const tb_random& call) {
  const int64_t samples = call.plan.sizes[0], length = call.number[0].i;
  const bool again = call.number[1].i != 0;
  bool good = true;
  const tb_status status = each_tree(call, [&](const weight_tree& tree, char*) {
    int64_t positive = 0;
    for (int64_t i = 0; i < length; ++i) {
      const double w = tree.node[tree.leaves + i];
      good = good && w >= 0;
      positive += w > 0;
    }
    good = good && tree.node[1] < double(INFINITY) && positive >= (again ? 1 : samples);
  });
  return status != TB_OK || good ? status : TB_BAD_VALUE;
}

tb_status multinomial(const tb_random& call) {
  const tb_operand& out = call.plan.operand[0];
  const int64_t samples = call.plan.sizes[0];
  const bool again = call.number[1].i != 0;
  if (out.dtype != TB_I64) return TB_UNSUPPORTED_DTYPE;
  uint64_t done = 0;
  return each_tree(call, [&](weight_tree& tree, char* row) {
    for (int64_t i = 0; i < samples; ++i) {
      const int64_t drawn = tree.draw(unit(number_at(call, done++)));
      reinterpret_cast<int64_t*>(row)[i * out.strides[0]] = drawn;
      if (!again) tree.remove(drawn);
    }
  });
}

}  // namespace

tb_status random(const tb_random* call, const tb_call* where) {
  if (call->philox_state != nullptr) {
    tb_random found = *call;
    found.seed = call->philox_state[0];
    found.first += call->philox_state[1];
    found.philox_state = nullptr;
    return random(&found, where);
  }
  const tb_scalar* const k = call->number;
  switch (call->op) {
    case TB_RANDOM_UNIFORM: return uniform(*call);
    case TB_RANDOM_NORMAL: return normal(*call);
    case TB_RANDOM_EXPONENTIAL: return reals(*call, [=](uint64_t n) { return standard_exponential(n) / k[0].f; });
    case TB_RANDOM_INTEGER: {
      const uint64_t range = uint64_t(k[1].i) - uint64_t(k[0].i) + 1;
      return integers(*call, [=](uint64_t n) { return int64_t(uint64_t(k[0].i) + integer_below(n, range)); });
    }
    case TB_RANDOM_BERNOULLI: return integers(*call, [=](uint64_t n) { return int64_t(unit(n) < k[0].f); });
    case TB_RANDOM_BERNOULLI_OF: return bernoulli_of(*call);
    case TB_RANDOM_PERMUTATION: return permutation(*call);
    case TB_RANDOM_MULTINOMIAL: return multinomial(*call);
    case TB_RANDOM_CHECK_PROBABILITIES: return check_probabilities(*call);
    case TB_RANDOM_CHECK_WEIGHTS: return check_weights(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
