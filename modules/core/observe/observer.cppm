// Observers: objects that are told of every call while they are registered, and ranges, by which a program tells them
// what it is doing.
//
//   const tb::observe::observer printing([](const tb::observe::event& e) { std::cout << e.name() << '\n'; });
//
// The first observer to begin and the last to end store every slot of every operator anew. While there is none, calls
// cost nothing more, and a range a nanosecond.
export module topbit.core:observe.observer;

import topbit.std;
import :dispatch.tracer;
import :observe.event;

namespace topbit {

export namespace observe {

/// Whose calls an observer is told of.
enum class threads : std::uint8_t { mine, all };

/// What can be an observer: an object with begin(const event&), which may return a value of at most 8 bytes, and with
/// end(const event&), or end(const event&, value), where one returned it. One of the two may be missing. A lambda that
/// is called with a `const event&` is told of beginnings.
template <class O>
concept observes = requires(O& o, const event& e) { o.begin(e); } || requires(O& o, const event& e) { o.end(e); } ||
                   std::invocable<O&, const event&>;

struct options {
  observe::threads threads = threads::mine;
  bool arguments = false;  // event::arguments() in begin()
  bool results = false;    // event::results() in end()
  bool calls = true;       // is told of calls; without, calls cost as if nothing were observed
  bool ranges = true;      // is told of ranges
  /// Each call is drawn with a chance of one in so many; inside one that was, all calls are seen. Ranges are not drawn.
  unsigned one_in = 1;
};

}  // namespace observe

namespace detail {

// An observer's object without its type.
class observer_object {
 public:
  virtual ~observer_object() = default;
  virtual std::uint64_t begin(const observe::event& e) = 0;
  virtual void end(const observe::event& e, std::uint64_t began) = 0;
};

template <class T>
concept fits_word = std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t);

template <class O>
class observer_of final : public observer_object {
 public:
  explicit observer_of(O&& o) : object_(std::forward<O>(o)) {}

  std::uint64_t begin(const observe::event& e) override {
    if constexpr (begins) {
      using returned = decltype(object_.begin(e));
      if constexpr (std::is_void_v<returned>) {
        object_.begin(e);
      } else {
        static_assert(fits_word<returned>,
                      "observer: begin() returns a value of more than 8 bytes, or one that is not trivially copyable");
        const returned r = object_.begin(e);
        std::uint64_t word = 0;
        std::memcpy(&word, &r, sizeof r);
        return word;
      }
    } else if constexpr (!ends) {
      object_(e);
    }
    return 0;
  }
  void end(const observe::event& e, std::uint64_t began) override {
    if constexpr (ends_with_word) {
      std::remove_cvref_t<decltype(object_.begin(e))> r;
      std::memcpy(&r, &began, sizeof r);
      object_.end(e, r);
    } else if constexpr (ends) {
      object_.end(e);
    }
  }

 private:
  using object = std::remove_reference_t<O>;
  static constexpr bool begins = requires(object& o, const observe::event& e) { o.begin(e); };
  static constexpr bool ends_with_word = requires(object& o, const observe::event& e) { o.end(e, o.begin(e)); };
  static constexpr bool ends = ends_with_word || requires(object& o, const observe::event& e) { o.end(e); };
  O object_;
};

class observing;

}  // namespace detail

export namespace observe {

/// Tells an object of every call of the process registry's operators, from now until its end. Several may be there at
/// once, and each is told of everything; an observer is told of no call that an observer makes. begin() and end() come
/// in pairs, also where an exception ends the call. With threads::all the object is called by several threads at once.
///
/// An object that throws is told of nothing more, and a sentence on the standard error output says so; the call goes
/// on. After a fork the child's calls are not observed. stop() and the end wait until no other thread is in begin() or
/// end(), unless an observer is what calls them.
///
/// A temporary is kept, anything else is referred to. Cost of a call that is seen: two readings of the clock and some
/// 300 instructions; of calls that are not, while anything is observed, 60. Throws error for one_in = 0.
class [[nodiscard("the observer ends with the full expression that makes it")]] observer {
 public:
  template <observes O>
  explicit observer(O&& o, options how = {}, std::source_location where = std::source_location::current())
      : observer(std::make_unique<topbit::detail::observer_of<O>>(std::forward<O>(o)), how, where) {}
  observer(observer&&) noexcept = default;
  observer& operator=(observer&& other) noexcept {
    if (this != &other) stop();
    state_ = std::move(other.state_);
    return *this;
  }
  inline ~observer() { stop(); }
  void stop() noexcept;

 private:
  observer(std::unique_ptr<topbit::detail::observer_object> o, const options& how, const std::source_location& where);
  std::shared_ptr<topbit::detail::observing> state_;
};

/// What a program does, for the length of a scope, for observers and what they make of it: profiles, traces.
///
///   const tb::observe::profile_range r("step");
///
/// The text must live as long as the range. Ranges of a thread end in the reverse order of their beginning, on that
/// thread. Cost while the thread is not observed: two loads and a comparison.
class [[nodiscard("the range ends with the full expression that makes it")]] profile_range {
 public:
  explicit inline profile_range(std::string_view name, observe::kind what = observe::kind::range,
                                std::uint64_t about = 0) noexcept {
    if (topbit::detail::this_thread_is_observed()) [[unlikely]]
      begin(name, what, about);
  }
  explicit inline profile_range(const char* name, observe::kind what = observe::kind::range,
                                std::uint64_t about = 0) noexcept
      : profile_range(std::string_view(name), what, about) {}
  /// A text that is gone before the range ends.
  explicit profile_range(std::string&& name, observe::kind what = {}, std::uint64_t about = 0) = delete;
  profile_range(const profile_range&) = delete;
  profile_range& operator=(const profile_range&) = delete;
  inline ~profile_range() {
    if (observers_ != nullptr) [[unlikely]]
      end();
  }

 private:
  void begin(std::string_view name, observe::kind what, std::uint64_t about) noexcept;
  void end() noexcept;
  topbit::detail::thread_observers* observers_ = nullptr;
  topbit::detail::seen_event event_;
};

}  // namespace observe

}  // namespace topbit
