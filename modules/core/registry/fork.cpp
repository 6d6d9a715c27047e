module;

#include <pthread.h>

module topbit.core;

import topbit.std;
import :registry.fork;

namespace topbit {

namespace {

// A lock of somebody else, or what takes and releases several.
struct held_lock {
  std::mutex* lock = nullptr;
  void (*hold)() noexcept = nullptr;
  void (*release)(bool in_child) noexcept = nullptr;
  held_lock* next = nullptr;
};

// Lists that only grow, without a lock of their own: whoever adds to one may hold a lock that a fork waits for.
struct group {
  std::atomic<held_lock*> newest = nullptr;
  held_lock* held = nullptr;  // by the fork in progress: what had been added when it began

  void hold() noexcept {
    held = newest.load(std::memory_order_acquire);
    for (const held_lock* l = held; l != nullptr; l = l->next) l->lock != nullptr ? l->lock->lock() : l->hold();
  }
  void release(bool in_child) const noexcept {
    for (const held_lock* l = held; l != nullptr; l = l->next)
      l->lock != nullptr ? l->lock->unlock() : l->release(in_child);
  }
};
constinit std::array<group, 3> groups;
group& group_of(author::fork_order order) noexcept { return groups[static_cast<std::size_t>(order)]; }

constinit std::atomic<detail::registry_state*> process_registry = nullptr;
constinit detail::registry_state* held_registry = nullptr;  // by the fork in progress

// Lock order: plugins first, since loading one may do anything; the registry's mutex after those of observers.
void before_fork() noexcept {
  using enum author::fork_order;
  detail::hold_plugins();
  group_of(registering).hold();
  group_of(calling).hold();
  detail::mutex_of_pages().lock();
  detail::hold_observers();
  held_registry = process_registry.load(std::memory_order_acquire);
  if (held_registry != nullptr) held_registry->mutex.lock();
  detail::mutex_of_pins().lock();
  detail::mutex_of_text_types().lock();
  detail::mutex_of_names().lock();
  group_of(leaf).hold();
}

void after_fork(bool in_child) noexcept {
  using enum author::fork_order;
  group_of(leaf).release(in_child);
  detail::mutex_of_names().unlock();
  detail::mutex_of_text_types().unlock();
  detail::mutex_of_pins().unlock();
  if (held_registry != nullptr) {
    if (in_child) held_registry->heard_by.forget_other_threads();
    held_registry->mutex.unlock();
  }
  detail::release_observers(in_child);
  detail::mutex_of_pages().unlock();
  group_of(calling).release(in_child);
  group_of(registering).release(in_child);
  detail::release_plugins(in_child);
}

void take_part_in_forks() noexcept {
  static const int once = pthread_atfork(&before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  static_cast<void>(once);
}

// `part` is of the shared object that must stay.
void add(const held_lock& l, const void* part, author::fork_order order) noexcept try {
  detail::pin_image_of(part);
  auto* const made = new held_lock(l);  // for the life of the process, like what it refers to
  take_part_in_forks();
  std::atomic<held_lock*>& newest = group_of(order).newest;
  made->next = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
} catch (const std::bad_alloc&) {  // forks do without it
}

}  // namespace

std::mutex& author::hold_at_fork(std::mutex& lock, fork_order order) noexcept {
  add({.lock = &lock}, &lock, order);
  return lock;
}

void author::hold_at_fork(void (*hold)() noexcept, void (*release)(bool in_child) noexcept, fork_order order) noexcept {
  add({.hold = hold, .release = release}, reinterpret_cast<const void*>(hold), order);
}

void detail::survive_forks(registry_state& process) noexcept {
  process_registry.store(&process, std::memory_order_release);
  take_part_in_forks();
}

}  // namespace topbit
