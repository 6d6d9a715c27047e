module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :ready_queue;

namespace topbit {

namespace {

using detail::input_buffer, detail::ready_queue, detail::node_access;

// Operators bound by name: this module imports no operator library.
constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_;
constexpr op<
    "aten::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    full;
constexpr op<"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    sum_over;
constexpr op<"aten::reshape(Tensor(a) self, int[] shape) -> Tensor(a)"> reshape;
constexpr op<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor">
    to_copy;

constexpr key_set observers{key::Tracer, key::TestMode, key::ModesBelow, key::ModesAbove};

void accumulate(tensor& sum, tensor&& gradient, bool recording) {
  if (!sum.defined())
    sum = std::move(gradient);
  else if (!recording && detail::is_sole(sum))
    add_(sum, gradient);
  else if (!recording && detail::is_sole(gradient))
    sum = add_(gradient, sum);
  else
    sum = add(sum, gradient);
}

// The initial gradient. On the CPU without an operator call, which would be half the cost of a short graph.
tensor ones_like(const tensor& t) {
  if (t.device() != cpu) return full(t.sizes(), 1.0, t.dtype(), std::nullopt, t.device(), std::nullopt);
  const tensor one = author::make_tensor(t.sizes(), t.dtype(), cpu);
  with_element_type(t.dtype(), [&]<class E>(E) {
    if constexpr (!std::same_as<E, bool>) *static_cast<E*>(one.data()) = static_cast<E>(1.0F);
  });
  return one;
}

// What a run restricted to some inputs does at a node.
struct node_plan {
  bool leads_to_input = false;
  std::vector<std::size_t> inputs;  // indices of inputs whose gradient is captured here
};
using execution_plan = std::unordered_map<const node*, node_plan>;

// Marks the nodes from which an input can be reached; without recursion, each node once.
void mark(execution_plan& all, std::unordered_set<const node*>& seen, node* root) {
  struct step {
    node* at;
    std::size_t next = 0;
  };
  std::vector<step> path;
  const auto enter = [&](node* n) {
    if (seen.insert(n).second) path.push_back({n});
  };
  enter(root);
  while (!path.empty()) {
    step& s = path.back();
    const auto inputs = s.at->inputs();
    if (s.next < inputs.size()) {
      if (node* const input = inputs[s.next++].get()) enter(input);
      continue;
    }
    const bool leads = std::ranges::any_of(inputs, [&](const auto& input) {
      const auto found = input ? all.find(input.get()) : all.end();
      return found != all.end() && (found->second.leads_to_input || !found->second.inputs.empty());
    });
    if (leads) all[s.at].leads_to_input = true;
    path.pop_back();
  }
}

// The operators on a shortest path from a root to a node, as text; empty if the node is a root.
std::string chain_to(std::span<node* const> roots, const node* last) {
  std::map<const node*, const node*> from;
  std::vector<const node*> queue(roots.begin(), roots.end());
  for (const node* n : queue) from.emplace(n, nullptr);
  for (std::size_t i = 0; i < queue.size() && !from.contains(last); ++i) {
    for (const auto& input : queue[i]->inputs()) {
      if (input && from.emplace(input.get(), queue[i]).second) queue.push_back(input.get());
    }
  }
  std::vector<std::string_view> names;  // of calls; output nodes are skipped
  for (const node* n = last; n != nullptr; n = from.contains(n) ? from[n] : nullptr) {
    if ((node_access::flags(*n) & node_access::output) == 0) names.push_back(n->name());
  }
  if (names.size() < 2) return {};
  constexpr std::size_t most = 12;
  std::string text = "; while backward ran ";
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : " of ") + std::string(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

// A backward run of this thread. Runs nest if a gradient rule or hook calls backward.
struct active_run {
  const node* current = nullptr;
  active_run* outer = nullptr;
  std::size_t depth = 1;
};
constinit thread_local active_run* innermost = nullptr;

class run {
 public:
  run(bool retain, bool create) : retain_(retain), create_(create), caller_(current_thread_keys()) {
    work_ = spare ? std::move(spare) : std::make_unique<ready_queue>();
    use_layers(caller_);
    outer_node_ = std::exchange(detail::running_node, nullptr);
    active_.outer = std::exchange(innermost, &active_);
    if (active_.outer != nullptr) active_.depth = active_.outer->depth + 1;
  }
  run(const run&) = delete;
  run& operator=(const run&) = delete;
  ~run() {
    innermost = active_.outer;
    detail::running_node = outer_node_;
    work_->clear();
    spare = std::move(work_);
  }

  void add_root(const tensor& root, const tensor& gradient, std::string_view who);
  void only_for(std::span<const tensor> inputs, std::string_view who);
  void go();
  void deliver_to_leaves();
  void capture_leaves();
  std::vector<tensor>& captured() noexcept { return captured_; }

 private:
  void use_layers(const thread_key_state& recorded) {
    layers_.reset();
    // Gradients are those of the tensors below any batching, whose factories make no examples.
    const key_set include =
        ((recorded.include - observers) | (caller_.include & observers)) - key_set(key::FuncTorchVmapMode);
    // Gradients have the dtypes of what was saved, wherever backward() is called: autocast would change them.
    const key_set exclude = (recorded.exclude - observers) | (caller_.exclude & observers) | key::AutocastFunctionality;
    layers_.emplace(thread_key_state{include, create_ ? exclude - autograd_keys : exclude | autograd_keys});
    last_layers_ = recorded;
  }
  void run_node(input_buffer& a);
  void run_leaf_hooks();
  void deliver(node& from, std::size_t input, tensor&& gradient);
  void validate_gradient(const node& from, std::size_t input, tensor& gradient);
  bool capture_and_continue(const input_buffer& a);
  void release_everything() noexcept;
  [[noreturn]] void raise_with_chain(const node& at);

  static thread_local std::unique_ptr<ready_queue> spare;
  bool retain_, create_;
  thread_key_state caller_, last_layers_;
  std::optional<force_guard> layers_;
  std::unique_ptr<ready_queue> work_;
  active_run active_;
  node* outer_node_;
  std::vector<intrusive_ptr<node>> roots_;
  std::optional<execution_plan> plan_;
  std::vector<tensor> captured_;
};
thread_local std::unique_ptr<ready_queue> run::spare;

void run::add_root(const tensor& root, const tensor& gradient, std::string_view who) {
  intrusive_ptr<node> start = root.defined() ? author::gradient_edge(root) : intrusive_ptr<node>();
  if (!start) {
    throw error(std::string(who) + ": the tensor does not require a gradient and was not computed from one that does" +
                (root.defined() && is_inference(root) ? "; it was made in inference mode" : ""));
  }
  tensor seed = gradient;
  if (!seed.defined()) {
    if (root.numel() != 1) {
      throw shape_error(std::string(who) + ": found a tensor of sizes " + to_string(root.sizes()) +
                        ", wanted one element, or a gradient of that shape as second argument");
    }
    seed = ones_like(root);
  } else {
    detail::check_given_gradient(who, root, seed);
  }
  accumulate(work_->at(*start).gradient, std::move(seed), create_);
  roots_.push_back(std::move(start));
}

void run::only_for(std::span<const tensor> inputs, std::string_view who) {
  plan_.emplace();
  captured_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const intrusive_ptr<node> n = inputs[i].defined() ? author::gradient_edge(inputs[i]) : intrusive_ptr<node>();
    if (!n) {
      throw error(std::string(who) + ": input " + std::to_string(i + 1) +
                  " requires no gradient, wanted tensors that do");
    }
    (*plan_)[n.get()].inputs.push_back(i);
  }
  std::unordered_set<const node*> seen;
  for (const auto& root : roots_) mark(*plan_, seen, root.get());
}

// Captures the requested gradients of a node; true if an input is reachable from it.
bool run::capture_and_continue(const input_buffer& a) {
  const node_plan& p = plan_->at(a.at);
  for (std::size_t i : p.inputs) captured_[i] = a.gradient;
  return p.leads_to_input;
}

void run::validate_gradient(const node& from, std::size_t input, tensor& gradient) {
  const detail::value_kind& wanted = *from.inputs()[input]->kind();
  if (gradient.device() != wanted.where || !is_floating(gradient.dtype()))
    detail::raise_wrong_gradient(from, input, gradient);
  if (gradient.sizes() != wanted.sizes) {
    // Undoes broadcasting: sums over the repeated dimensions.
    const shape &found = gradient.sizes(), &sizes = wanted.sizes;
    if (found.size() < sizes.size()) detail::raise_wrong_gradient(from, input, gradient);
    const std::size_t added = found.size() - sizes.size();
    shape over;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i < added || (sizes[i - added] == 1 && found[i] != 1))
        over.push_back(static_cast<std::int64_t>(i));
      else if (sizes[i - added] != found[i])
        detail::raise_wrong_gradient(from, input, gradient);
    }
    gradient = reshape(sum_over(gradient, std::span<const std::int64_t>(over), true, std::nullopt), sizes);
  }
  if (gradient.dtype() != wanted.type)
    gradient = to_copy(gradient, wanted.type, std::nullopt, std::nullopt, std::nullopt, false, std::nullopt);
}

