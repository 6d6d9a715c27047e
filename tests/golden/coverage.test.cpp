// Whether the golden files ask everything of everybody: each operator, each of its forms, each dtype. Here the files
// are only read; golden.test.cpp runs them.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "data.h"
#include "forms.h"

import topbit;

namespace tb = topbit;

namespace {

const std::filesystem::path folder = TOPBIT_GOLDEN_FOLDER;

using names = std::set<std::string, std::less<>>;

struct asked {
  names dtypes;          // of the first tensor that is given, or that a factory makes
  bool results = false;  // some case has results
};

bool is_list(const tb::author::schema_item& item) {
  return std::ranges::find(item.modifiers, tb::author::type_modifier::list) != item.modifiers.end();
}

/// The argument whose dtype counts: the first that is a tensor, or the dtype of one that is made. None for neither.
std::optional<std::size_t> counted_argument(const tb::author::schema_view& s) {
  std::optional<std::size_t> made;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    if (s.arguments[i].type == "Tensor") return i;
    if (s.arguments[i].name == "dtype") made = i;
  }
  return made;
}

std::optional<std::string> text_of_argument(const golden::one_case& c, std::size_t place, std::string_view name) {
  const std::string named = std::string(name) + "=";
  for (const std::string& text : c.arguments) {
    if (text.starts_with(named)) return text.substr(named.size());
  }
  return place < c.arguments.size() ? std::optional(c.arguments[place]) : std::nullopt;
}

/// The dtype that a case asks about. None where it has no elements of one.
std::string dtype_asked(const tb::author::schema_item& item, const std::string& text) {
  if (text == "None") return {};
  if (item.type != "Tensor") return text;
  const auto of = [](const tb::tensor& t) {
    return t.defined() && t.numel() != 0 ? std::string(tb::name_of(t.dtype())) : std::string();
  };
  if (!is_list(item)) return of(tb::author::read_text<tb::tensor>(text));
  const auto all = tb::author::read_text<std::vector<tb::tensor>>(text);
  return all.empty() ? std::string() : of(all[0]);
}

const std::map<std::string, asked, std::less<>>& all_asked() {
  static const auto all = [] {
    std::map<std::string, asked, std::less<>> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string file = entry.path().filename();
      if (!golden::is_data(file)) continue;
      for (const golden::block& b : golden::read_blocks(entry.path())) {
        const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
        if (!op) continue;
        asked& of = found[b.name];
        const tb::author::schema_view& s = *op->parsed_schema();
        const std::optional<std::size_t> counted = counted_argument(s);
        for (const golden::one_case& c : b.cases) {
          of.results = of.results || c.error.empty();
          if (!counted) continue;
          const std::optional<std::string> text = text_of_argument(c, *counted, s.arguments[*counted].name);
          if (text) of.dtypes.insert(dtype_asked(s.arguments[*counted], *text));
        }
      }
    }
    return found;
  }();
  return all;
}

std::vector<tb::operator_handle> operators() {
  std::vector<tb::operator_handle> all;
  for (const std::string& name : tb::registry::process().operators()) {
    // PyTorch has this one for other layouts alone.
    if (name.starts_with("aten::") && name != "aten::_to_dense") all.push_back(tb::registry::process().find(name));
  }
  return all;
}

/// Operators that are forms of one that has cases.
const names& forms_asked() {
  static const names all = [] {
    names found;
    for (const tb::operator_handle& op : operators()) {
      const auto cases = all_asked().find(op.name());
      if (cases == all_asked().end() || !cases->second.results) continue;
      for (const golden::form& f : golden::forms_of(op)) found.emplace(f.op.name());
    }
    return found;
  }();
  return all;
}

}  // namespace

TEST_CASE("coverage: every operator has a golden case with results, or is a form of one that has", "[golden]") {
  names without;
  for (const tb::operator_handle& op : operators()) {
    const auto cases = all_asked().find(op.name());
    if ((cases == all_asked().end() || !cases->second.results) && !forms_asked().contains(op.name())) {
      without.emplace(op.name());
    }
  }
  CHECK(without == names{});
}

TEST_CASE("coverage: forms of one operator have the same tags", "[golden]") {
  using tb::tag;
  for (const tb::operator_handle& op : operators()) {
    for (const golden::form& f : golden::forms_of(op)) {
      for (const tag t : {tag::pointwise, tag::reduction, tag::random, tag::dynamic_output_shape}) {
        INFO(op.name() << " and " << f.op.name() << ", " << tb::name_of(t));
        CHECK(op.tags().contains(t) == f.op.tags().contains(t));
      }
    }
  }
}

TEST_CASE("coverage: every operator meets every dtype, as an error or with results", "[golden]") {
  std::map<std::string, std::string, std::less<>> listed;  // "operator dtype", and why
  for (const std::string& line : golden::lines_of(folder / "uncovered.txt")) {
    std::istringstream words(line);
    std::string op, type, why;
    words >> op >> type;
    std::getline(words, why);
    if (why.empty()) FAIL_CHECK("uncovered.txt gives no reason: " << line);
    listed[op + " " + type] = why;
  }
  for (const tb::operator_handle& op : operators()) {
    if (forms_asked().contains(op.name()) || !counted_argument(*op.parsed_schema())) continue;
    const auto cases = all_asked().find(op.name());
    std::string missing;
    for (const tb::dtype type : tb::all_dtypes) {
      const std::string name(tb::name_of(type));
      if (cases != all_asked().end() && cases->second.dtypes.contains(name)) continue;
      if (listed.erase(std::string(op.name()) + " " + name) == 0) missing += " " + name;
    }
    if (!missing.empty()) FAIL_CHECK(op.name() << " has no case of" << missing);
  }
  for (const auto& [line, why] : listed) FAIL_CHECK(line << " is no hole, so delete its line of uncovered.txt");
  SUCCEED();
}

TEST_CASE("coverage: a form is found by its arguments, independent of its overload name", "[golden]") {
  const auto found = [](std::string_view name) {
    names all;
    for (const golden::form& f : golden::forms_of(tb::registry::process().find(name))) all.emplace(f.op.name());
    return all;
  };
  CHECK(found("aten::add.Tensor") == names{"aten::add.out", "aten::add_.Tensor"});
  CHECK(found("aten::max.dim") == names{"aten::max.dim_max"});
  CHECK(found("aten::max.other") == names{"aten::max.out"});
  CHECK(found("aten::max") == names{"aten::max.unary_out"});
  CHECK(found("aten::range") == names{"aten::range.out_"});
  CHECK(found("aten::norm.ScalarOpt_dim") == names{"aten::norm.out"});
  CHECK(found("aten::norm.ScalarOpt_dim_dtype") == names{"aten::norm.dtype_out"});
  CHECK(found("aten::embedding") == names{});
}
