// The seam between the module world and the kernel world: plain structs, C linkage, status codes.
//
// A backend is one tb_kernels table (and, where its memory is not the host's, one tb_memory table). The module
// side turns tensors into these structs; kernels see pointers, sizes and strides, never a module, a key or an
// exception. Nothing here depends on the C++ standard library, so nvcc, g++ and clang agree on every layout;
// kernels/abi/layout.h states it as static_asserts which each of them compiles.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TB_MAX_DIMS = 6, TB_MAX_OPERANDS = 4 };

typedef enum tb_status {
  TB_OK = 0,
  TB_UNSUPPORTED_DTYPE = 1,  // the kernel has no loop for this element type
  TB_BAD_INDEX = 2,          // an index argument (a class label, say) is out of range; nothing useful was written
  TB_OUT_OF_MEMORY = 3,
  TB_DEVICE_ERROR = 4,  // tb_memory::last_error has the text
  TB_NO_DEVICE = 5,
  TB_NOT_BUILT = 6  // the backend is a stub in this build
} tb_status;

// Element codes; topbit.tensor's dtype has the same values (checked where the two worlds meet).
typedef enum tb_dtype { TB_BOOL = 0, TB_I64 = 1, TB_F32 = 2, TB_F64 = 3 } tb_dtype;

// A scalar in both readings; a kernel takes the one its element type calls for.
typedef struct tb_scalar {
  double f;
  int64_t i;
} tb_scalar;

typedef struct tb_operand {
  void* data;
  int64_t strides[TB_MAX_DIMS];  // in elements; 0 repeats the element (broadcast)
  int32_t dtype;
  int32_t reserved;
} tb_operand;

// One elementwise pass. Dimension 0 is the innermost. Dimensions are already collapsed where all operands allow
// it, and ndim >= 1 (a scalar is one dimension of size 1). operand[0] is the result, the others are read.
// The result may be the same memory as an input, element for element; it never overlaps one partly.
typedef struct tb_plan {
  int32_t ndim;
  int32_t operands;
  int64_t sizes[TB_MAX_DIMS];
  tb_operand operand[TB_MAX_OPERANDS];
} tb_plan;

// Unary operations: result and input have one dtype. EXP and LOG take F32 and F64 only.
typedef enum tb_unary_op { TB_NEG = 0, TB_EXP = 1, TB_LOG = 2, TB_RELU = 3 } tb_unary_op;

// Binary operations: result and both inputs have one dtype. On BOOL: ADD is or, MUL is and, the rest are
// TB_UNSUPPORTED_DTYPE. DIV on I64 is TB_UNSUPPORTED_DTYPE (true division is done in floating point).
typedef enum tb_binary_op {
  TB_ADD = 0,           // a + alpha * b
  TB_SUB = 1,           // a - alpha * b
  TB_MUL = 2,           // a * b
  TB_DIV = 3,           // a / b
  TB_RELU_BACKWARD = 4  // a (gradient) where b (result of relu) > 0, else 0
} tb_binary_op;

// Comparisons: both inputs have one dtype, the result is BOOL (one byte, 0 or 1).
typedef enum tb_compare_op { TB_EQ = 0, TB_NE = 1, TB_LT = 2, TB_LE = 3, TB_GT = 4, TB_GE = 5 } tb_compare_op;

// Dense input seen as [outer][length][inner]; the result is dense [outer][inner].
typedef struct tb_reduce {
  void* out;
  const void* in;
  int64_t outer, length, inner;
  int32_t dtype;  // of the input
  int32_t reserved;
} tb_reduce;

// out[m][n] = a[m][k] * b[k][n]; out is row-major with row stride out_row. a and b have any strides, in elements.
// k == 0 gives zeros. F32 and F64.
typedef struct tb_matmul {
  void* out;
  const void* a;
  const void* b;
  int64_t m, n, k;
  int64_t out_row;
  int64_t a_row, a_col;
  int64_t b_row, b_col;
  int32_t dtype;
  int32_t reserved;
} tb_matmul;

