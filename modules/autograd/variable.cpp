module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

// Operators bound by name: this module imports no operator library.
constexpr op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"> add;
constexpr op<"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"> add_;
constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;
constexpr op<"aten::coalesce(Tensor(a) self) -> Tensor(a)"> coalesce;

// Detaches an unshared view of a whole base from the base. Gradient rules often end with a transpose or reshape.
void release_base(const tensor& t) noexcept {
  const detail::view_data* const v = detail::view_of(t);
  if (v == nullptr || author::record_of(t).references.load(std::memory_order_acquire) != 1) return;
  if (t.numel() == v->base.numel()) detail::extension_slot(t) = {};
}

// Makes a gradient unshared and dense, so that adding to it in place changes no other tensor. Unchanged if recorded. A
// sparse one is copied as well: its values are often those of another gradient, and users scale gradients in place.
tensor owned(tensor gradient) {
  if (grad_enabled()) return gradient;
  release_base(gradient);
  return detail::is_sole(gradient) ? gradient : clone(gradient, memory_format::contiguous);
}

// A sum of sparse gradients has the entries of all of them. Equal entries are added once there are more than two for
// each element of the leaf, so that gradients of many batches do not grow without bound.
tensor bounded(tensor gradient) {
  const author::layout_payload* const payload = author::parts_of(gradient);
  if (payload == nullptr) return gradient;
  for (const auto& [name, value] : payload->parts()) {
    if (name == "values" && value.numel() / 2 > gradient.numel()) return coalesce(gradient);
  }
  return gradient;
}

// Transfers the reference of a pointer. Copying and destroying it would cost two atomic operations per recorded call.
node* release(intrusive_ptr<node>&& of) noexcept {
  union held {
    intrusive_ptr<node> by;
    ~held() {}
  };
  return held{std::move(of)}.by.get();
}

// The leaf node of t, which t owns; null if t is not a leaf that requires a gradient.
leaf_node* leaf_of(const tensor& t) noexcept {
  const intrusive_ptr<node> n = detail::present_node(t);
  return n && n->role == detail::is_leaf ? static_cast<leaf_node*>(n.get()) : nullptr;
}

}  // namespace

bool detail::is_sole(const tensor& t) noexcept {
  const auto& r = author::record_of(t);
  return r.references.load(std::memory_order_acquire) == 1 && r.extension.get() == nullptr && r.data &&
         r.data->references.load(std::memory_order_acquire) == 1 && r.data->kind != storage_kind::borrowed &&
         !r.data->read_only && r.how == layout::strided && r.dense;
}

void leaf_node::backward(std::span<const tensor>, std::span<tensor>) {}
void leaf_node::release() noexcept {}
std::string_view leaf_node::name() const noexcept { return "leaf"; }

tensor leaf_node::gradient() const noexcept {
  const std::lock_guard lock(mutex_);
  return gradient_;
}

void leaf_node::set_gradient(tensor gradient) noexcept {
  const std::lock_guard lock(mutex_);
  std::swap(gradient_, gradient);
}

void leaf_node::accumulate(tensor gradient) {
  const std::lock_guard lock(mutex_);
  if (!gradient_.defined()) {
    gradient_ = owned(std::move(gradient));
  } else if (detail::is_sole(gradient_) && !grad_enabled()) {
    add_(gradient_, gradient);
  } else {
    gradient_ = add(gradient_, gradient);
  }
  if (gradient_.layout() == layout::sparse_coo) gradient_ = bounded(std::move(gradient_));
}

const tensor& require_grad(const tensor& t, bool wanted) {
  if (author::is_wrapper(t)) {
    detail::gradients_of_wrapper("require_grad", t).require_grad(t, wanted);
    return t;
  }
  if (!t.defined()) throw error("require_grad: found an undefined tensor, wanted a floating one");
  if (!is_floating(t.dtype())) {
    throw dtype_error("require_grad: found " + std::string(name_of(t.dtype())) + ", wanted a floating dtype");
  }
  if (is_inference(t)) {
    throw error(
        "require_grad: found a tensor made in inference mode, wanted one that autograd tracks; clone() it outside that "
        "mode");
  }
  if (!is_leaf(t)) {
    throw error("require_grad: the tensor is a result of " + std::string(author::gradient_edge(t)->name()) +
                ", wanted a leaf; detach() it first");
  }
  if (!wanted) {
    if (detail::view_data* v = detail::view_of(t))
      v->creator = {};
    else
      detail::extension_slot(t) = {};
  } else if (!requires_grad(t)) {
    intrusive_ptr<node> leaf(new leaf_node);
    leaf->stand_for(t);
    author::set_creator(t, std::move(leaf));
  }
  return t;
}

tensor leaf_grad(const tensor& t) {
  if (author::is_wrapper(t)) return detail::gradients_of_wrapper("leaf_grad", t).leaf_grad(t);
  const intrusive_ptr<node> n = detail::present_node(t);
  if (!n) return {};
  return n->role == detail::is_leaf ? static_cast<leaf_node*>(n.get())->gradient() : detail::retained_gradient(*n);
}

void set_leaf_grad(const tensor& t, const tensor& gradient) {
  if (author::is_wrapper(t)) {
    throw error(
        "set_leaf_grad: found a wrapper, whose gradient is that of what it wraps, wanted the tensor that it wraps");
  }
  leaf_node* const leaf = leaf_of(t);
  if (leaf == nullptr) {
    throw error("set_leaf_grad: found a tensor that " +
                std::string(is_leaf(t) ? "requires no gradient" : "is a result of a recorded call") +
                ", wanted a leaf that requires a gradient; require_grad() makes one");
  }
  if (gradient.defined()) detail::check_given_gradient("set_leaf_grad", t, gradient);
  leaf->set_gradient(gradient);
}

void zero_grad(const tensor& t) noexcept {
  const intrusive_ptr<node> n = detail::present_node(t);
  if (!n) return;
  if (n->role == detail::is_leaf)
    static_cast<leaf_node*>(n.get())->set_gradient({});
  else
    detail::forget_retained(*n);
}

void detail::check_given_gradient(std::string_view who, const tensor& of, const tensor& gradient) {
  const auto text = [](const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); };
  const std::string begin = std::string(who) + ": found a gradient ";
  if (gradient.sizes() != of.sizes()) throw shape_error(begin + "of " + text(gradient) + ", wanted " + text(of));
  if (gradient.dtype() != of.dtype()) throw dtype_error(begin + "of " + text(gradient) + ", wanted " + text(of));
  if (gradient.device() != of.device())
    throw device_error(begin + "on " + to_string(gradient.device()) + ", wanted it on " + to_string(of.device()));
}

void author::set_creator(const tensor& t, intrusive_ptr<node> creator) {
  if (!t.defined()) throw error("autograd: found an undefined tensor, wanted one that can have a gradient");
  if (creator && creator->kind() == nullptr) creator->stand_for(t);
  if (const intrusive_ptr<node> before = detail::present_node(t); before && creator)
    detail::pass_on_retained(*before, *creator);
  if (detail::view_data* v = detail::view_of(t)) {
    v->creator = std::move(creator);
    v->version.store(t.version(), std::memory_order_release);
    if (v->origin == detail::view_origin::no_grad) v->origin = detail::view_origin::recorded;
    return;
  }
  detail::extension_slot(t) = intrusive_ptr<tensor_extension>(release(std::move(creator)));
}

}  // namespace topbit
