module topbit.autocast;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :cast_cache;

namespace topbit {

constinit thread_local detail::autocast_state detail::this_thread_autocast [[gnu::tls_model("initial-exec")]];

namespace {

constexpr std::uint8_t no_autocast = 0xFF;

// The dtype that each backend prefers, by its number. Set while other threads read, so by atomic accesses alone.
constinit std::array<std::uint8_t, author::backend_count + 1> preferred = [] {
  std::array<std::uint8_t, author::backend_count + 1> of;
  of.fill(no_autocast);
  of[static_cast<std::size_t>(backend::CPU)] = static_cast<std::uint8_t>(dtype::bfloat16);
  of[static_cast<std::size_t>(backend::CUDA)] = static_cast<std::uint8_t>(dtype::float16);
  return of;
}();
std::uint8_t preferred_at(std::size_t b) noexcept {
  return b < preferred.size() ? std::atomic_ref(preferred[b]).load(std::memory_order_relaxed) : no_autocast;
}

bool is_low(dtype t) noexcept { return t == dtype::bfloat16 || t == dtype::float16; }

void refuse_dtype(backend on, dtype found) {
  throw dtype_error("autocast(" + std::string(name_of(on)) + "): found dtype " + std::string(name_of(found)) +
                    ", wanted float16 or bfloat16");
}

[[noreturn, gnu::cold]] void refuse_backend(backend on) {
  std::string known;
  for (std::size_t b = 0; b < preferred.size(); ++b) {
    if (preferred_at(b) != no_autocast)
      known += (known.empty() ? "" : ", ") + std::string(name_of(static_cast<backend>(b)));
  }
  throw device_error("autocast: " + std::string(name_of(on)) + " has no autocast; these backends have: " + known);
}

dtype preferred_by(backend on) {
  const std::uint8_t found = preferred_at(static_cast<std::size_t>(on));
  if (found == no_autocast) refuse_backend(on);
  return static_cast<dtype>(found);
}

// The dtype to which a scope casts; `otherwise` for one without autocast, which every backend may have.
dtype lower_of(backend on, const autocast_options& options, dtype otherwise) {
  const dtype by_backend = options.enabled ? preferred_by(on) : otherwise;
  if (!options.lower) return by_backend;
  if (!is_low(*options.lower)) refuse_dtype(on, *options.lower);
  return *options.lower;
}

// Begins a scope, unless an option is refused, and returns the keys of this thread in it.
thread_key_state enter(backend on, const autocast_options& options) {
  detail::autocast_state& now = detail::this_thread_autocast;
  const dtype lower = lower_of(on, options, now.lower[static_cast<std::size_t>(on)]);
  const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(on);
  now.enabled = options.enabled ? now.enabled | bit : now.enabled & ~bit;
  now.lower[static_cast<std::size_t>(on)] = lower;
  now.cached = options.cached;
  ++now.depth;
  const thread_key_state keys = current_thread_keys();
  constexpr key_set casts(key::AutocastFunctionality);
  return {keys.include, now.enabled != 0 ? keys.exclude - casts : keys.exclude | casts};
}

// Out of line, so that the end of other scopes saves no registers for them.
[[gnu::noinline]] void drop(detail::cast_cache* cache) noexcept { delete cache; }
[[noreturn, gnu::cold]] void refuse_end() {
  author::warn(
      {"autocast: a scope ended before one inside it, or on another thread; scopes end where they began, the innermost "
       "first"});
  std::abort();
}

// What another thread, or the backward of a function, takes of a thread's state: not the scopes, nor their cache.
std::shared_ptr<const void> current_state() {
  const detail::autocast_state& now = detail::this_thread_autocast;
  if (now.enabled == 0 && now.cached == cached_casts::of_weights) return {};
  return std::make_shared<const detail::autocast_state>(now);
}
void install_state(const void* state) noexcept {
  const detail::autocast_state taken =
      state != nullptr ? *static_cast<const detail::autocast_state*>(state) : detail::autocast_state{};
  detail::autocast_state& now = detail::this_thread_autocast;
  now.enabled = taken.enabled;
  now.lower = taken.lower;
  now.cached = taken.cached;
}

}  // namespace

void detail::register_autocast_state() {
  author::add_layer_state({key::AutocastFunctionality, &current_state, &install_state});
}

void author::set_autocast_dtype(backend on, dtype wanted) {
  if (!is_low(wanted)) refuse_dtype(on, wanted);
  std::atomic_ref(preferred[static_cast<std::size_t>(on)])
      .store(static_cast<std::uint8_t>(wanted), std::memory_order_relaxed);
}

dtype autocast_dtype(backend on) {
  const dtype otherwise = preferred_by(on);
  return detail::this_thread_autocast.is_on(on) ? detail::this_thread_autocast.lower[static_cast<std::size_t>(on)]
                                                : otherwise;
}

autocast::autocast(backend on, autocast_options options)
    : enabled_before_(detail::this_thread_autocast.enabled),
      depth_before_(detail::this_thread_autocast.depth),
      cached_before_(detail::this_thread_autocast.cached),
      lower_before_(detail::this_thread_autocast.lower[static_cast<std::size_t>(on)]),
      on_(on),
      keys_(enter(on, options)) {
  detail::autocast_state& now = detail::this_thread_autocast;
  if (now.outermost == nullptr) now.outermost = &cache_;
}

autocast::~autocast() {
  detail::autocast_state& now = detail::this_thread_autocast;
  if (now.depth != depth_before_ + 1) [[unlikely]]
    refuse_end();
  if (now.outermost == &cache_) {
    now.outermost = nullptr;
    if (cache_ != nullptr) drop(cache_);
  }
  now.enabled = enabled_before_;
  now.depth = depth_before_;
  now.cached = cached_before_;
  now.lower[static_cast<std::size_t>(on_)] = lower_before_;
}

void autocast::clear_cache() noexcept {
  if (detail::cast_cache** const at = detail::this_thread_autocast.outermost) drop(std::exchange(*at, nullptr));
}

}  // namespace topbit
