// A kernel as the dispatch table holds it: an immutable record behind one atomic pointer, never null.
//
// A slot holds a registered kernel, or one of the records every entry makes for itself: one that throws, one
// that skips its functionality, an adapter from a typed call to a boxed kernel. All have the same shape, so a call
// jumps without asking which it is. Records are never freed: a call that raced with a withdrawal may still run one.
export module topbit.core:dispatch.kernel;

import topbit.std;
import :dispatch.guard;
import :keys.key_set;

namespace topbit {

export class boxed_stack;
export class operator_handle;
export class value;

export namespace author {

/// What a kernel says of itself, for people. A kernel that is an object, or a boxed one, has it as a static constexpr
/// member `note`.
struct kernel_note {
  std::string_view text;
  /// What it would do to a call with these arguments on this thread; null if that is all in `text`. Arguments that
  /// bring no keys, or are left out, are none.
  std::string (*of_call)(const operator_handle&, std::span<const value>) = nullptr;
};

}  // namespace author

namespace detail {

using author::kernel_note;

struct entry_head;

enum class kernel_kind : std::uint8_t {
  typed,           // has an unboxed and a boxed entry point
  boxed,           // has only a boxed one
  fallthrough,     // is never run: its slots are skipped
  skip,            // clears the set's highest functionality and selects again
  raise,           // no kernel: throws, saying why
  adapter,         // a boxed kernel with a typed entry point
  backend_select,  // adds the keys its device argument stands for and selects again
  tracer,          // records the call and runs what the slot would hold without it
  binder           // slot 0 of an unbound operator: binds it and calls again
};

struct kernel {
  using boxed_function = void (*)(const kernel*, const operator_handle&, key_set, boxed_stack&);
  boxed_function boxed = nullptr;
  const void* state = nullptr;  // binder: the site; adapter: the boxed kernel; tracer: the traced slots; see :functor
  entry_head* owner = nullptr;  // set in records that an entry made for itself
  kernel_kind kind = kernel_kind::typed;
  bool owned = false;  // a functor_kernel
  bool noted = false;  // typed, boxed: `state` is a kernel_note
};

inline const kernel_note* note_record_of(const kernel* k) noexcept {
  return k != nullptr && k->noted ? static_cast<const kernel_note*>(k->state) : nullptr;
}
// Empty if the kernel does not say.
inline std::string_view note_of(const kernel* k) noexcept {
  const kernel_note* const note = note_record_of(k);
  return note == nullptr ? std::string_view() : note->text;
}

// The two extras come last, so that the arguments keep the registers they already sit in.
template <class Sig>
struct thunk_of;
template <class R, class... A>
struct thunk_of<R(A...)> {
  using type = R (*)(A..., key_set, const kernel*);
};

template <class Sig>
struct typed_kernel : kernel {
  thunk_of<Sig>::type unboxed = nullptr;
};

// What a call reads: two masks and the table's slots. `always` is the operator's include mask, beside the thread's own;
// a `mask` of zero sends every call to slot 0.
struct entry_head {
  using boxed_call_function = void (*)(entry_head*, boxed_stack&);
  std::atomic<std::uint64_t> mask{0};
  std::atomic<std::uint64_t> always{0};
  const boxed_call_function call_boxed;  // the signature's; null in a head that only waits to be bound
  std::atomic<const kernel*> slot0;      // slots 1, 2, ... follow in memory

  constexpr explicit entry_head(const kernel* first, boxed_call_function call = nullptr) noexcept
      : call_boxed(call), slot0(first) {}

  inline const kernel* slot(unsigned index) const noexcept { return (&slot0)[index].load(std::memory_order_acquire); }
};

// The set that selects the kernel of a call, from the keys that its arguments bring: the one place that combines the
// masks of the thread and of the operator.
[[gnu::always_inline]] inline key_set keys_of_call(const entry_head& head, std::uint64_t brought) noexcept {
  const std::uint64_t included = brought | this_thread_keys.include | head.always.load(std::memory_order_relaxed);
  return key_set::from_raw(included & this_thread_keys.not_excluded & head.mask.load(std::memory_order_relaxed));
}

}  // namespace detail

}  // namespace topbit
