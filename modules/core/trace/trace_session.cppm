// What a trace is made of: a buffer for each thread it hears of, which that thread alone writes and anybody may read,
// so that noting a call takes no lock. Internal.
module topbit.core:trace.trace_session;

import topbit.std;
import :dispatch.tracer;
import :keys.key_set;
import :observe.listener;
import :registry.registry;
import :trace.trace;

namespace topbit {

namespace detail {

struct trace_record {
  const selected_kernel* ran;
  std::uint64_t keys;
  std::uint64_t begin, end;  // ticks
  std::uint32_t depth;
  bool redispatch, threw;
};

// The records of one thread for one trace, in the order in which calls ended.
class trace_buffer {
 public:
  trace_buffer(unsigned thread, std::size_t limit) noexcept : thread_(thread), limit_(limit) {}
  trace_buffer(const trace_buffer&) = delete;
  ~trace_buffer();
  inline unsigned thread() const noexcept { return thread_; }

  // For the thread that writes. Room for the calls it is still in is kept, so that an outer call is there if one inside
  // it is.
  void add(const trace_record& r) noexcept;

  // For readers, one at a time.
  inline std::size_t size() const noexcept {
    return written_.load(std::memory_order_acquire) - cleared_.load(std::memory_order_relaxed);
  }
  inline std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  // Appends the records to `to`, each call before those inside it.
  void read(std::vector<trace_record>& to) const;
  // Forgets the first so many records, and how many were dropped.
  void clear(std::size_t count) noexcept;

 private:
  static constexpr std::size_t block_size = 256;
  struct block {
    std::array<trace_record, block_size> records;
    std::atomic<block*> next{nullptr};
  };
  const unsigned thread_;
  const std::size_t limit_;
  std::atomic<std::size_t> written_ = 0, cleared_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<block*> first_ = nullptr;  // the reader's, once it is there
  block* last_ = nullptr;                // the writer's
  std::size_t first_number_ = 0;         // of the block that `first_` is
};

// Where the records of a trace go that the program does not read itself.
class trace_output {
 public:
  virtual ~trace_output() = default;
  // Is it worth writing now? Asked by the thread that calls, after each record.
  virtual bool is_due(std::size_t records, bool outermost) const noexcept = 0;
  virtual void write(unsigned thread, std::span<const trace_record> records, std::uint64_t begin) = 0;
  virtual void close() noexcept = 0;
};

class trace_state final : public call_listener {
 public:
  explicit trace_state(std::size_t most, std::unique_ptr<trace_output> to = nullptr) noexcept;
  const std::size_t limit;
  const int process;        // that began it
  std::uint64_t begin = 0;  // ticks

  mutable std::mutex mutex;  // readers, and who adds or takes away a buffer
  std::vector<std::shared_ptr<trace_buffer>> buffers;
  const std::unique_ptr<trace_output> output;  // null: kept for whoever asks

  std::shared_ptr<part> part_of(unsigned thread) override;
  // A session with an output belongs to the parent and takes no lock in the child.
  void hold() noexcept override;
  void release() noexcept override;

  // In a fork of the process that began the trace, its output is another's, and its mutex may be held by a thread that
  // is not there. Takes no lock.
  bool belongs_to_another() const noexcept;
  // Writes what the buffer holds, unless the trace has ended. In a fork it ends the trace there.
  void flush(trace_buffer& b) noexcept;
  // The rest of every buffer, and the end of the output. False if that has been done, or is another process's to do.
  bool finish() noexcept;

 private:
  void write(trace_buffer& b) noexcept;
};

// Ends a trace; the second time it does nothing.
void end_trace(const std::shared_ptr<trace_state>& s) noexcept;

// The record as data.
struct trace_scale;
inspect::trace_event event_of(const trace_record& r, unsigned thread, const trace_scale& since);

// Texts that depend on what was called and not on when, made once for each of the last few.
class trace_phrases {
 public:
  using maker = std::string (*)(const inspect::trace_event&);
  explicit trace_phrases(maker make) : make_(make), slots_(slot_count) {}
  inline std::string_view of(const trace_record& r) {
    const std::uint64_t id = r.keys << 2 | std::uint64_t{r.redispatch} << 1 | std::uint64_t{r.threw};
    const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(r.ran) >> 4) + (id ^ id >> 32);
    slot& s = slots_[(mixed ^ mixed >> 8) % slot_count];
    if (s.ran != r.ran || s.id != id) [[unlikely]]
      make(s, r, id);
    return s.text;
  }

 private:
  static constexpr std::size_t slot_count = 64;
  struct slot {
    const selected_kernel* ran = nullptr;
    std::uint64_t id = 0;
    std::string text;
  };
  void make(slot& s, const trace_record& r, std::uint64_t id);
  maker make_;
  std::vector<slot> slots_;
};

// Makes nanoseconds of ticks, since the trace began.
struct trace_scale {
  std::uint64_t begin;
  double rate = nanoseconds_per_tick();
  inline std::int64_t operator()(std::uint64_t ticks) const noexcept {
    return static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - begin)) * rate);
  }
};

// One line for people, one object for viewers, without the clock's part.
std::string text_phrase(const inspect::trace_event& e);
std::string json_phrase(const inspect::trace_event& e);

// Where the text of so many microseconds ends: "1.204" for 1204 ns. Needs room for 24 characters.
char* write_microseconds(char* to, std::int64_t nanoseconds) noexcept;
void append_line(std::string& to, std::size_t depth, std::string_view phrase, std::int64_t duration);
// "thread 2", where several threads follow each other.
std::string thread_heading(unsigned thread);

void append_json(std::string& to, std::string_view phrase, unsigned thread, std::int64_t start, std::int64_t duration);
// The objects by which viewers know what a process and a thread are called.
std::string json_process_name(std::string_view name);
std::string json_thread_name(unsigned thread);

// Starts what TOPBIT_TRACE asks for; ends the process, with one sentence, where that cannot be done.
void start_environment_trace(registry_state& state);

}  // namespace detail

}  // namespace topbit