void run::deliver(node& from, std::size_t input, tensor&& gradient) {
  node& to = *from.inputs()[input];
  if (to.depth() >= from.depth()) {
    throw error(std::string(from.name()) + ": its input " + std::string(to.name()) +
                    " is not recorded before it: a hook or a rule connected nodes to a cycle",
                std::string(from.name()));
  }
  if (const detail::value_kind* k = to.kind();
      k != nullptr && (gradient.sizes() != k->sizes || gradient.dtype() != k->type || gradient.device() != k->where)) {
    validate_gradient(from, input, gradient);
  }
  accumulate(work_->at(to).gradient, std::move(gradient), create_);
}

void run::run_node(input_buffer& a) {
  node& n = *a.at;
  const auto flags = node_access::flags(n);
  if (plan_ && !plan_->contains(&n)) return;
  if (const detail::value_kind* k = n.kind();
      k != nullptr && (k->layers.include != last_layers_.include || k->layers.exclude != last_layers_.exclude)) {
    use_layers(k->layers);
  }
  if ((flags & node_access::hooked) != 0) detail::run_gradient_hooks(n, a.gradient);
  if (plan_ && !capture_and_continue(a)) return;
  if ((flags & node_access::output) != 0) {
    node& owner = *n.inputs()[0];
    input_buffer& at = work_->at(owner);
    if (at.of_results.empty()) at.of_results.resize(owner.result_count());
    // A result has several output nodes if saved_result::with_history() made another one, so gradients are added.
    accumulate(at.of_results[static_cast<detail::output_node&>(n).result()], std::move(a.gradient), create_);
    return;
  }
  if ((flags & node_access::released) != 0) detail::raise_released(n.name());

  const observe::profile_range seen(n.name(), observe::kind::backward, reinterpret_cast<std::uintptr_t>(&n));
  const std::size_t count = n.inputs().size();
  std::array<tensor, 4> few;
  std::vector<tensor> many;
  if (count > few.size()) many.resize(count);
  const std::span<tensor> of_inputs = count > few.size() ? std::span(many) : std::span(few).first(count);
  const std::span<tensor> of_results = a.of_results.empty() ? std::span(&a.gradient, 1) : std::span(a.of_results);
  if ((flags & node_access::hooked) != 0) detail::run_before_hooks(n, of_results);
  n.backward(of_results, of_inputs);
  if ((flags & node_access::hooked) != 0) detail::run_after_hooks(n, of_inputs, of_results);
  if (detail::looks_for_anomalies) detail::check_for_nan(n, of_inputs);
  if (!retain_ && (flags & node_access::kept) == 0) {
    node_access::raise_flag(n, node_access::released);
    n.release();
  }
  a.gradient = {};  // drops a reference, so that accumulate() can add in place
  for (std::size_t i = 0; i < count; ++i) {
    if (of_inputs[i].defined() && n.inputs()[i]) deliver(n, i, std::move(of_inputs[i]));
  }
}

