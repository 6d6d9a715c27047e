// What a sparse tensor consists of: index tensors, and the values at these places. All other elements are zero.
//
// A payload makes its index tensors read-only, so that indices that were checked, or computed, stay valid: operators
// refuse to write to their memory.
export module topbit.sparse:payload;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::sparse {

/// Layout sparse_coo, "coordinates". The first indices.size(0) dimensions of the tensor are sparse, the others dense:
/// each entry is a place in the sparse dimensions and a dense tensor of values. Entries at one place are added.
struct coo_payload final : author::layout_payload {
  static constexpr layout of_layout = layout::sparse_coo;

  coo_payload(tensor indices_, tensor values_, bool coalesced_) noexcept;

  std::vector<part> parts() const override;
  intrusive_ptr<tensor_extension> with_parts(std::span<const tensor> parts) const override;

  /// int64 [sparse dimensions, entries]
  tensor indices;
  /// [entries, dense sizes...], without history
  tensor values;
  /// The columns of `indices` strictly ascend in row-major order, so no place occurs twice.
  bool coalesced;
};

/// Layouts sparse_csr and sparse_csc of a matrix: its rows, or its columns, one after the other. "Lines" are the rows
/// of a CSR matrix and the columns of a CSC matrix.
struct compressed_payload final : author::layout_payload {
  static constexpr layout of_layout = layout::sparse_csr;
  static constexpr bool has_layout(layout l) noexcept { return l == layout::sparse_csr || l == layout::sparse_csc; }

  compressed_payload(layout how_, tensor compressed_, tensor plain_, tensor values_) noexcept;

  std::vector<part> parts() const override;
  intrusive_ptr<tensor_extension> with_parts(std::span<const tensor> parts) const override;

  /// int32 or int64 [lines + 1]: where each line begins in `plain`, and the number of entries
  tensor compressed;
  /// [entries], of the same dtype: the column (of a CSC matrix the row) of each entry, strictly ascending in each line
  tensor plain;
  /// [entries], without history
  tensor values;
  const layout how;
};

bool is_sparse(const tensor& t) noexcept;
/// Whether t is CSR or CSC.
bool is_compressed(const tensor& t) noexcept;

/// The payload's tensors, without history. Throw layout_error for a tensor of another layout.
coo_payload& coo_parts(const tensor& t);
compressed_payload& compressed_parts(const tensor& t);
/// Of any sparse tensor.
tensor raw_values(const tensor& t);
std::int64_t entries_of(const tensor& t);
std::int64_t sparse_dims_of(const tensor& t);

}  // namespace topbit::sparse
