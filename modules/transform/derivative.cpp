module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;

namespace topbit::detail {

namespace {

// The tensor with a batch dimension at every level from this one outwards: of stride 0, where it had none.
tensor lifted(const tensor& x, const batch_level* l) {
  if (l == nullptr) return x;
  const batched_view seen = look_into(x, *l);
  const below_level outside(*l);
  const tensor below = lifted(seen.physical, l->outer);
  return make_batched(seen.dim ? below : with_batch_first(below, {}, l->size), seen.dim.value_or(0), *l);
}

// The plain tensor that a batched one stands for, and its batch dimensions.
tensor plain(const tensor& x, batch_places& at) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr) return x;
  const batch_level* const l = level_numbered(b->level);
  if (l == nullptr) {
    throw error(
        "found a tensor that is batched by a vmap that has ended, or runs on another thread; return it from the "
        "mapped function instead of keeping it");
  }
  at.all.emplace_back(l, b->dim);
  return plain(b->wrapped, at);
}

// The tensor without its wrapper of a level, whose batch dimension is then dimension `dim`. Wrappers of levels within
// that level stay. A tensor that is the same for all its examples is expanded.
tensor without_level(const tensor& x, const batch_level& l, std::int64_t dim) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr || b->level < l.number) {
    tensor all = aten::unsqueeze(x, dim);
    shape sizes = all.sizes();
    sizes[static_cast<std::size_t>(dim)] = l.size;
    return aten::expand(all, sizes);
  }
  if (b->level == l.number) return b->dim == dim ? b->wrapped : aten::movedim_int(b->wrapped, b->dim, dim);
  const batch_level& inner = *level_numbered(b->level);
  const bool before = dim <= b->dim;
  return make_batched(without_level(b->wrapped, l, before ? dim : dim + 1), before ? b->dim + 1 : b->dim, inner);
}
// The inverse: hides dimension `dim` behind a wrapper of the level, within those of levels within it.
tensor with_level(const tensor& x, const batch_level& l, std::int64_t dim) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr || b->level < l.number) return make_batched(x, dim, l);
  const batch_level& inner = *level_numbered(b->level);
  const bool before = dim < b->dim;
  return make_batched(with_level(b->wrapped, l, before ? dim : dim + 1), before ? b->dim - 1 : b->dim, inner);
}

// A plain tensor, or one batched at other levels, wrapped at these places.
tensor wrapped_at(const tensor& x, const batch_places& at) {
  tensor wrapped = x;
  for (std::size_t i = at.all.size(); i-- != 0;) wrapped = with_level(wrapped, *at.all[i].first, at.all[i].second);
  return wrapped;
}
tensor unwrapped_at(const tensor& x, const batch_places& at) {
  tensor unwrapped = x;
  for (const auto& [l, dim] : at.all) unwrapped = without_level(unwrapped, *l, dim);
  return unwrapped;
}

// What derivatives compute with is no example's.
using outside_of_mode = exclude_guard;

}  // namespace

tensor tracked_arguments::track(const tensor& x, std::size_t argument) {
  if (!x.defined() || !is_floating(x.dtype())) {
    throw dtype_error(std::string(who_) + ": argument " + std::to_string(argument) + ": found " +
                      (x.defined() ? std::string(name_of(x.dtype())) : std::string("an undefined tensor")) +
                      ", wanted a floating dtype");
  }
  const outside_of_mode outside(key::FuncTorchVmapMode);
  tracked made;
  const tensor below = plain(lifted(x, this_thread_level), made.at);
  if (recording_ && requires_grad(below)) {
    made.leaf = aten::alias(below);
  } else {
    made.leaf = author::make_alias(below);
    require_grad(made.leaf);
  }
  made.version = made.leaf.version();
  seen_.push_back(wrapped_at(made.leaf, made.at));
  all_.push_back(std::move(made));
  return seen_.back();
}

void tracked_arguments::check_unwritten() const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].leaf.version() == all_[i].version) continue;
    throw error(std::string(who_) + ": the function wrote to tensor " + std::to_string(i) +
                " of its arguments in place; let it write to a clone()");
  }
}

bool tracked_arguments::depends_on_others(const tensor& y) const {
  batch_places unused;
  const tensor below = plain(y, unused);
  if (!requires_grad(below)) return false;
  std::unordered_set<const node*> ours, met;
  for (const tracked_arguments* of = this; of != nullptr; of = of->disregarded_) {
    for (const tracked& one : of->all_) {
      if (is_leaf(one.leaf)) ours.insert(author::gradient_edge(one.leaf).get());
    }
  }
  std::vector<const node*> to_visit{author::gradient_edge(below).get()};
  while (!to_visit.empty()) {
    const node* const at = to_visit.back();
    to_visit.pop_back();
    if (ours.contains(at) || !met.insert(at).second) continue;
    if (at->inputs().empty()) return true;
    for (const intrusive_ptr<node>& input : at->inputs()) {
      if (input) to_visit.push_back(input.get());
    }
  }
  return false;
}

