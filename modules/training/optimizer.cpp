module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :options;
import :sparse_gradient;

namespace topbit {

optimizer::~optimizer() = default;

namespace {

tensor fresh_state(const tensor& p) {
  return aten::zeros(p.sizes(), arg<"dtype"> = p.dtype(), arg<"device"> = p.device());
}

}  // namespace

// --- groups

void optimizer::require(bool is_so, std::string_view option, double value, std::string_view wanted) const {
  detail::require_option(name_, is_so, option, value, wanted);
}

void optimizer::check_parameters(std::span<const tensor> parameters) const {
  if (parameters.empty()) throw error(name_ + ": found no parameters, wanted at least one", name_);
  std::unordered_set<const void*> seen;
  for (const group& g : groups_) {
    for (const tensor& p : g.parameters) seen.insert(&author::record_of(p));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const tensor& p = parameters[i];
    const std::string found = name_ + ": found that parameter " + std::to_string(i);
    if (!p.defined()) throw error(found + " is undefined, wanted a tensor", name_);
    if (!is_floating(p.dtype())) {
      throw dtype_error(found + " is of " + std::string(topbit::name_of(p.dtype())) + ", wanted a floating dtype",
                        name_);
    }
    if (author::parts_of(p) != nullptr && requires_grad(p)) {
      throw layout_error(found + " is of layout " + std::string(topbit::name_of(p.layout())) +
                             ", wanted strided; make its values the parameter, and the tensor of them in each step",
                         name_);
    }
    if (!is_leaf(p)) {
      throw error(found + " is a result of " + std::string(author::gradient_edge(p)->name()) +
                      ", wanted a leaf; an optimizer updates leaves only",
                  name_);
    }
    if (!seen.insert(&author::record_of(p)).second) {
      throw error(found + " is already present, wanted each parameter once", name_);
    }
  }
}

void optimizer::add(std::vector<tensor> parameters, double learning_rate, std::vector<std::string_view> state_names,
                    bool counts_on_device) {
  require(learning_rate >= 0 && std::isfinite(learning_rate), "learning_rate", learning_rate, "a number from 0 up");
  check_parameters(parameters);
  const std::size_t count = parameters.size();
  std::vector<std::vector<tensor>> state(state_names.size(), std::vector<tensor>(count));
  std::vector<std::int64_t> ages(count, 0);
  step_counts on_device;
  // Meta tensors have no elements, so no device counter is created.
  if (counts_on_device && parameters[0].device() != meta) {
    check_one_device(parameters);
    // Allocated now: an allocation inside a captured graph would be repeated in every replay.
    for (std::vector<tensor>& of : state) {
      for (std::size_t i = 0; i < count; ++i) of[i] = fresh_state(parameters[i]);
    }
    on_device = counted(ages, steps(), parameters[0].device());
  }
  groups_.push_back({std::move(parameters), std::move(state_names), std::move(state), std::move(ages), learning_rate, 1,
                     nullptr, std::move(on_device)});
}

void optimizer::check_one_device(std::span<const tensor> parameters) const {
  for (std::size_t i = 1; i < parameters.size(); ++i) {
    if (parameters[i].device() == parameters[0].device()) continue;
    throw device_error(name_ + ": found parameter 0 on " + to_string(parameters[0].device()) + " and parameter " +
                           std::to_string(i) + " on " + to_string(parameters[i].device()) +
                           ", wanted one device for a group with the option capturable; give each device a group",
                       name_);
  }
}

const optimizer::group& optimizer::at(std::size_t group) const {
  if (group < groups_.size()) return groups_[group];
  throw error(name_ + ": found group " + std::to_string(group) + ", wanted one below " +
                  std::to_string(groups_.size()) + ", as many as there are",
              name_);
}
optimizer::group& optimizer::at(std::size_t group) {
  return const_cast<optimizer::group&>(std::as_const(*this).at(group));
}

// --- learning rates

namespace {
constexpr std::string_view factor_option = "a learning rate's factor", from_zero = "a number from 0 up";
}

double optimizer::learning_rate(std::size_t group) const {
  const optimizer::group& g = at(group);
  return rate_at(g, g.schedule ? steps() : 0);
}
double optimizer::rate_at(const group& g, std::int64_t step) const {
  if (!g.schedule) return g.rate * g.factor;
  const double factor = g.schedule(step);
  require(factor >= 0 && std::isfinite(factor), factor_option, factor, from_zero);
  return g.rate * factor;
}

void optimizer::set_learning_rate(double rate, std::size_t group) {
  require(rate >= 0 && std::isfinite(rate), "learning_rate", rate, "a number from 0 up");
  at(group).rate = rate;
}
void optimizer::set_learning_rate(double rate) {
  for (std::size_t i = 0; i < groups_.size(); ++i) set_learning_rate(rate, i);
}
void optimizer::set_learning_rate_factor(double factor, std::size_t group) {
  require(factor >= 0 && std::isfinite(factor), factor_option, factor, from_zero);
  at(group).factor = factor;
  at(group).schedule = nullptr;
}
void optimizer::set_learning_rate_factor(double factor) {
  for (std::size_t i = 0; i < groups_.size(); ++i) set_learning_rate_factor(factor, i);
}

// --- step counters on a device

// The counters hold the number of the next step: a step reads its number first and increments it at the end.
optimizer::step_counts optimizer::counted(std::vector<std::int64_t> ages, std::int64_t steps, device target) {
  ages.push_back(steps);
  const tensor next = from_values<std::int64_t>(ages, {static_cast<std::int64_t>(ages.size())});
  step_counts counts;
  counts.next = aten::_to_copy(next + 1, arg<"dtype"> = dtype::float64, arg<"device"> = target);
  for (std::size_t i = 0; i + 1 < ages.size(); ++i) {
    counts.of_each.push_back(aten::select_int(counts.next, 0, static_cast<std::int64_t>(i)));
  }
  return counts;
}

// One call if all parameters had gradients, else one per run of consecutive parameters. A skipped step does not count.
void optimizer::count_step(const step_counts& counts, std::span<const due_batch> done, const tensor& found_inf) {
  std::vector<std::size_t> indices;
  for (const due_batch& b : done) indices.insert(indices.end(), b.members.begin(), b.members.end());
  indices.push_back(counts.of_each.size());
  for (std::size_t first = 0, end = 0; first < indices.size(); first = end) {
    for (end = first + 1; end < indices.size() && indices[end] == indices[end - 1] + 1;) ++end;
    tensor run =
        aten::narrow(counts.next, 0, static_cast<std::int64_t>(indices[first]), static_cast<std::int64_t>(end - first));
    if (found_inf.defined()) {
      run += 1 - found_inf;
    } else {
      run += 1;
    }
  }
}

// Steps so far of each parameter; with counters on a device, followed by those of the optimizer.
std::vector<std::int64_t> optimizer::ages(const group& g) {
  if (!g.on_device.next.defined()) return g.ages;
  const tensor next = to(g.on_device.next, cpu);
  const std::span counts(static_cast<const double*>(next.data()), static_cast<std::size_t>(next.numel()));
  std::vector<std::int64_t> ages;
  for (const double one : counts) ages.push_back(static_cast<std::int64_t>(one) - 1);
  return ages;
}

std::int64_t optimizer::steps() const {
  // Groups are updated in order, so the last group's counter counts complete steps.
  for (std::size_t i = groups_.size(); i-- > 0;) {
    if (groups_[i].on_device.next.defined()) return ages(groups_[i]).back();
  }
  return steps_;
}

// --- steps

std::string optimizer::refuses_sparse(std::size_t) const { return "wanted a strided one"; }

void optimizer::check_layout(std::size_t group, std::size_t parameter, const tensor& gradient) const {
  if (gradient.layout() == layout::strided) return;
  const std::string wanted = detail::has_rows(gradient) ? refuses_sparse(group) : "wanted strided or sparse_coo";
  if (wanted.empty()) return;
  throw layout_error(name_ + ": found a gradient of layout " + std::string(topbit::name_of(gradient.layout())) +
                         ", of parameter " + std::to_string(parameter) + " of group " + std::to_string(group) + ", " +
                         wanted +
                         "; use an optimizer that updates rows, as sgd without momentum, adagrad or sparse_adam, or "
                         "gradients that are not sparse, as those of embedding with sparse=False",
                     name_);
}

// Groups parameters by step number; usually one batch, since all parameters of a group have gradients in every step.
// State tensors are allocated here, so that running out of memory changes nothing.
std::vector<optimizer::due_batch> optimizer::due_batches(std::size_t number, double rate) const {
  const group& g = groups_[number];
  const bool counts_there = g.on_device.next.defined();
  std::vector<due_batch> due;
  for (std::size_t i = 0; i < g.parameters.size(); ++i) {
    const tensor& p = g.parameters[i];
    tensor gradient = leaf_grad(p);
    if (!gradient.defined()) continue;
    check_layout(number, i, gradient);
    auto at = std::ranges::find_if(due, [&](const due_batch& b) { return counts_there || b.of.step == g.ages[i] + 1; });
    if (at == due.end()) {
      due.emplace_back();
      at = due.end() - 1;
      at->of.learning_rate = rate;
      at->of.step = counts_there ? 0 : g.ages[i] + 1;
      at->of.state.resize(g.state.size());
      const std::size_t most = g.parameters.size() - i;
      at->of.parameters.reserve(most);
      at->of.gradients.reserve(most);
      for (std::vector<tensor>& list : at->of.state) list.reserve(most);
      at->members.reserve(most);
      at->rows.reserve(most);
    }
    tensor parameter = p;
    chosen_rows rows;
    const bool by_rows = detail::has_rows(gradient);
    if (by_rows) {
      detail::gradient_rows of_gradient = detail::rows_of(gradient);
      rows.index = std::move(of_gradient.index);
      parameter = detail::take_rows(p, rows.index);
      gradient = std::move(of_gradient.values);
    }
    at->of.parameters.push_back(std::move(parameter));
    if (counts_there) at->of.steps_there.push_back(g.on_device.of_each[i]);
    at->of.gradients.push_back(std::move(gradient));
    for (std::size_t k = 0; k < g.state.size(); ++k) {
      tensor kept = g.state[k][i].defined() ? g.state[k][i] : fresh_state(p);
      at->of.state[k].push_back(by_rows ? detail::take_rows(kept, rows.index) : kept);
      if (by_rows) rows.state.push_back(std::move(kept));
    }
    at->members.push_back(i);
    at->rows.push_back(std::move(rows));
  }
  return due;
}

bool optimizer::counts_on_device() const noexcept {
  return std::ranges::all_of(groups_, [](const group& g) { return g.on_device.next.defined(); });
}

void optimizer::step() { step(scaling{}); }

// Writes updated rows back, and keeps the state.
void optimizer::finish(group& g, due_batch& b) {
  for (std::size_t m = 0; m < b.members.size(); ++m) {
    const std::size_t member = b.members[m];
    chosen_rows& rows = b.rows[m];
    const bool by_rows = !rows.index.empty();
    if (by_rows) detail::put_rows(g.parameters[member], rows.index, b.of.parameters[m]);
    for (std::size_t k = 0; k < g.state.size(); ++k) {
      tensor& updated = b.of.state[k][m];
      if (by_rows) detail::put_rows(rows.state[k], rows.index, updated);
      g.state[k][member] = std::move(by_rows ? rows.state[k] : updated);
    }
    ++g.ages[member];
  }
}

void optimizer::step(const scaling& by) {
  const no_grad guard;
  const observe::profile_range seen("optimizer step", observe::kind::optimizer);
  std::vector<std::vector<due_batch>> due;
  // Read once: steps() may copy from the device.
  const bool scheduled = std::ranges::any_of(groups_, [](const group& g) { return static_cast<bool>(g.schedule); });
  const std::int64_t step = scheduled ? steps() : 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) due.push_back(due_batches(i, rate_at(groups_[i], step)));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    group& g = groups_[i];
    for (due_batch& b : due[i]) {
      b.of.gradient_scale = by.scale;
      b.of.found_inf = by.found_inf;
      update(i, b.of);
      finish(g, b);
    }
    if (g.on_device.next.defined()) count_step(g.on_device, due[i], by.found_inf);
  }
  ++steps_;
}

