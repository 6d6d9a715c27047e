// The functions of one instruction set's table, declared for table.cpp.
//
// Each source of this folder is compiled once per instruction set with TOPBIT_ARCH set to its name, as
// kernels/cpu/isa/arch.h explains.
#pragma once

#include "sparse_kernels.h"

namespace tb_sparse::TOPBIT_ARCH {

tb_coo_facts check_coo(const tb_coo* coo, int64_t begin, int64_t end);
tb_csr_facts check_csr(const tb_csr* a, int64_t begin, int64_t end);

size_t sort_workspace(const tb_coo* coo);
void sort_begin(tb_sort* sort);
void sort_buckets(tb_sort* sort, int64_t begin, int64_t end);
int64_t sort_end(tb_sort* sort);
void coalesce(const tb_coalesce* call, int64_t begin, int64_t end);
void sort_groups(const tb_sort* sort, int64_t* groups, int64_t begin, int64_t end);

void rows_to_offsets(const int64_t* entries, int64_t count, int64_t rows, int32_t index, void* compressed,
                     int64_t begin, int64_t end);
void offsets_to_rows(const void* compressed, int32_t index, int64_t* entries, int64_t begin, int64_t end);
void transpose(const tb_transpose* call, int64_t begin, int64_t end);
int64_t row_of_part(const tb_csr* a, int64_t part, int64_t parts);

void spmm(const tb_spmm* call, int64_t begin, int64_t end);
void spmm_mean(const tb_spmm* call, int64_t begin, int64_t end);  // not in the table: part of spmm_reduce
void spmm_reduce(const tb_spmm_reduce* call, int64_t begin, int64_t end);
void sddmm(const tb_sddmm* call, int64_t begin, int64_t end);

size_t spgemm_workspace(int64_t columns, int32_t dtype);
void spgemm_count(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end);
void spgemm_fill(const tb_spgemm* call, void* workspace, int64_t begin, int64_t end);
void masked_spgemm(const tb_masked_spgemm* call, void* workspace, int64_t begin, int64_t end);
void union_count(const tb_merge* call, int64_t begin, int64_t end);
void union_fill(const tb_merge* call, int64_t begin, int64_t end);
void intersect_count(const tb_merge* call, int64_t begin, int64_t end);
void intersect_fill(const tb_merge* call, int64_t begin, int64_t end);
void locate(const tb_csr* a, const tb_csr* b, int64_t* positions, int64_t begin, int64_t end);

void row_softmax(const tb_row_softmax* call, int64_t begin, int64_t end);
void row_softmax_backward(const tb_row_softmax* call, int64_t begin, int64_t end);
void row_sum(const tb_row_sum* call, int64_t begin, int64_t end);

}  // namespace tb_sparse::TOPBIT_ARCH
