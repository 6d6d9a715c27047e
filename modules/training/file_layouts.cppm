// Tensors of layouts other than strided in files: each part is an entry of its own, "<name>.<part>", and a text of the
// metadata says what they are parts of. Independent of the layouts, whose modules register readers. Internal.
module topbit.training:file_layouts;

import topbit.std;
import topbit.tensor;
import :named_tensor;

namespace topbit::detail {

// Begins the key of such a text, before the tensor's name. The text is "sparse_coo float32 [3, 4] indices,values
// coalesced=1": layout, dtype, sizes, parts, and what the payload's attributes() gives, if anything.
inline constexpr std::string_view layout_key = "topbit.layout.";

struct file_contents {
  std::vector<named_tensor> tensors;
  tensor_metadata metadata;
};

// Strided tensors only: of each other tensor its parts, in its place. `who` begins error messages. Throws error for a
// tensor that has no parts, and for metadata with such a key.
file_contents with_parts_apart(const std::string& who, std::span<const named_tensor> tensors,
                               const tensor_metadata& metadata);
// The inverse; the texts are removed from the metadata. Nothing in them is trusted. Throws error for a text that is not
// of this form, for parts that are not there, for a layout that no module of the program reads, and what its reader
// throws.
std::vector<named_tensor> with_parts_joined(const std::string& who, file_contents contents);
void remove_layouts(tensor_metadata& metadata);

}  // namespace topbit::detail
