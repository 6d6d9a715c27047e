module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.profiler;

namespace topbit::cli {

namespace {

using profile::column, profile::table;

constexpr std::pair<std::string_view, column> columns[] = {{"name", column::name},
                                                           {"self", column::self},
                                                           {"total", column::total},
                                                           {"mean", column::mean},
                                                           {"calls", column::calls}};

column wanted_column(const std::string& name) {
  if (name.empty()) return column::self;
  std::string known;
  for (const auto& [each, c] : columns) {
    if (each == name) return c;
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  throw bad_request("profile: found --sort '" + name + "', wanted one of " + known);
}

std::size_t wanted_rows(const std::string& said, std::size_t all) {
  if (said.empty()) return all;
  std::size_t rows = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), rows);
  if (error != std::errc() || end != said.data() + said.size())
    throw bad_request("profile: found --rows '" + said + "', wanted a number");
  return rows;
}

}  // namespace

answer run_profile(const request& r) {
  if (r.has("--json") && r.has("--csv")) throw bad_request("profile: found --json and --csv, wanted one of them");
  const column sorted = wanted_column(r.value("--sort"));
  const table t = profile::read_trace(r.words.front()).grouped(profile::grouping::names, sorted);
  const std::size_t rows = wanted_rows(r.value("--rows"), t.rows.size());
  const status ends = t.rows.empty() ? status::negative : status::answered;
  if (r.has("--json")) return {to_json(t), ends};
  if (r.has("--csv")) return {to_csv(t), ends};
  return {to_string(t, rows), ends};
}

}  // namespace topbit::cli
