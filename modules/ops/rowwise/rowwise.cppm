// Kernel thunks of row and index kernels: convert tensors to the kernel ABI's structs. Internal.
module topbit.ops:rowwise.rowwise;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.structured;

namespace topbit::detail {

// The ABI's operation codes, with the same values.
enum class rowwise : std::int32_t {
  softmax,
  log_softmax,
  softmax_backward,
  log_softmax_backward,
  cumsum,
  cumprod,
  cummax,
  cummin,
  logcumsumexp,
  sort,
  topk,
  kth_value,
  median,
  mode,
  searchsorted,
  gather,
  scatter,
  scatter_add,
  layer_norm,
  layer_norm_backward,
  rms_norm,
  nll,
  nll_backward,
  nll_total,
  check_index,
  scatter_mul,
  scatter_amax,
  scatter_amin,
  layer_norm_weights,
  cross_entropy,
  cross_entropy_backward,
  bag_sum,
  bag_mean,
  bag_max,
  minmax,
  bincount,
  histc,
  compress,
  rms_norm_backward,
  distance,
  count
};
template <>
inline constexpr table_entry entry_of<rowwise> = table_entry::rowwise;

enum class take_code : std::int32_t { take, put, put_add, check };
template <>
inline constexpr table_entry entry_of<take_code> = table_entry::take;

// An operand of a row operation; undefined if omitted.
struct row_operand {
  const tensor* of = nullptr;
  bool written = false;
};
inline row_operand read(const tensor& t) noexcept { return {&t, false}; }
inline row_operand written(const tensor& t) noexcept { return {&t, true}; }

struct row_call {
  rowwise code;
  dtype type;              // the compute type
  std::size_t dim;         // the dimension of the rows
  const shape& batch;      // sizes whose other dimensions are the batch; operands have as many dimensions
  std::int64_t range = 0;  // of indices, for the error message
};

// Zero-dimensional operands are rows of one element.
void run_rows(backend_call c, const row_call& call, std::initializer_list<row_operand> rows,
              std::initializer_list<scalar> numbers = {});

// Dense rows[outer][count][inner] and table[outer][length...][inner], with one dense int64 index [count] for each
// length.
struct take_call {
  take_code code;
  std::int64_t outer, count, inner;
  std::span<const tensor> index;
  std::span<const std::int64_t> length;
  bool wraps = false;  // negative indices count from the end
};
void run_take(backend_call c, const take_call& call, const tensor& rows, const tensor& table);

// int64 [count, dimensions]. Throws error on meta, since the output shape is data-dependent.
tensor nonzero_of(backend_call c, const tensor& self);

// Copies self, flipped along some dimensions, to a tensor that shares no memory with it.
void copy_flipped(backend_call c, const tensor& out, const tensor& self, const std::array<bool, max_dims>& flipped);
// int64: first, first + 1, ...
tensor counted(backend_call c, std::int64_t first, std::int64_t count, device where);

// The same elements with these sizes: any sizes for a dense tensor, otherwise its own with dimensions of size 1 added
// or removed.
tensor reshaped(const tensor& t, const shape& sizes);
// A zero-dimensional tensor as one of one element.
tensor at_least_1d(const tensor& t);
// Dense, with these sizes and the dtype of `like`.
result_meta dense_meta(const shape& sizes, dtype type, const tensor& like);

}  // namespace topbit::detail
