module topbit.modes;

import topbit.std;
import topbit.core;

namespace topbit {

namespace detail {

namespace {

// The innermost mode of each place that this thread's calls have.
constinit thread_local std::array<const mode_frame*, 2> this_thread_modes [[gnu::tls_model("initial-exec")]]{};

const mode_frame*& innermost(modes::place at) noexcept { return this_thread_modes[static_cast<std::size_t>(at)]; }
constexpr key_set key_of(modes::place at) noexcept { return at == modes::above ? key::ModesAbove : key::ModesBelow; }

std::string place_of(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

}  // namespace

pushed_mode::pushed_mode(mode_frame f) noexcept : frame_(f), key_(key_of(f.at)) {
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
  top = frame_.outer;
}

// While it lives, the thread has the modes before one alone.
class mode_view {
 public:
  inline explicit mode_view(const mode_frame& f) noexcept
      : top_(innermost(f.at)), before_(std::exchange(top_, f.outer)), keys_(keys_without(f)) {}
  mode_view(const mode_view&) = delete;
  mode_view& operator=(const mode_view&) = delete;
  inline ~mode_view() { top_ = before_; }

  static inline void run(const mode_frame& f, const operator_handle& op, key_set keys, boxed_stack& stack) {
    const mode_view others(f);
    modes::call c(op, keys, stack, f.outer);
    f.run(f.object, c);
  }

 private:
  static inline thread_key_state keys_without(const mode_frame& f) noexcept {
    thread_key_state keys = current_thread_keys();
    if (f.outer == nullptr) keys.include = keys.include - key_of(f.at);
    return keys;
  }
  const mode_frame*& top_;
  const mode_frame* before_;
  force_guard keys_;
};

namespace {

template <modes::place At>
struct modes_fallback {
  static constexpr author::kernel_note note{"modes of this thread", [](const operator_handle&, std::span<const value>) {
                                              std::string text;
                                              for (const mode_frame* f = innermost(At); f != nullptr; f = f->outer) {
                                                if (!text.empty()) text += ", then ";
                                                text += std::string(f->name) + ", pushed at " + place_of(f->where);
                                              }
                                              return text;
                                            }};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& stack) const {
    const key_set below = keys.below_highest();
    const mode_frame* const f = innermost(At);
    // Another thread's keys can bring the key without its modes.
    if (f == nullptr) return op.redispatch_boxed(below, stack);
    mode_view::run(*f, op, below, stack);
  }
};

}  // namespace

bool register_modes() {
  fallback<modes_fallback<modes::above>{}>(key::ModesAbove).keep();
  fallback<modes_fallback<modes::below>{}>(key::ModesBelow).keep();
  return true;
}

}  // namespace detail

void modes::call::proceed(boxed_stack& arguments) {
  if (next_ == nullptr) return op_.redispatch_boxed(keys_, arguments);
  detail::mode_view::run(*next_, op_, keys_, arguments);
}

}  // namespace topbit
