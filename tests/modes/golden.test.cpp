// A mode that only passes calls on changes no bit: all calls of the golden files.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "golden/all_calls.h"
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
  const auto compare = [&](const tb::operator_handle& op, const golden::block& b, const golden::one_case& c,
                           const std::vector<std::string_view>& arguments) {
    if (b.how.no_elements) return;
    const std::string wanted = outcome(op, arguments);
    const modes::scope above(pass, modes::above), again(pass, modes::above), below(pass, modes::below);
    const std::string found = outcome(op, arguments);
    ++compared;
    if (found != wanted) FAIL_CHECK(b.name << " " << c.line << "\n" << wanted << found);
  };
  golden::each_drawn_call(TOPBIT_GOLDEN_FOLDER, compare);
  CHECK(compared >= 1000 * test_scale());
  CHECK(seen >= 2 * compared);
}
