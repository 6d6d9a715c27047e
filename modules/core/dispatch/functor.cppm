// Boxed kernels with a state of their own: a user's function object, called like a boxed function.
//
// The object is moved to the registry. A call that races with a withdrawal may still be inside, so the object goes with
// the last such call; the small record that slots point to stays.
export module topbit.core:dispatch.functor;

import topbit.std;
import :boxing.stack;
import :dispatch.concepts;
import :dispatch.handle;
import :dispatch.kernel;
import :keys.key_set;
import :text.text;
import :version;

namespace topbit {

namespace detail {

template <class F>
inline constexpr bool is_boxed_call = std::is_invocable_r_v<void, F, const operator_handle&, key_set, boxed_stack&> ||
                                      std::is_invocable_r_v<void, F, const operator_handle&, boxed_stack&>;

/// Why an object of type F is no boxed kernel; empty if it is one.
template <class F>
consteval author::verdict explain_boxed_functor() {
  author::verdict v;
  if constexpr (is_boxed_call<const F&>) {
    if constexpr (!std::is_move_constructible_v<F>) {
      v.add("boxed kernel: '").add(type_name<F>()).add("' cannot be moved into the registry");
    }
  } else if constexpr (is_boxed_call<F&>) {
    v.add("boxed kernel: the call operator of '").add(type_name<F>());
    v.add("' must be const, since threads call it at once; what it changes must be atomic or locked, and mutable");
  } else {
    v.add(
        "boxed kernel: needs an object to call as 'void(const operator_handle&, key_set, boxed_stack&)' or without "
        "the ");
    v.add("key set, found '").add(type_name<F>()).add("'");
  }
  return v;
}

// What is known of a function object's type. It is data of the shared object that has the type, and identifies it.
struct functor_type {
  void (*destroy)(void* object) noexcept;  // null: trivially destructible
  const version_note* built_with;
};

// A boxed kernel that a registry owns. The record stays for good, since a slot or an adapter may be about to run it.
// Its object goes as soon as the registration has been taken back and no call is inside: calls are counted, and look
// whether they may enter when they have been.
struct functor_kernel : kernel {
  // Two marks and the number of calls inside.
  static constexpr std::uint32_t withdrawn = 1, gone = 2, one_call = 4;
  mutable std::atomic<std::uint32_t> uses = 0;
  union {
    void* object;
    std::byte held[sizeof(void*)];  // a trivially destructible object
  };
  functor_kernel* next = nullptr;  // of the same registry

  functor_kernel(boxed_function run, const functor_type& type) noexcept
      : kernel{.boxed = run, .state = &type, .kind = kernel_kind::boxed, .owned = true}, object(nullptr) {}
  functor_kernel(const functor_kernel&) = delete;
  ~functor_kernel() {
    if ((uses.load(std::memory_order_relaxed) & gone) == 0) destroy();
  }

  // False if the object is gone or about to go. leave() must follow in any case.
  [[nodiscard]] inline bool enter() const noexcept {
    return (uses.fetch_add(one_call, std::memory_order_acquire) & withdrawn) == 0;
  }
  inline void leave() const noexcept {
    if (uses.fetch_sub(one_call, std::memory_order_release) == (one_call | withdrawn)) [[unlikely]]
      end();
  }
  // Ends the object when the last call has left it. Runs code of its owner: not to be called under a lock.
  inline void withdraw() const noexcept {
    if (uses.fetch_or(withdrawn, std::memory_order_release) == 0) end();
  }

 private:
  // Several may see the last call leave; one of them ends the object.
  [[gnu::noinline, gnu::cold]] void end() const noexcept {
    std::uint32_t expected = withdrawn;
    if (uses.compare_exchange_strong(expected, withdrawn | gone, std::memory_order_acquire)) destroy();
  }
  void destroy() const noexcept {
    if (const auto* type = static_cast<const functor_type*>(state); type->destroy != nullptr) type->destroy(object);
  }
};
static_assert(sizeof(functor_kernel) == 48);
using functor_ptr = std::unique_ptr<functor_kernel>;

// What every kernel is given whose registration has ended for good; null is none.
inline void end_object_of(const kernel* k) noexcept {
  if (k != nullptr && k->owned) static_cast<const functor_kernel*>(k)->withdraw();
}

// True if objects of this type are trivially destructible and fit into the record: a lambda without captures is not
// counted, nor is one that holds a reference.
template <class F>
inline constexpr bool stays_in_record =
    std::is_trivially_destructible_v<F> && sizeof(F) <= sizeof(void*) && alignof(F) <= alignof(void*);

template <class F>
struct functor_thunk {
  [[gnu::visibility("hidden")]] static constexpr functor_type type{
      stays_in_record<F> ? nullptr : +[](void* object) noexcept { delete static_cast<F*>(object); },
      &image_note<0>::value};

  static functor_ptr make(F&& f) {
    functor_ptr made(new functor_kernel(&run, type));
    if constexpr (stays_in_record<F>)
      std::construct_at(reinterpret_cast<F*>(made->held), std::move(f));
    else
      made->object = new F(std::move(f));
    return made;
  }
  static void run(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s) {
    const auto& record = *static_cast<const functor_kernel*>(k);
    if constexpr (stays_in_record<F>) {
      call(*reinterpret_cast<const F*>(record.held), op, keys, s);
    } else {
      const struct inside {
        const functor_kernel& record;
        ~inside() { record.leave(); }
      } counted{record};
      if (record.enter()) [[likely]]
        call(*static_cast<const F*>(record.object), op, keys, s);
      else
        op.redispatch_boxed(keys, s);  // the slots are without it by now
    }
  }

 private:
  [[gnu::always_inline]] static inline void call(const F& f, const operator_handle& op, key_set keys, boxed_stack& s) {
    if constexpr (std::is_invocable_v<const F&, const operator_handle&, key_set, boxed_stack&>)
      f(op, keys, s);
    else
      f(op, s);
  }
};

template <class F>
functor_ptr make_functor(F f) {
  return functor_thunk<F>::make(std::move(f));
}

}  // namespace detail

namespace author {

/// An object that can serve any operator: it is called with a stack, by several threads at once.
export template <class F>
concept boxed_functor = detail::explain_boxed_functor<F>().ok();

}  // namespace author

namespace detail {

template <class F>
consteval void refuse_functor() {
  static_assert(author::boxed_functor<F>, explain_boxed_functor<F>());
}

}  // namespace detail

}  // namespace topbit
