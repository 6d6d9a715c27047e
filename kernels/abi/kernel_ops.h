// Operation codes of backend kernel tables, by family. Elementwise operations are listed in elementwise.def; for the
// other families topbit.ops has the same lists with the same values.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The entries of tb_kernels that operators call, in the table's order.
typedef enum tb_entry {
  TB_ENTRY_COPY,
  TB_ENTRY_ARANGE,
  TB_ENTRY_ELEMENTWISE,  // tb_elementwise_op
  TB_ENTRY_REDUCE,       // tb_reduction_op
  TB_ENTRY_ROWWISE,      // tb_rowwise_op
  TB_ENTRY_MATMUL,
  TB_ENTRY_TAKE,    // tb_take_op
  TB_ENTRY_RANDOM,  // tb_random_op
  TB_ENTRY_NONZERO,
  TB_ENTRY_POOL,  // tb_pool_op
  TB_ENTRY_CONVOLVE,
  TB_ENTRY_UPDATE,  // tb_update_op
  TB_ENTRY_ATTENTION,
  TB_ENTRY_CHANNEL_NORM,
  TB_ENTRY_COUNT
} tb_entry;

typedef enum tb_elementwise_op {
#define TB_ELEMENTWISE(code, function, inputs, types, result, size, note) TB_##code,
#include "elementwise.def"
  TB_ELEMENTWISE_COUNT
} tb_elementwise_op;

typedef enum tb_reduction_op {
  TB_SUM,
  TB_PROD,
  TB_MAX,  // NaN propagates
  TB_MIN,
  TB_ANY,            // computes in BOOL
  TB_ALL,            // the same
  TB_COUNT_NONZERO,  // the same; I64 result
  TB_MAX_INDEX,      // value and index
  TB_MIN_INDEX,
  TB_ARGMAX,  // index only: operand[0] is I64
  TB_ARGMIN,
  TB_VAR,        // n0: correction, subtracted from the count; float
  TB_STD,        // square root of TB_VAR
  TB_NORM,       // n0: the order, 0, 1, 2, inf, -inf or any other; float
  TB_LOGSUMEXP,  // float
  TB_SUM_SQUARES,
  TB_NANSUM,  // NaN counts as 0
  TB_REDUCTION_COUNT
} tb_reduction_op;

// Operands in order, outputs first; "[n]" is a row's length.
typedef enum tb_rowwise_op {
  TB_SOFTMAX,               // out [n]; in [n]
  TB_LOG_SOFTMAX,           // out [n]; in [n]
  TB_SOFTMAX_BACKWARD,      // out [n]; gradient [n], result [n]
  TB_LOG_SOFTMAX_BACKWARD,  // out [n]; gradient [n], result [n]
  TB_CUMSUM,                // out [n]; in [n]
  TB_CUMPROD,               // out [n]; in [n]
  TB_CUMMAX,                // out [n], index [n]; in [n]
  TB_CUMMIN,                // out [n], index [n]; in [n]
  TB_LOGCUMSUMEXP,          // out [n]; in [n]
  TB_SORT,                  // out [n], index [n]; in [n]; n0.i: descending; stable; NaN above every number
  TB_TOPK,                  // out [k], index [k]; in [n]; n0.i: greatest instead of least; n1.i: sorted
  TB_KTH_VALUE,             // out [1], index [1]; in [n]; n0.i: rank, from 0, in ascending order
  TB_MEDIAN,                // out [1], index [1]; in [n]: lower median; NaN propagates, or is ignored with n0.i
  TB_MODE,                  // out [1], index [1]; in [n]: the most frequent, then least element
  TB_SEARCHSORTED,          // out [k], I64; sorted [n], values [k], sorter [n]; n0.i: after equal elements
  TB_GATHER,       // out [k]; in [n], index [k]; for gather and scatter, all operands but the index have one dtype
  TB_SCATTER,      // out [n], also read; source [k], index [k]
  TB_SCATTER_ADD,  // as TB_SCATTER
  TB_LAYER_NORM,   // out [n], mean [1], rstd [1]; in [n], weight [n], bias [n]; n0: epsilon
  TB_LAYER_NORM_BACKWARD,  // out [n]; gradient [n], in [n], mean [1], rstd [1], weight [n]
  TB_RMS_NORM,             // out [n], rstd [1]; in [n], weight [n]; n0: epsilon
  TB_NLL,                  // out [1], weight of the row [1]; in [n], label [1], weight [n]; n0.i: label to ignore
  TB_NLL_BACKWARD,         // out [n]; gradient [1], label [1], weight [n]; n0.i: label to ignore
  TB_NLL_TOTAL,            // out [1], sum of weights [1]; losses [n], weights [n]; n0.i: out is divided by that sum
  TB_CHECK_INDEX,          // index [k], in [n]: TB_BAD_INDEX unless all indices are valid for the row; writes nothing
  TB_SCATTER_MUL,          // as TB_SCATTER, like the next two
  TB_SCATTER_AMAX,         // NaN propagates
  TB_SCATTER_AMIN,
  // The gradients of TB_LAYER_NORM for weight and bias: out [1], out [1]; gradient [n], in [n], mean [n], rstd [n],
  // where a row contains one position of all normalised rows. An output may be omitted.
  TB_LAYER_NORM_WEIGHTS,
  // TB_NLL of TB_LOG_SOFTMAX: out [1], weight of the row [1]; in [n], label [1], weight [n]; n0.i: label to ignore
  TB_CROSS_ENTROPY,
  TB_CROSS_ENTROPY_BACKWARD,  // out [n]; gradient [1], in [n], label [1], weight [n]; n0.i: label to ignore
  // Sums, means and maxima of bags of rows of a table. Not batched; all operands are dense: out [bags * columns], sizes
  // I64 [bags]; table [rows * columns], index [n], I64, offsets I64 [bags], where each bag begins, or [bags + 1], with
  // the end of the last one. n0.i: columns; n1.i: index to skip, or negative; n2.i: rows of the table. TB_BAD_VALUE
  // unless offsets begin with 0, do not decrease and are at most n. Rows are added in order; an empty bag gives zeros.
  TB_BAG_SUM,   // out, sizes; table, index, offsets, factors [n], which may be omitted
  TB_BAG_MEAN,  // out, sizes; table, index, offsets
  TB_BAG_MAX,   // out, sizes, I64 rows of the maxima, 0 for an empty bag; table, index, offsets; NaN propagates
  TB_MINMAX,    // least [1], greatest [1]; in [n]; a NaN among the elements is both; a zero may have lost its sign
  TB_BINCOUNT,  // out [k]; in [n], I64 from 0 to k - 1, weights [n] or omitted: the sum of the weights, or the number,
                // of each of 0 to k - 1
  // out [k]; in [n]; n0: low, n1: high, low < high: the number of elements x of each bin, trunc((x - low) * k / (high -
  // low)), at most k - 1, computed in the compute type; elements not from low to high are not counted; float
  TB_HISTC,
  TB_COMPRESS,           // out [k]; in [n], mask [n]: the elements whose mask is not 0, k of them, in order
  TB_RMS_NORM_BACKWARD,  // out [n], rstd [1]; gradient [n], in [n], weight [n]; n0: epsilon. An output may be omitted
  // out [m]; in [d], points [m * d], m dense rows of d; n0: p >= 0, which may be infinite: the norm of order p of the
  // difference of the row and each of the points; float
  TB_DISTANCE,
  TB_ROWWISE_COUNT
} tb_rowwise_op;

