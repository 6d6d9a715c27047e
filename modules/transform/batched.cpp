module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit {

namespace detail {

namespace {

constexpr key_set keys_of_physical = autograd_keys | key_set{key::ADInplaceOrView, key::ForwardAD};

std::string described(std::uint64_t level) {
  const batch_level* const l = level_numbered(level);
  return l != nullptr ? describe(*l) : std::string("by a vmap that has ended");
}

}  // namespace

void batched_tensor::refuse_elements(std::string_view what) const {
  throw layout_error(std::string(what) + ": the tensor is batched (" + described(level) +
                     "), so it has no single value; use where() to choose, index_select() or gather() to look up");
}

std::string batched_tensor::text(std::string of_wrapped) const {
  return "batched (" + described(level) + ", batch dimension " + std::to_string(dim) + ") " + std::move(of_wrapped);
}

shape without_dimension(const shape& of, std::int64_t dim) {
  if (dim < 0 || dim >= static_cast<std::int64_t>(of.size())) {
    throw shape_error("vmap: found batch dimension " + std::to_string(dim) + " of a tensor " + to_string(of) +
                      " that a batching rule returned, wanted one that it has");
  }
  if (dim == 0) return std::span<const std::int64_t>(of).subspan(1);
  shape rest = of;
  rest.erase(static_cast<std::size_t>(dim));
  return rest;
}

tensor make_batched(tensor physical, std::int64_t dim, const batch_level& l) {
  const author::tensor_record& r = author::record_of(physical);
  // Gradients, tangents and counts of writes are those of the physical tensor.
  const key_set keys = (r.keys - keys_of_physical) | key_set(key::FuncTorchBatched);
  return author::make_wrapper(
      without_dimension(r.sizes, dim), without_dimension(r.strides, dim), r.type, r.where, keys,
      intrusive_ptr<author::wrapper_extension>(new batched_tensor(std::move(physical), dim, l.number)));
}

namespace {

// From now on the record is that of a wrapper.
void turn_into_wrapper(const tensor& x, const tensor& physical, const batch_level& l) {
  author::tensor_record& r = author::record_of(x);
  intrusive_ptr<batched_tensor> wrapper(new batched_tensor(physical, 0, l.number));
  r.keys = (author::record_of(physical).keys - keys_of_physical) | key_set(key::FuncTorchBatched);
  r.extension = {};
  author::attach(x, std::move(wrapper));
  r.offset = 0;
  r.data = {};
}

// A copy for each example. Whatever saved the tensor before notices that it was written.
tensor copies_of(const tensor& x, const batch_level& l) {
  const tensor all = aten::clone(with_batch_first(aten::alias(x), {}, l.size), memory_format::contiguous);
  author::record_of(all).data->version.store(x.version() + 1, std::memory_order_relaxed);
  return all;
}

}  // namespace

bool become_batched(const tensor& x, const batch_level& l) {
  tensor below = x;
  while (const batched_tensor* const b = batched_of(below)) below = b->wrapped;
  const author::tensor_record& r = author::record_of(below);
  if (!r.data || r.how != layout::strided || author::birth_number(below) < birth_of(l)) return false;
  // Neither loses a leaf its gradient nor is one written while calls are recorded.
  if (requires_grad(below) && is_leaf(below)) return false;
  const tensor base = base_of(below);
  const std::uint32_t sharing = r.data->references.load(std::memory_order_acquire);
  if (!base.defined()) {
    if (sharing != 1) return false;
    turn_into_wrapper(x, copies_of(x, l), l);
    return true;
  }
  // A view and its base, and no other one: both are of the copies.
  const author::tensor_record& whole = author::record_of(base);
  if (sharing != 2 || batched_of(x) != nullptr || !whole.dense || whole.offset != 0) return false;
  const tensor all = copies_of(base, l);
  shape sizes{l.size}, strides{base.numel()};
  for (std::size_t i = 0; i < r.sizes.size(); ++i) {
    sizes.push_back(r.sizes[i]);
    strides.push_back(r.strides[i]);
  }
  const tensor part = aten::as_strided(all, sizes, strides, r.offset);
  turn_into_wrapper(base, all, l);
  turn_into_wrapper(x, part, l);
  return true;
}

batched_view look_into(const tensor& t, const batch_level& l) {
  if (!is_batched_at(t, l)) return {t, std::nullopt};
  const batched_tensor& b = *batched_of(t);
  return {b.wrapped, b.dim};
}

tensor with_batch_first(const tensor& physical, batch_dim dim, std::int64_t size) {
  if (dim) return *dim == 0 ? physical : aten::movedim_int(physical, *dim, 0);
  shape sizes{size};
  for (const std::int64_t n : physical.sizes()) sizes.push_back(n);
  return aten::expand(physical, sizes);
}

tensor example_of(const tensor& physical, batch_dim dim, std::int64_t example) {
  return dim ? aten::select_int(physical, *dim, example) : physical;
}

}  // namespace detail

tensor per_example(const tensor& x) {
  const detail::batch_level* const l = detail::this_thread_level;
  if (l == nullptr) return x;
  if (detail::is_batched_at(x, *l)) return x;
  const detail::below_level guard(*l);
  return detail::make_batched(aten::clone(detail::with_batch_first(x, {}, l->size), memory_format::contiguous), 0, *l);
}

}  // namespace topbit
