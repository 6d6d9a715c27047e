// Whether tensors reach the same memory: what decides if a result can be written in place.
export module topbit.tensor:overlap;

import topbit.std;
import :handle;

namespace topbit {

export namespace author {

/// The same elements in the same order: storage, offset, sizes, strides and dtype are equal.
bool same_view(const tensor& a, const tensor& b) noexcept;

/// False if no element of one is in the memory of the other. Looks at the ends of the memory each reaches, so tensors
/// that are interleaved, such as the even and the odd columns of a matrix, are said to share it. Constant time.
bool share_memory(const tensor& a, const tensor& b) noexcept;

/// Whether each element has a place of its own: not so for expanded tensors and overlapping windows. Constant time but
/// for strides that no view of a dense tensor has. For those it looks for two elements in one place, without asking for
/// memory, and gives up after a few million steps: the answer is then false.
bool has_distinct_elements(const tensor& t);

}  // namespace author

}  // namespace topbit
