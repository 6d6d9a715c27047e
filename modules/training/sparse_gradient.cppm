// Gradients that are sparse, of parameters that are not. Internal.
//
// Independent of the module of sparse tensors: a gradient is known by its layout and the names of its parts.
module topbit.training:sparse_gradient;

import topbit.std;
import topbit.tensor;

namespace topbit::detail {

// Whether it is of layout sparse_coo, and has rows therefore: the slices of the leading, sparse dimensions.
bool has_rows(const tensor& gradient) noexcept;

struct gradient_rows {
  std::vector<tensor> index;  // of each sparse dimension, [rows]
  tensor values;              // [rows, ...]
};
// Each row once. Rows share the elements of a gradient that was coalesced already.
gradient_rows rows_of(const tensor& gradient);

// The same gradient without duplicate rows: itself, or another tensor. A strided one is returned.
tensor coalesced(const tensor& gradient);
// The tensor with all elements that may differ from 0: of a sparse gradient its values, else itself.
tensor elements_of(const tensor& gradient);

tensor take_rows(const tensor& from, std::span<const tensor> index);
void put_rows(tensor to, std::span<const tensor> index, const tensor& rows);

}  // namespace topbit::detail
