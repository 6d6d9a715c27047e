module;

#include <nlohmann/json.hpp>

module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

using json = nlohmann::ordered_json;
using profile::row, profile::table, profile::column, profile::grouping;

std::string fixed(double x, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, digits).ptr;
  return {text.data(), end};
}

// "1.25 ms", "312 B": a number of three or four places and a unit.
std::string with_unit(double x, std::span<const std::string_view> units, double step) {
  std::size_t u = 0;
  while (x >= step && u + 1 < units.size()) {
    x /= step;
    ++u;
  }
  return fixed(x, u == 0 || x >= 100 ? 0 : x >= 10 ? 1 : 2) + " " + std::string(units[u]);
}
constexpr std::array<std::string_view, 4> times{"ns", "us", "ms", "s"};
constexpr std::array<std::string_view, 5> sizes{"B", "KiB", "MiB", "GiB", "TiB"};
constexpr std::array<std::string_view, 5> rates{"/s", "k/s", "M/s", "G/s", "T/s"};
std::string time_text(std::int64_t ns) { return with_unit(static_cast<double>(ns), times, 1000); }
std::string size_text(std::uint64_t bytes) { return with_unit(static_cast<double>(bytes), sizes, 1024); }

double mean_ns(const row& r) {
  return static_cast<double>(r.total_ns) / static_cast<double>(std::max<std::uint64_t>(r.calls, 1));
}

double products_per_second(const row& r) {
  return r.work && r.self_ns != 0 ? r.work->products * 1e9 / static_cast<double>(r.self_ns) : 0;
}

double key_of(const row& r, column c) {
  switch (c) {
    case column::name: break;
    case column::self: return static_cast<double>(r.self_ns);
    case column::total: return static_cast<double>(r.total_ns);
    case column::mean: return mean_ns(r);
    case column::calls: return static_cast<double>(r.calls);
    case column::allocated: return static_cast<double>(r.allocated);
    case column::products: return products_per_second(r);
  }
  return 0;
}

std::string shown_name(const row& r) {
  const bool plain = r.kind == observe::kind::call || r.kind == observe::kind::redispatch;
  return plain ? r.name : r.name + " (" + std::string(name_of(r.kind)) + ")";
}

struct text_column {
  std::string title;
  std::string (*of)(const row&, const table&);
  bool left = false;
};
const char* text_of(profile::causal_counting c) noexcept {
  return c == profile::causal_counting::whole ? "whole" : "half";
}
std::string share(std::int64_t ns, const table& t) {
  return fixed(t.elapsed_ns == 0 ? 0 : 100.0 * static_cast<double>(ns) / static_cast<double>(t.elapsed_ns), 1);
}

std::vector<text_column> columns_of(const table& t) {
  std::vector<text_column> all{
      {"name", [](const row& r, const table&) { return shown_name(r); }, true},
      {"calls", [](const row& r, const table&) { return std::to_string(r.calls); }},
      {"self", [](const row& r, const table&) { return time_text(r.self_ns); }},
      {"self %", [](const row& r, const table& in) { return share(r.self_ns, in); }},
      {"total", [](const row& r, const table&) { return time_text(r.total_ns); }},
      {"mean", [](const row& r, const table&) { return time_text(static_cast<std::int64_t>(mean_ns(r))); }}};
  const auto some = [&](auto has) { return std::ranges::any_of(t.rows, has); };
  if (some([](const row& r) { return r.own_ns != 0; }))
    all.insert(all.end() - 1,
               {"without own", [](const row& r, const table&) { return time_text(r.total_ns - r.own_ns); }});
  if (some([](const row& r) { return r.allocated != 0; }))
    all.push_back({"allocated", [](const row& r, const table&) { return size_text(r.allocated); }});
  if (some([](const row& r) { return r.work.has_value(); })) {
    all.push_back({"products", [](const row& r, const table&) {
                     const double rate = products_per_second(r);
                     return rate == 0 ? std::string("-") : with_unit(rate, rates, 1000);
                   }});
  }
  if (some([](const row& r) { return !r.range.empty(); }))
    all.push_back({"range", [](const row& r, const table&) { return r.range; }, true});
  if (some([](const row& r) { return !r.inputs.empty(); }))
    all.push_back({"inputs", [](const row& r, const table&) { return r.inputs; }, true});
  return all;
}

}  // namespace

table profile::table::grouped(grouping by, column sorted) const {
  table g = *this;
  g.rows.clear();
  std::map<std::tuple<std::string_view, observe::kind, std::string_view>, std::size_t> place;
  for (const row& r : rows) {
    const std::string_view apart = by == grouping::names    ? std::string_view()
                                   : by == grouping::inputs ? r.inputs
                                                            : r.range;
    const auto [found, fresh] = place.try_emplace({r.name, r.kind, apart}, g.rows.size());
    if (fresh) {
      g.rows.push_back(r);
      if (by != grouping::inputs) g.rows.back().inputs.clear();
      if (by != grouping::ranges) g.rows.back().range.clear();
      continue;
    }
    row& all = g.rows[found->second];
    all.calls += r.calls;
    all.self_ns += r.self_ns;
    all.total_ns += r.total_ns;
    all.allocated += r.allocated;
    all.own_ns += r.own_ns;
    all.nested_ns += r.nested_ns;
    all.nested_own_ns += r.nested_own_ns;
    if (all.work && r.work) *all.work += *r.work;
    if (!r.work) all.work.reset();
  }
  // A row of other inputs that has the nested time too is now the same row.
  if (by != grouping::inputs) {
    for (row& r : g.rows) {
      r.total_ns -= std::exchange(r.nested_ns, 0);
      r.own_ns -= std::exchange(r.nested_own_ns, 0);
    }
  }
  std::ranges::sort(g.rows, [&](const row& a, const row& b) {
    const double x = key_of(a, sorted), y = key_of(b, sorted);
    return x != y ? x > y : std::tie(a.name, a.kind, a.range, a.inputs) < std::tie(b.name, b.kind, b.range, b.inputs);
  });
  return g;
}

