// Who is told of calls: the observers and traces of the process, and what each thread knows of them. Internal.
module topbit.core:observe.listener;

import topbit.std;
import :dispatch.tracer;
import :inspect.computed_table;
import :keys.key_set;
import :registry.registry;

namespace topbit {

namespace detail {

// The cheapest clock that tells the truth: where the processor's counter runs at one rate, whatever the processor does,
// that counter; else the system's monotonic clock, which takes twice as long to ask.
std::uint64_t clock_ticks() noexcept;
// Ready after start_clock(), which measures for a millisecond the first time.
double nanoseconds_per_tick() noexcept;
void start_clock() noexcept;
// Since the clock was started first.
std::int64_t nanoseconds_at(std::uint64_t ticks) noexcept;

// The selection as data.
inspect::table_row row_of(const selected_kernel& w, key_set keys);

class call_listener {
 public:
  // What it is in one thread, which alone calls it.
  class part {
   public:
    virtual ~part() = default;
    // `word` comes back in end(), which is not called after false.
    virtual bool begin(const seen_event& e, std::uint64_t& word) noexcept = 0;
    virtual void end(const seen_event& e, std::uint64_t word) noexcept = 0;
    virtual void thread_ends() noexcept {}
  };
  call_listener() noexcept;
  call_listener(const call_listener&) = delete;
  virtual ~call_listener() = default;

  virtual std::shared_ptr<part> part_of(unsigned thread) = 0;
  // For the length of a fork, if children go on with it.
  virtual void hold() noexcept {}
  virtual void release() noexcept {}

  bool wants_calls = true, wants_arguments = false, wants_results = false, wants_ranges = false;
  unsigned one_in = 1;
  std::atomic<bool> ended = false;

  inline bool is_over() const noexcept { return ended.load(std::memory_order_acquire); }
  // After a fork, in the child, where the only thread is the one that forked.
  bool is_of_parent() const noexcept;
  void follow_fork() noexcept;

 protected:
  bool goes_on_in_child = false;

 private:
  const unsigned process_;
};

// What a thread knows of the listeners that want to hear of it.
class thread_observers {
 public:
  // This thread's, as they are now; null if there are none, or if one of them is what makes the call.
  static thread_observers* of_this_thread() noexcept;
  // Lets a listener hear of this thread, from the next event on.
  static void attach_this_thread(const std::shared_ptr<call_listener>& l);
  // In a child, for the listeners of the thread that forked.
  static void follow_fork() noexcept;
  // Whether a listener is what runs on this thread.
  static bool is_telling() noexcept;
  thread_observers() noexcept = default;
  thread_observers(const thread_observers&) = delete;
  ~thread_observers();

  // Who takes the next event; false if none does. Then begin(), and end() with the same event.
  inline bool choose_for_call() noexcept { return takes_all_calls_ || choose_among_calls(); }
  bool choose_for_range() noexcept;
  inline bool want_arguments() const noexcept { return want_arguments_; }
  inline bool want_results() const noexcept { return want_results_; }
  void begin(seen_event& e) noexcept;
  void end(seen_event& e) noexcept;

 private:
  struct open_event {
    std::uint64_t number, word;
    bool call;
  };
  // A vector whose usual way is a few instructions.
  class open_events {
   public:
    // False without memory.
    inline bool push(std::uint64_t number, bool call) noexcept {
      if (size_ == capacity_ && !grow()) [[unlikely]]
        return false;
      all_[size_++] = {number, 0, call};
      return true;
    }
    inline void pop_to(std::size_t size) noexcept { size_ = static_cast<std::uint32_t>(size); }
    inline std::uint32_t size() const noexcept { return size_; }
    inline open_event& operator[](std::size_t i) noexcept { return all_[i]; }

    [[gnu::noinline, gnu::cold]] bool grow() noexcept;

   private:
    std::unique_ptr<open_event[]> all_;
    std::uint32_t size_ = 0, capacity_ = 0;
  };
  struct listening {
    std::shared_ptr<call_listener> to;
    std::shared_ptr<call_listener::part> part;
    open_events open;              // that it saw begin
    unsigned open_calls = 0;       // of these, calls that were drawn
    std::uint64_t until_next = 0;  // calls, where it draws
    std::uint64_t random = 0;
    bool takes = false;
    bool draws() noexcept;
  };
  bool choose_among_calls() noexcept;
  static thread_observers& own();
  void attach(const std::shared_ptr<call_listener>& l);
  void follow_changes() noexcept;
  void publish() noexcept;
  template <class Takes>
  bool choose(Takes takes) noexcept;

  unsigned number_ = 0;      // since it was first observed
  std::uint64_t count_ = 0;  // of its events
  bool telling_ = false, want_arguments_ = false, want_results_ = false;
  bool takes_all_calls_ = false;                 // each listener does: none draws
  std::vector<std::unique_ptr<listening>> all_;  // stay where they are: what is told may begin to observe
};

// Begins to tell of this thread, or of all; ends it.
void start_listening(const std::shared_ptr<call_listener>& l, bool all_threads);
// The same where the process registry is being made, whose state this is.
void start_listening(const std::shared_ptr<call_listener>& l, registry_state& state);
// Precondition: `ended` has been set, by this caller.
void stop_listening(const std::shared_ptr<call_listener>& l) noexcept;

}  // namespace detail

}  // namespace topbit
