module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

constexpr op<"aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)">
    as_strided;
constexpr op<
    "aten::new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor">
    new_empty_strided;
constexpr op<"aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"> copy_;
constexpr op<"aten::zero_(Tensor(a!) self) -> Tensor(a!)"> zero_;
constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;

// Several threads may request the node of a view whose base was written. Striped locks, selected by address.
std::mutex& lock_of(const detail::view_data& v) noexcept {
  static std::array<std::mutex, 16>& locks = []() -> auto& {
    static constinit std::array<std::mutex, 16> all;
    for (std::mutex& each : all) author::hold_at_fork(each, author::fork_order::calling);
    return all;
  }();
  return locks[(reinterpret_cast<std::uintptr_t>(&v) >> 6) % locks.size()];
}

// True if a recorded call wrote to the base after the view got its node.
bool is_behind(const tensor& t, const detail::view_data& v) noexcept {
  return v.version.load(std::memory_order_acquire) != t.version() && v.origin != detail::view_origin::no_grad &&
         requires_grad(v.base);
}

// Geometry of a view relative to its base. The gradient of the base has the same layout.
struct place {
  shape sizes, strides;
  std::int64_t offset;
};

// The node of a base after a write to a view of it (PyTorch: CopySlices). Outside the view the gradient passes
// unchanged, inside it through the node of the call that wrote.
class part_written final : public node {
 public:
  part_written(const tensor& base, const tensor& view, intrusive_ptr<node> by)
      : sizes_(base.sizes()),
        strides_(base.strides()),
        view_{view.sizes(), view.strides(), author::record_of(view).offset - author::record_of(base).offset},
        by_(std::move(by)),
        edges_(by_->inputs().begin(), by_->inputs().end()) {
    edges_[0] = author::gradient_edge(base);
    connect(edges_);
    // The engine also reaches by_ through saved results; freeing its saved tensors is left to release().
    detail::node_access::raise_flag(*by_, detail::node_access::kept);
  }

  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override {
    tensor whole =
        new_empty_strided(of_results[0], sizes_, strides_, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    copy_(whole, of_results[0], false);
    tensor part = as_strided(whole, view_.sizes, view_.strides, view_.offset);
    const std::array<tensor, 1> of_view{clone(part, memory_format::contiguous)};
    node* const outer = std::exchange(detail::running_node, by_.get());
    try {
      by_->backward(of_view, of_inputs);
    } catch (...) {
      detail::running_node = outer;
      throw;
    }
    detail::running_node = outer;
    if (edges_[0]) {
      if (of_inputs[0].defined())
        copy_(part, of_inputs[0], false);
      else
        zero_(part);
      of_inputs[0] = whole;
    }
  }
  void release() noexcept override {
    detail::node_access::raise_flag(*by_, detail::node_access::released);
    by_->release();
  }
  const intrusive_ptr<node>& by() const noexcept { return by_; }
  std::string_view name() const noexcept override { return by_->name(); }
  std::size_t argument_of(std::size_t input) const noexcept override { return by_->argument_of(input); }

 private:
  shape sizes_, strides_;
  place view_;
  intrusive_ptr<node> by_;
  std::vector<intrusive_ptr<node>> edges_;
};

}  // namespace

// Of a base, a view of which was written last: the call that wrote.
author::recorded_result author::recorded_result_of(const tensor& t) {
  intrusive_ptr<node> n = gradient_edge(t);
  if (const auto* const one = dynamic_cast<const detail::output_node*>(n.get()); one != nullptr)
    return {one->inputs()[0], one->result()};
  if (const auto* const part = dynamic_cast<const part_written*>(n.get()); part != nullptr) return {part->by(), 0};
  return {std::move(n), 0};
}