typedef enum tb_take_op {
  TB_TAKE,  // rows = table[index]
  TB_PUT,   // table[index] = rows; the last of equal indices wins
  TB_PUT_ADD,
  TB_CHECK,  // TB_BAD_INDEX unless all indices are in range; copies nothing
  TB_TAKE_COUNT
} tb_take_op;

// Each element uses one random number unless noted; see kernels/common/random_functions.h.
typedef enum tb_random_op {
  TB_RANDOM_UNIFORM,       // n0 <= x < n1, or n0 if they are equal
  TB_RANDOM_NORMAL,        // n0 mean, n1 standard deviation
  TB_RANDOM_EXPONENTIAL,   // n0 rate
  TB_RANDOM_INTEGER,       // n0.i <= x <= n1.i
  TB_RANDOM_BERNOULLI,     // 1 with probability n0, else 0
  TB_RANDOM_BERNOULLI_OF,  // with the probabilities of operand[1]
  TB_RANDOM_PERMUTATION,   // a permutation of 0 to length - 1; one dimension, I64
  // I64 indices drawn with the weights of operand[1], whose rows have n0.i elements, strides[0] apart; n1.i: with
  // replacement.
  TB_RANDOM_MULTINOMIAL,
  // The two checks use no random number and write nothing.
  TB_RANDOM_CHECK_PROBABILITIES,  // for TB_RANDOM_BERNOULLI_OF: TB_BAD_VALUE unless all are in [0, 1]
  // For TB_RANDOM_MULTINOMIAL: TB_BAD_VALUE if a weight is negative or not finite, or a row has too few weights above
  // 0.
  TB_RANDOM_CHECK_WEIGHTS,
  TB_RANDOM_COUNT
} tb_random_op;

typedef enum tb_update_op {
  // g = gradient (negated with maximize) + decay * parameter. Parameters: momentum, dampening. State 0, if any, is the
  // velocity v: v = g in the first step, then momentum * v + (1 - dampening) * g; g becomes v, or with nesterov g +
  // momentum * v.
  TB_UPDATE_SGD,  // parameter -= rate * g
  // Parameters: beta1, beta2, epsilon. States: the moving averages of g and g^2 and, if any (AMSGrad), the maximum of
  // the latter.
  TB_UPDATE_ADAM,
  TB_UPDATE_ADAMW,  // parameter *= 1 - rate * decay, instead of adding decay to g
  TB_UPDATE_COUNT
} tb_update_op;

typedef enum tb_pool_op {
  TB_MAX_POOL,
  TB_MAX_POOL_BACKWARD,
  TB_AVG_POOL,
  TB_AVG_POOL_BACKWARD,
  TB_POOL_COUNT
} tb_pool_op;

#ifdef __cplusplus
}
#endif
