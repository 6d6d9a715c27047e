// Functions that keep the rule of object code, and one for each way to break it.
#include <atomic>

using function = int (*)(int);
extern std::atomic<function> row;
extern std::atomic<int> count;
int elsewhere(int);

extern "C" int good(int x) { return row.load(std::memory_order_acquire)(x); }
extern "C" int calls_directly(int x) { return row.load(std::memory_order_acquire)(x) + elsewhere(x); }
extern "C" int jumps_away(int x) { return elsewhere(x); }
extern "C" int calls_twice(int x) { return row.load()(row.load()(x)); }
extern "C" int locks(int x) {
  count.fetch_add(1, std::memory_order_relaxed);
  return row.load(std::memory_order_acquire)(x);
}
extern "C" int exchanges(int x) {
  count.store(x, std::memory_order_seq_cst);
  return row.load(std::memory_order_acquire)(x);
}
extern "C" int loops(int x) {
  for (int i = 0; i < x; ++i) asm volatile("");
  return row.load(std::memory_order_acquire)(x);
}
