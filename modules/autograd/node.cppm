// The recorded graph: a node per differentiable call, and an edge from it to the node of each tensor argument.
//
// A node stands for one tensor: an edge says where its gradient goes. A call with several results has its own node and
// one more, an output node, for each result. Nodes are reference-counted and destroyed without recursion, so a chain of
// any length is released in constant stack. Depth is one more than the deepest input: running nodes by decreasing depth
// is a reverse topological order.
export module topbit.autograd:node;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export class node;

namespace detail {

struct node_access;

/// The expected metadata of a gradient, and the state of the layers when its tensor was made. Shared by nodes with
/// equal values.
struct value_kind {
  std::atomic<std::uint32_t> references{1};
  dtype type;
  device where;
  shape sizes;
  thread_key_state layers;
};
void drop_kind(value_kind* k) noexcept;
inline void add_reference(value_kind* k) noexcept { k->references.fetch_add(1, std::memory_order_relaxed); }
inline void drop_reference(value_kind* k) noexcept {
  if (k->references.fetch_sub(1, std::memory_order_acq_rel) == 1) drop_kind(k);
}

// The roles of autograd's tensor extensions.
enum role : std::uint8_t { is_node = 1, is_leaf = 2, is_view = 3 };

}  // namespace detail

/// The backward step of one call. Generated from a gradient rule (see :rule), or derived from directly.
export class node : public tensor_extension {
 public:
  ~node() override;

  /// From the gradients of the results those of the inputs, one per edge; an undefined tensor stands for zero, on both
  /// sides. `of_inputs` comes undefined, and as long as inputs().
  virtual void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) = 0;
  /// Frees saved tensors; afterwards backward is not called.
  virtual void release() noexcept = 0;
  /// The operator's name. Lives as long as the process.
  virtual std::string_view name() const noexcept = 0;
  /// Which argument of the operator, from 0, an input was; for messages.
  virtual std::size_t argument_of(std::size_t input) const noexcept;

  /// An empty pointer is an input that needs no gradient.
  inline std::span<const intrusive_ptr<node>> inputs() const noexcept { return {edges_, edge_count_}; }
  inline std::uint32_t depth() const noexcept { return depth_; }
  /// How many gradients backward() takes: of a node whose results have output nodes, one for each; otherwise one.
  virtual std::size_t result_count() const noexcept;
  inline bool is_released() const noexcept { return (flags_.load(std::memory_order_relaxed) & released_bit) != 0; }

  /// Declares that gradients received here are those of t, made with the layers of this thread.
  void stand_for(const tensor& t);
  /// Null if it belongs to no tensor.
  inline const detail::value_kind* kind() const noexcept { return kind_.get(); }

  void end() noexcept override;
  static void* operator new(std::size_t bytes) { return author::take_memory(bytes); }
  static void operator delete(void* p, std::size_t bytes) noexcept { author::give_memory(p, bytes); }

 protected:
  inline explicit node(detail::role is = detail::is_node, std::uint8_t flags = 0) noexcept
      : tensor_extension(is), flags_(flags) {}
  /// The edges, which a derived class owns and whose place does not change. Call it once they exist.
  void connect(std::span<intrusive_ptr<node>> edges);

 private:
  friend struct detail::node_access;
  static constexpr std::uint8_t released_bit = 1, hooked_bit = 2, traced_bit = 4, output_bit = 8, outputs_bit = 16,
                                kept_bit = 32;
  std::atomic<std::uint8_t> flags_;

 protected:
  bool holds_ = false;  // whether saved tensors are held, of a derived class; here, where there is room

 private:
  std::uint32_t depth_ = 0, edge_count_ = 0;
  // Of a node being destroyed: the next one to be destroyed.
  union {
    intrusive_ptr<node>* edges_ = nullptr;
    node* next_dropped_;
  };
  intrusive_ptr<detail::value_kind> kind_;
};

/// A node with as many inputs as its type says.
export template <std::size_t N>
class node_with : public node {
 protected:
  std::array<intrusive_ptr<node>, N> edges;
  inline void connect_edges() { connect(edges); }
};

namespace detail {

// Access of the engine and of error messages to a node.
struct node_access {
  static inline std::uint8_t flags(const node& n) noexcept { return n.flags_.load(std::memory_order_relaxed); }
  static inline void raise_flag(node& n, std::uint8_t bit) noexcept {
    n.flags_.fetch_or(bit, std::memory_order_relaxed);
  }
  static constexpr std::uint8_t released = node::released_bit, hooked = node::hooked_bit, traced = node::traced_bit,
                                output = node::output_bit, has_outputs = node::outputs_bit,
                                kept = node::kept_bit;  // the engine does not release it
};

// Hooks and source locations are stored outside the graph; these drop those of a destroyed node.
void forget_hooks(const node& n) noexcept;
void erase_trace(const node& n) noexcept;

[[noreturn]] void raise_released(std::string_view op);
// A rule's gradient cannot be one of this input.
[[noreturn]] void raise_wrong_gradient(const node& n, std::size_t input, const tensor& found);
[[noreturn]] void raise_wrong_count(const node& n, std::size_t found);

/// Receives the gradient of one of several results.
class output_node final : public node_with<1> {
 public:
  output_node(intrusive_ptr<node> of, std::uint32_t result);
  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override;
  void release() noexcept override;
  std::string_view name() const noexcept override;
  inline std::uint32_t result() const noexcept { return result_; }

 private:
  std::uint32_t result_;
};

}  // namespace detail

}  // namespace topbit
