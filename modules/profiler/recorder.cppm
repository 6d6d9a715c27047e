// What a profile keeps of each thread. The thread alone writes it, under a lock that it shares only with readers.
// Internal.
module topbit.profiler:recorder;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :cost;
import :session;
import :table;

namespace topbit {

namespace detail {

// Who allocates where no event is open.
inline constexpr std::string_view outside_of_calls = "(outside of calls)";

// What the events of a site took.
struct profile_sums {
  std::uint64_t calls = 0, allocated = 0;
  std::int64_t self_ns = 0;
  // With what is inside, calls of the same site inside each other once; `inside` counts the events of which the profile
  // itself takes a part of that time. Of both: in calls of the same operator with other inputs or another range.
  std::int64_t total_ns = 0, nested_ns = 0;
  std::uint64_t inside = 0, nested_inside = 0;
  std::uint64_t counted = 0;    // calls of kernels that did the work: nothing inside them was counted
  std::uint64_t uncounted = 0;  // of kernels of which no rule says what they do
  profile_sums& operator+=(const profile_sums& other) noexcept;
};

// Everything that a row of the table is made of.
struct profile_site {
  std::string name;
  observe::kind kind;
  std::uint32_t inputs;                 // an index; 0: not recorded
  const std::string* range;             // of the thread; null: none
  const void* op;                       // the same for the same operator or range
  std::optional<profile::cost> each{};  // of a call with these inputs, where a rule says
  bool may_cost = false;                // an operator's, and costs are wanted
  profile_sums sums{};
  std::int64_t waiting_ns = 0;  // by itself, in calls of the same operator that are open
};

struct profile_event {
  const profile_site* site;
  std::int64_t start_ns, duration_ns;
  std::uint64_t id;    // a redispatch has that of the call which it passes on
  std::uint64_t link;  // of backward: the call that the node was recorded in; 0: unknown
  std::uint32_t thread;
  bool redispatch;
};

class profile_thread {
 public:
  profile_thread(unsigned number, const profile::options& how) : number_(number), how_(how) {}

  void begin(const observe::event& e, std::uint64_t generation);
  void end(const observe::event& e, profile_recorder& all);
  // The call that an open event is, or passes on.
  std::uint64_t call_of(std::uint64_t id) const noexcept;
  // Adds to the innermost event, or to what stands for none, and says which that is.
  const profile_site& allocated(std::size_t bytes);
  void clear();
  // Adds what a thread that has ended recorded.
  void take(const profile_thread& ended);
  inline unsigned number() const noexcept { return number_; }

  // For readers.
  void add_to(profile::table& t) const;
  std::vector<profile_event> events() const;
  std::string inputs_of(const profile_site& s) const;

  // Nanoseconds that recording an event takes: the median of a thousand that do nothing.
  static double cost_of_event();

 private:
  struct frame {
    std::uint64_t id, call;
    profile_site* site;
    std::int64_t inside_ns = 0;  // in events inside it
    std::uint64_t inside = 0;    // events inside it
    bool counted = false;        // work in it has been counted
    bool has_calls = false;      // it is no kernel
    bool is_range = false;       // it is in ranges_
    inline bool is_of(const profile_site& s) const noexcept { return site->op == s.op && site->kind == s.kind; }
  };
  struct site_key {
    const void* op;
    const std::string* range;
    std::uint32_t inputs;
    observe::kind kind;
    friend bool operator==(const site_key&, const site_key&) = default;
  };
  struct site_hash {
    std::size_t operator()(const site_key& k) const noexcept;
  };
  // An event that has ended, other than its inputs.
  struct ended_event {
    std::uint64_t id, link;
    observe::kind kind;
    bool threw;
    std::int64_t start_ns, duration_ns;
  };
  profile_site& site_of_call(const observe::event& e, std::unique_lock<std::mutex>& lock);
  profile_site& site_of_range(std::string_view name, observe::kind kind);
  profile_site& add_site(const site_key& k, std::string_view name);
  const std::string* range_name(std::string_view name);
  std::uint32_t index_of_inputs(std::span<const std::int64_t> words);
  std::string text_of_inputs(std::uint32_t index) const;
  void open(profile_site& s, std::uint64_t id, observe::kind kind);
  bool take_off(std::uint64_t id, frame& closed);
  void close(const ended_event& e, std::int64_t since);
  profile_site& outside();
  inline const std::string* innermost_range() const noexcept { return ranges_.empty() ? nullptr : ranges_.back(); }
  void keep(const profile_event& e);
  std::vector<profile_event> in_order() const;

  const unsigned number_;
  const profile::options& how_;
  mutable std::mutex mutex_;
  std::uint64_t generation_ = 0;  // of what is open
  std::vector<frame> open_;
  std::vector<const std::string*> ranges_;  // of the program, that are open
  std::vector<profile_site*> waiting_;      // have waiting_ns
  std::unordered_map<std::string, std::unique_ptr<const std::string>> range_names_;
  std::unordered_map<site_key, std::unique_ptr<profile_site>, site_hash> sites_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> inputs_by_hash_;
  std::vector<std::vector<std::int64_t>> inputs_;  // as add_words() writes them
  std::vector<std::int64_t> words_;                // of the call under way
  std::vector<profile_event> events_;              // the newest; a ring once it is full
  std::size_t oldest_ = 0;
  std::uint64_t seen_ = 0, dropped_ = 0;
  std::unique_ptr<profile_site> outside_;
};

// How a thread that ends finds a recorder that may have ended before.
struct recorder_link {
  std::mutex mutex;
  profile_recorder* recorder;  // null: it has ended
};

class profile_recorder {
 public:
  explicit profile_recorder(const profile::options& how);
  profile_recorder(const profile_recorder&) = delete;
  ~profile_recorder();
  void begin(const observe::event& e);
  void end(const observe::event& e);

  // This thread's part, if it has one.
  profile_thread* of_this_thread() const noexcept;
  // Nothing is open on any thread, as far as an observer that begins knows.
  void begin_anew() noexcept { generation_.fetch_add(1, std::memory_order_relaxed); }
  // Forgets everything, and records what begins from now on; ends that.
  void start();
  void stop() noexcept;
  inline bool is_on() const noexcept { return on_.load(std::memory_order_relaxed); }
  inline std::int64_t since() const noexcept { return since_.load(std::memory_order_relaxed); }

  profile::table table() const;
  struct thread_events {
    std::shared_ptr<const profile_thread> of;  // the sites of the events are its
    std::vector<profile_event> events;
  };
  std::vector<thread_events> events() const;
  // The call in which a node was recorded; 0: unknown.
  std::uint64_t take_recorder_of(std::uint64_t node);
  // What the thread recorded becomes part of what all ended threads did; its own part is freed.
  void thread_ended(unsigned number) noexcept;

 private:
  profile_thread& thread(unsigned number);
  void note_nodes(const observe::event& e, std::uint64_t call);

  const std::uint64_t number_;  // of the process, from 1
  const profile::options how_;
  const double own_ns_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<profile_thread>> threads_;  // the first: of those that have ended
  const std::shared_ptr<recorder_link> link_;
  std::mutex nodes_mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> nodes_;
  std::atomic<bool> on_ = false;
  std::atomic<std::int64_t> since_ = 0, until_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace detail

}  // namespace topbit
