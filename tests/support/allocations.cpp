#include "support/allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

// Weak: a sanitizer may define these operators itself.
namespace {
thread_local std::size_t count = 0;
thread_local std::ptrdiff_t live = 0, peak = 0;
thread_local std::size_t until_failure = 0;  // 0: no allocation fails

void take(void* p) noexcept {
  ++count;
  live += static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  peak = std::max(peak, live);
}
void release(void* p) noexcept {
  live -= static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace

std::size_t toy::allocations() noexcept { return count; }
std::ptrdiff_t toy::live_bytes() noexcept { return live; }
std::ptrdiff_t toy::peak_bytes() noexcept { return peak; }
void toy::begin_peak() noexcept { peak = live; }
void toy::fail_allocation(std::size_t n) noexcept { until_failure = n; }

[[gnu::weak]] void* operator new(std::size_t size) {
  if (until_failure != 0 && --until_failure == 0) throw std::bad_alloc();
  if (void* p = std::malloc(size != 0 ? size : 1)) {
    take(p);
    return p;
  }
  throw std::bad_alloc();
}
[[gnu::weak]] void* operator new(std::size_t size, std::align_val_t alignment) {
  if (until_failure != 0 && --until_failure == 0) throw std::bad_alloc();
  void* p = nullptr;
  if (posix_memalign(&p, static_cast<std::size_t>(alignment), size) != 0) throw std::bad_alloc();
  take(p);
  return p;
}
[[gnu::weak]] void operator delete(void* p) noexcept { release(p); }
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { release(p); }
[[gnu::weak]] void operator delete(void* p, std::align_val_t) noexcept { release(p); }
[[gnu::weak]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
