module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/chunk_by.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.core;

import topbit.std;

namespace topbit {

namespace views = ranges::views;

inspect::key_overview describe_keys() {
  inspect::key_overview all;
  for (unsigned f = author::functionality_count; f > 0; --f) {
    const auto layer = static_cast<functionality>(f);
    inspect::layer_overview& line = all.layers.emplace_back(layer);
    line.passes = detail::transparent_keys.has(layer);
    if (!author::per_backend(layer)) line.keys.push_back({layer});
    for (unsigned b = author::backend_count; author::per_backend(layer) && b > 0; --b)
      line.keys.push_back({layer, static_cast<backend>(b)});
  }
  for (unsigned b = author::backend_count; b > 0; --b) all.backends.push_back(static_cast<backend>(b));
  for (std::uint8_t a = 0; a < author::alias_count; ++a) {
    inspect::alias_overview& line = all.aliases.emplace_back(alias_key{a});
    detail::alias_slots[a].for_each([&](unsigned slot) { line.keys.push_back(author::key_of_row(slot)); });
  }
  return all;
}

namespace {

// "Undefined, CPU to Meta, FPGA": neighbouring backends of one functionality are printed as a range.
std::string ranges_text(std::span<const dispatch_key> keys) {
  const auto follows = [](dispatch_key a, dispatch_key b) {
    return author::per_backend(a.layer) && a.layer == b.layer && detail::slot_index(a) + 1 == detail::slot_index(b);
  };
  const auto range_text = [](auto&& run) {
    auto last = run.end();
    --last;
    return last == run.begin() ? to_string(*last) : to_string(*run.begin()) + " to " + to_string(*last);
  };
  return keys | views::chunk_by(follows) | views::transform(range_text) | views::join(std::string(", ")) |
         ranges::to<std::string>();
}

}  // namespace

std::string to_string(const inspect::key_overview& all) {
  std::string text = "keys, the highest of a call's first\n";
  for (const inspect::layer_overview& l : all.layers) {
    text += "  " + to_string(l.keys.front());
    if (l.keys.size() > 1) text += " down to " + to_string(l.keys.back()) + ", one for each backend";
    text += l.passes ? "; calls pass through where nothing is registered\n" : "\n";
  }
  text += "backends, the highest first\n";
  for (backend b : all.backends) {
    text += "  " + std::string(name_of(b));
    if (const std::string own = detail::canonical_name(b); own != name_of(b)) text += ", which is " + own;
    text += "\n";
  }
  text += "aliases, and the keys they stand for at registration\n";
  for (const inspect::alias_overview& a : all.aliases)
    text += "  " + to_string(a.alias) + ": " + ranges_text(a.keys) + "\n";
  return text;
}

}  // namespace topbit