tensor tracked_arguments::released(const tensor& y) const {
  if (!y.defined() || (recording_ && depends_on_others(y))) return y;
  return aten::detach(y);
}

std::vector<tensor> tracked_arguments::gradients(std::span<const tensor> results, std::span<const tensor> cotangents,
                                                 bool again) const {
  check_unwritten();
  const outside_of_mode outside(key::FuncTorchVmapMode);
  std::vector<tensor> outputs, seeds, inputs;
  bool others = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    batch_places at;
    const tensor below = plain(results[i], at);
    if (!cotangents[i].defined() || !requires_grad(below)) continue;
    outputs.push_back(below);
    seeds.push_back(unwrapped_at(cotangents[i], at));
    others = others || requires_grad(seeds.back()) || depends_on_others(results[i]);
  }
  for (const tracked& one : all_) inputs.push_back(one.leaf);
  const bool create = grad_enabled() && others;
  std::vector<tensor> found(inputs.size());
  if (!outputs.empty()) {
    found = grad(outputs, inputs,
                 {.retain_graph = again, .create_graph = create, .allow_unused = true, .gradients = seeds});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = found[i].defined() ? wrapped_at(found[i], all_[i].at) : aten::zeros_like(aten::detach(seen_[i]));
  }
  return found;
}

std::vector<tensor> tracked_arguments::gradients_of_number(const tensor& y) const {
  check_number(who_, y);
  const outside_of_mode outside(key::FuncTorchVmapMode);
  const std::array<tensor, 1> results{y}, ones{aten::ones_like(aten::detach(y))};
  return gradients(results, ones, false);
}

void check_number(std::string_view who, const tensor& y) {
  if (y.defined() && y.dim() == 0 && is_floating(y.dtype())) return;
  const std::string found =
      y.defined() ? std::string(name_of(y.dtype())) + " " + to_string(y.sizes()) : "undefined tensor";
  throw shape_error(std::string(who) + ": found a result of " + found +
                    ", wanted one floating number; vjp() takes a cotangent for other results, jacrev() gives all "
                    "derivatives");
}

void check_alike(std::string_view who, std::string_view what, std::string_view of, std::span<const tensor> found,
                 std::span<const tensor> wanted) {
  if (found.size() != wanted.size()) {
    throw error(std::string(who) + ": found " + std::to_string(found.size()) + " " + std::string(what) + "s for " +
                std::to_string(wanted.size()) + " " + std::string(of) + "s");
  }
  const auto text = [](const tensor& x) { return std::string(name_of(x.dtype())) + " " + to_string(x.sizes()); };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const tensor &f = found[i], &w = wanted[i];
    if (!f.defined() || !w.defined()) continue;
    const std::string why = std::string(who) + ": " + std::string(what) + " " + std::to_string(i) + " is " + text(f) +
                            ", its " + std::string(of) + " " + text(w);
    if (f.sizes() != w.sizes()) throw shape_error(why);
    if (f.dtype() != w.dtype()) throw dtype_error(why);
  }
}

pushforward_tensors::pushforward_tensors(std::shared_ptr<tracked_arguments> of_arguments,
                                         std::span<const tensor> results)
    : of_arguments_(std::move(of_arguments)) {
  of_cotangents_.disregard(*of_arguments_);
  const outside_of_mode outside(key::FuncTorchVmapMode);
  for (const tensor& y : results) of_cotangents_.track(aten::zeros_like(aten::detach(y)), 0);
  const enable_grad recording;
  pulled_back_ = of_arguments_->gradients(results, of_cotangents_.seen(), true);
}

std::vector<tensor> pushforward_tensors::operator()(std::span<const tensor> tangents) const {
  std::vector<tensor> pushed = of_cotangents_.gradients(pulled_back_, tangents, true);
  for (tensor& p : pushed) p = of_cotangents_.released(p);
  return pushed;
}

tensor basis_of(const tensor& y) {
  const outside_of_mode outside(key::FuncTorchVmapMode);
  shape sizes{y.numel()};
  for (const std::int64_t n : y.sizes()) sizes.push_back(n);
  return aten::reshape(aten::eye(y.numel(), arg<"dtype"> = y.dtype(), arg<"device"> = y.device()), sizes);
}

tensor as_jacobian(const tensor& rows, const tensor& y, const tensor& x) {
  shape sizes = y.sizes();
  for (const std::int64_t n : x.sizes()) sizes.push_back(n);
  return aten::reshape(rows, sizes);
}

tensor as_jacobian_by_columns(const tensor& columns, const tensor& y, const tensor& x) {
  shape sizes = x.sizes();
  for (const std::int64_t n : y.sizes()) sizes.push_back(n);
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < y.dim(); ++i) order.push_back(x.dim() + i);
  for (std::int64_t i = 0; i < x.dim(); ++i) order.push_back(i);
  return aten::permute(aten::reshape(columns, sizes), order);
}

}  // namespace topbit::detail
