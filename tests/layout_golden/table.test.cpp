// docs/layouts.md has the table that table.h makes.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "table.h"

namespace tb = topbit;

namespace {

constexpr const char* file = TOPBIT_LAYOUTS_PAGE;
constexpr std::string_view begins = "<!-- table: made by the target layout_table -->\n",
                           ends = "<!-- end of the table -->\n";

std::string page() {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The page before the table, the table, and the page after it.
struct page_parts {
  std::string before, table, after;
};
page_parts parts_of_page() {
  const std::string text = page();
  const std::size_t first = text.find(begins), last = text.find(ends);
  REQUIRE(first != text.npos);
  REQUIRE(last != text.npos);
  const std::size_t start = first + begins.size();
  return {text.substr(0, start), text.substr(start, last - start), text.substr(last)};
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

bool has_all_layouts() { return tb::registry::process().try_find("aten::to_mkldnn").has_value(); }

}  // namespace

TEST_CASE("layouts: the table of the page is what is registered", "[docs]") {
  if (!has_all_layouts()) SKIP("the table has the layout mkldnn, whose module is not built");
  const std::string found = parts_of_page().table, wanted = "\n" + layout_golden::made_table() + "\n";
  const std::set<std::string> found_lines = lines_of(found), wanted_lines = lines_of(wanted);
  INFO("build the target layout_table, which writes the table");
  for (const std::string& line : wanted_lines) {
    if (!found_lines.contains(line)) FAIL_CHECK("the page lacks the line " << line);
  }
  for (const std::string& line : found_lines) {
    if (!wanted_lines.contains(line)) FAIL_CHECK("the page has the line " << line << ", which is not so");
  }
  CHECK(found.size() == wanted.size());
}

// No test: the target layout_table runs it.
TEST_CASE("layouts: write the table of the page", "[.]") {
  if (!has_all_layouts()) SKIP("the table has the layout mkldnn, whose module is not built");
  const page_parts p = parts_of_page();
  std::ofstream(file) << p.before << "\n" << layout_golden::made_table() << "\n" << p.after;
}
