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

// Throws error unless both have the same names, in any order, each with the same sizes and dtype. `who` begins the
// message.
void check_same_names(const std::string& who, std::span<const named_tensor> found,
                      std::span<const named_tensor> wanted);
// The tensor of a name; null if there is none.
const tensor* find_named(std::span<const named_tensor> all, std::string_view name) noexcept;
// Copies elements to those of the same name. To be called after check_same_names().
void copy_named(std::span<const named_tensor> from, std::span<const named_tensor> to);
// "float32 [2, 3]"
std::string kind_of(const tensor& t);

}  // namespace detail

}  // namespace topbit
