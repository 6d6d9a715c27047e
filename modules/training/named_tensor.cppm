// A tensor with a name: a parameter of a network, a part of an optimizer's state, an entry of a file.
export module topbit.training:named_tensor;

import topbit.std;
import topbit.tensor;

namespace topbit {

export struct named_tensor {
  std::string name;
  tensor value;
};

namespace detail {

// The beginning of a text, cut between two characters.
std::string_view first_of(std::string_view text, std::size_t most);
// Text from a file or from a user, for messages: control characters, and what is no UTF-8, are escaped; of a long one,
// the beginning.
std::string in_quotes(std::string_view text);

// By name. Sorted, since who chose names for a hash table to be slow with may have written the file.
using name_index = std::map<std::string_view, const tensor*>;

// Throws error for a name that is there twice. `who` begins the message.
name_index index_names(const std::string& who, std::span<const named_tensor> all);
// Throws error unless both have the same names, in any order, each with the same sizes and dtype. Gives those found.
name_index check_same_names(const std::string& who, std::span<const named_tensor> found,
                            std::span<const named_tensor> wanted);
// Copies elements to those of the same name, all of which are there.
void copy_named(const name_index& from, std::span<const named_tensor> to);
// "float32 [2, 3]"
std::string kind_of(const tensor& t);

}  // namespace detail

}  // namespace topbit
