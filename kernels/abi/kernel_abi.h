// The kernel ABI between operators and kernels: plain structs, C linkage, status codes.
//
// A backend is one tb_kernels table (and, if it has its own memory, one tb_memory table). The modules describe tensors
// by these structs; kernels see pointers, sizes and strides, never a module, a dispatch key or an exception. Each entry
// of the table serves a family of operations; kernel_ops.h has their codes. Nothing here depends on the C++ standard
// library, so nvcc, g++ and clang agree on every layout, which kernels/abi/layout.h checks by static_asserts.
#pragma once

#include <stdint.h>

#include "kernel_ops.h"
#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TB_MAX_ROWS = 6, TB_MAX_NUMBERS = 3 };

typedef enum tb_status {
  TB_OK = 0,
  TB_UNSUPPORTED_DTYPE = 1,  // the kernel has no loop for this operation and element type
  TB_BAD_INDEX = 2,          // an index (or class label) is out of range; nothing was written
  TB_OUT_OF_MEMORY = 3,
  TB_DEVICE_ERROR = 4,  // tb_memory::last_error has the text
  TB_NO_DEVICE = 5,
  TB_NOT_BUILT = 6,         // the backend is a stub in this build, or has no such kernel
  TB_DIVISION_BY_ZERO = 7,  // integer division by zero; nothing was written
  TB_BAD_VALUE = 8          // an invalid element; nothing was written
} tb_status;

// A scalar as integer and floating point; a kernel reads the field for its compute type.
typedef struct tb_scalar {
  double f;
  int64_t i;
} tb_scalar;

// out = op(inputs...) for each element. Operands may have any dtypes: inputs are converted to `compute` (BOOL, I64, F32
// or F64) and the result from it. Integers are computed in I64, which wraps like the narrower types; F16 and BF16 in
// F32. The result of a predicate is BOOL whatever the compute type.
typedef struct tb_elementwise {
  tb_plan plan;
  int32_t op;  // tb_elementwise_op
  int32_t compute;
  tb_scalar number[TB_MAX_NUMBERS];  // parameters of the operation: alpha, bounds, ...
} tb_elementwise;

// Reduces the first plan.reduced dimensions, at least one. operand[0] is the result and the last operand the input. For
// operations with an index, operand[1] is I64: the index within the reduced dimensions, dimension 0 fastest, of the
// first of equal elements; NaN compares above every number. The input is converted to `compute`, the result from it.
// The error of a floating-point sum does not grow with the length.
typedef struct tb_reduction {
  tb_plan plan;
  int32_t op;  // tb_reduction_op
  int32_t compute;
  tb_scalar number[TB_MAX_NUMBERS];
} tb_reduction;

// An operand of a row operation: at each position of the batch one row of `length` elements, `step` elements apart.
// `data` is null for an omitted operand.
typedef struct tb_row_operand {
  void* data;
  int64_t strides[TB_MAX_DIMS];  // over the batch, in elements; 0 repeats the row
  int64_t length;
  int64_t step;
  int32_t dtype;
  int32_t written;  // 1: the operation writes this operand
} tb_row_operand;

// A row operation, at each position of a batch of ndim >= 0 dimensions, dimension 0 innermost: softmax, sort,
// cumulative sums, layer norm, gather... kernel_ops.h lists the operands. Floating rows are converted to and from
// `compute`; indices are I64.
typedef struct tb_rowwise {
  int32_t op;  // tb_rowwise_op
  int32_t compute;
  int32_t ndim;
  int32_t operands;
  int64_t sizes[TB_MAX_DIMS];
  tb_row_operand row[TB_MAX_ROWS];
  tb_scalar number[TB_MAX_NUMBERS];
  int64_t* bad_index;  // null, or receives the first index out of range, on the host
} tb_rowwise;

// GEMM: out[b][m][n] = activation(alpha * a[b][m][k] * b[b][k][n] + beta * added[b][m][n]). Any strides, in elements; 0
// broadcasts an element of a, b or added. added may alias out exactly. With k == 0 the product is zero. F16 and BF16
// are computed in F32 and rounded once, when stored. For one shape and layout, an element depends only on its row of a,
// its column of b and its element of added, not on its position.
typedef struct tb_matmul {
  void* out;
  const void* a;
  const void* b;
  const void* added;  // null: no addend
  int64_t m, n, k;
  int64_t out_row, out_col;
  int64_t a_row, a_col;
  int64_t b_row, b_col;
  int64_t added_row, added_col;
  int64_t batch, out_batch, a_batch, b_batch, added_batch;
  tb_scalar alpha, beta;
  int32_t dtype;       // of a and b: I64, F16, BF16, F32 or F64
  int32_t out_dtype;   // of out and added: the same, or F32 for F16 and BF16
  int32_t activation;  // -1: none; TB_RELU; for floats also TB_SIGMOID, TB_TANH, TB_SILU, TB_GELU, TB_GELU_TANH
  int32_t reserved;
} tb_matmul;

