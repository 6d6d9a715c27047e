module topbit.modes;

import topbit.std;
import topbit.core;

namespace topbit {

namespace detail {

namespace {

// The innermost mode of each place that this thread's calls have; see resolved().
constinit thread_local std::array<const mode_frame*, 2> this_thread_modes [[gnu::tls_model("initial-exec")]]{};

const mode_frame*& innermost(modes::place at) noexcept { return this_thread_modes[static_cast<std::size_t>(at)]; }
// Where a thread has no mode, or is past the last one of its own, null stands for the modes of all threads. Their list
// ends with `no_mode`, which also hides them.
constinit const mode_frame no_mode{};
constinit std::array<std::atomic<const mode_frame*>, 2> modes_of_all_threads{&no_mode, &no_mode};

// The mode that sees the next call; null if there is none.
const mode_frame* resolved(const mode_frame* f, modes::place at) noexcept {
  if (f == nullptr) f = modes_of_all_threads[static_cast<std::size_t>(at)].load(std::memory_order_acquire);
  return f == &no_mode ? nullptr : f;
}

constexpr key_set key_of(modes::place at) noexcept { return at == modes::above ? key::ModesAbove : key::ModesBelow; }

std::string place_of(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

}  // namespace

// How many threads have a mode that was handed to them; -1 after its scope.
struct mode_life {
  bool enter() noexcept {
    int threads = count.load();
    while (threads >= 0) {
      if (count.compare_exchange_weak(threads, threads + 1)) return true;
    }
    return false;
  }
  void leave() noexcept { count.fetch_sub(1); }
  // False while a thread has it.
  bool end() noexcept {
    int none = 0;
    return count.compare_exchange_strong(none, -1);
  }
  bool has_ended() const noexcept { return count.load() < 0; }

  std::atomic<int> count = 0;
};

pushed_mode::pushed_mode(mode_frame f) noexcept : frame_(f), key_(key_of(f.at)) {
  frame_.life = &life_;
  frame_.outer = std::exchange(innermost(frame_.at), &frame_);
}

pushed_mode::~pushed_mode() {
  const mode_frame*& top = innermost(frame_.at);
  if (top != &frame_) {
    const std::string inner = top != nullptr ? place_of(top->where) : "none";
    author::warn({"modes::scope: the scope of ", place_of(frame_.where),
                  " ended before one within it, or on another thread; the innermost mode here is that of ", inner});
    std::abort();
  }
  if (life_ && !life_->end()) {
    author::warn({"modes::scope: the scope of ", place_of(frame_.where),
                  " ended while a task that it was handed to runs with it; wait for the task first"});
    std::abort();
  }
  top = frame_.outer;
}

namespace {

// The layer state of a thread that has modes.
class handed_modes {
 public:
  static std::shared_ptr<const void> of_this_thread() {
    if (this_thread_modes[0] == nullptr && this_thread_modes[1] == nullptr) return nullptr;
    return std::make_shared<const handed_modes>();
  }
  static void install(const void* state) noexcept {
    std::vector<std::shared_ptr<mode_life>> entered;
    std::array<const mode_frame*, 2> innermost{};
    if (state != nullptr) static_cast<const handed_modes*>(state)->enter(entered, innermost);
    entered_.swap(entered);
    this_thread_modes = innermost;
    for (const auto& life : entered) life->leave();
  }

  handed_modes() {
    for (const mode_frame* f : innermost_) {
      for (; f != nullptr && f != &no_mode; f = f->outer) {
        if (*f->life == nullptr) *f->life = std::make_shared<mode_life>();
        lives_.push_back(*f->life);
      }
    }
  }

 private:
  // Leaves both empty where a scope has ended. A thread's own scopes do not end while it has a guard within them.
  void enter(std::vector<std::shared_ptr<mode_life>>& entered,
             std::array<const mode_frame*, 2>& innermost) const noexcept {
    for (const auto& life : lives_) {
      if (life->has_ended()) return;
    }
    const auto& wanted = from_ == &this_thread_modes ? entered_before_ : lives_;
    try {
      entered.reserve(wanted.size());
    } catch (const std::bad_alloc&) {  // the task runs without
      return;
    }
    for (const auto& life : wanted) {
      if (!life->enter()) {
        for (const auto& before : entered) before->leave();
        return entered.clear();
      }
      entered.push_back(life);
    }
    innermost = innermost_;
  }

