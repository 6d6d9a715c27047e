// Files of tensors in the safetensors format: eight bytes with the length of a header, the header in JSON with the
// dtype, sizes and offsets of each name, then all elements, row-major and little-endian.
export module topbit.training:safetensors;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :named_tensor;

namespace topbit {

/// Writes tensors of any device and strides. Of a tensor of another layout, such as a sparse one, the tensors that it
/// consists of are written as "<name>.<part>", as "w.indices" and "w.values", and the metadata say what they are parts
/// of; other programs read them as tensors. Atomic, also across a power failure: a temporary file is written, synced
/// and renamed. The mode of an existing file is preserved; of a symbolic link, the target is replaced. The same tensors
/// in the same order give the same bytes.
///
/// Errors   error for an undefined tensor, one that consists of no other tensors and is not strided, a duplicate name,
///          one that is not UTF-8 or is "__metadata__", names and metadata of more than 100 MB together, metadata that
///          are not UTF-8 or have a name that begins with "topbit.layout.", a path that is not a regular file, and
///          for a file that cannot be written; the old file stays then
/// Cost     one write of the file, an fsync, and a listing of the folder
export void save_tensors(const std::string& path, std::span<const named_tensor> tensors,
                         const tensor_metadata& metadata = {});
export inline void save_tensors(const std::string& path, std::initializer_list<named_tensor> tensors) {
  save_tensors(path, std::span<const named_tensor>(tensors.begin(), tensors.size()));
}

/// All tensors of a file, on the host, in the order of their elements in the file. A tensor of another layout than
/// strided is made by the module of the layout, which checks its parts and which the program must import.
///
/// Errors   error that says what is wrong and where, for a file that cannot be read, is truncated, or is not of this
///          format: overlapping or unassigned elements, an unsupported dtype, a duplicate name, a bool that is neither
///          0 nor 1, parts that are no tensor of their layout. Metadata are checked; load_metadata() returns them
/// Cost     one read of the file; memory is bounded by the file's size
export std::vector<named_tensor> load_tensors(const std::string& path);
/// The metadata of a file. Of a name that is there twice the last text. Reads and checks the header alone, with the
/// errors of load_tensors().
export tensor_metadata load_metadata(const std::string& path);

}  // namespace topbit
