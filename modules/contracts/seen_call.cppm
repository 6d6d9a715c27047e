// A call as it was before it was made: its tensors, and the bytes behind them.
module topbit.contracts:seen_call;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :finding;

namespace topbit::contracts {

// A tensor argument, with what it was.
struct seen_tensor {
  tensor t;
  std::size_t argument = 0;
  bool written = false;
  std::int64_t offset = 0;
  dtype type{};
  intrusive_ptr<storage> data;
  std::size_t memory = 0;  // of seen_call::memories
};

// Memory behind one argument or several, and its bytes before the call.
struct seen_memory {
  storage* data;
  std::vector<std::byte> before;  // empty if not kept
  bool written = false;           // that of an argument which the schema marks as written
};

struct problem {
  rule broken;
  std::string subject, text;
};

inline std::string argument_text(const author::schema_view& schema, std::size_t i) {
  return "argument '" + std::string(schema.arguments[i].name) + "'";
}
inline std::string result_text(std::size_t i) { return "result " + std::to_string(i); }

class seen_call {
 public:
  // `keeps_bytes`: host memory is copied.
  seen_call(const operator_handle& op, std::span<const value> arguments, bool keeps_bytes);

  std::span<const seen_tensor> tensors() const noexcept { return tensors_; }
  const author::schema_view& schema() const noexcept { return schema_; }

  // What a call did to its arguments; `threw`: nothing may have been written.
  void check_arguments(std::vector<problem>& found, bool threw, bool resizes) const;
  void check_results(std::vector<problem>& found, std::span<const value> results) const;
  // Calls wrote(argument, whether it did) for each written argument with elements, if bytes are kept.
  void each_written(const std::function<void(std::size_t, bool)>& wrote) const;
  // Calls shared(result, whether it did) for each result with elements that may share an argument's memory.
  void each_shared(std::span<const value> results, const std::function<void(std::size_t, bool)>& shared) const;
  std::string argument_text(std::size_t i) const { return contracts::argument_text(schema_, i); }

 private:
  void check_bytes(std::vector<problem>& found, bool threw) const;
  void check_alias(std::vector<problem>& found, std::size_t result, const tensor& t) const;
  bool is_of_argument(const storage* memory) const;

  const author::schema_view& schema_;
  std::vector<seen_tensor> tensors_;
  std::vector<seen_memory> memories_;
};

// Whose memory it has; null without elements.
const storage* memory_of_elements(const tensor& t) noexcept;
// The number of the first element, in row-major order, that is NaN or infinite; in host memory.
std::optional<std::size_t> first_not_finite(const tensor& t);
// Whether a checker can compare the tensor's memory: it is strided, and no wrapper.
bool is_known(const tensor& t) noexcept;
// "float32 [2, 3], strides [3, 1]"
std::string geometry_of(const tensor& t);
// Calls visit(offset) for each element of a strided tensor, in row-major order of the indices.
template <class Visit>
void each_element(const shape& sizes, const shape& strides, std::int64_t offset, Visit visit) {
  const auto walk = [&](auto&& self, std::size_t d, std::int64_t at) -> void {
    if (d == sizes.size()) return visit(at);
    for (std::int64_t i = 0; i < sizes[d]; ++i) self(self, d + 1, at + i * strides[d]);
  };
  walk(walk, 0, offset);
}
// The tensors of results, with the number of their result.
std::vector<std::pair<std::size_t, tensor>> tensors_in(std::span<const value> results);

}  // namespace topbit::contracts
