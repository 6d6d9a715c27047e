module;

#include <nlohmann/json.hpp>

#include "../text/json_text.h"

module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

namespace {

// Preserves insertion order of members.
using json = nlohmann::ordered_json;

// A struct, so that the overloads can call each other regardless of declaration order.
struct write {
  static json of(const inspect::source_location& p) {
    if (p.file.empty()) return nullptr;
    return {{"file", p.file}, {"line", p.line}};
  }
  static json of(const std::optional<inspect::source_location>& p) { return p ? of(*p) : json(nullptr); }
  static json of(const std::string& s) { return s; }
  static json of(dispatch_key k) { return to_string(k); }
  static json of(key_set s) { return detail::names_in(s); }

  // Members that most have not.
  static json noted(json made, const std::string& note, std::string_view word = {}) {
    if (!note.empty()) made["note"] = note;
    if (!word.empty()) made["word"] = std::string(word);
    return made;
  }

  static json of(const inspect::kernel_dump& k) {
    return noted({{"key", to_string(k.key)},
                  {"form", std::string(name_of(k.form))},
                  {"place", of(k.place)},
                  {"overridden_by", of(k.overridden_by)},
                  {"replaces", k.replaces}},
                 k.note);
  }
  static json of(const inspect::namespace_dump& n) { return {{"name", n.name}, {"owner", of(n.owner)}}; }

  static json of(const inspect::layer_dump& l) { return {{"keys", of(l.keys)}, {"place", of(l.place)}}; }
  static json of(const inspect::backend_name_dump& n) {
    return {{"which", detail::canonical_name(n.which)}, {"name", n.name}, {"place", of(n.place)}};
  }

  template <class T>
  static json list_of(const T& all) {
    json list = json::array();
    for (const auto& each : all) list.push_back(of(each));
    return list;
  }

  static json names_of(tag_set tags) {
    json list = json::array();
    for (const tag t : tags.list()) list.push_back(std::string(name_of(t)));
    return list;
  }

  static json of(const inspect::operator_dump& d) {
    return {{"name", d.name},
            {"schema", d.schema},
            {"signature", d.signature},
            {"tags", names_of(d.tags)},
            {"definitions", list_of(d.definitions)},
            {"kernels", list_of(d.kernels)}};
  }

  static json of(const inspect::table_row& r) {
    return noted({{"key", to_string(r.key)},
                  {"reason", std::string(name_of(r.why))},
                  {"passes", r.passes},
                  {"registered_for", r.registered_for ? json(to_string(*r.registered_for)) : json(nullptr)},
                  {"place", of(r.place)}},
                 r.note, r.word);
  }

  static json of(const inspect::explained_argument& a) { return {{"name", a.name}, {"keys", of(a.keys)}}; }
  static json of(const inspect::candidate& c) {
    return noted({{"key", to_string(c.key)},
                  {"taken", c.taken},
                  {"rule", std::string(name_of(c.rule))},
                  {"why", c.why},
                  {"place", of(inspect::source_location{c.file, c.line})}},
                 c.note);
  }

  static json of(const inspect::coverage_row& r) { return {{"op", r.op}, {"cells", list_of(r.cells)}}; }
  static json of(const inspect::shadowed_kernel& k) {
    return {{"op", k.op},
            {"key", to_string(k.key)},
            {"place", of(k.place)},
            {"reason", std::string(name_of(k.reason))},
            {"at", k.at == key::Undefined ? json(nullptr) : of(k.at)},
            {"by", of(k.by)},
            {"sentence", k.sentence}};
  }

  static json of(const inspect::supposition& s) {
    return {{"what", std::string(name_of(s.what))}, {"key", to_string(detail::as_registered(s.key))}};
  }
  static json of(const inspect::changed_row& c) { return {{"from", of(c.from)}, {"to", of(c.to)}}; }
};

}  // namespace

std::string inspect::to_json(const inspect::operator_dump& d) { return detail::json_text(write::of(d)); }

std::string inspect::to_json(const inspect::registry_dump& d) {
  return detail::json_text({{"operators", write::list_of(d.operators)},
                            {"fallbacks", write::list_of(d.fallbacks)},
                            {"namespaces", write::list_of(d.namespaces)},
                            {"layers", write::list_of(d.layers)},
                            {"backend_names", write::list_of(d.backend_names)}});
}

std::string inspect::to_json(const inspect::table_row& row) { return detail::json_text(write::of(row)); }
std::string inspect::to_json(std::span<const inspect::table_row> table) {
  return detail::json_text(write::list_of(table));
}

std::string inspect::to_json(const inspect::explanation& e) {
  return detail::json_text({{"op", e.op},
                            {"schema", e.schema},
                            {"arguments", write::list_of(e.arguments)},
                            {"included", write::of(e.included)},
                            {"excluded", write::of(e.excluded)},
                            {"always", write::of(e.always)},
                            {"masked", write::of(e.masked)},
                            {"effective", write::of(e.effective)},
                            {"backends", e.backends},
                            {"placed", e.placed ? write::of(*e.placed) : json(nullptr)},
                            {"candidates", write::list_of(e.candidates)},
                            {"selected", write::of(e.selected)},
                            {"found", e.found}});
}

std::string inspect::to_json(const inspect::why_not_answer& a) {
  return detail::json_text({{"op", a.op},
                            {"key", to_string(a.key)},
                            {"reason", std::string(name_of(a.reason))},
                            {"kernel", write::of(a.kernel)},
                            {"selected", write::of(a.selected)},
                            {"found", a.found},
                            {"instead", write::of(a.instead)},
                            {"sentence", a.sentence}});
}

std::string inspect::to_json(const inspect::coverage_report& r) {
  return detail::json_text({{"keys", write::list_of(r.keys)},
                            {"operators", write::list_of(r.operators)},
                            {"shadowed", write::list_of(r.shadowed)}});
}

std::string inspect::to_json(const inspect::what_if_result& r) {
  return detail::json_text({{"op", r.op},
                            {"suppositions", write::list_of(r.suppositions)},
                            {"table", write::list_of(r.table)},
                            {"changed", write::list_of(r.changed)}});
}

std::string inspect::to_json(const inspect::key_overview& all) {
  json keys = json::array(), backends = json::array(), aliases = json::array();
  for (const inspect::layer_overview& l : all.layers) {
    for (dispatch_key k : l.keys) {
      keys.push_back({{"key", to_string(k)},
                      {"functionality", std::string(name_of(k.layer))},
                      {"backend", k.device == backend::none ? json(nullptr) : json(std::string(name_of(k.device)))},
                      {"passes", l.passes}});
    }
  }
  for (backend b : all.backends) backends.push_back(std::string(name_of(b)));
  for (const inspect::alias_overview& a : all.aliases) {
    aliases.push_back({{"alias", to_string(a.alias)}, {"keys", write::list_of(a.keys)}});
  }
  return detail::json_text({{"keys", keys}, {"backends", backends}, {"aliases", aliases}});
}

}  // namespace topbit
