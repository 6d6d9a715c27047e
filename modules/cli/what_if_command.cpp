module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace views = ranges::views;

namespace {

struct change {
  std::string_view name;
  inspect::supposition (*make)(key_target key);
};
constexpr change changes[] = {
    {"kernel", [](key_target k) { return inspect::adding(k); }},
    {"fallthrough", [](key_target k) { return inspect::fallthrough_at(k); }},
    {"fallback", [](key_target k) { return inspect::fallback_at(k); }},
    {"remove", [](key_target k) { return inspect::removing(k); }},
    {"remove-fallback", [](key_target k) { return inspect::removing_fallback(k); }},
};

inspect::supposition change_named(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return inspect::adding(key_named(word));
  for (const change& c : changes) {
    if (word.substr(0, colon) == c.name) return c.make(key_named(word.substr(colon + 1)));
  }
  auto known = changes | views::transform(&change::name) | views::join(std::string(", "));
  throw bad_request("what-if: found the change '" + std::string(word.substr(0, colon)) + "', wanted one of " +
                    (known | ranges::to<std::string>()));
}

}  // namespace

answer run_what_if(const request& r) {
  std::vector<inspect::supposition> all;
  for (const std::string& word : r.words) all.push_back(change_named(word));
  const inspect::what_if_result result = r.has("--op") ? what_if(find(r.value("--op")), all) : what_if(all);
  return {r.has("--json") ? inspect::to_json(result) + "\n" : painted(r.to, to_string(result))};
}

}  // namespace topbit::cli
