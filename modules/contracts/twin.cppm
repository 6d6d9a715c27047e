// Copies of a call's arguments, to make it again: on the host, with the same memory layout and sharing, or on Meta.
module topbit.contracts:twin;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :seen_call;

namespace topbit::contracts {

class twin {
 public:
  // The arguments as they are now, with tensors on `where`; the elements are copied to the host.
  twin(std::span<const value> arguments, device where);

  boxed_stack& stack() noexcept { return stack_; }
  // The tensors that stand for those of the arguments.
  const std::vector<tensor>& tensors() const noexcept { return tensors_; }

 private:
  tensor twin_of(const tensor& t, device where);
  std::vector<std::pair<const storage*, tensor>>
      memories_;  // by the original: a tensor of bytes, or of elements on Meta
  std::vector<tensor> tensors_;
  boxed_stack stack_;
};

// The first element whose bits differ in two lists of host tensors; none, if the sizes or dtypes do.
struct different_element {
  std::size_t tensor = 0;
  std::optional<std::size_t> element;
  std::vector<std::byte> first, second;
};
std::optional<different_element> difference(std::span<const tensor> a, std::span<const tensor> b);

}  // namespace topbit::contracts
