// The table of one instruction set. Compiled once per instruction set; see arch.h.
#include "arch.h"
#include "arch_text.h"

namespace tb_sparse::TOPBIT_ARCH {

extern const tb_sparse_kernels table;

constinit const tb_sparse_kernels table = {
    .isa = TOPBIT_TEXT(TOPBIT_ARCH),
    .check_coo = check_coo,
    .check_csr = check_csr,
    .sort_workspace = sort_workspace,
    .sort_begin = sort_begin,
    .sort_buckets = sort_buckets,
    .sort_end = sort_end,
    .coalesce = coalesce,
    .sort_groups = sort_groups,
    .rows_to_offsets = rows_to_offsets,
    .offsets_to_rows = offsets_to_rows,
    .transpose = transpose,
    .spmm = spmm,
    .spmm_reduce = spmm_reduce,
    .sddmm = sddmm,
    .spgemm_workspace = spgemm_workspace,
    .spgemm_count = spgemm_count,
    .spgemm_fill = spgemm_fill,
    .masked_spgemm = masked_spgemm,
    .union_count = union_count,
    .union_fill = union_fill,
    .intersect_count = intersect_count,
    .intersect_fill = intersect_fill,
    .locate = locate,
    .row_softmax = row_softmax,
    .row_softmax_backward = row_softmax_backward,
    .row_sum = row_sum,
    .row_of_part = row_of_part,
};

}  // namespace tb_sparse::TOPBIT_ARCH
