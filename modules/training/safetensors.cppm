// Files of tensors in the safetensors format: eight bytes with the length of a header, the header in JSON, which says
// of each name the dtype, the sizes and where its elements are, then all elements, row-major and little-endian. What
// this writes other programs read, and the other way round.
export module topbit.training:safetensors;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :named_tensor;

namespace topbit {

/// Writes tensors of any device and strides. Others find the old file or the new one, whole, also after a power
/// failure: it is written beside, under a name that nobody has, and renamed when the device has it. The mode of a file
/// that is there stays; of a symbolic link, what it points to is replaced. The same tensors in the same order give the
/// same bytes.
///
/// Errors   error for an undefined tensor, a name that is there twice, is no UTF-8 or is "__metadata__", names of more
///          than 100 MB together, a path where something else than a regular file is, and for a file that cannot be
///          written; the old file stays then
/// Cost     one write of the file, and waiting for the device; a look at the names in the folder
export void save_tensors(const std::string& path, std::span<const named_tensor> tensors);

/// All tensors of a file, on the host, in the order in which their elements lie there.
///
/// Errors   error that says what is wrong and where, for a file that cannot be read, is cut off, or is not of this
///          format: elements that overlap or that no tensor has, a dtype that is none of topbit's, a name that is there
///          twice, a bool that is neither 0 nor 1. Metadata is checked and left out
/// Cost     one read of the file; no memory is asked for that the file does not have
export std::vector<named_tensor> load_tensors(const std::string& path);

}  // namespace topbit
