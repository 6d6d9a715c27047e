// A device of four functions and a name. Everything else, from factories to gradients, works through the host bridge.
// Linking this file suffices.
//
// It emulates a device whose memory the host cannot access: its addresses have a bit set that no host address has, so
// an access from the host crashes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

template <class T>
T* flipped(T* p) {
  constexpr std::uintptr_t far_away = std::uintptr_t{1} << 62;
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) ^ far_away);
}

void* allocate(tb::device d, std::size_t bytes) {
  if (void* p = std::malloc(bytes)) return flipped(p);
  throw tb::device_error(to_string(d) + ": found no memory for " + std::to_string(bytes) + " bytes");
}
void release(tb::device, void* p) noexcept { std::free(flipped(p)); }
void copy_in(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(flipped(to), from, bytes); }
void copy_out(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, flipped(from), bytes); }

[[maybe_unused]] const tb::backend chip =
    tb::author::register_backend("chip", {.memory = {allocate, release, copy_in, copy_out}});

}  // namespace
