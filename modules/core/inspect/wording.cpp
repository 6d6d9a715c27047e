module topbit.core;

import topbit.std;
import :inspect.wording;

namespace topbit::detail {

std::string registered_text(const inspect::source_location& place, std::optional<key_target> target) {
  if (place.line == 0) return (target ? ", for " + to_string(*target) : std::string()) + " " + place.file;
  return ", registered" + (target ? " for " + to_string(*target) : std::string()) + " at " + to_string(place);
}

std::string note_text(std::string_view note) { return note.empty() ? "" : " (" + std::string(note) + ")"; }

std::string content_of(const inspect::table_row& row) {
  std::string text(name_of(row.why));
  if (row.why == inspect::row_reason::transparent) return text + ", calls pass through it";
  if (row.why == inspect::row_reason::ambiguous) return text + ", calls throw";
  if (row.why == inspect::row_reason::missing) return text;
  if (row.passes) text += ", a fallthrough";
  text += note_text(row.note);
  const bool own = row.registered_for == key_target(row.key);
  return text + registered_text(row.place, own ? std::nullopt : row.registered_for);
}

std::string grouped(std::span<const keyed_line> lines, std::string_view indent) {
  const auto follows = [](const keyed_line& a, const keyed_line& b) {
    return author::per_backend(a.key.layer) && a.key.layer == b.key.layer &&
           slot_index(a.key) + 1 == slot_index(b.key) && a.text == b.text;
  };
  std::string text;
  for (std::size_t first = 0; first < lines.size();) {
    std::size_t last = first;
    while (last + 1 < lines.size() && follows(lines[last], lines[last + 1])) ++last;
    text += std::string(indent) + to_string(lines[first].key);
    if (last != first) text += " to " + to_string(lines[last].key);
    text += ": " + lines[first].text + "\n";
    first = last + 1;
  }
  return text;
}

std::vector<std::string> names_in(key_set s) {
  std::vector<std::string> names;
  if (s.highest_backend() != backend::none) {
    for (dispatch_key k : s) names.push_back(to_string(k));
    return names;
  }
  for (unsigned f = 1; f <= author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    if (s.has(layer)) names.emplace_back(name_of(layer));
  }
  return names;
}

std::string layers_text(key_set s) {
  std::string text = "{";
  for (const std::string& name : names_in(s)) text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

}  // namespace topbit::detail
