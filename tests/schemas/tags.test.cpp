// The tags of the library's operators against those that a real list of operators gives them.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

import topbit.core;
import topbit.ops;

namespace tb = topbit;
using tb::tag;

namespace {

// By the names of the list; others are not topbit's.
constexpr std::array<std::pair<std::string_view, tag>, 7> known{{{"pointwise", tag::pointwise},
                                                                 {"reduction", tag::reduction},
                                                                 {"nondeterministic_seeded", tag::random},
                                                                 {"data_dependent_output", tag::data_dependent_output},
                                                                 {"dynamic_output_shape", tag::dynamic_output_shape},
                                                                 {"inplace_view", tag::inplace_view},
                                                                 {"view_copy", tag::view_copy}}};

bool has_word(std::string line, std::string_view word) {
  for (char& c : line) {
    if (c == '[' || c == ']' || c == ',') c = ' ';
  }
  std::istringstream words(line);
  for (std::string w; words >> w;) {
    if (w == word) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("tags: an operator has the tags of the list, but for equal, which is no function of elements", "[schemas]") {
  std::istringstream files(TOPBIT_NATIVE_FUNCTIONS);
  std::size_t compared = 0;
  for (std::string file; std::getline(files, file, ':');) {
    std::ifstream in(file);
    std::optional<tb::operator_handle> op;
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view head = "- func: ", tags = "  tags: ";
      if (line.starts_with(head)) {
        op = tb::registry::process().try_find("aten::" + line.substr(head.size(), line.find('(') - head.size()));
      } else if (op && line.starts_with(tags)) {
        for (const auto& [name, t] : known) {
          if (!has_word(line, name) || (op->name() == "aten::equal" && t == tag::pointwise)) continue;
          INFO(op->name() << " " << name);
          CHECK(op->tags().contains(t));
          ++compared;
        }
      }
    }
  }
  if (compared == 0) SKIP("no TOPBIT_NATIVE_FUNCTIONS with tags, so nothing to compare");
  CHECK(compared > 200);
}
