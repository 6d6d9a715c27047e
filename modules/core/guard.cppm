// The thread's own part of a call's key set, and the guards that change it for a scope.
//
// The state is two words: what to add, and what to keep after adding. It is defined in guard.cpp and reached without
// a function call; the TLS model makes it one variable for the executable and every library. Guards remember the
// whole state and put it back exactly.
export module topbit.core:guard;

import topbit.std;
import :key;
import :key_set;

namespace topbit {

namespace detail {

// What a thread excludes from its beginning, although tensors bring it.
inline constexpr key_set excluded_at_first = key::AutocastFunctionality;

struct thread_keys {
  std::uint64_t include = 0;
  std::uint64_t keep = ~excluded_at_first.raw();  // the complement of what is excluded
};

extern constinit thread_local thread_keys this_thread_keys [[gnu::tls_model("initial-exec")]];

}  // namespace detail

/// The thread's include and exclude sets; copy it to another thread to carry a caller's layers along. By default those
/// of a new thread, which excludes Autocast.
export struct thread_key_state {
  key_set include;
  key_set exclude = detail::excluded_at_first;
};
export inline thread_key_state current_thread_keys() noexcept {
  const detail::thread_keys& t = detail::this_thread_keys;
  return {key_set::from_raw(t.include), key_set::from_raw(~t.keep) & key_set::full()};
}

/// Base of the guards: restores the thread's state, bit for bit, at the end of the scope. Same thread only.
export class [[nodiscard("the guard ends with the full expression that makes it")]] key_guard {
 public:
  key_guard(const key_guard&) = delete;
  key_guard& operator=(const key_guard&) = delete;
  inline ~key_guard() { detail::this_thread_keys = before_; }

 protected:
  inline key_guard() noexcept : before_(detail::this_thread_keys) {}

 private:
  detail::thread_keys before_;
};

/// Adds keys to every call of this thread, backends included.
export class [[nodiscard("the guard ends with the full expression that makes it")]] include_guard : public key_guard {
 public:
  inline explicit include_guard(key_set keys) noexcept { detail::this_thread_keys.include |= keys.raw(); }
};

/// Hides functionalities from every call of this thread, for all backends; exclusion beats inclusion.
export class [[nodiscard("the guard ends with the full expression that makes it")]] exclude_guard : public key_guard {
 public:
  inline explicit exclude_guard(key_set keys) noexcept {
    detail::this_thread_keys.keep &= ~(keys.raw() & detail::functionality_bits);
  }
};

/// Lets calls of this thread reach kernels for Autocast's keys, on every backend. Tensors carry these keys, and every
/// thread excludes them until it has such a guard; to switch them off inside of one, exclude
/// key::AutocastFunctionality.
export class [[nodiscard("the guard ends with the full expression that makes it")]] enable_autocast : public key_guard {
 public:
  inline enable_autocast() noexcept { detail::this_thread_keys.keep |= key_set(key::AutocastFunctionality).raw(); }
};

/// Replaces the thread's state: for tests, and for tasks that run with the state of the thread that made them.
export class [[nodiscard("the guard ends with the full expression that makes it")]] force_guard : public key_guard {
 public:
  inline explicit force_guard(thread_key_state state) noexcept {
    detail::this_thread_keys = {state.include.raw(), ~(state.exclude.raw() & detail::functionality_bits)};
  }
};

}  // namespace topbit
