module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

constexpr op<
    "aten::zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None) -> Tensor">
    zeros;

// True if t is one of the tensors or shares storage with one.
bool shares_elements(std::span<const tensor> all, const tensor& t) {
  return std::ranges::any_of(all, [&](const tensor& other) {
    return other.same_as(t) ||
           (author::record_of(t).data && author::record_of(other).data == author::record_of(t).data);
  });
}

// What all wrappers stand for.
tensor innermost(tensor t) {
  while (const auto* const w = author::extension_of<author::wrapper_extension>(t)) t = w->wrapped;
  return t;
}

std::optional<std::size_t> index_in(std::span<const tensor> all, const tensor& t) {
  const auto found = std::ranges::find_if(all, [&](const tensor& other) { return other.same_as(t); });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}
bool among(std::span<const tensor> all, const tensor& t) { return index_in(all, t).has_value(); }

}  // namespace

tensor function_context::saved(std::size_t i) const {
  if (i >= saved_.size()) {
    throw error("function_context: found " + std::to_string(saved_.size()) + " saved tensors, wanted number " +
                std::to_string(i) + "; forward() calls save() with all of them");
  }
  tensor t = std::visit([](const auto& kept) { return tensor(kept.get()); }, saved_[i]);
  if (view_ == nullptr || !t.defined()) return t;
  return saved_argument_[i] ? view_->argument(*saved_argument_[i], t) : view_->seen(t);
}

bool function_context::needs_input_grad(std::size_t i) const {
  if (i < needed_.size()) return needed_[i];
  throw error("function_context: found " + std::to_string(needed_.size()) + " tensors of forward(), asked for number " +
              std::to_string(i));
}

void function_context::mark_non_differentiable(const tensor& result) { non_differentiable_.push_back(result); }

namespace detail {

constinit std::atomic<std::uint64_t> keys_with_view{0};

namespace {

// By functionality.
constinit std::array<std::atomic<author::function_viewer>, author::functionality_count + 1> viewers{};
constinit std::array<std::atomic<const author::wrapper_gradients*>, author::functionality_count + 1> gradients{};
constinit std::atomic<std::uint64_t> keys_with_gradients{0};

}  // namespace

}  // namespace detail

author::function_layer author::set_function_layer(function_layer l) noexcept {
  return std::exchange(detail::this_thread_function_layer, l);
}

void author::set_function_viewer(functionality of, function_viewer v) noexcept {
  detail::viewers[static_cast<std::size_t>(of)].store(v, std::memory_order_release);
  detail::keys_with_view.fetch_or(key_set(dispatch_key{of}).raw(), std::memory_order_release);
}

void author::set_wrapper_gradients(functionality of, const wrapper_gradients& g) noexcept {
  detail::gradients[static_cast<std::size_t>(of)].store(&g, std::memory_order_release);
  detail::keys_with_gradients.fetch_or(key_set(dispatch_key{of}).raw(), std::memory_order_release);
}

namespace detail {

const author::wrapper_gradients& gradients_of_wrapper(std::string_view who, const tensor& t) {
  const key_set known = t.keys() & key_set::from_raw(keys_with_gradients.load(std::memory_order_acquire));
  if (!known.empty())
    return *gradients[static_cast<std::size_t>(known.highest_functionality())].load(std::memory_order_acquire);
  throw error(std::string(who) +
              ": found a wrapper, whose layer does not say what its gradient is; wanted the tensor that it wraps, or "
              "author::set_wrapper_gradients()");
}

function_node::function_node(std::vector<intrusive_ptr<node>> edges, function_context c,
                             std::span<tensor* const> results, std::string_view name)
    : context_(std::move(c)), edges_(std::move(edges)), kinds_(results.size()), name_(name) {
  node_access::raise_flag(*this, node_access::has_outputs);
  connect(edges_);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const tensor& t = *results[i];
    if (t.defined() && is_floating(t.dtype()))
      kinds_[i] = {t.sizes(), t.dtype(), t.device(), !among(context_.non_differentiable_, t)};
  }
  context_.non_differentiable_.clear();
}
void function_node::release() noexcept {
  context_.saved_.clear();
  context_.data.reset();
}

