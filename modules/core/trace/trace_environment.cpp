// The trace requested by TOPBIT_TRACE: it starts with the process registry and ends with the process. Output is written
// as calls end, so memory use is bounded.
module;

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

module topbit.core;

import topbit.std;
import :trace.trace_session;

namespace topbit::detail {

namespace {

void say(std::string_view what) { author::warn({"TOPBIT_TRACE: ", what}); }
// Uses _exit: called before the program has run any code that would need cleanup.
[[noreturn]] void refuse(const std::string& why) {
  say(why);
  _exit(2);
}
[[noreturn]] void refuse_file(const std::string& path, int why) {
  refuse("cannot write '" + path + "': " + strerror(why) + "; name a file that can be written");
}

// Timeout for the reader of a pipe.
constexpr int patience_ms = 3000;
constexpr int takes_nothing = -1;

// Blocks SIGPIPE in this thread: writing to a pipe without a reader returns EPIPE instead of raising the signal.
class broken_pipes_held {
 public:
  broken_pipes_held() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  broken_pipes_held(const broken_pipes_held&) = delete;
  ~broken_pipes_held() {
    const timespec none{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &none);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

class trace_file {
 public:
  trace_file(int descriptor, std::string name, bool is_pipe = false) noexcept
      : descriptor_(descriptor), is_pipe_(is_pipe), name_(std::move(name)) {}
  // Returns 0 or an errno value.
  int try_to_write(std::string_view text) noexcept {
    std::optional<broken_pipes_held> held;
    if (is_pipe_) held.emplace();
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written >= 0) {
        text.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno == EAGAIN && is_pipe_) {
        pollfd wanted{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        if (poll(&wanted, 1, patience_ms) == 0) return takes_nothing;
      } else if (errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }
  void write(std::string_view text) noexcept {
    if (failed_) return;
    if (const int error = try_to_write(text); error != 0) fail(error);
  }

 private:
  // Disables the trace; the program continues.
  void fail(int error) noexcept {
    failed_ = true;
    const char* why = error == takes_nothing ? "its reader does not read" : strerror(error);
    author::warn({"TOPBIT_TRACE: ", name_, ": the trace ends here, ", why});
  }
  int descriptor_;
  bool is_pipe_;
  std::string name_;
  bool failed_ = false;
};

class text_output final : public trace_output {
 public:
  explicit text_output(trace_file file) noexcept : file_(std::move(file)) {}
  // Due after each outermost call, so that the trace interleaves with the program's own output.
  bool is_due(std::size_t records, bool outermost) const noexcept override {
    return outermost || records >= most_records;
  }
  void write(unsigned thread, std::span<const trace_record> records, std::uint64_t begin) override {
    text_.clear();
    if (thread_ != 0 && thread_ != thread) text_ += thread_heading(thread);
    thread_ = thread;
    if (!records.empty() && records.front().depth != 0) text_ += "... inside a call that has not ended\n";
    const trace_scale since{begin};
    for (const trace_record& r : records) {
      append_line(text_, r.depth, phrases_.of(r), since(r.end) - since(r.begin));
    }
    file_.write(text_);
  }
  void close() noexcept override {}

 private:
  static constexpr std::size_t most_records = 4096;
  trace_file file_;
  trace_phrases phrases_{&text_phrase};
  std::string text_;
  unsigned thread_ = 0;  // the thread that was written last
};

class json_output final : public trace_output {
 public:
  // The file already contains beginning().
  explicit json_output(trace_file file) : file_(std::move(file)) {}
  static std::string beginning() { return "[\n" + json_process_name(program_invocation_short_name); }
  bool is_due(std::size_t records, bool) const noexcept override { return records >= most_records; }
  void write(unsigned thread, std::span<const trace_record> records, std::uint64_t begin) override {
    text_.clear();
    if (std::ranges::find(named_, thread) == named_.end()) {
      text_ += ",\n" + json_thread_name(thread);
      named_.push_back(thread);
    }
    const trace_scale since{begin};
    for (const trace_record& r : records) {
      text_ += ",\n";
      append_json(text_, phrases_.of(r), thread, since(r.begin), since(r.end) - since(r.begin));
    }
    file_.write(text_);
  }
  void close() noexcept override { file_.write("\n]\n"); }

 private:
  static constexpr std::size_t most_records = 256;
  trace_file file_;
  trace_phrases phrases_{&json_phrase};
  std::string text_;
  std::vector<unsigned> named_;  // threads with a name record in the file
};

std::string with_process_number(std::string path) {
  const std::string number = std::to_string(getpid());
  for (std::size_t at = 0; (at = path.find("%p", at)) != std::string::npos; at += number.size()) {
    path.replace(at, 2, number);
  }
  return path;
}

bool is_pipe(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
}

// Opening a pipe blocks until it has a reader. A shell starts both at once, so opening is retried until the timeout.
int open_to_write(const std::string& path) {
  constexpr int step_ms = 10;
  for (int waited = 0;; waited += step_ms) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != ENXIO || !is_pipe(path)) refuse_file(path, errno);
    if (waited >= patience_ms)
      refuse("cannot write '" + path + "': no process reads this pipe; start its reader first");
    poll(nullptr, 0, step_ms);
  }
}

// Truncates the file unless another process writes it: child processes inherit TOPBIT_TRACE and must not overwrite the
// parent's trace.
std::optional<trace_file> open_alone(const std::string& path) {
  const int descriptor = open_to_write(path);
  struct stat about{};
  const bool known = fstat(descriptor, &about) == 0;
  if (known && S_ISFIFO(about.st_mode)) return trace_file(descriptor, path, true);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  // Terminals are not locked: they may have several writers.
  if (known && S_ISREG(about.st_mode)) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor);
      return std::nullopt;
    }
    if (ftruncate(descriptor, 0) != 0) refuse_file(path, errno);
  }
  return trace_file(descriptor, path);
}

// Null if another process writes the file.
std::unique_ptr<trace_output> output_for(std::string_view wanted) {
  if (wanted == "1") return std::make_unique<text_output>(trace_file(STDERR_FILENO, "standard error output"));
  const bool as_json = wanted.starts_with("json:");
  if (!as_json && !wanted.starts_with("text:")) {
    refuse("found '" + std::string(wanted) + "', wanted 0, 1, text:FILE or json:FILE");
  }
  const std::string path = with_process_number(std::string(wanted.substr(5)));
  std::optional<trace_file> file = open_alone(path);
  if (!file) {
    say("another process writes '" + path + "'; name the file with %p to have one for each process");
    return nullptr;
  }
  if (!as_json) return std::make_unique<text_output>(*std::move(file));
  if (const int error = file->try_to_write(json_output::beginning()); error != 0) refuse_file(path, error);
  return std::make_unique<json_output>(*std::move(file));
}

// Never destroyed: threads may make calls during exit.
std::shared_ptr<trace_state>& environment_session() {
  static auto& session = *new std::shared_ptr<trace_state>;
  return session;
}

}  // namespace

void start_environment_trace(registry_state& state) {
  const char* asked = secure_getenv("TOPBIT_TRACE");
  const std::string_view wanted = asked == nullptr ? "" : asked;
  if (wanted.empty() || wanted == "0") return;
  std::unique_ptr<trace_output> output = output_for(wanted);
  if (output == nullptr) return;
  auto session = std::make_shared<trace_state>(std::numeric_limits<std::size_t>::max(), std::move(output));
  environment_session() = session;
  start_clock();
  session->begin = clock_ticks();
  start_listening(session, state);
  std::atexit([] { end_trace(environment_session()); });
}

}  // namespace topbit::detail
