// An operator's site is hidden, constinit and one per image, so it is reached relative to the instruction pointer. It
// starts bound to a head whose mask is 0: the first call lands on row 0, the binder, which binds and calls again. The
// call has no test, no lookup and no guard: one indirect jump (checked beside this program).
module;
#include <atomic>
export module fact.site;

struct kernel {};
export struct head {
  std::atomic<unsigned long> mask;
  std::atomic<const kernel*> rows[2];
};
using thunk = long (*)(long, unsigned long, const kernel*);
struct typed_kernel : kernel {
  thunk unboxed;
};
struct site {
  std::atomic<head*> bound;
  head unbound;
  constexpr explicit site(const kernel* binder) : bound(&unbound), unbound{0, {binder, nullptr}} {}
};
template <int Signature>
long bind_and_call(long, unsigned long, const kernel*);
template <int Signature>
constexpr typed_kernel binder{{}, &bind_and_call<Signature>};

export template <int Signature>
[[gnu::visibility("hidden")]] inline constinit site here{&binder<Signature>};

inline long add_one(long x, unsigned long, const kernel*) { return x + 1; }
inline constexpr typed_kernel real{{}, &add_one};
export inline constinit head entry{~0ul, {&real, &real}};
export inline constinit int bound_times = 0;

export template <int Signature>
[[gnu::always_inline]] inline long call(long x) {
  head* h = here<Signature>.bound.load(std::memory_order_acquire);
  const unsigned long keys = 1 & h->mask.load(std::memory_order_relaxed);
  const kernel* k = h->rows[keys].load(std::memory_order_acquire);
  return static_cast<const typed_kernel*>(k)->unboxed(x, keys, k);
}
template <int Signature>
long bind_and_call(long x, unsigned long, const kernel*) {
  ++bound_times;
  here<Signature>.bound.store(&entry, std::memory_order_release);
  return call<Signature>(x);
}
