// Sparse tensors from parts, and parts of sparse tensors, as differentiable functions: what the operators of this
// module are written with.
//
// The history of a sparse tensor is its own; the tensors of its payload have none. values_of() and the functions that
// make a tensor carry it over, so an operator on values is with_values(s, f(values_of(s))), and f's gradient is all
// that is needed. The gradient of a sparse tensor is a sparse tensor with the same pattern.
export module topbit.sparse:parts;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;

export namespace topbit::sparse {

/// A COO tensor of these parts, which it shares. Does not look at elements: the indices must be in range, and ascend if
/// `coalesced` is true. `indices`: int64 [sparse dims, entries]; they cannot be written to afterwards, and neither can
/// other views of their memory. Differentiable in values.
tensor coo_of(const tensor& indices, const tensor& values, const shape& sizes, bool coalesced);
/// The same for a matrix of layout `how`, sparse_csr or sparse_csc: both index tensors cannot be written to afterwards.
/// Differentiable in values.
tensor compressed_of(layout how, const tensor& compressed, const tensor& plain, const tensor& values,
                     const shape& sizes);

/// The values [entries, dense sizes...] of any sparse tensor, duplicates apart. Shares memory with the payload.
/// Differentiable: the gradient is sparse with the pattern of s.
tensor values_of(const tensor& s);
/// The pattern of s (the same index tensors) with other values [entries, dense sizes...], possibly of another dtype.
/// Dense sizes of the values may differ from those of s: the result has the sparse sizes of s and these.
tensor with_values(const tensor& s, const tensor& values);

/// The tensor with each place once, in row-major order; s itself if it is coalesced or compressed. Differentiable.
/// Cost: a sort.
tensor coalesced(const tensor& s);
/// Conversions of a sparse matrix, or of any sparse tensor to COO; s itself if it has the layout. Differentiable. The
/// indices of a new CSR or CSC matrix are int64, or of the dtype of a compressed s.
tensor csr_of(const tensor& s);
tensor csc_of(const tensor& s);
/// Of a compressed matrix a coalesced tensor; of CSC the entries are sorted.
tensor coo_from(const tensor& s);

/// The values of g at the places of `pattern` (coalesced or compressed), 0 where g has none: [entries, dense sizes...].
/// g is strided or sparse, of the sizes of pattern. If both have the same index tensors this is values_of(g).
/// Differentiable in g.
tensor values_at(const tensor& g, const tensor& pattern);
/// Whether two sparse tensors of one layout have the same index tensors, by identity.
bool same_pattern(const tensor& a, const tensor& b);

/// Ends an in-place operator: self takes over the payload's tensors and the history of `result`, which has the sizes,
/// dtype, device and layout of self. Throws layout_error if it has not.
void replace(tensor& self, const tensor& result);

}  // namespace topbit::sparse