std::vector<tensor> function_node::materialized(std::span<const tensor> of_results) const {
  std::vector<tensor> all(of_results.begin(), of_results.end());
  if (!context_.materialize_) return all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].defined() && kinds_[i])
      all[i] = zeros(kinds_[i]->sizes, kinds_[i]->type, std::nullopt, kinds_[i]->where, std::nullopt);
  }
  return all;
}

void function_node::run(std::span<const tensor> of_results, std::span<tensor> of_inputs,
                        const std::function<void(std::span<const tensor>)>& backward) const {
  const author::layer_values_guard layers(layers_);
  std::vector<tensor> given = materialized(of_results);
  const author::function_view* const view = context_.view_.get();
  if (view == nullptr) return backward(given);
  view->run([&] {
    for (tensor& g : given) {
      if (g.defined()) g = view->seen(g);
    }
    backward(given);
    for (std::size_t i = 0; i < of_inputs.size(); ++i) {
      if (of_inputs[i].defined()) of_inputs[i] = view->gradient(i, of_inputs[i]);
    }
  });
}

namespace {

void check_tangent(std::string_view name, std::size_t result, const tensor& found, const kind_of_result& wanted) {
  if (found.sizes() == wanted.sizes && found.dtype() == wanted.type && found.device() == wanted.where) return;
  const auto text = [](dtype type, const shape& sizes, device where) {
    return std::string(name_of(type)) + " " + to_string(sizes) + " on " + to_string(where);
  };
  throw error(std::string(name) + ": its jvp() gave " + text(found.dtype(), found.sizes(), found.device()) +
              " for result " + std::to_string(result + 1) + ", wanted " +
              text(wanted.type, wanted.sizes, wanted.where));
}

// While it lives the node's rule runs on this thread: saved results are results of the node.
class running_rule {
 public:
  explicit running_rule(node& n) noexcept : before_(std::exchange(running_node, &n)) {}
  running_rule(const running_rule&) = delete;
  running_rule& operator=(const running_rule&) = delete;
  ~running_rule() { running_node = before_; }

 private:
  node* const before_;
};

}  // namespace

std::vector<tensor> function_node::push(std::span<const tensor> arguments, std::span<const tensor> along,
                                        const std::function<std::vector<tensor>(std::span<const tensor>)>& jvp) {
  const author::layer_values_guard layers(layers_);
  const running_rule running(*this);
  const author::function_view* const view = context_.view_.get();
  std::vector<tensor> given(along.begin(), along.end()), found;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const tensor& x = arguments[i];
    if (!given[i].defined() && context_.materialize_ && x.defined() && is_floating(x.dtype()))
      given[i] = zeros(x.sizes(), x.dtype(), std::nullopt, x.device(), std::nullopt);
    if (view != nullptr && given[i].defined()) given[i] = view->argument(i, given[i]);
  }
  const auto call = [&] {
    found = jvp(given);
    for (tensor& t : found) {
      if (view != nullptr && t.defined()) t = view->below(t);
    }
  };
  if (view == nullptr)
    call();
  else
    view->run(call);
  if (found.size() != kinds_.size()) {
    throw error(std::string(name_) + ": its jvp() gave " + std::to_string(found.size()) + " tangents, wanted " +
                std::to_string(kinds_.size()));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_differentiable(i)) found[i] = {};
    if (found[i].defined()) check_tangent(name_, i, found[i], *kinds_[i]);
  }
  return found;
}

std::shared_ptr<const author::function_view> view_of_call(std::span<tensor> arguments) {
  key_set brought;
  bool recorded = false;
  for (const tensor& t : arguments) {
    if (!t.defined()) continue;
    if (author::is_wrapper(t)) brought = brought | t.keys();
    recorded = recorded || innermost(t).keys().contains(key::ForwardAD) || (grad_enabled() && requires_grad(t));
  }
  const key_set seen = brought & key_set::from_raw(keys_with_view.load(std::memory_order_acquire));
  if (!recorded || seen.empty()) return nullptr;
  return viewers[static_cast<std::size_t>(seen.highest_functionality())].load(std::memory_order_acquire)(arguments);
}