void run::go() {
  input_buffer a;
  while (work_->take(a)) {
    for (const active_run* outer = active_.outer; outer != nullptr; outer = outer->outer) {
      if (outer->current == a.at)
        throw error(std::string(a.at->name()) +
                        ": backward reached it again from its own rule or hook, which is a cycle; a hook must not run "
                        "its own graph",
                    std::string(a.at->name()));
    }
    active_.current = detail::running_node = a.at;
    try {
      run_node(a);
    } catch (...) {
      raise_with_chain(*a.at);
    }
  }
  active_.current = detail::running_node = nullptr;
}

// A graph that ran in part cannot run again. Frees its saved tensors, which may own the graph itself.
void run::release_everything() noexcept try {
  std::vector<node*> reached;
  std::unordered_set<const node*> seen;
  const auto reach = [&](node* n) {
    if (n != nullptr && seen.insert(n).second) reached.push_back(n);
  };
  for (const auto& root : roots_) reach(root.get());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& input : reached[i]->inputs()) reach(input.get());
  }
  // Leaves stay usable; a node must not be released twice.
  for (node* n : reached) {
    if (n->role == detail::is_leaf || n->is_released() ||
        (node_access::flags(*n) & (node_access::output | node_access::kept)) != 0)
      continue;
    node_access::raise_flag(*n, node_access::released);
    n->release();
  }
} catch (...) {
  // Out of memory during the traversal: the graph lives until its tensors are destroyed.
}

