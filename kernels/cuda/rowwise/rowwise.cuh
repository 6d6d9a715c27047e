// Row operations by family, selected in rowwise.cu. Preconditions: the batch has at least one position, and every
// operand that is present has data.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/launch.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {

tb_status softmax_rows(const tb_rowwise& call, const scope& on);  // softmax, log_softmax and their gradients
tb_status norm_rows(const tb_rowwise& call, const scope& on);     // layer_norm, rms_norm and their gradients
tb_status loss_rows(const tb_rowwise& call, const scope& on);     // nll and cross entropy, their gradients
tb_status index_rows(const tb_rowwise& call, const scope& on);    // gather, scatter, scatter reductions, index checks
tb_status scan_rows(const tb_rowwise& call, const scope& on);    // cumulative sum, product, maximum, minimum, logsumexp
tb_status sort_rows(const tb_rowwise& call, const scope& on);    // sort, topk, kth value, median, mode
tb_status search_rows(const tb_rowwise& call, const scope& on);  // searchsorted
tb_status reduce_bags(const tb_rowwise& call, const scope& on);  // sums, means and maxima of rows by index

}  // namespace tb_cuda
