// Which operators are forms of a functional one: in place, or with their results given. Schemas alone say so; no
// tensor is touched here. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import topbit;

namespace golden {

namespace tb = topbit;

/// An operator that computes what a functional one does, and where it leaves it.
struct form {
  tb::operator_handle op;
  bool in_place = false;            // the first argument is written; else `outs` are
  std::vector<std::string> outs{};  // names of arguments
  bool options_given = true;        // false: where the functional one is told dtype and device, the outs say it
};

inline std::string_view packet_of(std::string_view name) { return name.substr(0, name.find('.')); }

inline bool is_option(std::string_view name) {
  return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory";
}

inline bool same_argument(const tb::author::schema_item& a, const tb::author::schema_item& b) {
  return a.type == b.type && a.modifiers == b.modifiers && a.name == b.name;
}

using items = std::vector<tb::author::schema_item>;

inline items without(std::span<const tb::author::schema_item> all, bool (*left_out)(const tb::author::schema_item&)) {
  items kept;
  std::ranges::copy_if(all, std::back_inserter(kept), [&](const auto& i) { return !left_out(i); });
  return kept;
}

/// Whether `written` does what `plain` does, and how. None if it does not.
inline std::optional<form> form_of(const tb::operator_handle& plain, const tb::operator_handle& written) {
  const tb::author::schema_view &p = *plain.parsed_schema(), &w = *written.parsed_schema();
  if (tb::author::is_mutable(p) || !tb::author::is_mutable(w)) return {};
  if (std::string(packet_of(plain.name())) + "_" == packet_of(written.name())) {
    if (tb::author::is_in_place(w) && std::ranges::equal(p.arguments, w.arguments, same_argument))
      return form{written, true};
    return {};
  }
  if (packet_of(plain.name()) != packet_of(written.name())) return {};
  const items own = without(w.arguments, [](const tb::author::schema_item& i) { return tb::author::is_out(i); });
  form f{written};
  for (const tb::author::schema_item& i : w.arguments) {
    if (tb::author::is_out(i)) f.outs.emplace_back(i.name);
  }
  if (f.outs.size() != p.returns.size()) return {};
  if (std::ranges::equal(p.arguments, own, same_argument)) return f;
  f.options_given = false;
  const bool makes = std::ranges::any_of(p.arguments, [](const auto& i) { return i.name == "layout"; });
  const items said = without(p.arguments, [](const tb::author::schema_item& i) { return is_option(i.name); });
  return makes && std::ranges::equal(said, own, same_argument) ? std::optional(f) : std::nullopt;
}

/// All forms of an operator. The first call looks at all operators there are.
inline std::vector<form> forms_of(const tb::operator_handle& plain) {
  static const auto by_packet = [] {
    std::multimap<std::string, tb::operator_handle, std::less<>> all;
    for (const std::string& name : tb::registry::process().operators()) {
      const tb::operator_handle op = tb::registry::process().find(name);
      if (op.parsed_schema() != nullptr) all.emplace(packet_of(name), op);
    }
    return all;
  }();
  std::vector<form> forms;
  const std::string packet(packet_of(plain.name()));
  for (const std::string& name : {packet, packet + "_"}) {
    for (auto [at, end] = by_packet.equal_range(name); at != end; ++at) {
      if (std::optional<form> f = form_of(plain, at->second)) forms.push_back(*std::move(f));
    }
  }
  return forms;
}

}  // namespace golden
