module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

struct autograd_data final : tensor_extension {
  intrusive_ptr<node> creator;    // of a result
  intrusive_ptr<leaf_node> leaf;  // of a leaf that requires its gradient
};

autograd_data* data_of(const tensor& t) noexcept { return static_cast<autograd_data*>(t.record().autograd.get()); }

// What is hung on one undefined tensor would hang on all of them, on every thread.
autograd_data& ensure_data(const tensor& t) {
  if (!t.defined()) throw error("autograd: found an undefined tensor, wanted one that can have a gradient");
  if (t.record().autograd == nullptr) t.record().autograd = std::make_unique<autograd_data>();
  return *data_of(t);
}

}  // namespace

std::vector<tensor> leaf_node::backward(const tensor&) { return {}; }
void leaf_node::release() noexcept {}
std::string_view leaf_node::name() const noexcept { return "leaf"; }

tensor leaf_node::gradient() const noexcept {
  const std::lock_guard lock(mutex_);
  return gradient_;
}

bool leaf_node::replace(const tensor& seen, tensor next) noexcept {
  const std::lock_guard lock(mutex_);
  if (!gradient_.same_as(seen)) return false;
  std::swap(gradient_, next);
  return true;
}

void leaf_node::clear() noexcept {
  tensor none;
  const std::lock_guard lock(mutex_);
  std::swap(gradient_, none);
}

bool detail::has_edge(const tensor& t) noexcept {
  const autograd_data* d = data_of(t);
  return d != nullptr && (d->creator || d->leaf);
}

const tensor& require_grad(const tensor& t, bool wanted) {
  if (!t.defined()) throw error("require_grad: found an undefined tensor, wanted a floating one");
  if (!is_floating(t.dtype())) {
    throw dtype_error("require_grad: found " + std::string(name_of(t.dtype())) + ", wanted a floating dtype");
  }
  if (data_of(t) != nullptr && data_of(t)->creator) {
    throw error("require_grad: the tensor is a result of " + std::string(data_of(t)->creator->name()) +
                ", wanted a leaf; detach() it first");
  }
  autograd_data& d = ensure_data(t);
  if (!wanted) {
    d.leaf = {};
  } else if (!d.leaf) {
    d.leaf = intrusive_ptr<leaf_node>(new leaf_node);
    d.leaf->stand_for(t);
  }
  return t;
}

tensor grad(const tensor& t) {
  const autograd_data* d = data_of(t);
  return d != nullptr && d->leaf ? d->leaf->gradient() : tensor();
}

void clear_grad(const tensor& t) noexcept {
  if (autograd_data* d = data_of(t); d != nullptr && d->leaf) d->leaf->clear();
}

tensor detach(const tensor& t) {
  if (!t.defined()) throw error("detach: found an undefined tensor");
  if (!t.record().data) return author::make_opaque(t.sizes(), t.dtype(), t.device(), t.keys());
  return author::make_view(t, t.sizes(), t.strides(), t.record().offset);
}

namespace author {

intrusive_ptr<node> gradient_edge(const tensor& t) {
  const autograd_data* d = data_of(t);
  if (d == nullptr) return {};
  if (d->creator) return d->creator;
  if (!d->leaf) return {};
  node* leaf = d->leaf.get();
  add_reference(leaf);
  return intrusive_ptr<node>(leaf);
}

void set_creator(const tensor& t, intrusive_ptr<node> creator) {
  autograd_data& d = ensure_data(t);
  if (creator) creator->stand_for(t);
  d.creator = std::move(creator);
}

}  // namespace author

}  // namespace topbit
