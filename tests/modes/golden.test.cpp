// A mode that only passes calls on changes no bit: all calls of the golden files.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/data.h"
#include "support/scale.h"
import topbit;
import topbit.modes;

namespace tb = topbit;
namespace modes = topbit::modes;

namespace {

std::string outcome(const tb::operator_handle& op, const std::vector<std::string_view>& arguments) {
  std::string text;
  try {
    for (const std::string& result : tb::call_text(op, arguments)) text += result + "\n";
  } catch (const tb::error& e) {
    text = e.what();
  }
  return text;
}

}  // namespace

TEST_CASE("modes: calls give the same bits through modes above and below", "[modes]") {
  std::size_t seen = 0, compared = 0;
  const auto pass = [&](modes::call& c) {
    ++seen;
    c.proceed();
  };
  sampled_cases drawn;
  for (const auto& file : std::filesystem::directory_iterator(TOPBIT_GOLDEN_FOLDER)) {
    if (!golden::is_data(file.path().filename().string())) continue;
    for (const golden::block& b : golden::read_blocks(file.path())) {
      const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
      if (!op || b.how.no_elements) continue;
      for (const golden::one_case& c : b.cases) {
        if (!drawn.is_drawn()) continue;
        const std::vector<std::string_view> arguments(c.arguments.begin(), c.arguments.end());
        const std::string wanted = outcome(*op, arguments);
        const modes::scope above(pass, modes::above), again(pass, modes::above), below(pass, modes::below);
        const std::string found = outcome(*op, arguments);
        ++compared;
        if (found != wanted) FAIL_CHECK(b.name << " " << c.line << "\n" << wanted << found);
      }
    }
  }
  CHECK(compared >= 1000 * test_scale());
  CHECK(seen >= 2 * compared);
}
