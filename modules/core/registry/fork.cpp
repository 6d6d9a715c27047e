module;

#include <pthread.h>

module topbit.core;

import topbit.std;
import :registry.fork;

namespace topbit::detail {

namespace {

constinit registry_state* process_registry = nullptr;

// Lock order: as everywhere else, the registry's mutex after those of observers.
void before_fork() noexcept {
  hold_plugins();
  mutex_of_pages().lock();
  hold_observers();
  process_registry->mutex.lock();
  mutex_of_pins().lock();
  mutex_of_text_types().lock();
  mutex_of_names().lock();
}

void after_fork(bool in_child) noexcept {
  mutex_of_names().unlock();
  mutex_of_text_types().unlock();
  mutex_of_pins().unlock();
  if (in_child) process_registry->heard_by.forget_other_threads();
  process_registry->mutex.unlock();
  release_observers(in_child);
  mutex_of_pages().unlock();
  release_plugins(in_child);
}

}  // namespace

void survive_forks(registry_state& process) noexcept {
  process_registry = &process;
  pthread_atfork(&before_fork, [] { after_fork(false); }, [] { after_fork(true); });
}

}  // namespace topbit::detail