constinit thread_local author::function_layer this_thread_function_layer [[gnu::tls_model("initial-exec")]] = nullptr;

bool brings_tangents(std::span<const tensor> arguments) {
  bool found = false;
  for (const tensor& t : arguments) {
    if (!innermost(t).keys().contains(key::ForwardAD)) continue;
    found = true;
    if (!author::is_wrapper(t)) continue;
    throw error(
        "apply: found a wrapper of a tensor with a tangent, whose layer does not show functions what is below; wanted "
        "author::set_function_viewer()");
  }
  return found;
}

namespace {

void refuse_wrapper(const tensor& result) {
  if (!result.defined() || !author::is_wrapper(result)) return;
  throw error(
      "apply: forward() returned a tensor that is batched, or a wrapper of another layer, as none of its arguments is; "
      "give it that tensor as an argument, or one that per_example() made");
}

}  // namespace

void separate_results(std::span<tensor* const> results, std::span<const tensor> arguments) {
  for (const tensor* const r : results) refuse_wrapper(*r);
  std::vector<tensor> taken(arguments.begin(), arguments.end());
  for (tensor* const r : results) {
    if (r->defined() && among(taken, *r)) *r = author::make_alias(*r);
    taken.push_back(*r);
  }
}

void function_call::add_edge(const tensor& t) {
  // The gradient would be one of what the wrapper wraps, which backward() does not see.
  if (grad_enabled() && author::is_wrapper(t) && requires_grad(t)) {
    throw error(
        "apply: found a wrapper of a tensor that requires a gradient, whose layer does not show functions what is "
        "below; wanted author::set_function_viewer()");
  }
  edges.push_back(grad_enabled() ? author::gradient_edge(t) : intrusive_ptr<node>());
  context.needed_.push_back(static_cast<bool>(edges.back()));
  recorded = recorded || edges.back();
}

std::vector<tensor> function_call::see(const std::shared_ptr<const author::function_view>& view,
                                       std::span<const tensor> arguments) {
  context.view_ = view;
  std::vector<tensor> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    seen.push_back(arguments[i].defined() ? view->argument(i, arguments[i]) : tensor());
  return seen;
}

void function_call::put_below(std::span<const tensor> arguments, std::span<const tensor> seen,
                              std::span<tensor* const> results) {
  const author::function_view& view = *context.view_;
  std::vector<tensor> seen_results;
  for (tensor* const r : results) {
    seen_results.push_back(*r);
    if (r->defined()) *r = view.below(*r);
  }
  for (tensor& t : context.non_differentiable_) {
    if (const auto result = index_in(seen_results, t)) t = *results[*result];
  }
  for (tensor& t : context.to_save_) {
    const std::optional<std::size_t> argument = index_in(seen, t), result = index_in(seen_results, t);
    context.saved_argument_.push_back(argument);
    if (argument)
      t = arguments[*argument];
    else if (result)
      t = *results[*result];
    else if (t.defined())
      t = view.below(t);
  }
}

void function_call::keep_saved(std::span<tensor* const> results) {
  for (const tensor& t : std::exchange(context.to_save_, {})) {
    const auto found = std::ranges::find_if(results, [&](const tensor* r) { return r->same_as(t); });
    // A result that is not recorded does not own the node, which may own it.
    if (recorded && found != results.end() && t.defined())
      context.saved_.emplace_back(saved_result(t, static_cast<std::uint32_t>(found - results.begin())));
    else
      context.saved_.emplace_back(saved_tensor(t));
  }
}

void function_call::attach(function_node& n, std::span<tensor* const> results, std::span<const tensor> arguments) {
  add_reference(&n);
  const intrusive_ptr<node> owner(&n);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!n.is_differentiable(i)) continue;
    tensor& t = *results[i];
    refuse_wrapper(t);
    if (shares_elements(arguments, t))
      t = copy_if_aliased(t);
    else if (detail::extension_of(t) != nullptr)
      t = author::make_alias(t);
    if (owner->kind() == nullptr) owner->stand_for(t);
    author::set_creator(t, intrusive_ptr<node>(new output_node(owner, static_cast<std::uint32_t>(i))));
  }
}

}  // namespace detail

}  // namespace topbit