// Rethrows the active exception as a backward_error with the operator chain in its message; the original is nested.
// std::bad_alloc and backward_error pass unchanged.
void run::raise_with_chain(const node& at) {
  std::vector<node*> roots;
  for (const auto& root : roots_) roots.push_back(root.get());
  const std::string where = chain_to(roots, &at) + detail::trace_text(at);
  if (!retain_) release_everything();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const backward_error&) {
    throw;
  } catch (const std::exception& e) {
    std::throw_with_nested(backward_error(e.what() + where, std::string(at.name())));
  } catch (...) {
    std::throw_with_nested(backward_error(std::string(at.name()) + ": its rule threw what is no std::exception" + where,
                                          std::string(at.name())));
  }
}

// All hooks on leaf gradients run before any leaf accumulates.
void run::run_leaf_hooks() {
  use_layers(caller_);
  work_->each_leaf([&](input_buffer& a) {
    if (plan_ && !plan_->contains(a.at)) {
      a.gradient = {};
    } else if ((node_access::flags(*a.at) & node_access::hooked) != 0) {
      try {
        detail::run_gradient_hooks(*a.at, a.gradient);
      } catch (...) {
        raise_with_chain(*a.at);
      }
    }
  });
}

void run::capture_leaves() {
  run_leaf_hooks();
  work_->each_leaf([&](input_buffer& a) {
    if (a.gradient.defined()) capture_and_continue(a);
  });
}

void run::deliver_to_leaves() {
  run_leaf_hooks();
  work_->each_leaf([&](input_buffer& a) {
    if (a.gradient.defined()) static_cast<leaf_node&>(*a.at).accumulate(std::move(a.gradient));
  });
  work_->each_leaf([&](input_buffer& a) {
    if ((node_access::flags(*a.at) & node_access::hooked) == 0 || (plan_ && !plan_->contains(a.at))) return;
    try {
      detail::run_post_accumulate_hooks(static_cast<leaf_node&>(*a.at));
    } catch (...) {
      raise_with_chain(*a.at);
    }
  });
}

// Null if none is a wrapper.
const author::wrapper_gradients* gradients_of_wrappers(std::string_view who, std::span<const tensor> all) {
  const auto found = std::ranges::find_if(all, [](const tensor& t) { return t.defined() && author::is_wrapper(t); });
  return found == all.end() ? nullptr : &detail::gradients_of_wrapper(who, *found);
}

