module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import :graph_commands;

namespace topbit::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The facts of a file: for each subject, an operator or the registry itself, a sorted list of sentences. Subjects are
// added and removed as a whole.
using facts = std::map<std::string, std::vector<std::string>>;

// The facts of one JSON file; the members determine its kind.
class reading {
 public:
  reading(const json& answers, bool places) : places_(places) {
    if (answers.contains("fallbacks")) {
      kind_ = "a dump";
      read_dump(answers);
    } else if (answers.contains("shadowed")) {
      kind_ = "a coverage report";
      read_coverage(answers);
    } else if (answers.contains("registered")) {
      kind_ = "a table";
      read_operator(answers.at("registered"));
      for (const json& row : answers.at("table")) add(answers.at("registered").at("name"), row_text(row));
    }
    for (auto& [subject, lines] : facts_) std::sort(lines.begin(), lines.end());
  }
  std::string_view kind() const { return kind_; }
  const facts& all() const { return facts_; }

 private:
  void add(const std::string& subject, std::string line) { facts_[subject].push_back(std::move(line)); }

  std::string place_text(const json& place) const {
    if (!places_ || place.is_null()) return {};
    return " at " + place.at("file").get<std::string>() + ":" + std::to_string(place.at("line").get<unsigned>());
  }
  std::string kernel_text(const json& k) const {
    return k.at("key").get<std::string>() + ": " + k.at("form").get<std::string>() +
           (k.at("overridden_by").is_null() ? "" : ", overridden") + place_text(k.at("place"));
  }
  std::string row_text(const json& row) const {
    const auto key = row.at("key").get<std::string>();
    const bool elsewhere = !row.at("registered_for").is_null() && row.at("registered_for") != key;
    return "slot " + key + ": " + row.at("reason").get<std::string>() +
           (row.at("passes").get<bool>() ? ", passes" : "") +
           (elsewhere ? ", registered for " + row.at("registered_for").get<std::string>() : "") +
           place_text(row.at("place"));
  }
  void read_operator(const json& op) {
    const auto name = op.at("name").get<std::string>();
    add(name, "schema " + op.at("schema").get<std::string>());
    add(name, "signature " + op.at("signature").get<std::string>());
    for (const json& place : op.at("definitions")) add(name, "defined" + place_text(place));
    for (const json& k : op.at("kernels")) add(name, kernel_text(k));
  }
  void read_dump(const json& dump) {
    constexpr const char* whole = "the registry";
    facts_[whole];  // listed even if it has no facts
    for (const json& op : dump.at("operators")) read_operator(op);
    for (const json& k : dump.at("fallbacks")) add(whole, "fallback for " + kernel_text(k));
    for (const json& n : dump.at("namespaces")) {
      add(whole, "namespace " + n.at("name").get<std::string>() + place_text(n.at("owner")));
    }
    for (const json& l : dump.at("layers")) add(whole, "always " + l.at("keys").dump() + place_text(l.at("place")));
    for (const json& n : dump.at("backend_names")) {
      add(whole,
          n.at("which").get<std::string>() + " is " + n.at("name").get<std::string>() + place_text(n.at("place")));
    }
  }
  void read_coverage(const json& report) {
    for (const json& op : report.at("operators")) {
      facts_[op.at("op").get<std::string>()];
      for (const json& row : op.at("cells")) add(op.at("op"), row_text(row));
    }
    for (const json& s : report.at("shadowed")) {
      add(s.at("op"), "out of reach: " + s.at("key").get<std::string>() + ", " + s.at("reason").get<std::string>() +
                          place_text(s.at("place")));
    }
  }

  bool places_;
  std::string_view kind_ = "";
  facts facts_;
};

reading read_file(const std::string& path, bool places) {
  const std::string text = content_of("diff", path);
  constexpr const char* wanted = ", wanted what 'topbit dump --json', 'table --json' or 'coverage --json' writes";
  try {
    reading r(json::parse(text), places);
    if (r.kind().empty()) throw bad_request("diff: found other JSON in '" + path + "'" + wanted);
    return r;
  } catch (const json::parse_error& e) {
    throw bad_request("diff: found no JSON in '" + path + "' from byte " + std::to_string(e.byte) + " on" + wanted);
  } catch (const json::exception&) {
    throw bad_request("diff: found a member of another kind in '" + path + "'" + wanted);
  }
}

struct changed_subject {
  std::string name;
  std::vector<std::string> removed, added;
};

std::vector<std::string> only_in(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> only;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
  return only;
}

struct difference {
  std::vector<std::string> removed, added;  // subjects
  std::vector<changed_subject> changed;
  bool none() const { return removed.empty() && added.empty() && changed.empty(); }
};

difference between(const facts& a, const facts& b) {
  difference d;
  for (const auto& [name, lines] : a) {
    const auto other = b.find(name);
    if (other == b.end())
      d.removed.push_back(name);
    else if (other->second != lines)
      d.changed.push_back({name, only_in(lines, other->second), only_in(other->second, lines)});
  }
  for (const auto& [name, lines] : b) {
    if (!a.contains(name)) d.added.push_back(name);
  }
  return d;
}

std::string json_of(const difference& d) {
  ordered_json changed = ordered_json::array();
  for (const changed_subject& c : d.changed) {
    changed.push_back({{"subject", c.name}, {"removed", c.removed}, {"added", c.added}});
  }
  const ordered_json all{{"removed", d.removed}, {"added", d.added}, {"changed", changed}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string text_of(const difference& d, const style& s) {
  std::string text;
  for (const std::string& name : d.removed) text += styled(s, emphasis::red, "- " + name) + "\n";
  for (const std::string& name : d.added) text += styled(s, emphasis::green, "+ " + name) + "\n";
  for (const changed_subject& c : d.changed) {
    text += styled(s, emphasis::bold, c.name) + "\n";
    for (const std::string& line : c.removed) text += styled(s, emphasis::red, "  - " + line) + "\n";
    for (const std::string& line : c.added) text += styled(s, emphasis::green, "  + " + line) + "\n";
  }
  return text;
}

}  // namespace

answer run_diff(const request& r) {
  if (std::optional<answer> of_graphs = compare_graph_files(r)) return *of_graphs;
  const reading a = read_file(r.words[0], r.has("--places")), b = read_file(r.words[1], r.has("--places"));
  if (a.kind() != b.kind()) {
    throw bad_request("diff: found " + std::string(a.kind()) + " and " + std::string(b.kind()) +
                      ", wanted two files of one kind");
  }
  const difference d = between(a.all(), b.all());
  return {r.has("--json") ? json_of(d) : text_of(d, r.to), d.none() ? status::answered : status::negative};
}

}  // namespace topbit::cli
