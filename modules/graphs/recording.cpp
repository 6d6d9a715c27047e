module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import topbit.training;
import :recording;

namespace topbit::graphs {

namespace {

constexpr std::size_t least_swept = 1 << 20;  // bytes

}  // namespace

std::unique_lock<std::mutex> recording::locked() {
  return this_thread_recording().inside ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
}

std::shared_ptr<recording> recording::share() {
  const auto lock = locked();
  return self_;
}

// Of the node that made a tensor's gradient node.
number recording::node_of_gradient(std::uint64_t address) {
  const auto lock = locked();
  return node_of_gradient_.find(address);
}

std::size_t recording::nodes() {
  const auto lock = locked();
  return made_.so_far().nodes().size();
}
std::size_t recording::threw() {
  const auto lock = locked();
  return threw_;
}

void recording::stop() noexcept {
  std::shared_ptr<recording> ended;
  std::vector<tensor> kept;  // what ends with a tensor may make calls
  {
    const auto lock = locked();
    ended.swap(self_);
    kept.swap(kept_);
    numbers_ = {};
    storage_numbers_ = {};
    storages_.clear();
    options_ = {};
    made_ = builder();
  }
}

recording::recording(recorder_options options) : options_(std::move(options)) {
  std::unordered_set<std::string_view> names;
  for (const auto* declared : {&options_.inputs, &options_.parameters}) {
    for (const named_tensor& one : *declared) {
      if (!one.value.defined())
        refuse_recording("found an undefined tensor, '" + one.name + "', wanted one with elements");
      if (!names.insert(one.name).second)
        refuse_recording("found '" + one.name + "' twice, wanted a name for each tensor");
      declare(one, declared == &options_.inputs ? source::input : source::parameter);
    }
  }
}

void recording::declare(const named_tensor& one, source from) {
  if (numbers_.find(address_of(&author::record_of(one.value))) != nothing) {
    refuse_recording("found the tensor '" + one.name + "' under another name too, wanted one name for each tensor");
  }
  const number n = add(one.value, storage_of(one.value), from);
  if (from == source::input)
    made_.add_input(one.name, n);
  else
    made_.add_parameter(one.name, n, one.value);
}

// ------------------------------------------------------------------------------------------------------ one call

// Ends the node, as one that threw unless end() was called.
class recording::open_call {
 public:
  open_call(recording& r, const operator_handle& op) noexcept : recording_(r), op_(op) {}
  open_call(const open_call&) = delete;
  ~open_call() {
    if (ended_) return;
    recording_.look_at_interrupted_writes(op_);
    recording_.made_.abandon_node();
    ++recording_.threw_;
  }
  void end(std::span<const argument> results) {
    recording_.made_.end_node(results);
    ended_ = true;
  }

