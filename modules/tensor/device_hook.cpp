module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

constexpr std::size_t type_count = author::backend_count + 1;
constexpr std::size_t index_count = 128;

// What tensors hold of one device.
struct account {
  std::atomic<std::uint64_t> in_use = 0, peak = 0, allocations = 0;
};
using accounts = std::array<account, index_count>;

// A hook as it was set, and what follows from it. Never freed: readers take no lock.
struct known_device {
  device_hook hook;
  memory_hook pinned;
  const known_device* before;
};
constinit std::array<std::atomic<const known_device*>, type_count> known{};
// Null where nothing is counted. Once there, it stays: tensors that were counted end.
constinit std::array<std::atomic<accounts*>, type_count> counted{};

constexpr device_hook nothing{};

const known_device* find(device_type t) noexcept {
  return known[static_cast<std::size_t>(t)].load(std::memory_order_acquire);
}
bool is_host(device_type t) noexcept { return t == backend::CPU || t == backend::Meta; }

account* account_of(device d) noexcept {
  accounts* const all = counted[static_cast<std::size_t>(d.type)].load(std::memory_order_acquire);
  return all == nullptr || d.index < 0 ? nullptr : &(*all)[static_cast<std::size_t>(d.index)];
}

void copy_pinned(device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

// Functions that are there without others that belong to them.
void check_whole(std::span<const std::pair<bool, std::string_view>> parts) {
  const auto missing = std::ranges::find(parts, false, &std::pair<bool, std::string_view>::first);
  const auto given = std::ranges::find(parts, true, &std::pair<bool, std::string_view>::first);
  if (missing == parts.end() || given == parts.end()) return;
  throw bad_argument("set_device_hook: found " + std::string(given->second) + " without " +
                     std::string(missing->second) + ", wanted all of the functions that belong together, or none");
}

}  // namespace

void set_device_hook(device_type t, const device_hook& hook) {
  if (is_host(t)) {
    throw device_error("set_device_hook: found " + to_string(device{t}) +
                       ", wanted a device type other than cpu and meta");
  }
  const stream_hook& s = hook.streams;
  check_whole(std::array<std::pair<bool, std::string_view>, 6>{{{s.make != nullptr, "streams.make"},
                                                                {s.record != nullptr, "streams.record"},
                                                                {s.destroy_event != nullptr, "streams.destroy_event"},
                                                                {s.wait != nullptr, "streams.wait"},
                                                                {s.done != nullptr, "streams.done"},
                                                                {s.synchronize != nullptr, "streams.synchronize"}}});
  check_whole(std::array<std::pair<bool, std::string_view>, 2>{
      {{hook.allocate_pinned != nullptr, "allocate_pinned"}, {hook.release_pinned != nullptr, "release_pinned"}}});
  const auto at = static_cast<std::size_t>(t);
  auto* const fresh =
      new known_device{hook, {hook.allocate_pinned, hook.release_pinned, copy_pinned, copy_pinned}, known[at].load()};
  while (!known[at].compare_exchange_weak(fresh->before, fresh, std::memory_order_acq_rel)) {
  }
  detail::count_memory_of(t);
}

void detail::count_memory_of(device_type t) {
  std::atomic<accounts*>& of_type = counted[static_cast<std::size_t>(t)];
  if (author::device_hook_of(t).statistics != nullptr || of_type.load(std::memory_order_acquire) != nullptr) return;
  accounts* none = nullptr;
  auto* const fresh = new accounts;  // never freed: readers take no lock
  if (!of_type.compare_exchange_strong(none, fresh, std::memory_order_acq_rel)) delete fresh;
}

const device_hook& author::device_hook_of(device_type t) noexcept {
  const known_device* const k = find(t);
  return k == nullptr ? nothing : k->hook;
}

const memory_hook* author::pinned_memory_of(device_type t) noexcept {
  const known_device* const k = find(t);
  return k == nullptr || k->hook.allocate_pinned == nullptr ? nullptr : &k->pinned;
}

int device_count(device_type t) {
  if (is_host(t)) return 1;
  if (const known_device* const k = find(t); k != nullptr && k->hook.count != nullptr)
    return std::max(0, std::min(k->hook.count(), static_cast<int>(index_count)));
  return detail::has_memory(t) ? 1 : 0;
}

void author::check_device(device d) {
  const int count = device_count(d.type);
  if (d.index >= 0 && d.index < count) return;
  if (!is_host(d.type)) {
    memory_of(d);
    // Without a device_hook, allocate() alone knows how many there are.
    if (find(d.type) == nullptr) return;
  }
  if (count <= 0) {
    const device_hook& hook = device_hook_of(d.type);
    throw device_error(hook.why_none != nullptr
                           ? to_string(d) + ": " + hook.why_none()
                           : "found " + to_string(d) + ", wanted a device, of which there are none");
  }
  const std::string first = to_string(device{d.type});
  throw device_error("found " + to_string(d) + ", wanted " + first +
                     (count == 1 ? "" : " to " + first.substr(0, first.find(':') + 1) + std::to_string(count - 1)));
}

void synchronize(device d) {
  author::check_device(d);
  if (const device_hook& hook = author::device_hook_of(d.type); hook.synchronize != nullptr) hook.synchronize(d);
}

device_memory_statistics device_memory(device d) {
  author::check_device(d);
  if (const device_hook& hook = author::device_hook_of(d.type); hook.statistics != nullptr) return hook.statistics(d);
  device_memory_statistics s;
  if (d.type == backend::CPU) {
    const memory_statistics host = host_memory();
    s.bytes_in_use = host.bytes_in_use;
    s.peak_bytes_in_use = host.peak_bytes_in_use;
    s.bytes_reserved = host.bytes_in_use + host.bytes_cached;
    s.peak_bytes_reserved = std::max<std::uint64_t>(s.bytes_reserved, s.peak_bytes_in_use);
    s.allocations = host.allocations;
    s.reused = host.reused;
  } else if (const account* const a = account_of(d); a != nullptr) {
    s.bytes_in_use = s.bytes_reserved = a->in_use.load(std::memory_order_relaxed);
    s.peak_bytes_in_use = s.peak_bytes_reserved = a->peak.load(std::memory_order_relaxed);
    s.allocations = s.segments = a->allocations.load(std::memory_order_relaxed);
  }
  return s;
}

void release_cached_memory(device d) {
  author::check_device(d);
  if (d.type == backend::CPU) return release_cached_memory();
  const device_hook& hook = author::device_hook_of(d.type);
  if (hook.release_cached != nullptr) hook.release_cached(d);
}

void set_memory_limit(device d, std::uint64_t bytes) {
  author::check_device(d);
  const device_hook& hook = author::device_hook_of(d.type);
  if (hook.set_memory_limit == nullptr) {
    throw device_error("set_memory_limit: found " + to_string(d) + ", wanted a device whose backend has such a limit");
  }
  hook.set_memory_limit(d, bytes);
}

void detail::count_allocated(device where, std::size_t bytes) noexcept {
  account* const a = account_of(where);
  if (a == nullptr) return;
  a->allocations.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t now = a->in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::uint64_t peak = a->peak.load(std::memory_order_relaxed);
  while (peak < now && !a->peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

void detail::count_freed(device where, std::size_t bytes) noexcept {
  if (account* const a = account_of(where); a != nullptr) a->in_use.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace topbit
