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
export void add_reference(node* n) noexcept;
export void drop_reference(node* n) noexcept;

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

  /// Connects to the inputs; an empty pointer is an input that needs no gradient.
  void connect(std::vector<intrusive_ptr<node>> inputs) noexcept;
  std::span<const intrusive_ptr<node>> inputs() const noexcept { return inputs_; }
  std::uint64_t depth() const noexcept { return depth_; }
  bool released = false;

 protected:
  node() noexcept = default;

 private:
  friend void add_reference(node*) noexcept;
  friend void drop_reference(node*) noexcept;
  std::vector<intrusive_ptr<node>> inputs_;
  std::uint64_t depth_ = 0;
  std::atomic<std::uint32_t> references_{1};
};

/// Where the gradient of a leaf arrives. The leaf and the edges to it share it, so that a leaf can go before its graph.
export class leaf_node final : public node {
 public:
  std::vector<tensor> backward(const tensor& gradient) override;
  void release() noexcept override;
  std::string_view name() const noexcept override;
  tensor gradient;
};

/// A tensor kept for backward, with its version when it was saved.
export class saved_tensor {
 public:
  saved_tensor() noexcept = default;
  explicit saved_tensor(const tensor& t);
  /// The tensor; throws error if it was written in place since, naming the operator that saved it.
  const tensor& get(std::string_view op) const;

 private:
  tensor kept_;
  std::uint32_t version_ = 0;
};

}  // namespace topbit