void check_call(std::string_view who, std::span<const tensor> roots, std::span<const tensor> gradients) {
  if (is_inference_mode())
    throw error(
        std::string(who) +
        ": called in inference mode, whose tensors autograd does not track; leave it with inference_mode(false)");
  if (roots.empty()) throw error(std::string(who) + ": found no root, wanted one or more");
  // Checked only above a few nested runs, which are cheap to allow.
  if (constexpr std::size_t few = 32; innermost != nullptr && innermost->depth > few && detail::is_stack_short()) {
    throw error(std::string(who) + ": found the stack of this thread exhausted by " + std::to_string(innermost->depth) +
                " nested runs, each started by a hook or a rule of the previous one; wanted fewer, or a thread with a "
                "larger stack");
  }
  if (!gradients.empty() && gradients.size() != roots.size()) {
    throw error(std::string(who) + ": found " + std::to_string(gradients.size()) + " gradients for " +
                std::to_string(roots.size()) + " tensors, wanted one for each, or none");
  }
}

}  // namespace

namespace detail {

void raise_released(std::string_view op) {
  throw error(
      std::string(op) + ": its saved tensors were released by an earlier backward(); pass retain_graph = true there",
      std::string(op));
}

void raise_wrong_count(const node& n, std::size_t found) {
  throw error(std::string(n.name()) + ": its gradient rule gave " + std::to_string(found) + " gradients, wanted " +
                  std::to_string(n.inputs().size()),
              std::string(n.name()));
}

void raise_wrong_gradient(const node& n, std::size_t input, const tensor& found) {
  const value_kind& wanted = *n.inputs()[input]->kind();
  const bool moved = found.device() != wanted.where;
  const auto describe = [&](dtype type, const shape& sizes, device where) {
    return std::string(name_of(type)) + " " + to_string(sizes) + (moved ? " on " + to_string(where) : std::string());
  };
  throw error(std::string(n.name()) + ": its gradient rule gave " +
                  describe(found.dtype(), found.sizes(), found.device()) + " for argument " +
                  std::to_string(n.argument_of(input) + 1) + ", wanted " +
                  describe(wanted.type, wanted.sizes, wanted.where),
              std::string(n.name()));
}

}  // namespace detail

void backward(std::span<const tensor> roots, std::span<const tensor> gradients, const backward_options& options) {
  check_call("backward", roots, gradients);
  if (const auto* const g = gradients_of_wrappers("backward", roots)) return g->backward(roots, gradients, options);
  run r(options.retain_graph || options.create_graph, options.create_graph);
  for (std::size_t i = 0; i < roots.size(); ++i)
    r.add_root(roots[i], gradients.empty() ? tensor() : gradients[i], "backward");
  if (!options.inputs.empty()) {
    for (std::size_t i = 0; i < options.inputs.size(); ++i) {
      if (!is_leaf(options.inputs[i]))
        throw error("backward: input " + std::to_string(i + 1) +
                    " is not a leaf, and only leaves accumulate gradients; grad() gives those of results");
    }
    r.only_for(options.inputs, "backward");
  }
  r.go();
  r.deliver_to_leaves();
}

void backward(const tensor& root, const tensor& gradient, const backward_options& options) {
  backward(std::span(&root, 1), std::span(&gradient, 1), options);
}

std::vector<tensor> grad(std::span<const tensor> outputs, std::span<const tensor> inputs, const grad_options& options) {
  check_call("grad", outputs, options.gradients);
  for (const std::span<const tensor> all : {outputs, inputs}) {
    if (const auto* const g = gradients_of_wrappers("grad", all)) return g->grad(outputs, inputs, options);
  }
  run r(options.retain_graph || options.create_graph, options.create_graph);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    r.add_root(outputs[i], options.gradients.empty() ? tensor() : options.gradients[i], "grad");
  r.only_for(inputs, "grad");
  r.go();
  r.capture_leaves();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!r.captured()[i].defined() && !options.allow_unused) {
      throw error("grad: no output was computed from input " + std::to_string(i + 1) +
                  "; with allow_unused = true its gradient is undefined");
    }
  }
  return std::move(r.captured());
}

tensor grad(const tensor& output, const tensor& input, const grad_options& options) {
  return grad(std::span(&output, 1), std::span(&input, 1), options)[0];
}

}  // namespace topbit
