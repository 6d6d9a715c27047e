// A profile: an observer that sums while it runs.
//
//   tb::profile::session p;
//   for (...) { const tb::observe::profile_range r("step"); train(); }
//   p.stop();
//   std::cout << p.table().grouped();
//   p.write_trace("steps.json.gz");
export module topbit.profiler:session;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :table;

namespace topbit {

namespace detail {
class profile_recorder;
class profile_memory;

// Loads what TOPBIT_TOOLS names, when a program that imports this module starts.
bool start_tools();
const bool tools_started = start_tools();
}  // namespace detail

export namespace profile {

/// Which steps are recorded: `wait` steps nothing is observed; `warmup` steps everything is, and nothing recorded, so
/// that first calls, which bind operators and load libraries, do not count; then `active` steps are. That is a cycle,
/// of which there are `repeat`, or without end. Without active steps all is recorded, and step() does nothing.
struct schedule {
  unsigned wait = 0, warmup = 0, active = 0, repeat = 0;
};

struct options {
  observe::threads threads = observe::threads::all;
  bool inputs = false;                              // tells calls apart by dtypes, sizes and devices of their arguments
  bool costs = false;                               // what kernels cost, by the rules of :cost; implies inputs
  causal_counting causal = causal_counting::whole;  // where a kernel computes causal attention
  bool memory = false;                              // who takes memory, and who holds it at the peak; of all threads
  bool backward = false;  // arrows in the trace from calls to their nodes in the backward pass
  /// Events of each thread that are kept for write_trace(), the newest: 48 bytes each. The table counts all.
  std::size_t limit = std::size_t{1} << 20;
  profile::schedule schedule{};
};

/// Records from its making until stop() or its end. Several may be on at once; each sees everything.
///
/// Cost of a call that is recorded: some 250 ns; see docs/profiling.md. Calls of threads that are not recorded, while a
/// profile is on, cost a jump. A table is summed while the calls run: asking for it takes time by the number of its
/// rows.
///
/// Memory, of each thread: a row for each name, inputs and range; 48 bytes for each event that is kept. Threads that
/// have ended are one in this, of which the newest events are kept.
///
/// Threads: table() and write_trace() may be called from any thread at any time; step() and stop() by one at a time.
class [[nodiscard("the profile ends with the full expression that makes it")]] session {
 public:
  /// Throws error for a schedule that records nothing, or whose cycles follow each other without a step between.
  explicit session(const options& how = {}, std::source_location where = std::source_location::current());
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// Ends it; what it recorded stays.
  void stop() noexcept;
  /// Ends a step of the program, and begins the next. With a schedule a step is a range, so it is called outside of
  /// others, by one thread. True where this ended the last active step of a cycle: table() and
  /// write_trace() then have that cycle, until the active steps of the next one begin.
  bool step();

  /// What has ended so far, of all threads.
  profile::table table() const;
  /// Writes a trace for Perfetto or chrome://tracing, in the Trace Event Format with the head of PyTorch's traces;
  /// compressed if the path ends with ".gz", by zlib (libz.so.1), which is loaded then. Written beside the path and
  /// renamed, so that a file that was there stays until the new one is whole. Throws error where zlib is not there, the
  /// path is something else than a file, or the file cannot be written.
  void write_trace(const std::string& path) const;

 private:
  enum class phase : std::uint8_t { off, warming, recording };
  phase phase_of(std::uint64_t step) const noexcept;
  void enter(phase next);

  options how_;
  std::source_location where_;
  std::shared_ptr<topbit::detail::profile_recorder> recorder_;
  std::unique_ptr<topbit::detail::profile_memory> memory_;
  std::optional<observe::observer> observer_;
  phase phase_ = phase::off;
  std::uint64_t steps_ = 0;
  bool stopped_ = false;
  std::optional<observe::profile_range> in_step_;
};

/// The table of a trace file: one that write_trace(), TOPBIT_TRACE=json:FILE or PyTorch's profiler wrote, compressed or
/// not. Throws error where it cannot be read, or holds no trace.
table read_trace(const std::string& path);

}  // namespace profile

}  // namespace topbit