// Gather and scatter of rows of `inner` elements by indices into adjacent dimensions, all dense:
// rows[outer][count][inner] and table[outer][length...][inner]. index[d] is I64 [count], from 0 to length[d] - 1, or
// from -length[d] with `wraps`.
typedef struct tb_take {
  void* rows;   // written by TB_TAKE, read by the others
  void* table;  // read by TB_TAKE, written by the others
  const int64_t* index[TB_MAX_DIMS];
  int64_t length[TB_MAX_DIMS];
  int64_t outer, count, inner;
  int64_t* bad_index;  // null, or receives two numbers on the host: the first index out of range, and its d in `index`
  int32_t op;          // tb_take_op
  int32_t dtype;       // of rows and table
  int32_t indices;     // at least 1
  int32_t wraps;
} tb_take;

// Random numbers first, first + 1, ... of the stream given by seed and subsequence, one per element, in the row-major
// order of the tensor: dimension 0 of the plan is the tensor's last one, and dimensions are not reordered.
// docs/random.md defines the numbers. If `philox_state` is not null, the kernel reads seed and offset from there when
// it runs, and adds `first` to that offset.
typedef struct tb_random {
  tb_plan plan;  // one operand, or two for TB_RANDOM_BERNOULLI_OF, TB_RANDOM_MULTINOMIAL and the checks
  uint64_t seed, first;
  uint64_t subsequence;  // words 2 and 3 of the Philox counter
  int32_t op;            // tb_random_op
  int32_t reserved;
  tb_scalar number[TB_MAX_NUMBERS];
  const uint64_t* philox_state;  // null, or a Philox state (seed, offset) on the device of the operands
} tb_random;

// Coordinates of the elements that are not zero, of a plan with one operand whose dimensions are neither reordered nor
// collapsed. `out` is I64 [count][coordinates], row-major, with the tensor's first dimension first; null: only count.
typedef struct tb_nonzero {
  tb_plan plan;
  int64_t* out;
  int64_t count;        // written
  int32_t coordinates;  // 0 for a zero-dimensional tensor
  int32_t reserved;
} tb_nonzero;

// Pooling over the last two dimensions of dense images [images][height][width]. TB_MAX_POOL: index is I64, the
// row-major index of the maximum in the image: the first of equal elements, NaN above every number, -1 if a window lies
// in the padding. Backward: `in` is the gradient of the result and `out` that of the image; TB_BAD_INDEX if an index is
// outside the image. A kernel size of 0 means adaptive average pooling: windows from floor(i * height / out_height) to
// ceil((i + 1) * height / out_height).
typedef struct tb_pool {
  void* out;
  const void* in;
  int64_t* index;  // null for averages
  int64_t images, height, width, out_height, out_width;
  int64_t kernel[2], stride[2], padding[2], dilation[2];  // along rows (height), columns (width)
  int64_t divisor;                                        // of averages; 0: the size of the window
  int32_t op;                                             // tb_pool_op
  int32_t dtype;                                          // F32 or F64; for TB_MAX_POOL also I64
  int32_t count_padding;                                  // of averages: padding counts as elements
  int32_t reserved;
} tb_pool;

// Convolution: out[image][output][position] = bias[output] + the sum over channels and window elements of image *
// weight. All dense: images [images][channels][size..], weight [outputs][channels / groups][kernel..], out
// [images][outputs] [out_size..], with three spatial dimensions, of which leading ones may be 1. Zero padding.
// Channels, kernels and strides are at least 1. F16, BF16, F32 or F64, the same for all.
typedef struct tb_convolution {
  void* out;
  const void* image;
  const void* weight;
  const void* bias;  // null, or [outputs]
  int64_t images, channels, outputs, groups;
  int64_t size[3], out_size[3], kernel[3], stride[3], padding[3], dilation[3];
  int32_t dtype;
  int32_t reserved;
} tb_convolution;

