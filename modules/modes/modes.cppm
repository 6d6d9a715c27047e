// topbit.modes: objects that see every operator call of a thread, for the length of a scope.
//
//   int calls = 0;
//   const tb::modes::scope counting([&](tb::modes::call& c) { ++calls; c.proceed(); }, tb::modes::above);
//
// Each thread has two stacks of modes, and a key for each: ModesAbove above all layers, ModesBelow below autograd. A
// thread includes the key while the stack has modes, every operator does while all threads have one, and one fallback
// serves each key, so that programs without a mode pay nothing.
export module topbit.modes;

import topbit.std;
import topbit.core;

namespace topbit {

namespace detail {
struct mode_frame;
struct mode_life;
class mode_view;

// What is in the value of a parameter of this type: a reference to it; if it is optional, a pointer, null if it is
// none.
template <class A>
decltype(auto) argument_in(value& v) {
  using T = std::remove_cvref_t<A>;
  if constexpr (std::same_as<A, T&>)
    return v.write<T>();
  else if constexpr (requires(T x) { x.value_or(*x); })
    return v.is_none() ? nullptr : &std::as_const(v).template get<typename T::value_type>();
  else
    return std::as_const(v).template get<T>();
}
template <class Sig>
struct typed_arguments;
template <class R, class... A>
struct typed_arguments<R(A...)> {
  using type = std::tuple<decltype(argument_in<A>(std::declval<value&>()))...>;
  static type in(std::span<value> all) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return type(argument_in<A>(all[I])...);
    }(std::index_sequence_for<A...>{});
  }
};
}  // namespace detail

export namespace modes {

/// `above`: sees the calls that a program makes, of composites the composite alone. `below`: sees what reaches the
/// kernels, under batching, autocast and autograd: the parts of composites, the calls of backward(). Where no layer
/// takes a composite apart, as under no_grad, `below` sees it and its parts.
enum class place : std::uint8_t { above, below };
using enum place;

/// A call that a mode sees. The mode runs the rest of it, once or never: without proceed(), it must leave the results
/// on the stack in place of the arguments.
class call {
 public:
  inline const operator_handle& op() const noexcept { return op_; }
  /// Where the mode was pushed.
  place at() const noexcept;
  /// What the call is selected by, below the modes of this place.
  inline key_set keys() const noexcept { return keys_; }
  /// The arguments, to read and to replace; after proceed(), results(). Borrowed: to be copied if they are kept.
  inline std::span<value> arguments() noexcept { return stack_->top(op_.argument_count()); }
  /// If it is a call of this operator, its arguments with their types, in place: a tuple of references, and of a
  /// pointer for each that is optional, null if it is left out.
  ///
  ///   if (const auto a = c.arguments_of(aten::mul_Tensor)) { const auto& [self, other] = *a; ... }
  template <class Op>
  auto arguments_of(const Op& op) {
    using typed = topbit::detail::typed_arguments<typename Op::signature>;
    return op_ == op.handle() ? std::optional(typed::in(arguments())) : std::nullopt;
  }
  inline std::span<value> results() noexcept { return stack_->top(op_.result_count()); }
  inline boxed_stack& stack() noexcept { return *stack_; }

  /// Makes the call: the next mode of this place sees it, if there is one, then the layers and the kernel below, which
  /// keys() selects. Arguments with other keys need a call of their own, made with the keys of the thread.
  inline void proceed() { proceed(*stack_); }
  /// The same with the arguments on top of another stack, which become the results there. As often as wanted.
  void proceed(boxed_stack& arguments);
  /// False if the last proceed() left other keys on the thread than it found; they have been put back.
  inline bool kept_keys() const noexcept { return *kept_keys_; }

 private:
  friend class topbit::detail::mode_view;
  inline call(const operator_handle& op, key_set keys, boxed_stack& stack, const topbit::detail::mode_frame* next,
              const topbit::detail::mode_frame* first, bool* kept) noexcept
      : op_(op), keys_(keys), stack_(&stack), next_(next), first_(first), kept_keys_(kept) {}

  const operator_handle& op_;
  key_set keys_;
  boxed_stack* stack_;
  const topbit::detail::mode_frame *next_, *first_;
  bool* kept_keys_;  // of all modes that see the call
};

/// What can be a mode: an object or a lambda that is called with each call.
template <class M>
concept mode = std::invocable<M&, call&>;

}  // namespace modes

namespace detail {

struct mode_frame {
  void* object = nullptr;
  void (*run)(void*, modes::call&) = nullptr;
  std::string_view name;
  std::source_location where;
  modes::place at{};
  const mode_frame* outer = nullptr;
  std::shared_ptr<mode_life>* life = nullptr;  // null for a mode of all threads
};

// Puts a mode on the thread's stack, and takes it off again.
class pushed_mode {
 public:
  explicit pushed_mode(mode_frame f) noexcept;
  pushed_mode(const pushed_mode&) = delete;
  pushed_mode& operator=(const pushed_mode&) = delete;
  ~pushed_mode();

 private:
  mode_frame frame_;
  std::shared_ptr<mode_life> life_;  // empty until it is handed to a thread
  include_guard key_;
};

template <class M>
void run_mode(void* m, modes::call& c) {
  (*static_cast<M*>(m))(c);
}
void push_for_all_threads(mode_frame f);

bool register_modes();
const bool modes_registered = register_modes();

}  // namespace detail

export namespace modes {

/// While it lives, the mode sees every call of this thread, those of factories included; of several modes at one place
/// the last one first. Calls that a mode makes are seen by the modes before it alone, so that a mode never sees itself.
/// What the rest of the call calls: above, no mode sees it; below, all do. Other threads do not have the mode. An
/// exception leaves the modes as they were.
/// A task with the layers of a thread (current_layers()) has its modes too; those whose scope has ended before it
/// begins are not there. A scope that ends before one within it, on another thread, or while a task has its mode, ends
/// the process with a sentence.
///
/// `M` is deduced: a temporary is kept, anything else is referred to.
/// Cost of a call: that of a boxed fallback and about 140 instructions, 70 for each further mode; nothing without one.
template <class M>
class [[nodiscard("the scope ends with the full expression that makes it")]] scope {
  static_assert(mode<M>, "modes::scope: wanted an object that can be called with a 'modes::call&'");

 public:
  explicit scope(M&& m, place at, std::source_location where = std::source_location::current())
      : mode_(std::forward<M>(m)),
        pushed_({const_cast<void*>(static_cast<const void*>(std::addressof(mode_))),
                 &topbit::detail::run_mode<std::remove_reference_t<M>>, type_name<std::remove_cvref_t<M>>(), where,
                 at}) {}

 private:
  M mode_;
  topbit::detail::pushed_mode pushed_;
};
template <class M>
scope(M&&, place, std::source_location = {}) -> scope<M>;

/// The mode sees the calls of all threads, also of those that start later, until the process ends: after the modes of
/// the thread itself, and of several the last one first. It must live as long as the process, and is called by several
/// threads at once.
template <mode M>
void push_for_all_threads(M& m, place at, std::source_location where = std::source_location::current()) {
  topbit::detail::push_for_all_threads({const_cast<void*>(static_cast<const void*>(std::addressof(m))),
                                        &topbit::detail::run_mode<M>, type_name<M>(), where, at});
}

}  // namespace modes

}  // namespace topbit
