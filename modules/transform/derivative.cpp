module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;

namespace topbit::detail {

namespace {

// What derivatives compute with is no example's.
using outside_of_mode = exclude_guard;

[[noreturn]] void refuse_dtype(std::string_view who, std::size_t argument, const tensor& x) {
  throw dtype_error(std::string(who) + ": argument " + std::to_string(argument) + ": found " +
                    (x.defined() ? std::string(name_of(x.dtype())) : std::string("an undefined tensor")) +
                    ", wanted a floating dtype");
}

}  // namespace

tensor tracked_arguments::track(const tensor& x, std::size_t argument) {
  if (!x.defined() || !is_floating(x.dtype())) refuse_dtype(who_, argument, x);
  const outside_of_mode outside(key::FuncTorchVmapMode);
  tracked made;
  const tensor below = plain(lifted(x, this_thread_level), made.at);
  const bool recorded = recording_ && requires_grad(below);
  made.leaf = dual_alias(below, recorded);
  if (!recorded) require_grad(made.leaf);
  unwritten_.add(made.leaf);
  seen_.push_back(wrapped_at(made.leaf, made.at));
  all_.push_back(std::move(made));
  return seen_.back();
}

void unwritten_arguments::check(std::string_view who) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].first.version() == all_[i].second) continue;
    throw error(std::string(who) + ": the function wrote to tensor " + std::to_string(i) +
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
  return released_from_graph(y);
}

std::vector<tensor> tracked_arguments::gradients(std::span<const tensor> results, std::span<const tensor> cotangents,
                                                 bool again) const {
  unwritten_.check(who_);
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

tensor dual_argument(std::string_view who, const dual_level& level, const tensor& primal, const tensor& along) {
  if (!primal.defined() || !is_floating(primal.dtype())) refuse_dtype(who, 0, primal);
  return level.dual(primal, along);
}

tensor tangent_or_zeros(const dual_level& level, const tensor& y) {
  const dual_parts parts = level.parts(y);
  if (parts.tangent.defined() || !y.defined()) return parts.tangent;
  const exclude_guard outside(key::FuncTorchVmapMode);
  return aten::zeros_like(aten::detach(y));
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
