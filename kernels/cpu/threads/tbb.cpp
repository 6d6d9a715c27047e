// Parts on oneTBB's threads. Each thread that calls kernels has an arena of its own, so that two of them share the
// processor's cores and neither waits for the other; a thread that waits for its parts takes only those.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>

#include "threads/count.h"
#include "threads/parallel.h"

// The thread sanitizer does not see into the library, which is not built with it, and is told what happens before what.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace tb_cpu {

const int32_t most_threads = 1024;

namespace {

void after(const char& point) noexcept {
  if (__tsan_acquire != nullptr) __tsan_acquire(const_cast<char*>(&point));
}
void before(const char& point) noexcept {
  if (__tsan_release != nullptr) __tsan_release(const_cast<char*>(&point));
}

thread_local bool in_part = false;

// The library runs no more threads than there are processors unless it is allowed to, which costs nothing until
// somebody asks for more. What is allowed only grows, and holds for whatever else of the process uses the library.
void allow(int32_t count) {
  static std::mutex mutex;
  static const int32_t usual = int32_t(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  static int32_t allowed = usual;
  static std::unique_ptr<tbb::global_control> control;
  const std::lock_guard lock(mutex);
  if (count <= allowed) return;
  // Of several the library takes the least, so the one before must go first.
  control.reset();
  allowed = usual;
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(count));
  allowed = count;
}

struct own_arena {
  tbb::task_arena* arena = nullptr;
  int32_t count = 0;
  bool ended = false;
};
// Without a destructor, so that destructors that run later still find it: they are told that the thread is ending.
constinit thread_local own_arena mine;
struct arena_end {
  ~arena_end() {
    delete mine.arena;
    mine = {nullptr, 0, true};
  }
};

// This thread's arena of so many threads; null for a thread that is ending.
tbb::task_arena* arena(int32_t count) {
  if (mine.count == count || mine.ended) return mine.arena;
  thread_local arena_end at_the_end;
  static_cast<void>(at_the_end);
  allow(count);
  auto fresh = std::make_unique<tbb::task_arena>(count);
  fresh->initialize();
  delete mine.arena;
  mine.arena = fresh.release();
  mine.count = count;
  return mine.arena;
}

void one_by_one(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) {
  for (int64_t i = 0; i < parts; ++i) part(context, i);
}

}  // namespace

int32_t threads() noexcept { return in_part ? 1 : thread_count(); }

void run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) noexcept {
  if (parts <= 1 || threads() <= 1) return one_by_one(parts, part, context);
  char begin = 0, end = 0;
  before(begin);
  const auto run = [&](int64_t i) {
    after(begin);
    in_part = true;
    part(context, i);
    in_part = false;
    before(end);
  };
  // Memory for threads may run out before any part has begun; a task that fails later takes the process with it.
  tbb::task_arena* where = nullptr;
  try {
    where = arena(thread_count());
  } catch (...) {
  }
  if (where == nullptr) return one_by_one(parts, part, context);
  where->execute([&] { tbb::parallel_for(int64_t(0), parts, run, tbb::simple_partitioner()); });
  after(end);
}

}  // namespace tb_cpu