void optimizer::zero_grad() noexcept {
  for (const group& g : groups_) {
    for (const tensor& p : g.parameters) topbit::zero_grad(p);
  }
}

// --- state

namespace {

// Largest step count that float64 represents exactly; device counters are float64.
constexpr std::int64_t most_steps = std::int64_t{1} << 53;

tensor whole_number(std::int64_t n) { return from_values<std::int64_t>({n}, {}); }

tensor bytes_of(const std::string& text) {
  return from_values(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()),
                     {static_cast<std::int64_t>(text.size())});
}

}  // namespace

std::vector<named_tensor> optimizer::state() const {
  std::vector<named_tensor> tensors{{"steps", whole_number(steps())}};
  std::size_t number = 0;
  for (const group& g : groups_) {
    const std::vector<std::int64_t> steps_of = ages(g);
    for (std::size_t i = 0; i < g.parameters.size(); ++i) {
      const std::string begin = std::to_string(number++) + ".";
      if (steps_of[i] == 0) continue;
      tensors.push_back({begin + "step", whole_number(steps_of[i])});
      for (std::size_t k = 0; k < g.state.size(); ++k) {
        tensors.push_back({begin + std::string(g.state_names[k]), g.state[k][i]});
      }
    }
  }
  tensors.push_back({"name", bytes_of(name_)});
  return tensors;
}

