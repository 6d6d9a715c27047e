// Copies of a call's arguments, to make it again: on the host, with the same memory layout and sharing, or on Meta.
module topbit.contracts:twin;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :seen_call;

namespace topbit::contracts {

// Where the tensors of a twin are. `shifted`: on the host, where memory begins a few bytes behind where it usually
// does.
enum class twin_memory : std::uint8_t { host, shifted, meta };

class twin {
 public:
  // The arguments as they are now; the elements are copied to the host.
  twin(std::span<const value> arguments, twin_memory where);

  boxed_stack& stack() noexcept { return stack_; }
  // The tensors that stand for those of the arguments.
  const std::vector<tensor>& tensors() const noexcept { return tensors_; }
  // The tensors that the twin itself has over the memory of those.
  std::vector<tensor> bases() const;

 private:
  tensor twin_of(const tensor& t, twin_memory where);
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
