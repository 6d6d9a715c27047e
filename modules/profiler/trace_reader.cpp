// The table of a trace file: slices of a thread that lie within each other are calls within each other.
module;

#include <math.h>

#include <nlohmann/json.hpp>

module topbit.profiler;

import topbit.std;
import topbit.core;
import :gzip;
import :session;
import :table;

namespace topbit {

namespace {

using json = nlohmann::json;

struct slice {
  std::string name;
  observe::kind kind;
  bool is_redispatch;
  std::int64_t start, end;
};

// Empty where it is no number, or none that a trace can have.
std::optional<std::int64_t> nanoseconds(const json& event, const char* field) {
  constexpr double most = 4e15;  // microseconds: the sum of two is 64 bits of nanoseconds
  const auto found = event.find(field);
  if (found == event.end() || !found->is_number()) return std::nullopt;
  const double x = found->get<double>();
  if (!(x >= -most && x <= most)) return std::nullopt;
  return static_cast<std::int64_t>(round(x * 1000));
}

// Of a process and a thread: numbers, or texts.
std::string name_at(const json& event, const char* field) {
  const auto found = event.find(field);
  if (found == event.end()) return "";
  if (found->is_number_integer()) return std::to_string(found->get<std::int64_t>());
  return found->is_string() ? found->get<std::string>() : "";
}

std::string text_at(const json& event, const char* field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

observe::kind kind_of(const std::string& category) {
  if (category == "user_annotation" || category == "range") return observe::kind::range;
  if (category == "backward") return observe::kind::backward;
  if (category == "optimizer") return observe::kind::optimizer;
  return observe::kind::call;
}

class summing {
 public:
  explicit summing(profile::table& to) : to_(to) {}

  // Slices that overlap others in part have no place among them, and are dropped.
  void add(std::vector<slice>& all) {
    std::ranges::sort(
        all, [](const slice& a, const slice& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
    for (const slice& s : all) {
      leave_until(s.start);
      if (!open_.empty() && s.end > open_.back().end) {
        ++to_.dropped;
        --to_.events;
        continue;
      }
      enter(s);
    }
    leave_until(std::numeric_limits<std::int64_t>::max());
  }

 private:
  struct frame {
    std::size_t row;
    std::int64_t start, end, inside;
    bool is_call;
  };
  void enter(const slice& s) {
    const auto [found, fresh] = places_.try_emplace({s.name, s.kind}, to_.rows.size());
    if (fresh) {
      to_.rows.push_back({.name = s.name, .kind = s.kind});
      open_of_row_.push_back(0);
    }
    const bool passed_on = s.kind == observe::kind::call && !open_.empty() && open_.back().row == found->second;
    open_.push_back({found->second, s.start, s.end, 0, !s.is_redispatch && !passed_on});
    ++open_of_row_[found->second];
  }
  void leave_until(std::int64_t now) {
    while (!open_.empty() && open_.back().end <= now) {
      const frame f = open_.back();
      open_.pop_back();
      profile::row& r = to_.rows[f.row];
      const std::int64_t duration = f.end - f.start;
      r.calls += f.is_call;
      r.self_ns += duration - f.inside;
      if (--open_of_row_[f.row] == 0) r.total_ns += duration;
      if (!open_.empty()) open_.back().inside += duration;
    }
  }

  profile::table& to_;
  std::vector<frame> open_;
  std::vector<std::uint64_t> open_of_row_;
  std::map<std::pair<std::string, observe::kind>, std::size_t> places_;
};

}  // namespace

profile::table profile::read_trace(const std::string& path) {
  const std::string text = topbit::detail::read_text(path);
  const json all = json::parse(text, nullptr, false);
  const json* events = &all;
  if (all.is_object()) {
    const auto found = all.find("traceEvents");
    events = found == all.end() ? nullptr : &*found;
  }
  if (events == nullptr || !events->is_array()) {
    throw error("'" + path + "': found " + (all.is_discarded() ? "no JSON" : "JSON that is no trace") +
                ", wanted the Trace Event Format: a list of events, or an object with traceEvents");
  }
  std::map<std::string, std::vector<slice>> threads;
  profile::table t;
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
  for (const json& e : *events) {
    if (!e.is_object() || text_at(e, "ph") != "X") continue;
    const std::string name = text_at(e, "name"), category = text_at(e, "cat");
    const std::optional<std::int64_t> from = nanoseconds(e, "ts"), took = nanoseconds(e, "dur");
    if (name.empty() || !from || !took || *took < 0) continue;
    const std::int64_t start = *from, end = start + *took;
    const std::string thread = name_at(e, "pid") + " " + name_at(e, "tid");
    threads[thread].push_back({name, kind_of(category), category == "redispatch", start, end});
    first = std::min(first, start);
    last = std::max(last, end);
    ++t.events;
  }
  if (t.events != 0) t.elapsed_ns = last - first;
  summing sums(t);
  for (auto& [name, slices] : threads) sums.add(slices);
  return t;
}

}  // namespace topbit
