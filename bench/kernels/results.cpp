#include "results.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {

namespace {

using json = nlohmann::ordered_json;

// Six digits: more would be noise, and a file that differs everywhere.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

// JSON has no infinity; an error that great is one that nobody computes with.
json number(double value) { return std::isfinite(value) ? json(rounded(value)) : json(nullptr); }
double number_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

json of(const result& r) {
  json j{{"by", r.by},           {"setting", r.setting},   {"seconds", number(r.seconds)},
         {"low", number(r.low)}, {"high", number(r.high)}, {"rate", number(r.rate)}};
  if (r.threads != 1) j["threads"] = r.threads;
  if (r.yardstick) j["yardstick"] = true;
  return j;
}
result result_of(const json& j) {
  return {j.at("by"),
          j.at("setting"),
          j.value("threads", 1),
          j.value("yardstick", false),
          number_of(j.at("seconds")),
          number_of(j.at("low")),
          number_of(j.at("high")),
          number_of(j.at("rate"))};
}

json of(const measured_row& r) {
  json j{{"name", r.name},   {"family", r.family},  {"operation", r.operation}, {"form", r.form},
         {"label", r.label}, {"unit", r.unit},      {"size", r.size},           {"bytes", r.bytes},
         {"flops", r.flops}, {"threads", r.threads}};
  for (const result& one : r.results) j["results"].push_back(of(one));
  return j;
}
measured_row row_of(const json& j) {
  measured_row r{j.at("name"),
                 j.at("family"),
                 j.at("operation"),
                 j.at("form"),
                 j.at("label"),
                 j.at("unit"),
                 j.at("size").get<double>(),
                 j.at("bytes").get<double>(),
                 j.at("flops").get<double>(),
                 j.at("threads").get<int>(),
                 {}};
  for (const json& one : j.at("results")) r.results.push_back(result_of(one));
  return r;
}

json of(const measured_error& e) {
  return {{"function", e.function},   {"by", e.by},
          {"setting", e.setting},     {"ulp", number(e.ulp)},
          {"worse", number(e.worse)}, {"ulp_beyond", number(e.ulp_beyond)},
          {"special", e.special}};
}

template <class T, class Same>
void replace_or_add(std::vector<T>& all, const T& one, Same same) {
  const auto found = std::ranges::find_if(all, same);
  if (found == all.end()) {
    all.push_back(one);
  } else {
    *found = one;
  }
}

}  // namespace

std::string to_json(const report& r) {
  json j;
  j["header"] = json::object();
  for (const auto& [name, value] : r.header) j["header"][name] = value;
  j["rows"] = json::array();
  for (const measured_row& row : r.rows) j["rows"].push_back(of(row));
  j["errors"] = json::array();
  for (const measured_error& e : r.errors) j["errors"].push_back(of(e));
  return j.dump(1) + "\n";
}

report read_report(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("could not read '" + path + "'");
  try {
    const json j = json::parse(file);
    report r;
    for (const auto& [name, value] : j.at("header").items()) r.header.emplace_back(name, value.get<std::string>());
    for (const json& row : j.at("rows")) r.rows.push_back(row_of(row));
    for (const json& e : j.at("errors")) {
      r.errors.push_back({e.at("function"), e.at("by"), e.at("setting"), number_of(e.at("ulp")),
                          number_of(e.at("worse")), number_of(e.at("ulp_beyond")), e.at("special").get<int>()});
    }
    return r;
  } catch (const json::exception& e) {
    throw std::runtime_error("found no report in '" + path + "': " + e.what());
  }
}

void merge(report& into, const report& more) {
  for (const auto& one : more.header) {
    const auto named = [&](const auto& other) { return other.first == one.first; };
    if (std::ranges::none_of(into.header, named)) into.header.push_back(one);
  }
  for (const measured_row& row : more.rows) {
    replace_or_add(into.rows, row, [&](const measured_row& r) { return r.name == row.name; });
  }
  for (const measured_error& e : more.errors) {
    replace_or_add(into.errors, e, [&](const measured_error& o) {
      return o.function == e.function && o.by == e.by && o.setting == e.setting;
    });
  }
}

const measured_row* find(const report& r, const std::string& name) {
  const auto found = std::ranges::find(r.rows, name, &measured_row::name);
  return found == r.rows.end() ? nullptr : &*found;
}

const result* best_of(const measured_row& row, const std::string& by, int threads) {
  const result* best = nullptr;
  for (const result& one : row.results) {
    if (one.by == by && one.threads == threads && (best == nullptr || one.seconds < best->seconds)) best = &one;
  }
  return best;
}

std::string heading(const measured_row& row, const result& of) {
  const auto several =
      std::ranges::count_if(row.results, [&](const result& r) { return r.by == of.by && r.setting != of.setting; });
  std::string text = of.by + (several > 0 ? " " + of.setting : "");
  if (row.threads > 1 && !of.yardstick)
    text += of.threads == 1 ? ", 1 thread" : ", " + std::to_string(of.threads) + " threads";
  return text;
}

std::optional<double> error_of(const report& r, const std::string& function, const result& of) {
  for (const measured_error& e : r.errors) {
    if (e.function == function && e.by == of.by && e.setting == of.setting) return e.ulp;
  }
  return std::nullopt;
}

std::optional<double> bound(const report& r, const std::string& function) {
  for (const measured_error& e : r.errors) {
    if (e.function != function || e.by != "topbit") continue;
    const double whole = std::max(1.0, std::ceil(e.ulp));
    return whole <= 2 ? std::optional(whole) : std::nullopt;
  }
  return std::nullopt;
}

bool within_bound(const report& r, const measured_row& row, const result& of) {
  const bool function =
      std::ranges::any_of(r.errors, [&](const measured_error& e) { return e.function == row.operation; });
  if (!function || of.yardstick) return true;
  const std::optional<double> limit = bound(r, row.operation), found = error_of(r, row.operation, of);
  return limit && found && *found <= *limit;
}

}  // namespace bench