// Dense row-major [rows][cols] pictures for the classifier's loss. F32 and F64; labels are I64 [rows].
typedef struct tb_rows {
  void* out;
  const void* in;   // forward: input; backward: gradient of the result
  const void* aux;  // log_softmax_backward: the forward result; nll: the labels
  int64_t rows, cols;
  int32_t dtype;
  int32_t reserved;
} tb_rows;

typedef struct tb_kernels {
  uint32_t size;     // sizeof(tb_kernels), so that a table from another build is noticed
  uint32_t version;  // TB_ABI_VERSION
  const char* name;  // "cpu/avx2", "cuda", ...

  // The stream is null for the host and a cudaStream_t for CUDA.
  tb_status (*fill)(const tb_plan*, tb_scalar value, void* stream);                    // any dtype
  tb_status (*arange)(const tb_plan*, tb_scalar start, tb_scalar step, void* stream);  // I64 F32 F64, 1-d
  // Converts between any two dtypes; to BOOL is "!= 0", a float that I64 cannot hold becomes the lowest I64.
  tb_status (*copy)(const tb_plan*, void* stream);
  tb_status (*unary)(tb_unary_op, const tb_plan*, void* stream);
  tb_status (*binary)(tb_binary_op, const tb_plan*, tb_scalar alpha, void* stream);
  tb_status (*compare)(tb_compare_op, const tb_plan*, void* stream);
  tb_status (*sum)(const tb_reduce*, void* stream);     // BOOL sums into I64; else result dtype = input dtype
  tb_status (*argmax)(const tb_reduce*, void* stream);  // result I64, first of equals, a NaN wins; length >= 1
  tb_status (*matmul)(const tb_matmul*, void* stream);
  tb_status (*log_softmax)(const tb_rows*, void* stream);
  tb_status (*log_softmax_backward)(const tb_rows*, void* stream);
  // out is one element: the mean over rows of -in[row][label[row]]. TB_BAD_INDEX if a label is outside 0..cols-1.
  tb_status (*nll_loss)(const tb_rows*, void* stream);
  // in is one element (gradient of the mean); out[rows][cols] is -in/rows at the label and 0 elsewhere.
  tb_status (*nll_loss_backward)(const tb_rows*, void* stream);

  // What TB_DEVICE_ERROR, TB_NO_DEVICE or TB_NOT_BUILT meant on this thread; null where these cannot happen.
  const char* (*last_error)(void);
} tb_kernels;

// Memory of a device that is not the host.
typedef struct tb_memory {
  uint32_t size;
  uint32_t version;
  int32_t (*device_count)(void);
  tb_status (*allocate)(int32_t device, uint64_t bytes, void** out);
  tb_status (*release)(int32_t device, void* pointer);
  tb_status (*copy_in)(int32_t device, void* to, const void* from_host, uint64_t bytes);   // synchronous
  tb_status (*copy_out)(int32_t device, void* to_host, const void* from, uint64_t bytes);  // synchronous
  tb_status (*synchronize)(int32_t device);
  const char* (*last_error)(void);  // this thread's last failure, for people; never null
} tb_memory;

enum { TB_ABI_VERSION = 1 };

// Never null. The CPU table is chosen once, by CPU feature bits and TOPBIT_CPU_ISA (reference, sse2, avx2, avx512);
// an unknown or unsupported value of TOPBIT_CPU_ISA is reported by tb_cpu_error and the best table is used.
const tb_kernels* tb_cpu_kernels(void);
const char* tb_cpu_error(void);  // null when all is well
// By architecture, for tests and benches; null if this CPU or this build lacks it. "reference" is the plain loops.
const tb_kernels* tb_cpu_kernels_for(const char* isa);

const tb_kernels* tb_cuda_kernels(void);
const tb_memory* tb_cuda_memory(void);

#ifdef __cplusplus
}
#endif
