module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :forward;

namespace topbit {

namespace detail {

namespace {

constinit thread_local tangent_level* this_thread_levels [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local const tangent_levels::hidden_scope* running_scope [[gnu::tls_model("initial-exec")]] = nullptr;

void attach_tangents(const tensor& t, std::vector<tangents::one> all) {
  author::attach(t, intrusive_ptr<tangents>(new tangents(std::move(all))));
  author::record_of(t).keys = t.keys() | key_set(key::ForwardAD);
}

// Null if it has none.
tangents* tangents_of(const tensor& t) noexcept { return may_be_dual(t) ? author::extension_of<tangents>(t) : nullptr; }
tangents::one* tangent_at(const tensor& t, std::uint64_t level) noexcept {
  tangents* const e = tangents_of(t);
  if (e == nullptr) return nullptr;
  const auto found = std::ranges::find(e->all, level, &tangents::one::level);
  return found != e->all.end() ? &*found : nullptr;
}

std::vector<tangents::one> live_tangents(const tensor& t) {
  std::vector<tangents::one> live;
  if (const tangents* const e = tangents_of(t)) {
    for (const tangents::one& one : e->all) {
      if (tangent_levels::is_alive(one.level)) live.push_back(one);
    }
  }
  return live;
}

// The tangent with its elements at the places of the tensor's, so that views of both are alike: where each has its own.
// In memory between them the tangent is zero: nothing there is part of the tensor.
tensor arranged_like(const tensor& t, const tensor& along, bool& shared) {
  if (t.layout() != layout::strided) {
    throw layout_error("jvp: found a tensor of layout " + std::string(name_of(t.layout())) +
                       " that was computed from an argument, wanted strided ones; compute with to_dense(x), or use "
                       "grad()");
  }
  if (along.strides() == t.strides() || !author::has_distinct_elements(t)) return along;
  std::int64_t last = 0;
  for (std::int64_t d = 0; d < t.dim(); ++d) last += std::max<std::int64_t>(t.size(d) - 1, 0) * t.stride(d);
  // Gaps cost memory: where they are most of it, the same order has to do.
  constexpr std::int64_t most_gaps = 8;
  const bool with_gaps = last + 1 <= most_gaps * t.numel();
  tensor made =
      with_gaps
          ? aten::as_strided(aten::zeros(shape{last + 1}, arg<"dtype"> = along.dtype(), arg<"device"> = along.device()),
                             t.sizes(), t.strides())
          : aten::empty_like(aten::detach(t), arg<"dtype"> = along.dtype());
  aten::copy_(made, along);
  shared = false;
  return made;
}

constinit std::mutex list_mutex;
constinit tangents* first_of_list = nullptr;
[[maybe_unused]] const std::mutex& held_at_forks = author::hold_at_fork(list_mutex, author::fork_order::leaf);

}  // namespace

tangents::tangents(std::vector<one> of) : all(std::move(of)) {
  const std::lock_guard lock(list_mutex);
  after_ = std::exchange(first_of_list, this);
  if (after_ != nullptr) after_->before_ = this;
}
tangents::~tangents() {
  const std::lock_guard lock(list_mutex);
  (before_ != nullptr ? before_->after_ : first_of_list) = after_;
  if (after_ != nullptr) after_->before_ = before_;
}
void tangents::drop(std::uint64_t level) {
  std::vector<tensor> dropped;  // destroyed without the lock
  const std::lock_guard lock(list_mutex);
  for (tangents* t = first_of_list; t != nullptr; t = t->after_) {
    for (one& o : t->all) {
      if (o.level == level) dropped.push_back(std::exchange(o.along, tensor()));
    }
  }
}

tangent_level::tangent_level()
    : number(new_level_number()),
      outer_(this_thread_levels),
      reader_before_(author::set_saved_result_reader(&tangent_levels::read)),
      functions_before_(author::set_function_layer(&forward_function)) {
  this_thread_levels = this;
}
tangent_level::~tangent_level() {
  if (this_thread_levels != this) {
    author::warn(
        {"dual_level: a level ended before one within it, or on another thread; levels end where they began, the "
         "innermost first"});
    std::abort();
  }
  this_thread_levels = outer_;
  author::set_saved_result_reader(reader_before_);
  author::set_function_layer(functions_before_);
  results_.clear();
  tangents::drop(number);
}

bool tangent_levels::is_alive(std::uint64_t number) noexcept {
  const tangent_level* l = this_thread_levels;
  while (l != nullptr && l->number > number) l = l->outer_;
  return l != nullptr && l->number == number;
}

bool tangent_levels::is_seen(std::uint64_t number) noexcept {
  for (const hidden_scope* f = running_scope; f != nullptr; f = f->outer_) {
    if (number >= f->first_hidden_ && number <= f->last_hidden_) return false;
  }
  return is_alive(number);
}

tangent_levels::hidden_scope::hidden_scope(std::uint64_t level) noexcept
    : first_hidden_(level), last_hidden_(this_thread_levels->number), outer_(std::exchange(running_scope, this)) {}
tangent_levels::hidden_scope::~hidden_scope() { running_scope = outer_; }

void tangent_levels::read(const node& of, std::uint32_t result, const tensor& saved) {
  std::vector<tangents::one> all;
  for (const tangent_level* l = this_thread_levels; l != nullptr; l = l->outer_) {
    const auto found = l->results_.find(&of);
    if (found == l->results_.end()) continue;
    for (const tangent_level::recorded& r : found->second) {
      if (r.what.result == result) all.insert(all.begin(), r.tangent);
    }
  }
  if (!all.empty()) attach_tangents(saved, std::move(all));
}

void tangent_levels::remember(const author::recorded_result& what, const tensor& with) {
  if (!what.of) return;
  const std::vector<tangents::one> all = live_tangents(with);
  for (tangent_level* l = this_thread_levels; l != nullptr; l = l->outer_) {
    const auto one = std::ranges::find(all, l->number, &tangents::one::level);
    if (one == all.end()) continue;
    std::vector<tangent_level::recorded>& known = l->results_[what.of.get()];
    std::erase_if(known, [&](const tangent_level::recorded& r) { return r.what.result == what.result; });
    known.push_back({what, *one});
  }
}

tensor tangent_of(const tensor& t, std::uint64_t level) noexcept {
  const tangents::one* const found = tangent_at(t, level);
  return found != nullptr ? found->along : tensor();
}

void set_tangent(const tensor& t, std::uint64_t level, const tensor& along, bool shared) {
  const tensor arranged = arranged_like(t, along, shared);
  std::vector<tangents::one> all;
  if (!may_be_dual(t)) {
    all.push_back({level, arranged, shared});
    return attach_tangents(t, std::move(all));
  }
  all = live_tangents(t);
  std::erase_if(all, [&](const tangents::one& one) { return one.level == level; });
  all.insert(std::ranges::find_if(all, [&](const tangents::one& one) { return one.level > level; }),
             {level, arranged, shared});
  attach_tangents(t, std::move(all));
}

tensor own_tangent_of(const tensor& t, std::uint64_t level) {
  tangents::one* const found = tangent_at(t, level);
  if (found == nullptr) return {};
  if (std::exchange(found->shared, false)) found->along = aten::clone(found->along);
  return found->along;
}

void add_levels(const tensor& t, std::vector<std::uint64_t>& levels) {
  const tangents* const e = tangents_of(t);
  if (e == nullptr) return;
  for (const tangents::one& one : e->all) {
    if (!tangent_levels::is_seen(one.level)) continue;
    const auto at = std::ranges::lower_bound(levels, one.level);
    if (at == levels.end() || *at != one.level) levels.insert(at, one.level);
  }
}

void carry_tangents(const tensor& from, const tensor& to) {
  std::vector<std::uint64_t> levels;
  add_levels(from, levels);
  std::vector<tangents::one> all;
  for (const std::uint64_t level : levels) {
    const tangent_levels::formula_scope scope(level);
    all.push_back({level, own_tangent_of(from, level), false});
  }
  if (!all.empty()) attach_tangents(to, std::move(all));
}

tensor dual_alias(const tensor& t, bool recorded) {
  if (recorded) return aten::alias(t);
  tensor alias = author::make_alias(t);
  carry_tangents(t, alias);
  return alias;
}

tensor released_from_graph(const tensor& t) {
  if (const batched_tensor* const b = batched_of(t)) {
    if (const batch_level* const l = level_numbered(b->level))
      return make_batched(released_from_graph(b->wrapped), b->dim, *l);
  }
  tensor released = aten::detach(t);
  carry_tangents(t, released);
  return released;
}

}  // namespace detail

namespace {

void check_dual(const tensor& primal, const tensor& tangent) {
  // Gradient rules, which formulas are made of, cannot save such tensors.
  if (author::in_inference_mode() || (primal.defined() && author::record_of(primal).inference)) {
    throw error("dual: found inference mode, or a primal made in it, wanted none; no_grad does not stop tangents");
  }
  const auto refuse_dtype = [](std::string_view what, const tensor& x) {
    throw dtype_error("dual: found a " + std::string(what) + " of " +
                      (x.defined() ? std::string(name_of(x.dtype())) : std::string("no tensor")) +
                      ", wanted a floating dtype");
  };
  if (!primal.defined() || !is_floating(primal.dtype())) refuse_dtype("primal", primal);
  if (!tangent.defined() || !is_floating(tangent.dtype())) refuse_dtype("tangent", tangent);
  if (primal.sizes() != tangent.sizes()) {
    throw shape_error("dual: the tangent is " + to_string(tangent.sizes()) + ", its primal " +
                      to_string(primal.sizes()));
  }
  if (primal.dtype() != tangent.dtype()) {
    throw dtype_error("dual: the tangent is " + std::string(name_of(tangent.dtype())) + ", its primal " +
                      std::string(name_of(primal.dtype())));
  }
  if (primal.device() != tangent.device()) {
    throw device_error("dual: the tangent is on " + to_string(tangent.device()) + ", its primal on " +
                       to_string(primal.device()));
  }
}

}  // namespace

tensor dual_level::dual(const tensor& primal, const tensor& tangent) const {
  check_dual(primal, tangent);
  const exclude_guard outside(key::FuncTorchVmapMode);
  detail::batch_places at;
  const tensor below = detail::plain(detail::lifted(primal, detail::this_thread_level), at);
  const tensor made = detail::dual_alias(below, requires_grad(below));
  detail::set_tangent(made, level_.number, detail::unwrapped_at(tangent, at), true);
  return detail::wrapped_at(made, at);
}

dual_parts dual_level::parts(const tensor& x) const {
  if (!x.defined()) return {};
  const exclude_guard outside(key::FuncTorchVmapMode);
  detail::batch_places at;
  const tensor below = detail::plain(x, at);
  const tensor along = detail::tangent_of(below, level_.number);
  if (!along.defined()) return {x, {}};
  tensor primal;
  {
    const detail::tangent_levels::formula_scope lower(level_.number);
    primal = detail::dual_alias(below, requires_grad(below));
  }
  return {detail::wrapped_at(primal, at), detail::wrapped_at(along, at)};
}

}  // namespace topbit
