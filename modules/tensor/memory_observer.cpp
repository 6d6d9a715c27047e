module topbit.tensor;

import topbit.std;
import topbit.core;
import :allocator.thread_cache;

namespace topbit {

constinit std::atomic<bool> detail::memory_is_observed = false;

namespace {

// Never destroyed: tensors in statics may end after everything else.
struct observers {
  observers();

  std::mutex mutex;
  std::vector<author::memory_observer*> all;
};
observers& of_process() {
  static observers& o = *new observers;
  return o;
}

constinit thread_local bool is_telling = false;

// A forked child has one thread, and is not observed.
observers::observers() {
  author::hold_at_fork([]() noexcept { of_process().mutex.lock(); },
                       [](bool in_child) noexcept {
                         if (in_child) {
                           of_process().all.clear();
                           detail::memory_is_observed.store(false, std::memory_order_relaxed);
                           detail::watch_no_blocks();
                         }
                         of_process().mutex.unlock();
                       },
                       author::fork_order::calling);
}

template <class F>
void tell(F f) noexcept {
  if (is_telling) return;
  is_telling = true;
  {
    observers& o = of_process();
    const std::lock_guard lock(o.mutex);
    for (author::memory_observer* each : o.all) f(*each);
  }
  is_telling = false;
}

constexpr detail::block_events host_events{
    [](const void* block, std::size_t bytes) noexcept { detail::tell_allocated(cpu, block, bytes); },
    [](const void* block, std::size_t bytes) noexcept { detail::tell_freed(cpu, block, bytes); }};

}  // namespace

void detail::tell_allocated(device where, const void* block, std::size_t bytes) noexcept {
  tell([&](author::memory_observer& o) { o.allocated(where, block, bytes); });
}
void detail::tell_freed(device where, const void* block, std::size_t bytes) noexcept {
  tell([&](author::memory_observer& o) { o.freed(where, block, bytes); });
}

void author::add_memory_observer(memory_observer& o) {
  observers& all = of_process();
  const std::lock_guard lock(all.mutex);
  all.all.push_back(&o);
  topbit::detail::memory_is_observed.store(true, std::memory_order_relaxed);
  topbit::detail::watch_blocks(&host_events);
}

void author::remove_memory_observer(memory_observer& o) noexcept {
  observers& all = of_process();
  const std::lock_guard lock(all.mutex);
  std::erase(all.all, &o);
  if (!all.all.empty()) return;
  topbit::detail::memory_is_observed.store(false, std::memory_order_relaxed);
  topbit::detail::watch_blocks(nullptr);
}

std::string author::memory_notes(device where) {
  std::string notes;
  tell([&](const memory_observer& o) {
    try {
      if (const std::string note = o.in_use(where); !note.empty()) notes += "; " + note;
    } catch (const std::bad_alloc&) {
    }
  });
  return notes;
}

}  // namespace topbit
