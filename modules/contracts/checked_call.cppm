// A call that is made, and what is wrong with it.
module topbit.contracts:checked_call;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.modes;
import :finding;
import :checker;
import :seen_call;
import :twin;

namespace topbit::contracts {

// Whether this thread repeats a call: what that calls, the first call has called, and it was checked.
bool is_repeating() noexcept;

class checked_call {
 public:
  checked_call(modes::call& c, const options& chosen);

  void run();
  const std::vector<problem>& found() const noexcept { return found_; }
  // Calls kept(rule, which argument or result, whether) for each promise that not every call must keep: what hints are
  // about.
  void each_promise(const std::function<void(rule, std::size_t, bool)>& kept) const;

 private:
  using tensors = std::vector<tensor>;
  using numbered_tensors = std::span<const std::pair<std::size_t, tensor>>;
  bool on_host();
  // Before the call: layers above this place have passed on what it would have without them, below their keys.
  void check_keys();
  void add(rule broken, std::string subject, std::string text);
  void check_thread();
  void check_placement(numbered_tensors results);
  void check_finite(numbered_tensors results);
  void check_metadata(numbered_tensors results);
  void check_after_throw();
  // Dtypes that are refused are refused on Meta too; what is wrong about sizes may depend on elements.
  void check_refusal();
  // `real`: what the call wrote and returned.
  void check_repeated(const tensors& real, numbered_tensors results);
  // Makes the call on copies, with this byte in new memory, and returns what `real` is then.
  tensors repeat(std::byte pattern, int threads, twin_memory where, numbered_tensors results);

  void check_kept();

  modes::call& call_;
  const options& chosen_;
  seen_call seen_;
  bool finite_ = false;  // rule::finite is checked, and the arguments are
  std::vector<problem> found_;
  std::optional<twin> meta_, before_;
  std::vector<value> results_;
};

}  // namespace topbit::contracts
