// The thread's own part of a call's key set, and the guards that change it for a scope.
//
// The state is two masks: what to include, and the complement of what to exclude. It is defined in guard.cpp and
// reached without a function call; the TLS model makes it one variable for the executable and every library. Guards
// remember the whole state and put it back exactly.
export module topbit.core:dispatch.guard;

import topbit.std;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace detail {

// What every thread excludes by default, although tensors bring it.
inline constexpr key_set excluded_at_first = key::AutocastFunctionality;

struct thread_keys {
  std::uint64_t include = 0;
  std::uint64_t not_excluded = ~excluded_at_first.raw();  // exclusion beats inclusion
};

extern constinit thread_local thread_keys this_thread_keys [[gnu::tls_model("initial-exec")]];

// Full-width atomic accesses, one mask each. For plain members compilers store the single byte that a guard changes and
// load both masks at once; the next load then stalls for a dozen cycles, since store-to-load forwarding fails where a
// store does not cover the load.
inline std::uint64_t thread_word(std::uint64_t& of_thread) noexcept {
  return std::atomic_ref(of_thread).load(std::memory_order_relaxed);
}
inline void set_thread_word(std::uint64_t& of_thread, std::uint64_t x) noexcept {
  std::atomic_ref(of_thread).store(x, std::memory_order_relaxed);
}

}  // namespace detail

/// The thread's include and exclude sets; copy it to another thread to carry a caller's layers along. By default those
/// of a new thread, which excludes Autocast.
export struct thread_key_state {
  key_set include;
  key_set exclude = detail::excluded_at_first;
};
export inline thread_key_state current_thread_keys() noexcept {
  detail::thread_keys& t = detail::this_thread_keys;
  return {key_set::from_raw(detail::thread_word(t.include)),
          key_set::from_raw(~detail::thread_word(t.not_excluded)) & key_set::full()};
}

/// Base of the guards: restores the thread's exact state at the end of the scope. Same thread only.
class [[nodiscard("the guard ends with the full expression that makes it")]] key_guard {
 public:
  key_guard(const key_guard&) = delete;
  key_guard& operator=(const key_guard&) = delete;
  inline ~key_guard() { set(before_.include, before_.not_excluded); }

 protected:
  inline key_guard() noexcept
      : before_{detail::thread_word(detail::this_thread_keys.include),
                detail::thread_word(detail::this_thread_keys.not_excluded)} {}
  static inline void set(std::uint64_t include, std::uint64_t not_excluded) noexcept {
    detail::set_thread_word(detail::this_thread_keys.include, include);
    detail::set_thread_word(detail::this_thread_keys.not_excluded, not_excluded);
  }

 private:
  detail::thread_keys before_;
};

/// Adds keys to every call of this thread, backends included.
export class [[nodiscard("the guard ends with the full expression that makes it")]] include_guard : public key_guard {
 public:
  inline explicit include_guard(key_set keys) noexcept {
    std::uint64_t& include = detail::this_thread_keys.include;
    detail::set_thread_word(include, detail::thread_word(include) | keys.raw());
  }
};

/// Hides functionalities from every call of this thread, for all backends; exclusion beats inclusion.
export class [[nodiscard("the guard ends with the full expression that makes it")]] exclude_guard : public key_guard {
 public:
  inline explicit exclude_guard(key_set keys) noexcept {
    std::uint64_t& not_excluded = detail::this_thread_keys.not_excluded;
    detail::set_thread_word(not_excluded,
                            detail::thread_word(not_excluded) & ~(keys.raw() & detail::functionality_bits));
  }
};

/// Enables Autocast's keys for calls of this thread, on every backend. Tensors carry these keys, and every thread
/// excludes them by default; to disable them inside the scope of a guard, exclude key::AutocastFunctionality.
export class [[nodiscard("the guard ends with the full expression that makes it")]] enable_autocast : public key_guard {
 public:
  inline enable_autocast() noexcept {
    std::uint64_t& not_excluded = detail::this_thread_keys.not_excluded;
    detail::set_thread_word(not_excluded,
                            detail::thread_word(not_excluded) | key_set(key::AutocastFunctionality).raw());
  }
};

/// Replaces the thread's state: for tests, and for tasks that run with the state of the thread that made them.
export class [[nodiscard("the guard ends with the full expression that makes it")]] force_guard : public key_guard {
 public:
  inline explicit force_guard(thread_key_state state) noexcept {
    set(state.include.raw(), ~(state.exclude.raw() & detail::functionality_bits));
  }
};

}  // namespace topbit
