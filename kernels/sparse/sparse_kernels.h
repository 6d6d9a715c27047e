// Kernels for sparse tensors on the CPU: plain structs, C linkage, one table of functions per instruction set.
//
// Kernels see pointers and sizes, start no threads, allocate nothing and check nothing: check_coo and check_compressed
// are the checks, everything else relies on them. Most take a range [begin, end) of rows, so that the caller divides
// the work; no bit of a result depends on the division. Ranges of one call may run concurrently.
//
// A sparse matrix is `tb_csr`, sorted by row and, inside a row, by column without duplicates. A matrix in CSC format is
// the tb_csr of its transpose, and a coalesced COO matrix becomes one by rows_to_offsets. A coalesced tensor of n
// dimensions is a tb_csr of one row if its linear indices fit in I64.
//
// Arithmetic: F16 and BF16 are computed in F32 and rounded once, when stored; integers wrap; for BOOL, + is `or` and *
// is `and`. Sums add in the order of entries, except in dot products over a dense dimension and in row_softmax, where
// the order depends on the length and the instruction set alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compressed rows. `index` (TB_I32 or TB_I64) is the type of both arrays.
typedef struct tb_csr {
  const void* compressed;  // [rows + 1]: where each row begins in `plain`
  const void* plain;       // [nnz]: columns
  int64_t rows, columns, nnz;
  int32_t index;
  int32_t reserved;
} tb_csr;

// Indices of a COO tensor: I64 [dims][nnz], the rows `step` elements apart. Each size is at least 0 and their product
// may exceed I64. dims may be 0.
typedef struct tb_coo {
  const int64_t* indices;
  int64_t step;
  const int64_t* sizes;  // [dims]
  int64_t dims, nnz;
} tb_coo;

// ---- Checks

typedef struct tb_coo_facts {
  int64_t bad_entry;  // an entry with an index out of range, or -1
  int64_t bad_dim;    // its first such dimension
  int64_t bad_index;  // and the index there
  int32_t sorted;     // 1: entries ascend or repeat
  int32_t coalesced;  // 1: entries strictly ascend in row-major order
} tb_coo_facts;

typedef enum tb_csr_fault {
  TB_CSR_VALID = 0,
  TB_CSR_FIRST = 1,         // compressed[0] is not 0
  TB_CSR_LAST = 2,          // compressed[rows] is not nnz
  TB_CSR_OFFSET = 3,        // compressed[row] is not in [0, nnz]
  TB_CSR_DESCENDS = 4,      // compressed[row + 1] < compressed[row]
  TB_CSR_TOO_LONG = 5,      // row `row` has more entries than columns
  TB_CSR_OUT_OF_RANGE = 6,  // plain[entry], in row `row`, is not a column
  TB_CSR_UNSORTED = 7       // plain[entry], in row `row`, is not greater than its predecessor
} tb_csr_fault;

typedef struct tb_csr_facts {
  int32_t fault;  // tb_csr_fault
  int32_t reserved;
  int64_t row, entry;
  int64_t found;  // the offending number of compressed or plain; for TB_CSR_TOO_LONG the length of the row
} tb_csr_facts;

// ---- Sorting

enum { TB_SORT_BUCKETS = 256 };

// State of sorting the entries of a COO tensor, in this order:
//   size = sort_workspace(&coo), then memory of that size, aligned to 64 bytes
//   sort_begin(&sort)              divides the entries among buckets
//   sort_buckets(&sort, b, e)      over buckets 0 to TB_SORT_BUCKETS, in any division
//   count = sort_end(&sort)        the number of distinct index tuples
//   coalesce, sort_groups          over buckets again
typedef struct tb_sort {
  tb_coo coo;  // valid
  void* workspace;
} tb_sort;

// Writes what is not null: the distinct index tuples, ascending, and the sums of their values in order of appearance.
typedef struct tb_coalesce {
  tb_sort* sort;
  int64_t* indices;  // [dims][count], rows `step` elements apart
  int64_t step;
  const void* values;  // [nnz][inner]
  void* sums;          // [count][inner]
  int64_t inner;
  int32_t dtype;
  int32_t reserved;
} tb_coalesce;

// ---- Conversions

