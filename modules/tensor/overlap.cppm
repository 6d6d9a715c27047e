// Memory overlap between tensors, which decides whether a result can be written in place.
export module topbit.tensor:overlap;

import topbit.std;
import :handle;

namespace topbit {

export namespace author {

/// The same elements in the same order: storage, offset, sizes, strides and dtype are equal.
bool same_view(const tensor& a, const tensor& b) noexcept;

/// False if the memory ranges of the two are disjoint. Interleaved tensors, such as the even and the odd columns of a
/// matrix, are reported as overlapping. Constant time.
bool share_memory(const tensor& a, const tensor& b) noexcept;

/// Whether all elements have distinct addresses: false for expanded tensors and overlapping windows. Constant time
/// except for strides that no view of a dense tensor has. For those it searches for two elements at one address,
/// without allocating, and gives up after a few million steps, returning false.
bool has_distinct_elements(const tensor& t);

}  // namespace author

}  // namespace topbit
