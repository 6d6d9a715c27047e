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

// Everything that a row of the table is made of.
struct profile_site {
  std::string name;
  observe::kind kind;
  std::uint32_t inputs;      // an index; 0: not recorded
  const std::string* range;  // of the thread; null: none
  const void* op;            // the same for the same operator or range
  std::uint64_t calls = 0, allocated = 0;
  std::int64_t self_ns = 0, total_ns = 0;
  std::int64_t waiting_ns = 0;          // by itself, in calls of the same operator that are open
  std::optional<profile::cost> each{};  // of a call with these inputs, where a rule says
  bool may_cost = false;                // an operator's, and costs are wanted
  std::uint64_t counted = 0;            // calls of kernels that did the work: nothing inside them was counted
  std::uint64_t uncounted = 0;          // of kernels of which no rule says what they do
};

struct profile_event {
  const profile_site* site;
  std::int64_t start_ns, duration_ns;
  std::uint64_t id, link;  // link: of backward, the call that the node was recorded in; 0: unknown
  bool redispatch;
};

class profile_thread {
 public:
  profile_thread(unsigned number, const profile::options& how) : number_(number), how_(how) {}

  void begin(const observe::event& e, std::uint64_t generation);
  void end(const observe::event& e, profile_recorder& all);
  // Adds to the innermost event, or to what stands for none, and says which that is.
  const profile_site& allocated(std::size_t bytes);
  void clear();
  inline unsigned number() const noexcept { return number_; }

  // For readers.
  void add_to(profile::table& t) const;
  std::vector<profile_event> events() const;
  std::string inputs_of(const profile_site& s) const;

 private:
  struct frame {
    std::uint64_t id;
    profile_site* site;
    std::int64_t inside_ns = 0;  // in events inside it
    bool counted = false;        // work in it has been counted
    bool has_calls = false;      // it is no kernel
    bool is_range = false;       // it is in ranges_
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
  profile_site& site_of(const site_key& k, const observe::event& e);
  std::uint32_t index_of_inputs(std::span<const value> arguments);
  std::string text_of_inputs(std::uint32_t index) const;
  bool close(const observe::event& e, frame& closed);
  void keep(const profile_event& e);

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

class profile_recorder {
 public:
  explicit profile_recorder(const profile::options& how);
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
  // All that there are now; they live as long as the recorder.
  std::vector<profile_thread*> threads() const;
  // The call in which a node was recorded; 0: unknown.
  std::uint64_t take_recorder_of(std::uint64_t node);

 private:
  profile_thread& thread(unsigned number);
  void note_nodes(const observe::event& e);
  // What recording itself takes, of the first events.
  class timed;

  const std::uint64_t number_;  // of the process, from 1
  const profile::options how_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<profile_thread>> threads_;
  std::mutex nodes_mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> nodes_;
  std::atomic<bool> on_ = false;
  std::atomic<std::int64_t> since_ = 0, until_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<std::int64_t> own_ns_ = 0;
  std::atomic<std::uint32_t> own_readings_ = 0;  // begin() and end() are one each
};

}  // namespace detail

}  // namespace topbit