std::string to_string(const table& t, std::size_t most_rows) {
  const std::vector<text_column> columns = columns_of(t);
  const std::size_t count = std::min(most_rows, t.rows.size());
  std::vector<std::vector<std::string>> cells(count + 1);
  std::vector<std::size_t> widths(columns.size());
  for (std::size_t i = 0; i <= count; ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      cells[i].push_back(i == 0 ? columns[c].title : columns[c].of(t.rows[i - 1], t));
      widths[c] = std::max(widths[c], cells[i][c].size());
    }
  }
  std::string text;
  for (const auto& line : cells) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string space(widths[c] - line[c].size(), ' ');
      if (c != 0) text += "  ";
      text += columns[c].left ? line[c] + (c + 1 == columns.size() ? "" : space) : space + line[c];
    }
    text += '\n';
  }
  if (count < t.rows.size()) text += "and " + std::to_string(t.rows.size() - count) + " more\n";
  text += std::to_string(t.events) + " events in " + time_text(t.elapsed_ns);
  if (t.own_ns != 0) {
    text += ", for each of which the profile itself took " + time_text(static_cast<std::int64_t>(t.own_ns)) + ", " +
            time_text(static_cast<std::int64_t>(t.own_ns * static_cast<double>(t.events))) + " in all";
  }
  text += '\n';
  if (t.causal) text += "products of causal attention: " + std::string(text_of(*t.causal)) + '\n';
  if (t.dropped != 0) text += std::to_string(t.dropped) + " events are in the table but not in the trace: the limit\n";
  for (const profile::peak& p : t.peaks) {
    text += "peak of " + to_string(p.where) + ": " + size_text(p.bytes) + '\n';
    for (const profile::holder& h : p.holders) {
      text += "  " + size_text(h.bytes) + " in " + std::to_string(h.blocks) + (h.blocks == 1 ? " block" : " blocks") +
              " by " + h.name + (h.range.empty() ? "" : " in " + h.range) + '\n';
    }
  }
  if (!t.without_cost.empty()) {
    text += "cost unknown:";
    for (const std::string& name : t.without_cost) text += " " + name;
    text += '\n';
  }
  return text;
}
std::string to_string(const table& t) { return to_string(t, t.rows.size()); }

std::string to_json(const table& t) {
  json all{{"elapsed_ns", t.elapsed_ns}, {"events", t.events}, {"dropped", t.dropped}, {"own_ns", t.own_ns}};
  if (t.causal) all["causal"] = text_of(*t.causal);
  all["rows"] = json::array();
  for (const row& r : t.rows) {
    json one{{"name", r.name},          {"kind", std::string(name_of(r.kind))},
             {"inputs", r.inputs},      {"range", r.range},
             {"calls", r.calls},        {"self_ns", r.self_ns},
             {"total_ns", r.total_ns},  {"total_without_own_ns", r.total_ns - r.own_ns},
             {"allocated", r.allocated}};
    if (r.work) {
      one["cost"] = {{"products", r.work->products},
                     {"products_per_second", products_per_second(r)},
                     {"operations", r.work->operations},
                     {"bytes_read", r.work->bytes_read},
                     {"bytes_written", r.work->bytes_written}};
    }
    all["rows"].push_back(std::move(one));
  }
  all["peaks"] = json::array();
  for (const profile::peak& p : t.peaks) {
    json one{{"device", to_string(p.where)}, {"bytes", p.bytes}, {"holders", json::array()}};
    for (const profile::holder& h : p.holders)
      one["holders"].push_back({{"name", h.name}, {"range", h.range}, {"bytes", h.bytes}, {"blocks", h.blocks}});
    all["peaks"].push_back(std::move(one));
  }
  all["without_cost"] = t.without_cost;
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string to_csv(const table& t) {
  const auto quoted = [](const std::string& s) {
    std::string q = "\"";
    for (const char c : s) q += c == '"' ? "\"\"" : std::string(1, c);
    return q + "\"";
  };
  std::string text =
      "name,kind,inputs,range,calls,self_ns,total_ns,total_without_own_ns,allocated,products,operations,bytes_read,"
      "bytes_written\r\n";
  for (const row& r : t.rows) {
    text += quoted(r.name) + "," + std::string(name_of(r.kind)) + "," + quoted(r.inputs) + "," + quoted(r.range);
    for (const std::uint64_t n :
         {r.calls, static_cast<std::uint64_t>(r.self_ns), static_cast<std::uint64_t>(r.total_ns),
          static_cast<std::uint64_t>(r.total_ns - r.own_ns), r.allocated}) {
      text += "," + std::to_string(n);
    }
    const profile::cost c = r.work.value_or(profile::cost{});
    for (const double x : {c.products, c.operations, c.bytes_read, c.bytes_written})
      text += r.work ? "," + fixed(x, 0) : ",";
    text += "\r\n";
  }
  return text;
}

}  // namespace topbit
