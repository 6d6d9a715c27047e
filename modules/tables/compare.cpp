module topbit.tables;

import topbit.std;
import topbit.core;

namespace topbit::tables {

namespace {

// SymInt and int are one C++ type, so they are no difference.
class without_symbols {
 public:
  explicit without_symbols(const author::schema_view& s) : items_(s.arguments.begin(), s.arguments.end()), view_(s) {
    items_.insert(items_.end(), s.returns.begin(), s.returns.end());
    for (author::schema_item& i : items_) {
      if (i.type == "SymInt") i.type = "int";
      if (i.type == "SymBool") i.type = "bool";
    }
    const std::span<const author::schema_item> all(items_);
    view_.arguments = all.first(s.arguments.size());
    view_.returns = all.subspan(s.arguments.size());
  }
  const author::schema_view& view() const { return view_; }

 private:
  std::vector<author::schema_item> items_;
  author::schema_view view_;
};

}  // namespace

list_comparison compare_with_list(std::string_view text, std::string_view file, std::string_view ns, registry& r) {
  const table_entries t = read_entries(text, true);
  if (!t.wrong.ok()) throw bad_argument(std::string(sentence_of(file, t.wrong).view()));
  list_comparison all;
  all.entries = t.entries.size();
  for (const table_entry& e : t.entries) {
    list_difference d;
    d.at = e.func.at;
    d.op = std::string(e.ns.empty() ? ns : e.ns) + "::" + std::string(e.name);
    d.theirs = e.ns.empty() ? std::string(ns) + "::" + e.func.text() : e.func.text();
    if (const mistake m = check_schema(e); !m.ok()) {
      d.at = m.at;
      d.reason = m.text.view();
      const auto known = std::ranges::find(all.reasons, d.reason, &std::pair<std::string, std::size_t>::first);
      if (known != all.reasons.end())
        ++known->second;
      else
        all.reasons.emplace_back(d.reason, 1);
      all.refused.push_back(std::move(d));
      continue;
    }
    const std::optional<operator_handle> ours = r.try_find(d.op);
    if (!ours) {
      all.missing.push_back(std::move(d));
      continue;
    }
    d.ours = ours->schema();
    const schema theirs_parsed(d.theirs), ours_parsed(d.ours);
    const without_symbols a(theirs_parsed.view()), b(ours_parsed.view());
    const std::vector<author::schema_change> changes = author::differences(a.view(), b.view());
    if (a.view() == b.view() || changes.empty()) {
      ++all.same;
    } else {
      d.reason = author::to_string(changes.front());
      all.differs.push_back(std::move(d));
    }
  }
  std::ranges::stable_sort(all.reasons, [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

std::string to_string(const list_comparison& c, bool missing_too) {
  const auto count = [](std::size_t n) { return std::to_string(n); };
  std::string text = count(c.entries) + " entries: " + count(c.same) + " the same, " + count(c.differs.size()) +
                     (c.differs.size() == 1 ? " differs, " : " differ, ") + count(c.missing.size()) + " missing, " +
                     count(c.refused.size()) + " refused\n";
  for (const list_difference& d : c.differs)
    text += "differs " + d.op + " | " + d.reason + "\n  theirs " + d.theirs + "\n  ours   " + d.ours + "\n";
  for (const auto& [reason, times] : c.reasons) text += "refused " + count(times) + " | " + reason + "\n";
  for (const list_difference& d : c.refused) text += "refused " + d.op + " in line " + count(d.at.line) + "\n";
  if (missing_too) {
    for (const list_difference& d : c.missing) text += "missing " + d.theirs + "\n";
  }
  return text;
}

}  // namespace topbit::tables
