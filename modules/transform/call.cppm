// A call with batched arguments, as the kernels of all kinds see it: tensors without the wrappers of the call's level,
// and every argument in its place, to be changed before the operator is called again. Internal.
module topbit.transform:call;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :batched;
import :level;

namespace topbit::detail {

// A tensor argument of a call. Lists of tensors are none: rules for these are written by hand.
struct operand {
  std::size_t argument = 0;
  tensor physical;
  batch_dim dim;  // the batch dimension
  bool written = false;
  bool out = false;  // written alone

  bool is_batched() const noexcept { return dim.has_value(); }
  // Of one example.
  std::int64_t rank() const noexcept { return physical.dim() - (dim ? 1 : 0); }
};

// The level that a call is for: the innermost of those its tensors are batched at. Throws error for a tensor of a vmap
// that has ended, or runs on another thread.
const batch_level& level_of(const operator_handle& op, std::span<const value> arguments);

// "argument 1 'other'"
std::string argument_text(const operator_handle& op, std::size_t i);

// Runs below the level while it lives.
class batched_call {
 public:
  // Takes the topmost values as the arguments, which stay where they are until the call is finished. Throws error if an
  // operand is written that is the same for all examples, while another one is not.
  batched_call(const operator_handle& op, boxed_stack& stack);
  // For this level, even if nothing is batched at it.
  batched_call(const operator_handle& op, boxed_stack& stack, const batch_level& level);

  const operator_handle& op() const noexcept { return op_; }
  const batch_level& level() const noexcept { return *level_; }
  std::int64_t size() const noexcept { return level_->size; }
  std::span<const author::schema_item> items() const noexcept { return schema_->arguments; }
  std::span<operand> operands() noexcept { return {operands_.begin(), count_}; }
  // The argument of this name, to read and to replace; null if the operator has none.
  value* argument(std::string_view name) noexcept;

  // Moves the operand's batch dimension to the front; expand() also gives it one, with a stride of 0.
  void move_to_front(operand& o) const;
  void expand(operand& o) const;

  // Calls the operator with the operands as they are now, and replaces the arguments by its results: what `finished`
  // makes of a physical tensor, with the batch dimension `dim`.
  template <class Finished>
  void finish(std::int64_t dim, Finished finished) {
    place_operands();
    op_.call_boxed(arguments_);
    take_results([&](const tensor& t) { return make_batched(finished(t), dim, *level_); });
  }
  void finish(std::int64_t dim);
  // Replaces the arguments by this one result.
  void finish_with(const tensor& physical, std::int64_t dim);
  // Calls the operator for each example, and stacks the results.
  void loop();
  // The same by `call(arguments, example)`, which replaces the arguments by the results. If there are no examples, it
  // is called once with one that is made up, for the sizes of the results.
  template <class Call>
  void loop(Call call) {
    std::vector<std::vector<value>> by_example;
    const std::int64_t calls = std::max<std::int64_t>(size(), 1);
    for (std::int64_t i = 0; i < calls; ++i) {
      std::vector<tensor> held;
      held.reserve(op_.argument_count());
      inline_stack<most_arguments> alone;
      push_example(alone, i, false, held);
      call(static_cast<boxed_stack&>(alone), i);
      by_example.emplace_back();
      for (const value& v : alone.top(op_.result_count())) by_example.back().push_back(v);
    }
    finish_with_examples(by_example);
  }
  // Calls the operator with the arguments of one example, which an error names.
  void call_example(boxed_stack& alone, std::int64_t example) const;
  // Calls each example alone, until one throws its error.
  void call_examples_alone();
  // Ends with an error: that of an example called alone, or `e`, if none throws.
  [[noreturn]] void raise_of_example(error& e);

 private:
  static constexpr std::size_t most_operands = 10, most_arguments = 16;

  void check_written();
  // A borrowed tensor is the one that it was when it was borrowed.
  void place_operands() noexcept {
    for (const operand& o : std::span<const operand>(operands_.begin(), count_)) {
      if (!o.written) arguments_[o.argument] = value::borrow(o.physical);
    }
  }
  template <class Wrap>
  void take_results(Wrap wrap) {
    const std::span<value> found = arguments_.top(op_.result_count());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (schema_->returns[i].writes)
        found[i] = written_argument(i);
      else
        found[i] = author::map_tensors(found[i], [&](const tensor& t) {
          if (!t.defined()) return tensor();
          const tensor* const same = argument_that_is(t);
          return same != nullptr ? *same : wrap(t);
        });
    }
    replace_arguments(found);
  }
  // The caller's argument that the operator returned as it is: it stays one tensor. Null if there is none.
  const tensor* argument_that_is(const tensor& result) const noexcept;
  // The caller's argument that is this result.
  value written_argument(std::size_t result) const;
  void replace_arguments(std::span<value> results);
  // The arguments of one example. What is written is a copy, if asked for.
  void push_example(boxed_stack& to, std::int64_t example, bool copies_written, std::vector<tensor>& held) const;
  void finish_with_examples(const std::vector<std::vector<value>>& by_example);
  tensor stacked(const std::vector<tensor>& examples, std::size_t result) const;

  operator_handle op_;
  const author::schema_view* schema_;
  boxed_stack& stack_;
  const batch_level* level_;
  below_level below_;
  std::array<operand, most_operands> operands_;
  std::size_t count_ = 0;
  inline_stack<most_arguments> arguments_;
};

// The operator that computes what `op` writes, by its name and its schema; none if there is none.
std::optional<operator_handle> functional_of(const operator_handle& op);

// The kernel of operators without a rule.
void batch_without_rule(const operator_handle& op, boxed_stack& stack);

// Runs a kernel of a kind; an error in it is that of the first example that throws one.
template <class Body>
void batch(const operator_handle& op, boxed_stack& stack, Body body) {
  batched_call call(op, stack);
  try {
    body(call);
  } catch (error& e) {
    call.raise_of_example(e);
  }
}

}  // namespace topbit::detail
