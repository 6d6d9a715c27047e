// Operators on the values of a matrix's rows: `compressed` says where each row begins. They check it unless it is
// known, see :known_indices. Internal.
module topbit.sparse:rows;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

// The sums of the rows: values [entries, dense...] -> [rows, dense...]. Integers and bool sum into int64.
inline constexpr op<"topbit::_row_sums(Tensor compressed, Tensor values) -> Tensor"> row_sums_op;
// The rows of self at these positions, which may repeat: index_select, whose gradient is added up by sums_at().
inline constexpr op<"topbit::_rows_at(Tensor self, Tensor positions) -> Tensor"> rows_at_op;
// The softmax of each row, or its logarithm: as values, which are floating.
inline constexpr op<"topbit::_row_softmax(Tensor compressed, Tensor values, bool log) -> Tensor"> row_softmax_op;

}  // namespace topbit::sparse