 private:
  recording& recording_;
  const operator_handle& op_;
  bool ended_ = false;
};

void recording::call(const operator_handle& op, key_set below, boxed_stack& stack) {
  thread_recording& here = this_thread_recording();
  const bool outermost = !here.inside;
  std::unique_lock<std::mutex> lock = locked();
  if (!self_) {
    if (lock) lock.unlock();
    return op.redispatch_boxed(below, stack);
  }
  struct inside_guard {
    bool& inside;
    const bool before = std::exchange(inside, true);
    ~inside_guard() { inside = before; }
  } const guard{here.inside};
  if (outermost && (kept_.size() >= sweep_at_ || new_bytes_ > std::max(live_bytes_, least_swept))) forget_dead();

  const std::size_t argument_count = op.argument_count();
  const std::span<const value> given = std::as_const(stack).top(argument_count);
  where_ = cpu;
  has_place_ = false;
  touched_.clear();
  // Reading may add tensors and nodes of its own, so arguments are collected first.
  std::vector<argument> arguments = std::exchange(arguments_, {});
  arguments.clear();
  for (const value& v : given) arguments.push_back(read(v));
  known_operator& known = this->known(op, where_);
  if (known.schema == nullptr) {  // finish() refuses it
    if (without_schema_.empty()) without_schema_ = op.name();
    return op.redispatch_boxed(below, stack);
  }

  generator* drawn = nullptr;
  std::optional<generator> given_generator;
  random_draw draw;
  if (known.draws_from) {
    for (const value& v : given) {
      if (v.is<generator>()) given_generator = v.get<generator>();
    }
    if (given_generator) {
      const auto at = std::ranges::find(generators_, *given_generator);
      draw.generator = static_cast<number>(at - generators_.begin()) + 1;
      if (at == generators_.end()) generators_.push_back(*given_generator);
    }
    drawn = given_generator ? &*given_generator : &*known.draws_from;
    draw.position = drawn->take(0);
  }

  const std::size_t tensors_before = made_.so_far().tensors().size();
  const number n =
      made_.begin_node(op, arguments, here.phase, here.forward, here.phase == phase::forward && !grad_enabled());
  written_.clear();
  if (known.writes) mark_written(known, arguments);
  arguments_ = std::move(arguments);  // the memory serves the next call
  {
    open_call open(*this, op);
    if (known.is_composite) {
      const std::vector<number> touched = touched_;
      op.redispatch_boxed(below, stack);
      touched_ = touched;
    } else {
      const exclude_guard parts_are_no_calls(key::Tracer);
      op.redispatch_boxed(below, stack);
    }
    results_.clear();
    for (const value& v : std::as_const(stack).top(op.result_count())) results_.push_back(made(v));
    open.end(results_);
  }
  follow_versions(n, known.is_composite);
  if (drawn != nullptr) {
    const philox_state after = drawn->take(0);
    draw.count = after.offset - draw.position.offset;
    if (draw.count != 0) made_.set_draws(n, draw);
  }
  if (known.is_composite) return;
  look_at_aliases(n, known, tensors_before);
  if (here.phase == phase::forward) look_at_gradients(n, std::as_const(stack).top(op.result_count()));
}

// The nodes of autograd whose gradient rules are this call's.
void recording::look_at_gradients(number node, std::span<const value> results) {
  for (const value& v : results) {
    author::each_tensor(v, [&](const tensor& t) {
      const intrusive_ptr<topbit::node> edge = author::gradient_edge(t);
      if (!edge) return;
      node_of_gradient_.set(address_of(edge.get()), node);
      // Of several results each has a node that leads to the call's own.
      if (results.size() < 2 || edge->inputs().size() != 1 || !edge->inputs()[0]) return;
      const std::uintptr_t own = address_of(edge->inputs()[0].get());
      if (node_of_gradient_.find(own) == nothing) node_of_gradient_.set(own, node);
    });
  }
}

known_operator& recording::known(const operator_handle& op, device where) {
  const std::uintptr_t which =
      address_of(op.id()) << 16 | static_cast<std::uintptr_t>(where.type) << 8 | static_cast<std::uint8_t>(where.index);
  if (const number known = operators_.find(which); known != nothing) return *known_[known];
  operators_.set(which, static_cast<number>(known_.size()));
  known_operator& k = *known_.emplace_back(std::make_unique<known_operator>());
  k.schema = op.parsed_schema();
  if (k.schema == nullptr) return k;
  k.is_composite = inspect::computed_row(op, key_of(where.type)).registered_for == key::CompositeImplicitAutograd;
  k.writes = std::ranges::any_of(k.schema->arguments, &author::schema_item::writes);
  // The operators of this library say by their tags that they draw; of others nobody knows.
  const bool is_ours = k.schema->ns == "aten" || k.schema->ns == "topbit";
  if (!k.is_composite && (op.tags().contains(tag::random) || !is_ours)) k.draws_from = default_generator(where);
  return k;
}

// ------------------------------------------------------------------------------------------------------ the end

graph recording::finish(std::vector<named_tensor> outputs) {
  const std::lock_guard lock(mutex_);
  touched_.clear();
  if (!without_schema_.empty()) {
    refuse_recording(
        "found the operator " + without_schema_ +
        ", which was declared by a C++ signature alone, wanted one with a schema, which says what it writes");
  }
  for (const named_tensor& one : outputs) {
    if (!one.value.defined()) refuse_recording("found an undefined tensor as the output '" + one.name + "'");
    if (numbers_.find(address_of(&author::record_of(one.value))) == nothing &&
        storage_numbers_.find(address_of(author::record_of(one.value).data.get())) == nothing) {
      refuse_recording("found the output '" + one.name + "', which no recorded call made or read");
    }
    made_.add_output(one.name, number_of(one.value));
  }
  storage_numbers_.each([&](number s) {
    if (storages_[s].version != version_of(*storages_[s].kept)) {
      written_outside_.push_back({storages_[s].newest, static_cast<number>(made_.so_far().nodes().size())});
    }
  });
  // A number that the program changes is no constant.
  for (const finding& f : numbers_captured_) {
    if (storages_[made_.so_far().tensors()[f.tensor].storage].is_written) undeclared_.push_back(f);
  }
  const graph& g = made_.so_far();
  if (!interrupted_writes_.empty()) {
    std::string text;
    for (const interrupted_write& w : interrupted_writes_) text += "\n  " + g.describe(w.tensor) + ", by " + w.op;
    refuse_recording("found tensors that were written by a call that threw, which no replay repeats:" + text);
  }
  const auto list = [&](const std::vector<finding>& all, std::string_view who) {
    std::string text;
    for (const finding& f : all) {
      text += "\n  " + g.describe(f.tensor);
      const number s = g.tensors()[f.tensor].storage;
      if (s != nothing) text += ", " + std::to_string(g.storages()[s].bytes) + " bytes";
      if (f.node < g.nodes().size()) text += std::string(who) + std::string(g.nodes()[f.node].op.name());
    }
    return text;
  };
  if (!written_outside_.empty()) {
    refuse_recording(
        "found tensors that were written outside the recording, by data_ptr() or by a thread without the layers of "
        "the recording thread (current_layers()):" +
        list(written_outside_, ", before "));
  }
  if (!undeclared_.empty()) {
    refuse_recording(
        "found tensors that were read, but neither made in the recording nor declared; declare them as inputs or "
        "parameters, or record with capture::copy or capture::share:" +
        list(undeclared_, ", first read by "));
  }
  return std::move(made_).finish();
}

}  // namespace topbit::graphs
