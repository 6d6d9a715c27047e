// Validates a file in the Trace Event Format with complete events and thread names: fields and types of each event, and
// that events of a thread are nested or disjoint, as flame charts require.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace trace_format {

using nlohmann::json;

inline std::vector<std::string> faults(const json& file) {
  std::vector<std::string> found;
  const json* events = &file;  // the array form
  if (file.is_object()) {
    if (!file.contains("traceEvents")) return {"no traceEvents"};
    events = &file["traceEvents"];
    if (file.contains("displayTimeUnit") && file["displayTimeUnit"] != "ms" && file["displayTimeUnit"] != "ns") {
      found.push_back("displayTimeUnit is neither ms nor ns");
    }
  }
  if (!events->is_array()) return {"the events are no array"};
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> of_thread;
  for (const json& e : *events) {
    const auto needs = [&](const char* field, bool (json::*is)() const noexcept) {
      const bool good = e.contains(field) && (e[field].*is)();
      if (!good) found.push_back(e.dump() + ": " + field);
      return good;
    };
    bool good = needs("ph", &json::is_string);
    for (const char* field : {"pid", "tid"}) good = needs(field, &json::is_number_integer) && good;
    good = needs("name", &json::is_string) && good;
    if (e.contains("args")) good = needs("args", &json::is_object) && good;
    if (!good) continue;
    if (e["ph"] == "M") {
      if ((e["name"] != "thread_name" && e["name"] != "process_name") || !e["args"]["name"].is_string())
        found.push_back(e.dump() + ": metadata");
    } else if (e["ph"] == "X") {
      for (const char* field : {"ts", "dur"}) good = needs(field, &json::is_number) && good;
      if (needs("cat", &json::is_string) && good) {
        const double ts = e["ts"], dur = e["dur"];
        if (dur < 0) found.push_back(e.dump() + ": negative");
        of_thread[{e["pid"], e["tid"]}].emplace_back(ts, ts + dur);
      }
    } else {
      found.push_back(e.dump() + ": phase");
    }
  }
  // Begin and duration are rounded to nanoseconds, so an end may be off by two nanoseconds.
  const double rounding = 0.002;
  for (const auto& [thread, spans] : of_thread) {
    for (const auto& a : spans) {
      for (const auto& b : spans) {
        if (a.first < b.first && b.first < a.second - rounding && a.second < b.second - rounding)
          found.push_back("events overlap");
      }
    }
  }
  return found;
}

}  // namespace trace_format