namespace detail {

intrusive_ptr<node> present_node(const tensor& t) noexcept {
  tensor_extension* const e = extension_of(t);
  if (e == nullptr) return {};
  if (e->role == is_view) return is_behind(t, *view_of(t)) ? intrusive_ptr<node>() : view_of(t)->creator;
  add_reference(e);
  return intrusive_ptr<node>(static_cast<node*>(e));
}

bool view_requires_grad(const tensor& t) noexcept {
  const view_data& v = *view_of(t);
  return is_behind(t, v) || v.creator;
}

bool view_is_leaf(const tensor& t) noexcept {
  const view_data& v = *view_of(t);
  return !is_behind(t, v) && (!v.creator || v.creator->role == is_leaf);
}

intrusive_ptr<node> edge_of_view(const tensor& t) {
  view_data& v = *view_of(t);
  if (!is_behind(t, v)) return v.creator;
  // Repeats the view on the current result of the base.
  const std::uint32_t version = t.version();
  const enable_grad recording;
  const tensor again = as_strided(v.base, t.sizes(), t.strides(), author::record_of(t).offset);
  intrusive_ptr<node> creator = view_of(again) != nullptr ? view_of(again)->creator : author::gradient_edge(again);
  intrusive_ptr<node> before;  // released outside the lock: destroying it may look up views
  const std::lock_guard hold(lock_of(v));
  if (v.version.load(std::memory_order_acquire) == version) return v.creator;  // another thread was here
  before = std::exchange(v.creator, creator);
  if (before && creator) pass_on_retained(*before, *creator);
  v.version.store(version, std::memory_order_release);
  return creator;
}

}  // namespace detail

namespace author {

void track_view(const tensor& base, const tensor& view, bool one_of_several) {
  if (!view.defined() || view.same_as(base) || !author::record_of(base).data ||
      author::record_of(view).data != author::record_of(base).data || author::record_of(base).inference ||
      detail::extension_slot(view) || author::record_of(base).how != layout::strided)
    return;
  const detail::view_data* of = detail::view_of(base);
  using detail::view_origin;
  view_origin origin = author::in_inference_mode() ? view_origin::inference
                       : one_of_several            ? view_origin::one_of_several
                       : !grad_enabled()           ? view_origin::no_grad
                                                   : view_origin::recorded;
  if (of != nullptr && origin == view_origin::recorded) origin = of->origin;
  detail::extension_slot(view) =
      intrusive_ptr<tensor_extension>(new detail::view_data(of != nullptr ? of->base : base, origin, view.version()));
}

void check_in_place(std::string_view op, const tensor& t) {
  const auto refuse = [&](std::string_view found, std::string_view wanted) {
    throw error(std::string(op) + ": writes in place to " + std::string(found) + "; " + std::string(wanted),
                std::string(op));
  };
  if (author::record_of(t).inference)
    refuse("a tensor made in inference mode, which autograd cannot track", "clone() it outside that mode");
  const detail::view_data* const v = detail::view_of(t);
  if (v == nullptr) {
    if (is_leaf(t) && requires_grad(t))
      refuse("a leaf that requires a gradient", "use the form that returns a new tensor, or a no_grad scope");
    return;
  }
  if (is_leaf(v->base) && requires_grad(v->base))
    refuse("a view of a leaf that requires a gradient", "use the form that returns a new tensor, or a no_grad scope");
  if (v->creator && v->creator->role == detail::is_leaf)
    refuse("a leaf that requires a gradient", "use the form that returns a new tensor, or a no_grad scope");
  switch (v->origin) {
    case detail::view_origin::recorded: return;
    case detail::view_origin::no_grad:
      refuse("a view that was made without recording", "make the view and write to it in the same gradient mode");
    case detail::view_origin::inference:
      refuse("a view that was made in inference mode", "make the view and write to it in the same gradient mode");
    case detail::view_origin::one_of_several:
      refuse("one of several views of one call, which autograd cannot track",
             "make this view by a separate call, or write to a clone");
  }
}

void rebase(const tensor& t, intrusive_ptr<node> creator) {
  detail::view_data* const v = detail::view_of(t);
  if (v == nullptr) return set_creator(t, std::move(creator));
  creator->stand_for(t);
  const tensor& base = v->base;
  intrusive_ptr<node> whole(new part_written(base, t, std::move(creator)));
  whole->stand_for(base);
  set_creator(base, std::move(whole));
  // Marks the view as outdated; edge_of_view() makes its node on demand.
  v->version.store(t.version() - 1, std::memory_order_release);
}

}  // namespace author

}  // namespace topbit