// One optimizer step on dense arrays of `count` elements, in one pass; kernel_ops.h defines it. Updates parameter and
// state. F32 or F64, the same for all arrays.
typedef struct tb_update {
  void* parameter;
  void* gradient;  // with a gradient scale, divided by it in place
  void* state[3];  // null where the operation has none
  int64_t count;
  double rate, decay;
  double first, second;  // momentum and dampening, or beta1 and beta2
  double epsilon;
  double step;            // of ADAM and ADAMW: from 1; not read if step_there is not null
  double gradient_scale;  // 0: none
  int32_t op;             // tb_update_op
  int32_t dtype;
  int32_t maximize;
  int32_t nesterov;
  int32_t first_step;  // of SGD
  int32_t reserved;
  // On the device of the arrays, read when the kernel runs; null if there is none.
  const double* step_there;   // of ADAM, ADAMW: in place of `step`
  const double* scale_there;  // in place of gradient_scale
  const double* skip_there;   // nothing is written unless it is 0
} tb_update;

// A matrix at each position of a batch; any strides, in elements; 0 broadcasts.
typedef struct tb_matrices {
  void* data;
  int64_t batch[TB_MAX_DIMS];
  int64_t row, col;
} tb_matrices;

// out = softmax(scale * query @ key^T + mask) @ value, where queries are rows: [queries][width], [keys][width],
// [keys][value_width]. A floating-point mask [queries][keys] is added; a BOOL mask keeps keys where it is 1; its data
// are null if there is no mask. A query whose mask excludes all keys has a row of zeros. F32 or F64, and if
// tb_kernels::attention_fp16 is set F16 or BF16, accumulated in F32; the mask has the same type unless it is BOOL.
typedef struct tb_attention {
  tb_matrices out, query, key, value, mask;
  int64_t sizes[TB_MAX_DIMS];  // of the batch, dimension 0 innermost
  int64_t queries, keys, width, value_width;
  double scale;
  int32_t ndim;  // of the batch
  int32_t dtype;
  int32_t mask_dtype;
  int32_t causal;  // 1: query i sees keys 0 to i
} tb_attention;

// Normalisation of dense arrays [images][channels][inner] by the mean and the variance of each of `groups` groups of
// adjacent channels of an image, or with groups == 0 of each channel over all images: out = (in - mean) / sqrt(variance
// + epsilon) * weight + bias. With a gradient, of the result: the gradients of in, weight and bias. in, gradient and
// out are F16, BF16, F32 or F64, the other arrays F64 for F64, else F32.
typedef struct tb_channel_norm {
  void* out;  // may be null if there is a gradient
  const void* in;
  const void* gradient;   // null: computes the result
  const void* weight;     // null: 1; or [channels]
  const void* bias;       // null: 0; or [channels]. Not read if there is a gradient
  void* mean;             // [images][groups] or [channels]. Read if `given` or if there is a gradient, else written
  void* variance;         // the same; divided by the number of elements
  void* weight_gradient;  // null, or [channels]
  void* bias_gradient;
  int64_t images, channels, inner, groups;
  double epsilon;
  int32_t dtype;  // of in, gradient and out
  int32_t given;  // 1, with groups == 0: mean and variance are constants, not those of `in`
} tb_channel_norm;

// Execution context of an entry. Never null.
typedef struct tb_call {
  void* stream;    // the backend's stream; null for the default one and the CPU. For CUDA a cudaStream_t, or null for
                   // this thread's current stream
  void* context;   // tb_kernels::context of the backend
  int32_t device;  // the index of the device that holds the result
  int32_t reserved;
} tb_call;

// An elementwise operation on dense operands in the compute type; the result of a predicate is BOOL.
typedef void (*tb_dense_loop)(int64_t count, void* out, const void* const* in, const tb_scalar* number);

// By compute type: BOOL, I64, F32, F64. Null if there is no loop, or if elements must be checked first.
typedef struct tb_dense_loops {
  tb_dense_loop of[4];
} tb_dense_loops;