// Two optimizers may use the same names for their state, so the optimizer's name is checked.
void optimizer::check_name(std::span<const named_tensor> state) const {
  const auto at = std::ranges::find(state, "name", &named_tensor::name);
  if (at == state.end() || at->value.dtype() != dtype::uint8 || at->value.dim() != 1) return;
  const tensor bytes = aten::contiguous(to(at->value, cpu));
  const std::string_view found(static_cast<const char*>(bytes.data()), static_cast<std::size_t>(bytes.numel()));
  if (found == name_) return;
  throw error(
      name_ + ": found the state of " + detail::in_quotes(found) + ", wanted that of " + detail::in_quotes(name_),
      name_);
}

std::int64_t optimizer::read_count(const detail::name_index& state, const std::string& name, std::int64_t least) const {
  const auto n = item<std::int64_t>(*state.at(name));
  if (n >= least && n <= most_steps) return n;
  throw error(name_ + ": found " + detail::in_quotes(name) + " of " + std::to_string(n) + ", wanted " +
                  std::to_string(least) + " to " + std::to_string(most_steps),
              name_);
}

// The names say which parameters have state; each of these must be complete, and no other name may occur.
void optimizer::read_state(std::span<const named_tensor> state, std::vector<group>& into, std::int64_t& steps) const {
  check_name(state);
  const detail::name_index by_name = detail::index_names(name_ + ": ", state);
  const auto has_state = [&](const std::string& begin) {
    const auto at = by_name.lower_bound(begin);
    return at != by_name.end() && at->first.starts_with(begin);
  };
  std::vector<named_tensor> wanted{{"steps", whole_number(0)}, {"name", bytes_of(name_)}};
  std::size_t number = 0;
  for (const group& g : groups_) {
    for (const tensor& p : g.parameters) {
      const std::string begin = std::to_string(number++) + ".";
      if (!has_state(begin)) continue;
      wanted.push_back({begin + "step", wanted[0].value});
      for (std::string_view name : g.state_names) wanted.push_back({begin + std::string(name), p});
    }
  }
  detail::check_same_names(name_ + ": ", state, wanted);
  steps = read_count(by_name, "steps", 0);
  number = 0;
  for (group& g : into) {
    for (std::size_t i = 0; i < g.parameters.size(); ++i) {
      const tensor& p = g.parameters[i];
      const std::string begin = std::to_string(number++) + ".";
      const bool there = has_state(begin);
      g.ages[i] = there ? read_count(by_name, begin + "step", 1) : 0;
      for (std::size_t k = 0; k < g.state.size(); ++k) {
        g.state[k][i] = {};
        if (!there) continue;
        const tensor& kept = *by_name.at(begin + std::string(g.state_names[k]));
        g.state[k][i] =
            aten::_to_copy(kept, arg<"device"> = p.device(), arg<"memory_format"> = memory_format::contiguous);
      }
    }
    if (g.on_device.next.defined()) g.on_device = counted(g.ages, steps, g.on_device.next.device());
  }
}

// A captured graph holds the addresses of the old tensors, so the new values are copied into them.
void optimizer::keep_addresses(const group& before, group& now) {
  const auto write = [](const tensor& old, const tensor& from) {
    tensor to = old;
    if (from.defined()) {
      aten::copy_(to, from);
    } else {
      aten::zero_(to);
    }
  };
  write(before.on_device.next, now.on_device.next);
  for (std::size_t k = 0; k < now.state.size(); ++k) {
    for (std::size_t i = 0; i < now.state[k].size(); ++i) write(before.state[k][i], now.state[k][i]);
  }
  now.on_device = before.on_device;
  now.state = before.state;
}

void optimizer::load_state(std::span<const named_tensor> state) {
  const no_grad guard;
  std::vector<group> groups = groups_;
  std::int64_t steps = 0;
  read_state(state, groups, steps);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].on_device.next.defined()) keep_addresses(groups_[i], groups[i]);
  }
  groups_ = std::move(groups);
  steps_ = steps;
}

}  // namespace topbit
