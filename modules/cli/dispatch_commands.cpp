module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

answer run_table(const request& r) {
  const operator_handle op = find(r.words.front());
  const inspect::operator_dump registered = dump(op);
  const std::vector<inspect::table_row> table = computed_table(op);
  if (r.has("--json"))
    return {"{\"registered\":" + inspect::to_json(registered) + ",\"table\":" + inspect::to_json(table) + "}\n"};
  std::string text = to_string(registered) + "computed table\n";
  const std::string rows = to_string(std::span(table));
  for (std::string_view left = rows; !left.empty();) {
    const std::size_t end = std::min(left.find('\n') + 1, left.size());
    text += "  " + std::string(left.substr(0, end));
    left.remove_prefix(end);
  }
  return {painted(r.to, text)};
}

answer run_explain(const request& r) {
  const operator_handle op = find(r.words.front());
  const std::vector<key_set> arguments = key_sets_of(std::span(r.words).subspan(1));
  if (arguments.size() > op.argument_count()) {
    throw bad_request(std::string(op.name()) + ": found the keys of " + std::to_string(arguments.size()) +
                      " arguments, wanted those of at most " + std::to_string(op.argument_count()));
  }
  std::optional<key_set> placed;
  if (r.has("--place")) placed = union_of(r.values("--place"));
  const key_set includes = union_of(r.values("--include"));
  // Autocast is excluded by default, so including it must also enable it.
  std::optional<enable_autocast> autocast;
  if (includes.has(functionality::Autocast)) autocast.emplace();
  const include_guard included(includes);
  const exclude_guard excluded(union_of(r.values("--exclude")));
  if (r.has("--why-not")) {
    const inspect::why_not_answer a = inspect::why_not_keys(op, key_named(r.value("--why-not")), arguments, placed);
    const status ends = a.reason == inspect::why_not_reason::runs ? status::answered : status::negative;
    return {r.has("--json") ? inspect::to_json(a) + "\n" : painted(r.to, to_string(a) + "\n"), ends};
  }
  const inspect::explanation e = inspect::explain_keys(op, arguments, placed);
  const status ends = e.found ? status::answered : status::negative;
  return {r.has("--json") ? inspect::to_json(e) + "\n" : painted(r.to, to_string(e)), ends};
}

}  // namespace topbit::cli