// The transpose of `a`, over a range of its columns. `values` and `order` may be null.
typedef struct tb_transpose {
  tb_csr a;
  void* compressed;    // [columns + 1], of the index type of a
  void* plain;         // [nnz]: rows of a, ascending for each column
  int64_t* order;      // [nnz]: where each entry was in a
  const void* values;  // [nnz] elements of `element_size` bytes
  void* moved;         // [nnz], in the new order
  void* workspace;     // [columns] of the index type; need not be initialised
  int64_t element_size;
} tb_transpose;

// ---- Products

// out[row][c] = sum of values[e] * dense[column(e)][c] over the entries of the row. Rows of dense and out are
// contiguous, `dense_step` and `out_step` elements apart. With one column this is the product with a vector.
typedef struct tb_spmm {
  tb_csr a;
  const void* values;  // [nnz]
  const void* dense;   // [a.columns][n]
  void* out;           // [a.rows][n]
  int64_t n, dense_step, out_step;
  int32_t dtype;
  int32_t reserved;
} tb_spmm;

typedef enum tb_spmm_op { TB_SPMM_MEAN = 0, TB_SPMM_AMAX = 1, TB_SPMM_AMIN = 2 } tb_spmm_op;

// As spmm with another reduction over the entries of a row; a row without entries gives 0. MEAN is for F16,
// BF16, F32 and F64. NaN is greater (for AMIN: less) than every number. `arg` (null, or only for AMAX and AMIN)
// receives the entry of the first extreme product, -1 for a row without entries.
typedef struct tb_spmm_reduce {
  tb_spmm product;
  int64_t* arg;  // [a.rows][n], contiguous
  int32_t op;    // tb_spmm_op
  int32_t reserved;
} tb_spmm_reduce;

// out[e] = dot(left[row(e)], right[column(e)]), over rows of length k. `right` is the transposed right-hand matrix.
typedef struct tb_sddmm {
  tb_csr a;
  const void* left;   // [a.rows][k], rows left_step elements apart
  const void* right;  // [a.columns][k], rows right_step elements apart
  void* out;          // [nnz]
  int64_t k, left_step, right_step;
  int32_t dtype;
  int32_t reserved;
} tb_sddmm;

// ---- Sparse results in two passes: the first counts the entries of each row; the caller adds up `counts` to
// `compressed`, allocates, and the second pass fills.

// a * b of two sparse matrices with the same index type. Each concurrent call has its own workspace of
// spgemm_workspace(b.columns, dtype) bytes, aligned to 64 bytes, zero before the first call; calls leave it zero.
typedef struct tb_spgemm {
  tb_csr a, b;
  const void *a_values, *b_values;
  int64_t* counts;         // [a.rows], written by spgemm_count
  const void* compressed;  // [a.rows + 1] of the index type, read by spgemm_fill
  void *plain, *values;    // written by spgemm_fill
  int32_t dtype;
  int32_t reserved;
} tb_spgemm;

// out[e] = the sum of a[row(e)][c] * b[column(e)][c] over the columns c that both rows have: the elements of the
// product with the transpose of b at the entries of `mask`, which has as many rows as a and a column for each row of b.
// All three have one index type. Workspaces are those of spgemm.
typedef struct tb_masked_spgemm {
  tb_csr mask, a, b;
  const void *a_values, *b_values;
  void* out;  // [mask.nnz]
  int32_t dtype;
  int32_t reserved;
} tb_masked_spgemm;

// Merges the entries of two matrices of the same shape and index type. The union has value a + alpha * b where both
// have an entry, a or alpha * b where one has; the intersection has a * b.
typedef struct tb_merge {
  tb_csr a, b;
  const void *a_values, *b_values;  // [nnz][inner]
  int64_t* counts;                  // [rows], written by *_count
  const void* compressed;           // [rows + 1] of the index type, read by *_fill
  void *plain, *values;             // written by *_fill
  int64_t inner;
  tb_scalar alpha;
  int32_t dtype;
  int32_t reserved;
} tb_merge;

// ---- Rows

// Softmax over the entries of each row, or its gradient. In place if out == values (out == grad).
typedef struct tb_row_softmax {
  const void* compressed;  // [rows + 1]
  const void* values;      // [nnz]: the input; for the gradient the output of softmax or log-softmax
  const void* grad;        // [nnz], only for the gradient
  void* out;               // [nnz]
  int32_t index, dtype;    // F16, BF16, F32 or F64
  int32_t log;             // 1: log-softmax
  int32_t reserved;
} tb_row_softmax;