  static thread_local std::vector<std::shared_ptr<mode_life>> entered_;
  std::array<const mode_frame*, 2> innermost_ = this_thread_modes;
  const void* from_ = &this_thread_modes;
  std::vector<std::shared_ptr<mode_life>> lives_, entered_before_ = entered_;
};
thread_local std::vector<std::shared_ptr<mode_life>> handed_modes::entered_;

}  // namespace

void push_for_all_threads(mode_frame f) {
  registry::process().include_always(key_of(f.at), f.where).keep();  // until the mode is there, calls pass
  auto* const frame = new mode_frame(f);
  std::atomic<const mode_frame*>& top = modes_of_all_threads[static_cast<std::size_t>(f.at)];
  frame->outer = top.load();
  while (!top.compare_exchange_weak(frame->outer, frame)) {
  }
}

// While it lives, `top` is the innermost mode of a place; `any`: there is one, so that the thread includes the key.
class visible_modes {
 public:
  inline visible_modes(modes::place at, const mode_frame* top, bool any) noexcept
      : innermost_(innermost(at)), before_(std::exchange(innermost_, top)) {
    const thread_key_state now = current_thread_keys();
    const key_set key = key_of(at);
    if (now.include.intersects(key) != any) keys_.emplace(thread_key_state{now.include ^ key, now.exclude});
  }
  visible_modes(const visible_modes&) = delete;
  visible_modes& operator=(const visible_modes&) = delete;
  inline ~visible_modes() { innermost_ = before_; }

 private:
  const mode_frame*& innermost_;
  const mode_frame* before_;
  std::optional<force_guard> keys_;
};

// Puts the thread's keys back, also where a call throws, and says whether that was needed.
class kept_thread_keys {
 public:
  inline explicit kept_thread_keys(bool& kept) noexcept : kept_(kept), before_(current_thread_keys()) {}
  kept_thread_keys(const kept_thread_keys&) = delete;
  kept_thread_keys& operator=(const kept_thread_keys&) = delete;
  inline ~kept_thread_keys() {
    const thread_key_state after = current_thread_keys();
    kept_ = after.include == before_.include && after.exclude == before_.exclude;
  }

 private:
  bool& kept_;
  thread_key_state before_;
  include_guard keys_{key_set()};
};

// Makes a call that `first`, the innermost mode, was the first to see, and `f` sees now.
class mode_view {
 public:
  static inline void run(modes::place at, const mode_frame& f, const mode_frame& first, const operator_handle& op,
                         key_set keys, boxed_stack& stack, bool& kept_keys) {
    const mode_frame* const next = resolved(f.outer, at);
    const visible_modes others(at, f.outer, next != nullptr);
    modes::call c(op, keys, stack, next, &first, &kept_keys);
    f.run(f.object, c);
  }
};

namespace {

template <modes::place At>
struct modes_fallback {
  static constexpr author::kernel_note note{"modes of this thread", [](const operator_handle&, std::span<const value>) {
                                              std::string text;
                                              for (const mode_frame* f = resolved(innermost(At), At); f != nullptr;
                                                   f = resolved(f->outer, At)) {
                                                if (!text.empty()) text += ", then ";
                                                text += std::string(f->name) + ", pushed at " + place_of(f->where);
                                              }
                                              return text;
                                            }};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& stack) const {
    const key_set below = keys - key_of(At);
    const mode_frame* const f = resolved(innermost(At), At);
    // Another thread's keys can bring the key without its modes, and those of all threads bring it where they are
    // hidden.
    if (f == nullptr) return op.redispatch_boxed(below, stack);
    bool kept_keys = true;
    mode_view::run(At, *f, *f, op, below, stack, kept_keys);
  }
};

}  // namespace

bool register_modes() {
  author::add_layer_state({.key = key_set(key::ModesAbove) | key::ModesBelow,
                           .current = &handed_modes::of_this_thread,
                           .install = &handed_modes::install,
                           .in_backward = false});
  fallback<modes_fallback<modes::above>{}>(key::ModesAbove).keep();
  fallback<modes_fallback<modes::below>{}>(key::ModesBelow).keep();
  return true;
}

}  // namespace detail

modes::place modes::call::at() const noexcept { return first_->at; }

void modes::call::proceed(boxed_stack& arguments) {
  const place of_call = first_->at;
  if (next_ != nullptr) return detail::mode_view::run(of_call, *next_, *first_, op_, keys_, arguments, *kept_keys_);
  const auto pass_on = [&] {
    const detail::kept_thread_keys thread(*kept_keys_);
    op_.redispatch_boxed(keys_, arguments);
  };
  // Above, what a composite calls is no call of the program; below, what a kernel calls reaches kernels as it does.
  if (of_call == above && detail::resolved(detail::innermost(above), above) == nullptr) return pass_on();
  const bool any = of_call == below;
  const detail::visible_modes others(of_call, any ? first_ : &detail::no_mode, any);
  pass_on();
}

}  // namespace topbit
