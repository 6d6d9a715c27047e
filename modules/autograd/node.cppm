// The recorded graph: a node per differentiable call, edges to the nodes of its tensor arguments.
//
// Nodes count their references and are dropped without recursion, so a chain of any length is released in constant
// stack. Depth is one more than the deepest input: running nodes by falling depth is running them in reverse order.
export module topbit.autograd:node;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export class node;
export inline void add_reference(node* n) noexcept;
export inline void drop_reference(node* n) noexcept;

namespace detail {
void drop_node(node* n) noexcept;  // the last reference to it is gone
[[noreturn]] void raise_wrong_gradient(const node& n, std::size_t input, const tensor& found);

}  // namespace detail

/// What one call does to gradients. Derive from it through a rule (see :rule) or directly.
export class node {
 public:
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  virtual ~node();

  /// Gradients of the inputs from the gradient of the result, one per edge; an undefined tensor stands for zero.
  virtual std::vector<tensor> backward(const tensor& gradient) = 0;
  /// Drops what was saved for backward; afterwards backward must not be called.
  virtual void release() noexcept = 0;
  /// The operator's name.
  virtual std::string_view name() const noexcept = 0;
  /// Which argument of the operator, from 0, an input was; for messages.
  virtual std::size_t argument_of(std::size_t input) const noexcept;

  /// Connects to the inputs; an empty pointer is an input that needs no gradient.
  void connect(std::vector<intrusive_ptr<node>> inputs) noexcept;
  inline std::span<const intrusive_ptr<node>> inputs() const noexcept { return inputs_; }
  inline std::uint64_t depth() const noexcept { return depth_; }

  /// Says that gradients which arrive here are those of t. Of results that differ, any gradient is taken.
  inline void stand_for(const tensor& t) noexcept {
    if (!target_)
      target_.emplace(t.sizes(), t.dtype(), t.device());
    else if (!takes(t))
      any_target_ = true;
  }
  /// True if this can be a gradient of what the node stands for.
  inline bool takes(const tensor& gradient) const noexcept {
    return any_target_ || !target_ ||
           (gradient.sizes() == target_->sizes && gradient.dtype() == target_->type &&
            gradient.device() == target_->where);
  }
  bool released = false;

 protected:
  node() noexcept = default;

 private:
  friend void add_reference(node*) noexcept;
  friend void drop_reference(node*) noexcept;
  friend void detail::drop_node(node*) noexcept;
  friend void detail::raise_wrong_gradient(const node& n, std::size_t input, const tensor& found);

  // Sizes, dtype and device are kept and not the tensor, which owns the node.
  struct target {
    dims sizes;
    dtype type;
    device where;
  };
  std::optional<target> target_;
  bool any_target_ = false;
  std::vector<intrusive_ptr<node>> inputs_;
  std::uint64_t depth_ = 0;
  std::atomic<std::uint32_t> references_{1};
};

inline void add_reference(node* n) noexcept { n->references_.fetch_add(1, std::memory_order_relaxed); }
inline void drop_reference(node* n) noexcept {
  if (n->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) detail::drop_node(n);
}

/// Where the gradient of a leaf arrives. The leaf and the edges to it share it, so that a leaf can go before its graph.
export class leaf_node final : public node {
 public:
  std::vector<tensor> backward(const tensor& gradient) override;
  void release() noexcept override;
  std::string_view name() const noexcept override;

  /// What was gathered so far; undefined if nothing was.
  tensor gradient() const noexcept;
  /// Replaces `seen` by `next`; false, and nothing happens, if another thread has replaced it before. So threads may
  /// gather at once, and no operator runs under the lock.
  bool replace(const tensor& seen, tensor next) noexcept;
  void clear() noexcept;

 private:
  mutable std::mutex mutex_;
  tensor gradient_;
};

/// A tensor kept for backward, with its version when it was saved.
export class saved_tensor {
 public:
  inline saved_tensor() noexcept = default;
  inline explicit saved_tensor(const tensor& t) : kept_(t), version_(t.version()) {}
  /// The tensor; throws error if it was written in place since, naming the operator that saved it.
  const tensor& get(std::string_view op) const;

 private:
  tensor kept_;
  std::uint32_t version_ = 0;
};

}  // namespace topbit
