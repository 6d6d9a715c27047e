// Every schema of a real list of operators is read, printed, and read again as the same schema.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

import topbit.core;

namespace tb = topbit;

namespace {

// The files of "a:b".
std::vector<std::string> named_in(const std::string& list) {
  std::vector<std::string> files;
  std::istringstream in(list);
  for (std::string file; std::getline(in, file, ':');) files.push_back(file);
  return files;
}

std::vector<std::string> schemas_of(const std::string& file) {
  std::ifstream in(file);
  REQUIRE(in);
  std::vector<std::string> all;
  const std::string head = "- func: ";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(head)) all.push_back(line.substr(head.size()));
  }
  return all;
}

// A default as its value: white space, quotes, the size of a list and the spelling of a number do not count.
std::string value_of(const tb::author::schema_item& item) {
  std::string text;
  for (char c : item.default_text) {
    if (c != ' ') text += c;
  }
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"')) return text.substr(1, text.size() - 2);
  if (item.type == "float" && item.has_default && text != "None" && text[0] != '[')
    return std::to_string(std::stod(text));
  if (text.starts_with('[') && item.list_size > 0) {
    std::string once = text.substr(1, text.find_first_of(",]") - 1), repeated = "[" + once;
    for (int i = 1; i < item.list_size; ++i) repeated += "," + once;
    if (text == repeated + "]") return once;
  }
  return text;
}

// Independent of topbit's own equality, which compares printed texts.
bool same(const tb::author::schema_item& a, const tb::author::schema_item& b) {
  const bool escaped = a.default_text.find('\\') != std::string_view::npos;
  return a.type == b.type && a.name == b.name && a.alias == b.alias && a.alias_after == b.alias_after &&
         a.list_alias == b.list_alias && a.modifiers == b.modifiers && a.list_size == b.list_size &&
         a.writes == b.writes && a.keyword_only == b.keyword_only && a.has_default == b.has_default &&
         (escaped || value_of(a) == value_of(b));
}

bool same(const tb::author::schema_view& a, const tb::author::schema_view& b) {
  bool equal = a.ns == b.ns && a.name == b.name && a.overload == b.overload &&
               a.arguments.size() == b.arguments.size() && a.returns.size() == b.returns.size() &&
               a.variadic_arguments == b.variadic_arguments && a.variadic_returns == b.variadic_returns;
  for (std::size_t i = 0; equal && i < a.arguments.size(); ++i) equal = same(a.arguments[i], b.arguments[i]);
  for (std::size_t i = 0; equal && i < a.returns.size(); ++i) equal = same(a.returns[i], b.returns[i]);
  return equal;
}

}  // namespace

TEST_CASE("schemas: every schema of a list round-trips", "[schemas][G18]") {
  const std::vector<std::string> files = named_in(TOPBIT_NATIVE_FUNCTIONS);
  if (files.empty()) SKIP("no TOPBIT_NATIVE_FUNCTIONS, so no list of schemas to read");
  for (const std::string& file : files) {
    INFO(file);
    const std::vector<std::string> all = schemas_of(file);
    REQUIRE(all.size() > 1000);
    WARN(file << ": " << all.size() << " schemas");
    std::string wrong;
    for (const std::string& text : all) {
      try {
        const tb::schema first(text);
        const std::string printed = to_string(first.view());
        const tb::schema second(printed);
        const bool fixed = first.view() == second.view() && to_string(second.view()) == printed;
        if (!same(first.view(), second.view()) || !fixed) wrong += text + "\n  printed as " + printed + "\n";
      } catch (const tb::bad_schema& e) {
        wrong += std::string(e.what()) + "\n";
      }
    }
    CHECK(wrong == "");
  }
}
