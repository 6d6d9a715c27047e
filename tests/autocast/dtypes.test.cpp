// The dtypes of results under autocast on the CPU, against PyTorch's (dtypes.txt, made by make_dtypes.py).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "golden/data.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;

namespace {

// The dtypes of the tensors in a text such as "[1, 2] (int64 [2])".
std::string dtypes_in(const std::vector<std::string>& results) {
  std::string all;
  for (const std::string& text : results) {
    for (std::size_t at = text.find('('); at != text.npos; at = text.find('(', at + 1)) {
      const std::size_t end = text.find(" [", at);
      all += (all.empty() ? "" : " ") + text.substr(at + 1, end - at - 1);
    }
  }
  return all;
}

// Empty if the call is refused.
std::string dtypes_of_call(const tb::operator_handle& op, const golden::one_case& c) {
  const std::vector<std::string_view> arguments(c.arguments.begin(), c.arguments.end());
  try {
    return dtypes_in(tb::call_text(op, arguments));
  } catch (const tb::error&) {
    return "";
  }
}

// Operators that differ, for reasons that are not autocast's: without it they refuse the same calls, but for
// native_batch_norm, whose statistics have the dtype of the input.
const std::set<std::string> others{
    "aten::_log_softmax_backward_data", "aten::_softmax_backward_data", "aten::avg_pool1d", "aten::avg_pool2d",
    "aten::avg_pool2d_backward",        "aten::bucketize.Tensor",       "aten::einsum",     "aten::histc",
    "aten::native_batch_norm",          "aten::searchsorted.Tensor"};

}  // namespace

TEST_CASE("dtypes: results under autocast have the dtypes of PyTorch's", "[autocast][dtypes]") {
  std::set<std::string> differ;
  std::size_t calls = 0;
  for (const golden::block& b : golden::read_blocks(std::filesystem::path(TOPBIT_AUTOCAST_FOLDER) / "dtypes.txt")) {
    const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
    if (!op) continue;
    for (const golden::one_case& c : b.cases) {
      ++calls;
      std::optional<tb::autocast> scope(std::in_place, tb::backend::CPU);
      const std::string found = dtypes_of_call(*op, c), wanted = c.line.substr(c.line.find("=> ") + 3);
      if (found == wanted) continue;
      differ.insert(b.name);
      scope.reset();
      const bool as_without = found == dtypes_of_call(*op, c);
      if (as_without && others.contains(b.name)) continue;
      FAIL_CHECK(b.name << " " << c.line << "\n  found " << (found.empty() ? "a refusal" : found));
    }
  }
  CHECK(differ == others);
  CHECK(calls > 1000);
}
