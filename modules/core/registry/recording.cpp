module topbit.core;

import topbit.std;
import :registry.recording;

namespace topbit::detail {

namespace {
constinit thread_local recording* innermost = nullptr;
constinit thread_local recording::suspension* latest = nullptr;
}  // namespace

recording::recording(registry& r) noexcept : registry_(&r), outer_(std::exchange(innermost, this)) {}
recording::~recording() { close(); }

void recording::add(const request& r) { requests_.push_back(r); }
void recording::add_error(bad_registration e) { errors_.push_back(std::move(e)); }

void recording::close() noexcept {
  if (std::exchange(open_, false)) innermost = outer_;
}

recording::suspension::suspension() noexcept
    : suspended_(std::exchange(innermost, nullptr)), outer_(std::exchange(latest, this)) {}
recording::suspension::~suspension() {
  innermost = suspended_;
  latest = outer_;
}

recording* recording::of(const registry& r) noexcept {
  for (recording* each = innermost; each != nullptr; each = each->outer_) {
    if (each->registry_ == &r) return each;
  }
  return nullptr;
}

entry* recording::op_of_name(const registry& r, std::string_view name) noexcept {
  const recording* open = of(r);
  if (open == nullptr) return nullptr;
  for (const request& each : open->requests_) {
    if (each.op != nullptr && each.op->name == name) return each.op;
  }
  return nullptr;
}

std::optional<request> recording::drop(const registry& r, std::uint64_t id) noexcept {
  for (recording* each = this; each != nullptr; each = each->outer_) {
    if (each->registry_ != &r) continue;
    const auto found = std::ranges::find(each->requests_, id, &request::id);
    if (found == each->requests_.end()) continue;
    std::optional<request> dropped = std::move(*found);
    each->requests_.erase(found);
    return dropped;
  }
  return std::nullopt;
}

std::optional<request> recording::forget(const registry& r, std::uint64_t id) noexcept {
  std::optional<request> dropped;
  if (innermost != nullptr) dropped = innermost->drop(r, id);
  for (suspension* each = latest; !dropped && each != nullptr; each = each->outer_) {
    if (each->suspended_ != nullptr) dropped = each->suspended_->drop(r, id);
  }
  return dropped;
}

void refuse(registry& r, bad_registration error) {
  recording* held_back = recording::of(r);
  if (held_back == nullptr) throw error;
  held_back->add_error(error);
}

void commit(registry& r, const std::vector<request>& batch) {
  registry_state& state = state_of(r);
  std::unique_lock lock(state.mutex);
  state.commit(batch);
  state.tell(lock);
}

void commit_for_good(registry& r, std::vector<request>& batch) {
  registry_state& state = state_of(r);
  std::unique_lock lock(state.mutex);
  state.batches.reserve(state.batches.size() + 1);
  state.commit(batch);
  state.batches.push_back(&batch);
  state.tell(lock);
}

std::shared_ptr<listener> withdraw(registry& r, std::vector<request>& batch) noexcept {
  registry_state& state = state_of(r);
  const std::lock_guard lock(state.mutex);
  return state.withdraw(batch);
}

void settle(registry& r, std::shared_ptr<listener> silent) noexcept {
  registry_state& state = state_of(r);
  {
    std::unique_lock lock(state.mutex);
    state.heard_by.deliver(lock);
  }
  while (silent != nullptr) {
    silent->silence();
    silent = std::exchange(silent->next, nullptr);
  }
}

}  // namespace topbit::detail

void topbit::author::refuse_registration(const bad_registration& error, registry& r) { detail::refuse(r, error); }
