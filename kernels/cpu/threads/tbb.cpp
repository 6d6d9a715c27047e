// Parallel loops on oneTBB. Each calling thread has its own arena, so that concurrent callers share the cores without
// waiting for each other; a thread that waits for its tasks runs no others.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>

#include "threads/count.h"
#include "threads/parallel.h"

// oneTBB is not built with the thread sanitizer, so happens-before edges are annotated.
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

// Raises oneTBB's limit on threads, which is the number of processors by default. The limit only grows, and applies to
// all uses of oneTBB in the process.
void allow(int32_t count) {
  static std::mutex mutex;
  static const int32_t usual = int32_t(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  static int32_t allowed = usual;
  static std::unique_ptr<tbb::global_control> control;
  const std::lock_guard lock(mutex);
  if (count <= allowed) return;
  // The smallest active limit applies, so the previous one is removed first.
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
// Trivially destructible, so that destructors that run later can still read it: `ended` tells them that the thread is
// ending.
constinit thread_local own_arena mine;
struct arena_end {
  ~arena_end() {
    delete mine.arena;
    mine = {nullptr, 0, true};
  }
};

// This thread's arena for `count` threads; null if the thread is ending.
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
  // Creating threads may fail before any task has begun, and then the tasks run sequentially. An exception from a task
  // terminates the process.
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
