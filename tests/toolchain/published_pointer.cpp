// Rows published with release and read with acquire are clean under the thread sanitizer while heap-made records are
// replaced under load. Built a second time with relaxed (ORDER_RELAXED), the same program is reported: the control
// which shows that the sanitizer would see the fault.
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"

#ifdef ORDER_RELAXED
constexpr auto publish = std::memory_order_relaxed;
constexpr auto observe = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
constexpr auto observe = std::memory_order_acquire;
#endif

struct record {
  long value, same;
};

int main() {
  std::vector<record*> immortal;
  std::atomic<const record*> row{nullptr};
  std::atomic<bool> done{false};
  std::atomic<long> torn{0}, met{0};
  immortal.push_back(new record{0, 0});
  row.store(immortal.back(), publish);
  std::thread reader([&] {
    const record* last = nullptr;
    while (!done.load(std::memory_order_relaxed)) {
      const record* seen = row.load(observe);
      if (seen->value != seen->same) torn.fetch_add(1);
      if (std::exchange(last, seen) != seen) met.fetch_add(1, std::memory_order_relaxed);
    }
  });
  // On a busy machine the reader may begin late: it has to have met a few while they were replaced.
  for (long i = 1; i < 50'000 || met.load(std::memory_order_relaxed) < 100; ++i) {
    if (i >= 50'000) std::this_thread::yield();
    immortal.push_back(new record{i, i});
    row.store(immortal.back(), publish);
  }
  done.store(true, std::memory_order_relaxed);
  reader.join();
  for (record* r : immortal) delete r;
  CHECK(torn.load() == 0);
}
