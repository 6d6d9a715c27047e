// The Trace Event Format in its object form, with the head of PyTorch's traces: slices of a thread, arrows from calls
// to their nodes in the backward pass, a counter of memory in use for each device.
module;

#include <unistd.h>
#include <nlohmann/json.hpp>

module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :gzip;
import :memory;
import :recorder;
import :trace_file;

namespace topbit::detail {

namespace {

using json = nlohmann::ordered_json;

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', true, json::error_handler_t::replace);
}

class event_writer {
 public:
  explicit event_writer(text_writer& to) : to_(to), process_(std::to_string(getpid())) {
    text_ =
        R"({"schemaVersion":1,"deviceProperties":[],"displayTimeUnit":"ns","baseTimeNanoseconds":0,"traceEvents":[)";
    add() += R"({"ph":"M","name":"process_name","pid":)" + process_ + R"(,"args":{"name":"topbit"}})";
  }

  void thread(unsigned number) {
    add() += R"({"ph":"M","name":"thread_name","pid":)" + process_ + R"(,"tid":)" + std::to_string(number) +
             R"(,"args":{"name":"thread )" + std::to_string(number) + "\"}}";
  }
  // What does not differ between events of a site and a thread is written once.
  struct phrase {
    std::string before, after;
  };
  phrase slice_phrase(const profile_site& s, unsigned thread, bool redispatch, const std::string& inputs) const {
    const bool operators = s.kind == observe::kind::call;
    std::string before = R"({"ph":"X","name":)" + json_string(s.name) + R"(,"cat":")" +
                         (redispatch                       ? "redispatch"
                          : operators                      ? "cpu_op"
                          : s.kind == observe::kind::range ? "user_annotation"
                                                           : std::string(name_of(s.kind))) +
                         R"(","pid":)" + process_ + R"(,"tid":)" + std::to_string(thread) + R"(,"ts":)";
    std::string after = inputs.empty() ? "}}" : R"(,"inputs":)" + json_string(inputs) + "}}";
    return {std::move(before), std::move(after)};
  }
  // The id is the same for a call, the redispatches that pass it on, and its node in the backward pass.
  void slice(const phrase& p, const profile_event& e) {
    std::string& to = add();
    to += p.before;
    append_microseconds(e.start_ns);
    to += R"(,"dur":)";
    append_microseconds(e.duration_ns);
    to += R"(,"args":{"External id":)";
    append_number(e.link != 0 ? e.link : e.id);
    to += p.after;
  }
  // One end of an arrow: "s" in the call, "f" in the node.
  void arrow(const char* end, std::uint64_t id, unsigned thread, std::int64_t at) {
    std::string& to = add();
    to += R"({"ph":")" + std::string(end) + R"(","id":)" + std::to_string(id) + R"(,"pid":)" + process_ + R"(,"tid":)" +
          std::to_string(thread) + R"(,"cat":"fwdbwd","name":"fwdbwd","ts":)";
    append_microseconds(at);
    to += *end == 'f' ? R"(,"bp":"e"})" : "}";
  }
  void memory(device where, std::int64_t at, std::uint64_t bytes) {
    std::string& to = add();
    to += R"({"ph":"C","name":"memory )" + to_string(where) + R"(","pid":)" + process_ + R"(,"tid":0,"ts":)";
    append_microseconds(at);
    to += R"(,"args":{"bytes":)" + std::to_string(bytes) + "}}";
  }
  void finish() {
    text_ += "\n]}\n";
    flush();
  }

 private:
  static constexpr std::size_t full = std::size_t{1} << 16;
  std::string& add() {
    if (text_.size() >= full) flush();
    text_ += std::exchange(first_, false) ? "\n" : ",\n";
    return text_;
  }
  void flush() {
    to_.write(text_);
    text_.clear();
  }
  void append_number(std::uint64_t x) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  // Nanoseconds as microseconds, exactly.
  void append_microseconds(std::int64_t ns) {
    ns = std::max<std::int64_t>(0, ns);
    append_number(static_cast<std::uint64_t>(ns / 1000));
    const auto rest = static_cast<int>(ns % 1000);
    if (rest == 0) return;
    text_ += '.';
    text_ += static_cast<char>('0' + rest / 100);
    if (rest % 100 != 0) text_ += static_cast<char>('0' + rest / 10 % 10);
    if (rest % 10 != 0) text_ += static_cast<char>('0' + rest % 10);
  }

  text_writer& to_;
  std::string process_, text_;
  bool first_ = true;
};

// The call that an arrow begins in.
struct arrow_begin {
  unsigned thread;
  std::int64_t at;
};

}  // namespace

void write_trace(const std::string& path, const profile_recorder& recorder, const profile_memory* memory) {
  text_writer file(path);
  event_writer to(file);
  // Copies: the threads go on while this writes.
  const std::vector<profile_recorder::thread_events> all = recorder.events();
  std::unordered_set<std::uint64_t> wanted;
  for (const auto& part : all) {
    for (const profile_event& e : part.events) {
      if (e.link != 0) wanted.insert(e.link);
    }
  }
  std::unordered_map<std::uint64_t, arrow_begin> begins;
  for (const auto& part : all) {
    // Events of a thread follow each other, also of those that have ended.
    unsigned thread = 0;
    std::unordered_map<std::uint64_t, event_writer::phrase> phrases;
    for (const profile_event& e : part.events) {
      if (std::exchange(thread, e.thread) != e.thread) {
        to.thread(thread);
        phrases.clear();
      }
      const std::uint64_t key = reinterpret_cast<std::uintptr_t>(e.site) | std::uint64_t{e.redispatch};
      auto found = phrases.find(key);
      if (found == phrases.end()) {
        auto phrase = to.slice_phrase(*e.site, thread, e.redispatch, part.of->inputs_of(*e.site));
        found = phrases.emplace(key, std::move(phrase)).first;
      }
      to.slice(found->second, e);
      // A call ends after its redispatches.
      if (wanted.contains(e.id)) begins.insert_or_assign(e.id, arrow_begin{thread, e.start_ns});
    }
  }
  std::uint64_t arrows = 0;
  for (const auto& part : all) {
    for (const profile_event& e : part.events) {
      const auto from = e.link == 0 ? begins.end() : begins.find(e.link);
      if (from == begins.end()) continue;
      to.arrow("s", ++arrows, from->second.thread, from->second.at);
      to.arrow("f", arrows, e.thread, e.start_ns);
    }
  }
  if (memory != nullptr) {
    for (const auto& [where, s] : memory->samples()) to.memory(where, s.at_ns, s.bytes);
  }
  to.finish();
  file.finish();
}

}  // namespace topbit::detail
