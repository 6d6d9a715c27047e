// User functions that run during backward, and retained gradients of results.
export module topbit.autograd:hook;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;
import :variable;

namespace topbit {

namespace detail {
struct hook_access;
}

/// Receives the complete gradient of a tensor, and may return a replacement of the same shape and dtype; an undefined
/// tensor keeps it.
export using gradient_hook = std::function<tensor(const tensor& gradient)>;
/// Sees the gradients of a node's results before its rule runs, and may replace them.
export using before_node_hook = std::function<void(std::span<tensor> of_results)>;
/// Sees the gradients of a node's inputs after its rule has run, and may replace them.
export using after_node_hook = std::function<void(std::span<tensor> of_inputs, std::span<const tensor> of_results)>;
/// Runs after a leaf has accumulated a gradient.
export using post_accumulate_hook = std::function<void(const tensor& gradient)>;

/// A handle of an added hook. Copies refer to the same hook, and keep its graph alive until they are destroyed or
/// removed; the hook itself is destroyed with the graph. A hook that captures its own tensor leaks it.
export class hook {
 public:
  void remove() noexcept;

 private:
  friend struct detail::hook_access;
  intrusive_ptr<node> at_;
  std::uint64_t number_ = 0;
};

/// Adds a hook on the gradient of t, a leaf or a result. Hooks of a tensor run in the order of addition. Throws error
/// if t needs no gradient.
export hook add_hook(const tensor& t, gradient_hook f);
/// Adds a hook on the call that made t. Throws error if no recorded call did.
export hook add_before_hook(const tensor& t, before_node_hook f);
export hook add_after_hook(const tensor& t, after_node_hook f);
/// Adds a hook that runs after a leaf has accumulated its gradient. Throws error if t is not a leaf that requires a
/// gradient.
export hook add_post_accumulate_hook(const tensor& t, post_accumulate_hook f);

/// Keeps the gradient of a result too, for leaf_grad(). Throws error if t needs no gradient.
export void retain_grad(const tensor& t);

namespace detail {

tensor retained_gradient(const node& n);
void forget_retained(const node& n) noexcept;
// A written tensor has another node, and stays retained.
void pass_on_retained(const node& from, node& to);

// Called by the engine at a node with hooks. A gradient returned by a hook is checked.
void run_gradient_hooks(const node& n, tensor& gradient);
void run_before_hooks(const node& n, std::span<tensor> of_results);
void run_after_hooks(const node& n, std::span<tensor> of_inputs, std::span<const tensor> of_results);
void run_post_accumulate_hooks(const leaf_node& n);

}  // namespace detail

}  // namespace topbit
