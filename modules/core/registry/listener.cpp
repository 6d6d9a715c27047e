module topbit.core;

import topbit.std;
import :registry.recording;

namespace topbit::detail {

namespace {
constinit thread_local char this_thread = 0;  // its address identifies the thread, also in a forked child
}

void listeners::add(std::uint64_t id, std::shared_ptr<listener> l) { all_.emplace_back(id, std::move(l)); }

std::shared_ptr<listener> listeners::remove(std::uint64_t id) noexcept {
  std::shared_ptr<listener> found;
  std::erase_if(all_, [&](auto& each) {
    if (each.first != id) return false;
    found = std::move(each.second);
    return true;
  });
  // If its request was refused as part of a batch, the listener was never added.
  std::erase_if(queue_, [&](const addressed& each) { return each.to == found; });
  return found;
}

void listeners::queue(const registry_event& e) noexcept {
  for (const auto& each : all_) push(each.second, e);
}

void listeners::queue_for(std::uint64_t id, const registry_event& e) noexcept {
  for (const auto& each : all_) {
    if (each.first == id) push(each.second, e);
  }
}

void listeners::push(const std::shared_ptr<listener>& to, const registry_event& e) noexcept {
  try {
    queue_.push_back({to, e});
  } catch (const std::bad_alloc&) {
  }
}

void listeners::deliver(std::unique_lock<std::mutex>& lock) noexcept {
  if (delivering_) return;
  delivering_ = true;
  deliverer_ = &this_thread;
  while (!queue_.empty()) {
    std::vector<addressed> now = std::exchange(queue_, {});
    lock.unlock();
    {
      // Registrations made by a listener do not belong to a plugin that this thread is loading.
      const recording::suspension for_listeners;
      for (const addressed& each : now) each.to->tell(each.what);
      now.clear();  // may destroy the last reference to a listener and its captures
    }
    lock.lock();
  }
  delivering_ = false;
}

void listeners::forget_other_threads() noexcept {
  if (!delivering_ || deliverer_ == &this_thread) return;
  delivering_ = false;
  for (const auto& each : all_) each.second->forget_other_threads();
}

}  // namespace topbit::detail
