module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

namespace {

constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;

// Shared: a stateful hook keeps one state, and no user object is copied under the lock.
template <class F>
using numbered = std::vector<std::pair<std::uint64_t, std::shared_ptr<const F>>>;
// Each list is in order of registration.
struct hooks_of_node {
  numbered<gradient_hook> on_gradient;
  numbered<before_node_hook> before;
  numbered<after_node_hook> after;
  numbered<post_accumulate_hook> post_accumulate;
  bool retains = false;
  tensor retained;
};

// Hooks are rare and live in a side table; the flag `hooked` of a node says that it has an entry.
struct hook_table {
  hook_table() { author::hold_at_fork(mutex, author::fork_order::leaf); }

  std::mutex mutex;
  std::map<const node*, hooks_of_node> of;
  std::uint64_t last_number = 0;
};
hook_table& table() {
  static hook_table& t = *new hook_table;  // never destroyed: graphs in statics may be destroyed later
  return t;
}

hooks_of_node hooks_of(const node& n) {
  hook_table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.of.find(&n);
  return found != t.of.end() ? found->second : hooks_of_node{};
}

void set_retained(const node& n, tensor gradient) {
  hook_table& t = table();
  const std::lock_guard lock(t.mutex);
  std::swap(t.of[&n].retained, gradient);
}

}  // namespace

struct hook_access {
  template <class F>
  static hook add(intrusive_ptr<node> n, numbered<F> hooks_of_node::* list, F f) {
    auto shared = std::make_shared<const F>(std::move(f));
    hook h;
    h.at_ = std::move(n);
    hook_table& t = table();
    const std::lock_guard lock(t.mutex);
    h.number_ = ++t.last_number;
    (t.of[h.at_.get()].*list).emplace_back(h.number_, std::move(shared));
    node_access::raise_flag(*h.at_, node_access::hooked);
    return h;
  }
};

void run_gradient_hooks(const node& n, tensor& gradient) {
  const hooks_of_node hooks = hooks_of(n);
  for (const auto& [number, f] : hooks.on_gradient) {
    const tensor other = (*f)(gradient);
    if (!other.defined()) continue;
    check_given_gradient(std::string(n.name()) + ": a hook on its result", gradient, other);
    gradient = other;
  }
  if (hooks.retains) set_retained(n, hooks.retained.defined() ? add(hooks.retained, gradient) : gradient);
}
void run_before_hooks(const node& n, std::span<tensor> of_results) {
  const hooks_of_node hooks = hooks_of(n);
  if (hooks.before.empty()) return;
  const std::vector<tensor> given(of_results.begin(), of_results.end());
  for (const auto& [number, f] : hooks.before) (*f)(of_results);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].defined() && of_results[i].defined() && !given[i].same_as(of_results[i]))
      check_given_gradient(std::string(n.name()) + ": a hook before it", given[i], of_results[i]);
  }
}
void run_after_hooks(const node& n, std::span<tensor> of_inputs, std::span<const tensor> of_results) {
  for (const auto& [number, f] : hooks_of(n).after) (*f)(of_inputs, of_results);
}
void run_post_accumulate_hooks(const leaf_node& n) {
  const hooks_of_node hooks = hooks_of(n);
  if (hooks.post_accumulate.empty()) return;
  const tensor gradient = n.gradient();
  for (const auto& [number, f] : hooks.post_accumulate) (*f)(gradient);
}

tensor retained_gradient(const node& n) {
  if ((node_access::flags(n) & node_access::hooked) == 0) return {};
  hook_table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.of.find(&n);
  return found != t.of.end() ? found->second.retained : tensor();
}

void forget_retained(const node& n) noexcept {
  if ((node_access::flags(n) & node_access::hooked) != 0) set_retained(n, {});
}

void pass_on_retained(const node& from, node& to) {
  if ((node_access::flags(from) & node_access::hooked) == 0 || &from == &to) return;
  hook_table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.of.find(&from);
  if (found == t.of.end() || !found->second.retains) return;
  t.of[&to].retains = true;
  found->second.retains = false;
  node_access::raise_flag(to, node_access::hooked);
}

void forget_hooks(const node& n) noexcept {
  hook_table& t = table();
  hooks_of_node dropped;  // destroyed outside the lock: hooks may own nodes with hooks
  const std::lock_guard lock(t.mutex);
  const auto found = t.of.find(&n);
  if (found == t.of.end()) return;
  std::swap(dropped, found->second);
  t.of.erase(found);
}

}  // namespace detail

void hook::remove() noexcept {
  if (!at_) return;
  detail::hook_table& t = detail::table();
  // The hook and the node are destroyed outside the lock.
  const intrusive_ptr<node> at = std::exchange(at_, {});
  std::shared_ptr<const void> dropped;
  const auto take = [&](auto& from) {
    const auto found = std::ranges::find(from, number_, [](const auto& h) { return h.first; });
    if (found == from.end()) return;
    dropped = std::move(found->second);
    from.erase(found);
  };
  const std::lock_guard lock(t.mutex);
  const auto found = t.of.find(at.get());
  if (found == t.of.end()) return;
  take(found->second.on_gradient);
  take(found->second.before);
  take(found->second.after);
  take(found->second.post_accumulate);
}

namespace {

intrusive_ptr<node> node_for_hook(std::string_view who, const tensor& t) {
  intrusive_ptr<node> n = t.defined() ? author::gradient_edge(t) : intrusive_ptr<node>();
  if (!n)
    throw error(std::string(who) + ": found a tensor that needs no gradient, wanted one that requires a gradient");
  return n;
}
intrusive_ptr<node> call_for_hook(std::string_view who, const tensor& t) {
  intrusive_ptr<node> n = node_for_hook(who, t);
  if (n->role == detail::is_leaf) throw error(std::string(who) + ": found a leaf, wanted a result of a recorded call");
  if ((detail::node_access::flags(*n) & detail::node_access::output) != 0) n = n->inputs()[0];
  return n;
}

}  // namespace

hook add_hook(const tensor& t, gradient_hook f) {
  return detail::hook_access::add(node_for_hook("add_hook", t), &detail::hooks_of_node::on_gradient, std::move(f));
}
hook add_before_hook(const tensor& t, before_node_hook f) {
  return detail::hook_access::add(call_for_hook("add_before_hook", t), &detail::hooks_of_node::before, std::move(f));
}
hook add_after_hook(const tensor& t, after_node_hook f) {
  return detail::hook_access::add(call_for_hook("add_after_hook", t), &detail::hooks_of_node::after, std::move(f));
}
hook add_post_accumulate_hook(const tensor& t, post_accumulate_hook f) {
  intrusive_ptr<node> n = node_for_hook("add_post_accumulate_hook", t);
  if (n->role != detail::is_leaf)
    throw error("add_post_accumulate_hook: found a result of a recorded call, wanted a leaf");
  return detail::hook_access::add(std::move(n), &detail::hooks_of_node::post_accumulate, std::move(f));
}

void retain_grad(const tensor& t) {
  const intrusive_ptr<node> n = node_for_hook("retain_grad", t);
  if (n->role == detail::is_leaf) return;
  detail::hook_table& table = detail::table();
  const std::lock_guard lock(table.mutex);
  table.of[n.get()].retains = true;
  detail::node_access::raise_flag(*n, detail::node_access::hooked);
}

}  // namespace topbit
