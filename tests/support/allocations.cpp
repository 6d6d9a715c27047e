#include "support/allocations.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

// Weak: a sanitizer that defines these itself must still link.
namespace {
thread_local std::size_t count = 0;
thread_local std::ptrdiff_t live = 0;

void release(void* p) noexcept {
  live -= static_cast<std::ptrdiff_t>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace

std::size_t toy::allocations() noexcept { return count; }
std::ptrdiff_t toy::live_bytes() noexcept { return live; }

[[gnu::weak]] void* operator new(std::size_t size) {
  if (void* p = std::malloc(size != 0 ? size : 1)) {
    ++count;
    live += static_cast<std::ptrdiff_t>(malloc_usable_size(p));
    return p;
  }
  throw std::bad_alloc();
}
[[gnu::weak]] void operator delete(void* p) noexcept { release(p); }
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { release(p); }
