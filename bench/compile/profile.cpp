#include "profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace profile {

namespace {

struct event {
  std::int64_t begin, duration, inside;  // microseconds; `inside` is what nested events took
  std::string phase, what;
};

struct share {
  double milliseconds = 0;
  std::size_t times = 0;
};

// "topbit::detail::caller<int (int)>::make" is work for caller: what stands before the first argument list. Nothing for
// a mangled name, a place in a file or a whole module.
std::string template_of(const std::string& detail) {
  if (detail.rfind("_Z", 0) == 0 || detail.find_first_of("/[") == 0) return "";
  return detail.substr(0, detail.find_first_of("<("));
}

struct trace {
  std::vector<event> events;
  double front_end = 0, back_end = 0;  // milliseconds
};

trace read(const std::string& path) {
  std::ifstream in(path);
  const nlohmann::json whole = nlohmann::json::parse(in, nullptr, false);
  if (!whole.is_object() || !whole.contains("traceEvents")) {
    throw std::runtime_error("found no trace in '" + path + "', wanted what clang writes with -ftime-trace");
  }
  trace found;
  for (const auto& e : whole["traceEvents"]) {
    const std::string name = e.value("name", "");
    if (name == "Total Frontend") found.front_end = static_cast<double>(e.value("dur", std::int64_t{0})) / 1000;
    if (name == "Total Backend") found.back_end = static_cast<double>(e.value("dur", std::int64_t{0})) / 1000;
    // "Total ..." are sums clang adds; what begins and ends apart overlaps with the rest.
    if (e.value("ph", "") != "X" || name.rfind("Total ", 0) == 0) continue;
    std::string detail;
    if (const auto args = e.find("args"); args != e.end()) detail = args->value("detail", "");
    found.events.push_back(
        {e.value("ts", std::int64_t{0}), e.value("dur", std::int64_t{0}), 0, name, template_of(detail)});
  }
  return found;
}

void subtract_nested(std::vector<event>& events) {
  std::sort(events.begin(), events.end(), [](const event& a, const event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.duration > b.duration;
  });
  std::vector<event*> open;
  for (event& e : events) {
    while (!open.empty() && open.back()->begin + open.back()->duration <= e.begin) open.pop_back();
    if (!open.empty()) open.back()->inside += e.duration;
    open.push_back(&e);
  }
}

void print_most(std::ostream& out, const std::string& title, const std::map<std::string, share>& all,
                std::size_t lines) {
  std::vector<std::pair<std::string, share>> sorted(all.begin(), all.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.milliseconds > b.second.milliseconds; });
  out << "  " << title << '\n';
  for (std::size_t i = 0; i < std::min(lines, sorted.size()); ++i) {
    out << std::fixed << std::setprecision(1) << std::setw(10) << sorted[i].second.milliseconds << " ms" << std::setw(8)
        << sorted[i].second.times << "  " << sorted[i].first << '\n';
  }
}

}  // namespace

void print(std::ostream& out, const std::string& path) {
  trace found = read(path);
  subtract_nested(found.events);
  out << std::fixed << std::setprecision(0) << "  front end " << found.front_end << " ms, back end " << found.back_end
      << " ms\n";
  std::map<std::string, share> phases, templates;
  for (const event& e : found.events) {
    const double own = static_cast<double>(e.duration - e.inside) / 1000;
    const auto add = [&](share& s) {
      s.milliseconds += own;
      ++s.times;
    };
    add(phases[e.phase]);
    if (!e.what.empty()) add(templates[e.phase + " " + e.what]);
  }
  print_most(out, "phases, own time", phases, 14);
  print_most(out, "by what was worked on, own time", templates, 30);
}

}  // namespace profile
