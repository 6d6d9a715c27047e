// A tensor with a name: a parameter of a network, a part of an optimizer's state, an entry of a file.
export module topbit.training:named_tensor;

import topbit.std;
import topbit.tensor;

namespace topbit {

export struct named_tensor {
  std::string name;
  tensor value;
};

/// The texts in a file beside its tensors, by name: `__metadata__` of the safetensors format.
export using tensor_metadata = std::map<std::string, std::string>;

namespace detail {

// A prefix of a text, truncated between two characters.
std::string_view first_of(std::string_view text, std::size_t most);
// Text from a file or from a user, for messages: control characters and invalid UTF-8 are escaped, long text truncated.
std::string in_quotes(std::string_view text);

// By name. Sorted instead of hashed, since a malicious file may choose colliding names.
using name_index = std::map<std::string_view, const tensor*>;

// Throws error for a duplicate name. `who` begins the message.
name_index index_names(const std::string& who, std::span<const named_tensor> all);
// Throws error unless both have the same names, in any order, each with the same sizes and dtype. Returns those found.
name_index check_same_names(const std::string& who, std::span<const named_tensor> found,
                            std::span<const named_tensor> wanted);
// Copies elements to the tensors of the same name, which must all exist.
void copy_named(const name_index& from, std::span<const named_tensor> to);
// "float32 [2, 3]"
std::string kind_of(const tensor& t);

}  // namespace detail

}  // namespace topbit
