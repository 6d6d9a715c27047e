module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

node::~node() = default;

std::size_t node::argument_of(std::size_t input) const noexcept { return input; }
std::size_t node::result_count() const noexcept { return 1; }

void node::connect(std::span<intrusive_ptr<node>> edges) {
  edges_ = edges.data();
  edge_count_ = static_cast<std::uint32_t>(edges.size());
  depth_ = 0;
  for (const auto& input : edges) {
    if (input) depth_ = std::max(depth_, input->depth_ + 1);
  }
  if (detail::looks_for_anomalies) [[unlikely]]
    detail::store_trace(*this);
}

void node::stand_for(const tensor& t) {
  const thread_key_state layers = current_thread_keys();
  const auto fits = [&](const detail::value_kind& k) {
    return k.sizes == t.sizes() && k.type == t.dtype() && k.where == t.device() && k.layers.include == layers.include &&
           k.layers.exclude == layers.exclude;
  };
  for (const auto& input : inputs()) {
    if (input && input->kind_ && fits(*input->kind_)) {
      kind_ = input->kind_;
      return;
    }
  }
  auto* const fresh = ::new (author::take_memory(sizeof(detail::value_kind)))
      detail::value_kind{.type = t.dtype(), .where = t.device(), .sizes = t.sizes(), .layers = layers};
  kind_ = intrusive_ptr<detail::value_kind>(fresh);
}

namespace detail {

// Nodes of this thread without references, waiting for deletion. The first one's end() deletes them in a loop, so that
// long graphs are destroyed without recursion.
struct dying_nodes {
  node* first = nullptr;
  bool in_loop = false;
};
constinit thread_local dying_nodes dying;

}  // namespace detail

void node::end() noexcept {
  if ((flags_.load(std::memory_order_relaxed) & hooked_bit) != 0) detail::forget_hooks(*this);
  if ((flags_.load(std::memory_order_relaxed) & traced_bit) != 0) detail::erase_trace(*this);
  next_dropped_ = std::exchange(detail::dying.first, this);
  if (std::exchange(detail::dying.in_loop, true)) return;
  while (detail::dying.first != nullptr) {
    node* const n = detail::dying.first;
    detail::dying.first = n->next_dropped_;
    delete n;
  }
  detail::dying.in_loop = false;
}

namespace detail {

void drop_kind(value_kind* k) noexcept {
  k->~value_kind();
  author::give_memory(k, sizeof(value_kind));
}

output_node::output_node(intrusive_ptr<node> of, std::uint32_t result) : result_(result) {
  node_access::raise_flag(*this, node_access::output);
  edges[0] = std::move(of);
  connect_edges();
}
// Not called: the engine adds the gradient to the `of_results` of the call's input_buffer.
void output_node::backward(std::span<const tensor>, std::span<tensor>) {}
void output_node::release() noexcept {}
std::string_view output_node::name() const noexcept { return edges[0]->name(); }

}  // namespace detail

}  // namespace topbit
