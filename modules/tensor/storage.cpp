module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

// A cache line, and the widest SIMD register.
constexpr std::align_val_t host_alignment{64};

void* host_allocate(device, std::size_t bytes) { return ::operator new(bytes, host_alignment); }
void host_release(device, void* p) noexcept { ::operator delete(p, host_alignment); }
void host_copy(device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

constinit std::array<std::atomic<const memory_hook*>, author::backend_count + 1> hooks{};

// Storages refer to their hook until destroyed, so a copy is never freed. Equal hooks share one copy.
struct kept_hook {
  memory_hook hook;
  const kept_hook* next;
};
constinit std::atomic<const kept_hook*> kept{};

}  // namespace

constinit thread_local std::uint32_t detail::this_thread_birth [[gnu::tls_model("initial-exec")]] = 0;

const memory_hook& detail::keep_hook(const memory_hook& hook) {
  const kept_hook* first = kept.load(std::memory_order_acquire);
  for (const kept_hook* k = first; k != nullptr; k = k->next) {
    if (k->hook == hook) return k->hook;
  }
  auto* fresh = new kept_hook{hook, first};
  while (!kept.compare_exchange_weak(fresh->next, fresh, std::memory_order_acq_rel)) {
  }
  return fresh->hook;
}

constexpr memory_hook detail::host_hook{host_allocate, host_release, host_copy, host_copy};

void set_memory_hook(device_type t, const memory_hook& hook) {
  if (t == backend::CPU || t == backend::Meta) {
    throw device_error("set_memory_hook: found " + to_string(device{t, 0}) +
                       ", wanted a device type other than cpu and meta" +
                       (t == backend::CPU ? ", whose memory is the host's" : ", which has no memory"));
  }
  detail::count_memory_of(t);
  hooks[static_cast<unsigned>(t)].store(&detail::keep_hook(hook), std::memory_order_release);
}

bool detail::has_memory(device_type t) noexcept {
  return t == backend::CPU || hooks[static_cast<unsigned>(t)].load(std::memory_order_acquire) != nullptr;
}

const memory_hook& memory_of(device d) {
  if (d.type == backend::CPU) return detail::host_hook;
  if (const memory_hook* hook = hooks[static_cast<unsigned>(d.type)].load(std::memory_order_acquire)) return *hook;
  throw device_error("device " + to_string(d) + ": no memory hook is installed for it; " +
                     (d.type == backend::CUDA ? "import topbit.cuda and link topbit::cuda"
                                              : "a backend installs it with set_memory_hook"));
}

}  // namespace topbit
