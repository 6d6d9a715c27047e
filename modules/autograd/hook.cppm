// Functions of the user's that run within backward, and gradients of results that are kept.
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

/// Takes the gradient of a tensor when all of it has arrived, and may return another of the same sizes and dtype in its
/// place; an undefined tensor leaves it.
export using gradient_hook = std::function<tensor(const tensor& gradient)>;
/// Sees the gradients of a node's results before its rule runs, and may replace them.
export using before_node_hook = std::function<void(std::span<tensor> of_results)>;
/// Sees the gradients of a node's inputs after its rule has run, and may replace them.
export using after_node_hook = std::function<void(std::span<tensor> of_inputs, std::span<const tensor> of_results)>;
/// Runs when a leaf has gathered a gradient.
export using post_accumulate_hook = std::function<void(const tensor& gradient)>;

/// A hook that was added; remove() takes it away again. Copies are of the same hook, and keep the graph behind it until
/// they go or are removed; the hook itself goes with the graph. What a hook holds is kept as long: one that holds the
/// tensor it belongs to keeps it for good.
export class hook {
 public:
  void remove() noexcept;

 private:
  friend struct detail::hook_access;
  intrusive_ptr<node> at_;
  std::uint64_t number_ = 0;
};

/// Adds a hook on the gradient of t, a leaf or a result. Hooks of a tensor run in the order they were added. Throws
/// error if t needs no gradient.
export hook add_hook(const tensor& t, gradient_hook f);
/// Adds a hook on the call that made t. Throws error if no recorded call did.
export hook add_before_hook(const tensor& t, before_node_hook f);
export hook add_after_hook(const tensor& t, after_node_hook f);
/// Adds a hook on a leaf's gradient, after it was gathered. Throws error if t is no leaf that requires its gradient.
export hook add_post_accumulate_hook(const tensor& t, post_accumulate_hook f);

/// Keeps the gradient of a result too, for leaf_grad(). Throws error if t needs no gradient.
export void retain_grad(const tensor& t);

namespace detail {

tensor retained_gradient(const node& n);
void forget_retained(const node& n) noexcept;
// A tensor that was written has another node, and keeps its gradient as before.
void pass_on_retained(const node& from, node& to);

// What the engine does at a node that has hooks. A gradient that a hook gives is checked.
void run_gradient_hooks(const node& n, tensor& gradient);
void run_before_hooks(const node& n, std::span<tensor> of_results);
void run_after_hooks(const node& n, std::span<tensor> of_inputs, std::span<const tensor> of_results);
void run_post_accumulate_hooks(const leaf_node& n);

}  // namespace detail

}  // namespace topbit