typedef struct tb_kernels {
  uint32_t size;     // sizeof(tb_kernels), to detect a table from another build
  uint32_t version;  // TB_ABI_VERSION
  const char* name;  // "cpu/avx2", "cuda", ...

  // An entry is null if the backend lacks the kernel: operators that need it are not registered. `runs` reports the
  // same for single operations. `copy` converts between any two dtypes: to BOOL as "!= 0"; a float to a narrower
  // integer through I64, where out-of-range values become INT64_MIN, and then wraps.
  tb_status (*copy)(const tb_plan*, const tb_call*);
  tb_status (*arange)(const tb_plan*, tb_scalar start, tb_scalar step, const tb_call*);  // one dimension
  tb_status (*elementwise)(const tb_elementwise*, const tb_call*);
  tb_status (*reduce)(const tb_reduction*, const tb_call*);
  tb_status (*rowwise)(const tb_rowwise*, const tb_call*);
  tb_status (*matmul)(const tb_matmul*, const tb_call*);
  tb_status (*take)(const tb_take*, const tb_call*);
  tb_status (*random)(const tb_random*, const tb_call*);
  tb_status (*nonzero)(tb_nonzero*, const tb_call*);
  tb_status (*pool)(const tb_pool*, const tb_call*);
  tb_status (*convolve)(const tb_convolution*, const tb_call*);
  tb_status (*update)(const tb_update*, const tb_call*);
  tb_status (*attention)(const tb_attention*, const tb_call*);

  // Loops for few elements in host memory, without a plan: null, or the loops of each tb_elementwise_op.
  const tb_dense_loops* const* dense_loops;

  // Called on this thread before each entry with the operator's name, for asynchronous error reports; null if the
  // backend has none.
  void (*calling)(const char* operator_name, uint64_t length);

  // The message of the last TB_DEVICE_ERROR, TB_NO_DEVICE or TB_NOT_BUILT on this thread; null if these cannot occur.
  const char* (*last_error)(void);

  // 1: inputs of `elementwise` may have on_host set.
  uint32_t host_scalars;
  // 1: `attention` accepts F16 and BF16 too.
  uint32_t attention_fp16;

  // Whether an entry supports an operation, 1 or 0, for each tb_entry that has codes. Called when the table is
  // registered: an operator is registered only if all operations it calls are supported, so that other calls report a
  // missing kernel or reach a fallback. Null: existing entries support all of their operations.
  int32_t (*runs)(int32_t entry, int32_t op);

  // Passed to each entry in tb_call; may be null.
  void* context;

  // An entry like the first ones.
  tb_status (*channel_norm)(const tb_channel_norm*, const tb_call*);
} tb_kernels;

// Memory of a device that does not use host memory.
typedef struct tb_memory {
  uint32_t size;
  uint32_t version;
  int32_t (*device_count)(void);
  tb_status (*allocate)(int32_t device, uint64_t bytes, void** out);
  tb_status (*release)(int32_t device, void* pointer);
  tb_status (*copy_in)(int32_t device, void* to, const void* from_host, uint64_t bytes);   // synchronous
  tb_status (*copy_out)(int32_t device, void* to_host, const void* from, uint64_t bytes);  // synchronous
  tb_status (*synchronize)(int32_t device);
  const char* (*last_error)(void);  // text of this thread's last failure; never null
} tb_memory;

enum { TB_ABI_VERSION = 8 };

// Never null. The CPU table is chosen once, by CPU feature bits and TOPBIT_CPU_ISA (scalar, sse2, avx2, avx512);
// an unknown or unsupported value of TOPBIT_CPU_ISA is reported by tb_cpu_error and the best table is used.
const tb_kernels* tb_cpu_kernels(void);
const char* tb_cpu_error(void);  // null if there is no error
// By architecture, for tests and benches; null if this CPU or this build lacks it. "scalar" is the scalar build.
const tb_kernels* tb_cpu_kernels_for(const char* isa);

// The number of threads of CPU kernels with more than about 30,000 elements of work; results do not depend on it. The
// default is TOPBIT_NUM_THREADS, or one per available processor; clamped to 1 to 1024 (1 in a build without threads).
// Applies to later calls. TOPBIT_PARALLEL_GRAIN is the minimum work per task; results do not depend on it either.
int32_t tb_cpu_threads(void);
// Calls part(context, i) for each i below `parts`, in any order, on the threads of CPU kernels; returns when all calls
// have returned. Nested calls run on the calling thread.
void tb_cpu_run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context);
void tb_cpu_set_threads(int32_t count);
const char* tb_cpu_threads_error(void);  // error in TOPBIT_NUM_THREADS; null if there is none

const tb_kernels* tb_cuda_kernels(void);
const tb_memory* tb_cuda_memory(void);

#ifdef __cplusplus
}
#endif
