// A graph made ready to be replayed, call by call. Internal.
module topbit.graphs:plan;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;
import :replay;

namespace topbit::graphs {

using device_map = std::span<const std::pair<device, device>>;
// Where tensors of a device are.
device mapped(device_map map, device d);
// coverage() of these calls.
std::vector<uncovered> uncovered_among(const graph& g, std::span<const number> calls, device_map map);

class replay_plan {
 public:
  // A call of the graph; `operands` are those of its arguments, then of its results.
  struct call {
    operator_handle op;
    number node = nothing;
    number first_operand = 0, arguments = 0, results = 0;
    number first_dead = 0, dead = 0;  // slots that nothing reads after it
    number draws = nothing;
    bool checks_sizes = false, no_grad = false;
    std::optional<device> stays{};
  };

  replay_plan(const graph& g, const replay_options& o);

  const graph& recorded() const noexcept { return graph_; }
  std::span<const call> calls() const noexcept { return calls_; }
  std::span<const number> stayed() const noexcept { return stayed_; }
  bool keeps_gradients() const noexcept { return keeps_gradients_; }
  number parameter(std::string_view name) const;
  tensor& slot(number tensor) noexcept { return slots_[tensor]; }
  // Copies of parameters and captured tensors instead of these.
  void copy_bound();

  // One replay: take_inputs(), run() of each call, outputs(), clear(), which also follows an exception.
  void take_inputs(std::span<const tensor> inputs);
  void run(const call& c, boxed_stack& stack);
  void drop_dead(const call& c) noexcept;
  std::vector<tensor> outputs() const;
  void clear() noexcept;

  // Calls visit(slot, whether the call writes it) for the tensors among a call's arguments, and those of its results.
  void each_argument(const call& c, const std::function<void(number, bool)>& visit) const;
  void each_result(const call& c, const std::function<void(number)>& visit) const;

 private:
  // An argument or a result, ready to be pushed or taken.
  struct operand {
    argument::kind is = argument::kind::none;
    bool is_written = false;
    bool is_optional = false;  // of a list: its elements may be absent
    number index = 0;          // slot, or where the elements begin
    number count = 0;          // of elements
    const value* constant = nullptr;
    const std::string* text = nullptr;
  };

  void find_places(std::span<const number> calls);
  void bind();
  // Puts copies of what the program captured and writes into the slots: the memory of each storage once.
  void bind_group(std::span<const number> of_storage, device to);
  void check_sharing() const;
  void add(number node);
  operand operand_of(const argument& a);
  void map_device(operand& o, const node& n);
  void find_dead();
  void find_fixed_offsets();
  void check_input(const named_value& wanted, const tensor& given) const;

  void push(const operand& o, boxed_stack& stack);
  void push_list(const operand& o, boxed_stack& stack);
  void take(const call& c, const operand& o, const value& result);
  void keep(const call& c, number slot, const tensor& t);
  [[noreturn]] void raise(const call& c, const std::string& what) const;
  void run_here(const call& c, boxed_stack& stack);
  void draw(const call& c, boxed_stack& stack);
  void run_elsewhere(const call& c, boxed_stack& stack);
  template <class Visit>
  void each_slot(const operand& o, Visit visit) const {
    if (o.is == argument::kind::tensor) visit(o.index);
    if (o.is != argument::kind::tensors) return;
    for (number e = o.index; e < o.index + o.count; ++e) each_slot(list_operands_[e], visit);
  }

  const graph graph_;
  const replay_options options_;
  std::vector<number> stayed_;
  std::vector<tensor> slots_;  // by the tensor's number
  std::vector<operand> operands_, list_operands_;
  std::vector<call> calls_;
  std::vector<number> dead_;
  std::map<number, std::vector<number>> groups_;  // by storage: parameters and captured tensors, which share it
  std::vector<std::vector<number>> written_captures_;
  std::unordered_set<number> fixed_offsets_;  // storages that a call looks at from their beginning
  std::vector<std::unique_ptr<value>> mapped_devices_;
  bool keeps_gradients_ = true;
};

}  // namespace topbit::graphs
