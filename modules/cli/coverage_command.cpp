module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace {

// Lists up to 10 slots at which calls find no kernel; empty if there are none.
std::string holes_of(const inspect::coverage_report& all) {
  constexpr std::size_t listed = 10;
  std::size_t count = 0;
  std::string places;
  for (const inspect::coverage_row& row : all.operators) {
    for (const inspect::table_row& cell : row.cells) {
      if (cell.why != inspect::row_reason::missing && cell.why != inspect::row_reason::ambiguous) continue;
      if (count++ < listed) places += "\n  " + row.op + " at " + to_string(cell.key);
    }
  }
  if (count == 0) return {};
  const std::string more = count > listed ? "\n  and " + std::to_string(count - listed) + " more" : "";
  return "no kernel, " + std::to_string(count) + (count == 1 ? " place" : " places") + places + more + "\n";
}

}  // namespace

answer run_coverage(const request& r) {
  const std::vector<operator_handle> operators = operators_matching(r.words);
  const std::vector<dispatch_key> keys = keys_listed(r.values("--keys"));
  const inspect::coverage_report report = coverage(operators, keys);
  const std::string holes = r.has("--require") ? holes_of(report) : std::string();
  const status ends = holes.empty() && !operators.empty() ? status::answered : status::negative;
  if (r.has("--html")) {
    if (r.value("--html") == "-") return {page_of(report), ends};
    write_file("coverage", r.value("--html"), page_of(report));
    return {holes, ends};
  }
  if (r.has("--json")) return {inspect::to_json(report) + "\n", ends};
  return {painted_table(r.to, to_string(report, r.to.columns)) + painted(r.to, holes), ends};
}

}  // namespace topbit::cli