// out[row] = sum of values[e] over the entries of the row, each of `inner` elements. Floating-point numbers are added
// in F64.
typedef struct tb_row_sum {
  const void* compressed;  // [rows + 1]
  const void* values;      // [nnz][inner], of type `dtype`
  void* out;               // [rows][inner], of type `out_dtype`: dtype, or I64 for BOOL and integers
  int64_t inner;
  int32_t index, dtype, out_dtype;
  int32_t reserved;
} tb_row_sum;

typedef struct tb_sparse_kernels {
  const char* isa;

  // Entries [begin, end) are in range and in order, also after entry begin - 1. Reads the indices once.
  tb_coo_facts (*check_coo)(const tb_coo* coo, int64_t begin, int64_t end);
  // The first fault of rows [begin, end); reads nothing outside [rows + 1] and [nnz] even
  // if the offsets say so. If `plain` is null, of the offsets alone.
  tb_csr_facts (*check_csr)(const tb_csr* a, int64_t begin, int64_t end);

  size_t (*sort_workspace)(const tb_coo* coo);
  void (*sort_begin)(tb_sort* sort);
  void (*sort_buckets)(tb_sort* sort, int64_t begin, int64_t end);
  int64_t (*sort_end)(tb_sort* sort);
  void (*coalesce)(const tb_coalesce* call, int64_t begin, int64_t end);  // over buckets
  // groups[i], for each i < nnz, is the position of entry i's index tuple in the coalesced tensor. Over buckets.
  void (*sort_groups)(const tb_sort* sort, int64_t* groups, int64_t begin, int64_t end);

  // rows_to_offsets: compressed[begin..end) (and compressed[rows] if end == rows) of `count` ascending row numbers.
  // offsets_to_rows: the row number of each entry of rows [begin, end).
  void (*rows_to_offsets)(const int64_t* entries, int64_t count, int64_t rows, int32_t index, void* compressed,
                          int64_t begin, int64_t end);
  void (*offsets_to_rows)(const void* compressed, int32_t index, int64_t* entries, int64_t begin, int64_t end);
  void (*transpose)(const tb_transpose* call, int64_t begin, int64_t end);

  void (*spmm)(const tb_spmm* call, int64_t begin, int64_t end);
  void (*spmm_reduce)(const tb_spmm_reduce* call, int64_t begin, int64_t end);
  void (*sddmm)(const tb_sddmm* call, int64_t begin, int64_t end);

  size_t (*spgemm_workspace)(int64_t columns, int32_t dtype);
  void (*spgemm_count)(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end);
  void (*spgemm_fill)(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end);
  void (*masked_spgemm)(const tb_masked_spgemm* call, void* workspace, int64_t begin, int64_t end);
  void (*union_count)(const tb_merge* call, int64_t begin, int64_t end);
  void (*union_fill)(const tb_merge* call, int64_t begin, int64_t end);
  void (*intersect_count)(const tb_merge* call, int64_t begin, int64_t end);
  void (*intersect_fill)(const tb_merge* call, int64_t begin, int64_t end);
  // positions[e], for each entry e of rows [begin, end) of a, is the entry of b with the same row and column, or -1.
  void (*locate)(const tb_csr* a, const tb_csr* b, int64_t* positions, int64_t begin, int64_t end);

  void (*row_softmax)(const tb_row_softmax* call, int64_t begin, int64_t end);
  void (*row_softmax_backward)(const tb_row_softmax* call, int64_t begin, int64_t end);
  void (*row_sum)(const tb_row_sum* call, int64_t begin, int64_t end);

  // The first row of part `part` of `parts`, parts having about equal numbers of rows plus entries; part == parts gives
  // rows.
  int64_t (*row_of_part)(const tb_csr* a, int64_t part, int64_t parts);
} tb_sparse_kernels;

// The table for an instruction set as cpu_isa() names it; null if this build has none or this processor cannot run it.
const tb_sparse_kernels* tb_sparse_kernels_for(const char* isa);

#ifdef __cplusplus
}
#endif
