// Operations on rows by family; rowwise.cu says which is where. Each takes the whole call, whose counts it may rely on:
// there is at least one position in the batch and every operand that is given has data.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/launch.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {

tb_status softmax_rows(const tb_rowwise& call, const scope& on);  // softmax, log_softmax, and their gradients
tb_status norm_rows(const tb_rowwise& call, const scope& on);    // layer_norm, rms_norm, and their gradients
tb_status loss_rows(const tb_rowwise& call, const scope& on);     // nll and cross entropy
tb_status index_rows(const tb_rowwise& call, const scope& on);    // gather, scatter and their kin, index checks
tb_status scan_rows(const tb_rowwise& call, const scope& on);     // cumulative sums, products, extremes
tb_status sort_rows(const tb_rowwise& call, const scope& on);     // sort, topk, kth value, median, mode
tb_status search_rows(const tb_rowwise& call, const scope& on);   // searchsorted

}  // namespace tb_cuda
