// Traces in the Trace Event Format for viewers: the object form for a complete list of events, the array form, whose
// closing bracket is optional, for streaming.
module;

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "../text/json_text.h"

module topbit.core;

import topbit.std;
import :inspect.wording;
import :trace.trace_session;

namespace topbit {

namespace {

using json = nlohmann::ordered_json;

std::string metadata(const char* what, unsigned thread, std::string name) {
  return detail::json_text(
      {{"ph", "M"}, {"name", what}, {"pid", getpid()}, {"tid", thread}, {"args", {{"name", std::move(name)}}}});
}

}  // namespace

std::string detail::json_phrase(const inspect::trace_event& e) {
  json args{{"keys", names_in(e.keys)},
            {"key", to_string(e.selected_kernel.key)},
            {"reason", std::string(name_of(e.selected_kernel.why))},
            {"threw", e.threw}};
  if (e.selected_kernel.registered_for) {
    args["registered_for"] = to_string(*e.selected_kernel.registered_for);
    args["place"] = to_string(e.selected_kernel.place);
    if (!e.selected_kernel.note.empty()) args["note"] = e.selected_kernel.note;
  }
  const std::string object = detail::json_text(
      {{"name", e.op}, {"cat", e.redispatch ? "redispatch" : "call"}, {"pid", getpid()}, {"args", std::move(args)}});
  return object.substr(1, object.size() - 2);
}

void detail::append_json(std::string& to, std::string_view phrase, unsigned thread, std::int64_t start,
                         std::int64_t duration) {
  char times[64];
  const auto time = [&](std::string_view field, std::int64_t nanoseconds) {
    to += field;
    to.append(times, static_cast<std::size_t>(write_microseconds(times, nanoseconds) - times));
  };
  time("{\"ph\":\"X\",\"ts\":", start);
  time(",\"dur\":", duration);
  to += ",\"tid\":" + std::to_string(thread) + ",";
  to += phrase;
  to += "}";
}

std::string detail::json_process_name(std::string_view name) { return metadata("process_name", 0, std::string(name)); }

std::string detail::json_thread_name(unsigned thread) {
  return metadata("thread_name", thread, "thread " + std::to_string(thread));
}

std::string inspect::to_json(std::span<const inspect::trace_event> events) {
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)";
  unsigned thread = 0;
  bool first = true;
  const auto separate = [&] { text += std::exchange(first, false) ? "\n" : ",\n"; };
  for (const inspect::trace_event& e : events) {
    if (e.thread != std::exchange(thread, e.thread)) {
      separate();
      text += detail::json_thread_name(e.thread);
    }
    separate();
    detail::append_json(text, detail::json_phrase(e), e.thread, e.start_ns, e.duration_ns);
  }
  return text + "\n]}\n";
}

}  // namespace topbit
