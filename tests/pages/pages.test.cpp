#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examples.h"

namespace author = topbit::author;
using namespace pages;

namespace {

template <class F>
void for_each_page(F f) {
  for (const author::page_group& g : author::operator_pages()) {
    for (const author::operator_page& p : g.pages) f(p);
  }
}

std::string listed(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& l : lines) text += "\n  " + l;
  return text;
}

std::string_view name_of_page(const author::operator_page& p) { return p.operators.front().op->name; }

bool equal_within(const std::string& found, const std::string& wanted) {
  if (found == wanted) return true;
  // Elements may differ in their last digits, dtype and sizes may not.
  if (found.substr(found.rfind('(') + 1) != wanted.substr(wanted.rfind('(') + 1)) return false;
  return wanted.find('.') != std::string::npos &&
         tb::call_text(tb::find("aten::allclose"), {found, wanted, "rtol=1e-5", "atol=1e-6", "equal_nan=True"}) ==
             std::vector<std::string>{"True"};
}

// ---- which dtypes a page says that operators take

using dtypes = std::vector<std::string>;
const dtypes all_types = {"bool",  "uint8",   "int8",     "int16",   "int32",
                          "int64", "float16", "bfloat16", "float32", "float64"};

// The words before the first semicolon: "numbers", "floating", "integers and bool", "float32 and float64".
std::optional<dtypes> taken_by(std::string_view line) {
  const auto range = [](std::size_t from, std::size_t to) {
    return dtypes(all_types.begin() + static_cast<std::ptrdiff_t>(from),
                  all_types.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const std::map<std::string, dtypes> words = {
      {"any", range(0, 10)}, {"numbers", range(1, 10)}, {"integers", range(1, 6)}, {"floating", range(6, 10)}};
  dtypes taken;
  std::string first = std::string(line.substr(0, line.find(';')));
  for (std::size_t at = 0; (at = first.find(" and ")) != std::string::npos;) first.replace(at, 5, ",");
  for (const std::string& word : split(first)) {
    if (const auto at = words.find(word); at != words.end())
      taken.insert(taken.end(), at->second.begin(), at->second.end());
    else if (std::ranges::find(all_types, word) != all_types.end())
      taken.push_back(word);
    else
      return std::nullopt;
  }
  return taken;
}

std::string converted(std::string_view literal, std::string_view type) {
  const std::string to = "dtype=" + std::string(type);
  return tb::call_text(tb::find("aten::_to_copy"), {literal, to}).front();
}

// The call with every tensor whose literal names no dtype converted, or made so where there is none; none if the call
// has no such place.
std::optional<shown_call> with_type(shown_call c, const std::string& type) {
  const tb::author::schema_view& s = *tb::find(c.name).parsed_schema();
  bool found = false;
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    std::string& text = c.arguments[i];
    const tb::author::schema_item* a = argument_of(s, text, i);
    if (a == nullptr) continue;  // the call says so
    const std::string named = text.starts_with(std::string(a->name) + "=") ? std::string(a->name) + "=" : "";
    const std::string literal = text.substr(named.size());
    if (a->type == "ScalarType" && !a->has_default) text = named + type;  // the dtype of some tensor of the call
    const bool has_type = literal == "None" || literal.find(" (") != std::string::npos || literal.starts_with("(");
    if (a->type != "Tensor" || has_type) continue;
    found = true;
    if (std::ranges::find(a->modifiers, tb::author::type_modifier::list) != a->modifiers.end()) {
      std::string list;
      for (const std::string& one : split(literal.substr(1, literal.size() - 2)))
        list += (list.empty() ? "" : ", ") + converted(one, type);
      text = named + "[" + list + "]";
    } else {
      text = named + converted(literal, type);
    }
  }
  if (found) return c;
  for (const tb::author::schema_item& a : s.arguments) {
    if (a.name != "dtype") continue;
    std::erase_if(c.arguments, [](const std::string& t) { return t.starts_with("dtype="); });
    c.arguments.push_back("dtype=" + type);
    return c;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("operator docs: every operator of the library is documented exactly once", "[pages]") {
  std::map<std::string, int> pages_of;
  for (const std::string& name : tb::registry::process().operators()) {
    if (name.starts_with("aten::") || name.starts_with("topbit::")) pages_of[name] = 0;
  }
  for_each_page([&](const author::operator_page& p) {
    for (const author::page_operator& o : p.operators) ++pages_of[std::string(o.op->name)];
  });
  std::vector<std::string> wrong;
  for (const auto& [name, count] : pages_of) {
    if (count != 1) wrong.push_back(name + ": on " + std::to_string(count) + " pages");
  }
  INFO(listed(wrong));
  CHECK(wrong.empty());
  CHECK(pages_of.size() > 700);
}

TEST_CASE("operator docs: a named variable is the operator's", "[pages]") {
  for_each_page([](const author::operator_page& p) {
    for (const author::page_operator& o : p.operators) {
      INFO(o.op->name);
      CHECK((o.variable.starts_with("topbit::aten::") || o.variable.starts_with("topbit::native::")));
    }
  });
}

TEST_CASE("operator docs: every entry has an example, with the shown result", "[pages]") {
  for_each_page([](const author::operator_page& p) {
    INFO(name_of_page(p));
    CHECK_FALSE(p.lines.examples[0].call.empty());
    for (const author::page_example& e : p.lines.examples) {
      if (e.call.empty()) continue;
      INFO(e.call);
      std::vector<std::string> found;
      REQUIRE_NOTHROW(found = run(parsed(p.operators.front().op->ns, e.call)));
      if (e.results.empty()) continue;
      const std::vector<std::string> wanted = split(e.results, ';');
      REQUIRE(found.size() == wanted.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("found " << found[i] << ", wanted " << wanted[i]);
        CHECK(equal_within(found[i], wanted[i]));
      }
    }
  });
}

TEST_CASE("operator docs: every documented error is thrown", "[pages]") {
  for_each_page([](const author::operator_page& p) {
    INFO(name_of_page(p));
    for (const author::page_error& e : p.lines.errors) {
      if (e.example.empty()) continue;  // derived.test.cpp
      INFO(e.type << " when " << e.when << ": " << e.example);
      std::string message;
      CHECK(thrown_by(parsed(p.operators.front().op->ns, e.example), message) == e.type);
      INFO(message);
      // Of an aten operator that is made of one of topbit's, the latter may speak.
      CHECK((message.starts_with(std::string(p.operators.front().op->ns) + "::") || message.starts_with("topbit::")));
    }
  });
}

TEST_CASE("operator docs: exactly the documented dtypes are accepted", "[pages]") {
  for_each_page([](const author::operator_page& p) {
    INFO(name_of_page(p) << ": " << p.lines.dtypes);
    if (p.lines.examples[0].call.empty()) return;
    const shown_call shown = parsed(p.operators.front().op->ns, p.lines.examples[0].call);
    if (!with_type(shown, "int64").has_value()) return;
    const std::optional<dtypes> taken = taken_by(p.lines.dtypes);
    REQUIRE(taken.has_value());
    for (const std::string& type : all_types) {
      const shown_call c = *with_type(shown, type);
      INFO(text_of(c));
      std::string message;
      const std::string thrown = thrown_by(c, message);
      INFO(message);
      CHECK(thrown == (std::ranges::find(*taken, type) != taken->end() ? "" : "dtype_error"));
    }
  });
}
