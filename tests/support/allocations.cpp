#include "support/allocations.h"

#include <cstdlib>
#include <new>

// Weak: a sanitizer that defines these itself must still link.
namespace {
thread_local std::size_t count = 0;
}

std::size_t toy::allocations() noexcept { return count; }

[[gnu::weak]] void* operator new(std::size_t size) {
  ++count;
  if (void* p = std::malloc(size != 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::weak]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::weak]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
