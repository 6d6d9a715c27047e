// All operators called as their pages show.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.contracts;
import topbit.operator_docs;

namespace tb = topbit;
namespace contracts = topbit::contracts;

namespace {

inline constexpr tb::op<"shown::right(Tensor self) -> Tensor"> right;
inline constexpr tb::op<"shown::right.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> right_out;
inline constexpr tb::op<"shown::wrong(Tensor self) -> Tensor"> wrong;
inline constexpr tb::op<"shown::refuses(Tensor self) -> Tensor"> refuses;
inline constexpr tb::op<"shown::alone(Tensor self) -> Tensor"> alone;
inline constexpr tb::op<"shown::text(Tensor self, str how, int[] sizes) -> Tensor"> text;

tb::tensor right_kernel(const tb::tensor& self) { return tb::clone(self); }
tb::tensor& right_out_kernel(const tb::tensor& self, tb::tensor& out) { return tb::copy_(out, self); }
tb::tensor wrong_kernel(const tb::tensor& self) { return self; }
tb::tensor refuses_kernel(const tb::tensor&) { throw tb::error("shown: refused"); }
tb::tensor text_kernel(const tb::tensor& self, std::string_view how, std::span<const std::int64_t> sizes) {
  if (how != "a, b" || sizes.size() != 2) throw tb::error("shown: found other arguments");
  return tb::clone(self);
}
const auto library = tb::library("shown")
                         .def(right)
                         .def(right_out)
                         .def(wrong)
                         .def(refuses)
                         .def(alone)
                         .def(text)
                         .impl<&right_kernel>(right, tb::key::CPU)
                         .impl<&right_out_kernel>(right_out, tb::key::CPU)
                         .impl<&wrong_kernel>(wrong, tb::key::CPU)
                         .impl<&refuses_kernel>(refuses, tb::key::CPU)
                         .impl<&right_kernel>(alone, tb::key::CPU)
                         .impl<&text_kernel>(text, tb::key::CPU);

namespace author = topbit::author;
constexpr author::operator_page pages[] = {
    author::page<right, right_out>({.summary = "Copies.", .examples = {{"right([1.0, 2.0])"}}}),
    author::page<wrong>({.summary = "Returns its argument.", .examples = {{"wrong([1.0, 2.0])"}}}),
    author::page<refuses>({.summary = "Throws.", .examples = {{"refuses([1.0])"}}}),
    author::page<text>({.summary = "Copies too.", .examples = {{"text([1.0], \"a, b\", [1, 2])"}}}),
};
const author::published_pages published = author::publish_pages({"shown", pages});

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

contracts::report checked(std::vector<std::string_view> names) {
  std::vector<tb::operator_handle> all;
  for (const std::string_view name : names) all.push_back(tb::find(name));
  return contracts::check_examples(all);
}

}  // namespace

TEST_CASE("contracts: operators are called as their pages show", "[contracts]") {
  const contracts::report r =
      checked({"shown::right", "shown::right.out", "shown::wrong", "shown::refuses", "shown::alone", "shown::text"});
  CHECK(r.checked == std::vector<std::string>{"shown::right", "shown::right.out", "shown::wrong", "shown::text"});
  REQUIRE(r.unchecked.size() == 2);
  CHECK(r.unchecked[0].op == "shown::refuses");
  CHECK(r.unchecked[0].why == "shown: refused");
  CHECK(r.unchecked[1].op == "shown::alone");
  CHECK(r.unchecked[1].why == "no operator page shows a call");
  REQUIRE(r.findings.size() == 1);
  CHECK(r.findings[0].op == "shown::wrong");
  CHECK(r.findings[0].broken == contracts::rule::alias);
}

TEST_CASE("contracts: all operators keep them as their pages call them", "[contracts]") {
  std::vector<tb::operator_handle> all;
  for (const std::string& name : tb::registry::process().operators()) {
    if (name.starts_with("aten::") || name.starts_with("topbit::")) all.push_back(tb::find(name));
  }
  contracts::report r = contracts::check_examples(all);
  const std::vector<std::string> unused = contracts::exemptions(text_of_file(TOPBIT_EXEMPTIONS)).apply_to(r);
  for (const contracts::finding& f : r.findings) FAIL_CHECK(tb::to_string(f));
  for (const std::string& line : unused) FAIL_CHECK("exemptions.txt: nothing is found for '" << line << "', delete it");
  CHECK(r.checked.size() + r.unchecked.size() == all.size());
  CHECK(r.checked.size() >= 700);
}

TEST_CASE("contracts: exemptions take findings out, and those that match nothing are told", "[contracts][CC19]") {
  contracts::report r = checked({"shown::wrong", "shown::right"});
  const contracts::exemptions list(
      "# known\n\nalias shown::wrong | returns its argument\nalias shown::right | nothing\n");
  CHECK(list.apply_to(r) == std::vector<std::string>{"alias shown::right"});
  CHECK(r.findings.empty());
  const auto refusal = [](std::string_view lines) {
    return toy::text_of<tb::error>([&] { (void)contracts::exemptions(lines); });
  };
  CHECK(refusal("alias a::b") == "exemptions, line 1: found the line 'alias a::b', wanted 'RULE OPERATOR | REASON'");
  CHECK(refusal("\nalias a::b | ") ==
        "exemptions, line 2: found the line 'alias a::b | ', wanted 'RULE OPERATOR | REASON'");
  CHECK(refusal("alias | a::b") ==
        "exemptions, line 1: found the line 'alias | a::b', wanted 'RULE OPERATOR | REASON'");
  CHECK(refusal("alas a::b | x") ==
        "exemptions, line 1: found an unknown rule in 'alas a::b | x', wanted 'RULE OPERATOR | REASON'");
  CHECK(contracts::exemptions("alias shown::alone | not among them").apply_to(r).empty());
  CHECK(refusal("keys a::b | the rule that is last") == "nothing was thrown");
  CHECK(refusal("alias a::b | x\nalias a::b | y") ==
        "exemptions, line 2: found once more 'alias a::b | y', wanted 'RULE OPERATOR | REASON'");
}
