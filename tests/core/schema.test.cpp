#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "support/raises.h"
import topbit.core;

namespace tb = topbit;

namespace {

std::string print(std::string_view text) { return to_string(tb::schema(text).view()); }

std::size_t column_of(std::string_view text) {
  try {
    tb::schema s(text);
  } catch (const tb::bad_schema& e) {
    return e.column();
  }
  return 0;
}

bool same(const tb::schema_item& a, const tb::schema_item& b) {
  return a.type == b.type && a.name == b.name && a.default_text == b.default_text && a.alias == b.alias &&
         a.modifiers == b.modifiers && a.list_size == b.list_size && a.writes == b.writes &&
         a.keyword_only == b.keyword_only && a.has_default == b.has_default;
}

bool same(const tb::schema_view& a, const tb::schema_view& b) {
  bool equal = a.ns == b.ns && a.name == b.name && a.overload == b.overload &&
               a.arguments.size() == b.arguments.size() && a.returns.size() == b.returns.size();
  for (std::size_t i = 0; equal && i < a.arguments.size(); ++i) equal = same(a.arguments[i], b.arguments[i]);
  for (std::size_t i = 0; equal && i < a.returns.size(); ++i) equal = same(a.returns[i], b.returns[i]);
  return equal;
}

}  // namespace

TEST_CASE("schema: a name has a namespace, a base and an overload", "[core][schema][G1]") {
  const tb::schema s("aten::add.Tensor(Tensor self) -> Tensor");
  CHECK(s.view().ns == "aten");
  CHECK(s.view().name == "add");
  CHECK(s.view().overload == "Tensor");
  CHECK(qualified_name(s.view()) == "aten::add.Tensor");
  CHECK(qualified_name(tb::schema("add").view()) == "add");
}

TEST_CASE("schema: an argument has a type, modifiers, a name, and perhaps a default", "[core][schema]") {
  const tb::schema s("f(Tensor?[] a, int[2]? size=None, *, Scalar alpha=-1, str mode=\"a, b)\") -> ()");
  const auto a = s.view().arguments;
  REQUIRE(a.size() == 4);
  CHECK(a[0].type == "Tensor");
  CHECK(a[0].modifiers[0] == tb::type_modifier::optional);
  CHECK(a[0].modifiers[1] == tb::type_modifier::list);
  CHECK_FALSE(a[0].has_default);
  CHECK(a[1].list_size == 2);
  CHECK(a[1].modifiers[0] == tb::type_modifier::list);
  CHECK(a[1].modifiers[1] == tb::type_modifier::optional);
  CHECK(a[1].default_text == "None");
  CHECK_FALSE(a[1].keyword_only);
  CHECK(a[2].keyword_only);
  CHECK(a[2].default_text == "-1");
  CHECK(a[3].default_text == "\"a, b)\"");
  CHECK(s.view().returns.empty());
}

TEST_CASE("schema: an alias set says what is written", "[core][schema]") {
  const tb::schema s("f(Tensor(a!) self, Tensor(b) other, Tensor(c -> *)[] all) -> (Tensor(a!) x, Tensor(b)[] y)");
  CHECK(s.view().arguments[0].alias == "a");
  CHECK(s.view().arguments[0].writes);
  CHECK_FALSE(s.view().arguments[1].writes);
  CHECK(s.view().arguments[2].alias == "c -> *");
  REQUIRE(s.view().returns.size() == 2);
  CHECK(s.view().returns[0].name == "x");
  CHECK(s.view().returns[0].writes);
  CHECK(s.view().returns[1].modifiers[0] == tb::type_modifier::list);
}

TEST_CASE("schema: printing and parsing again gives the same schema", "[core][schema][G18]") {
  const std::string text = GENERATE(
      as<std::string>{}, "f() -> ()", "f() -> Tensor", "ns::f.o() -> (int, int)",
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      "aten::split(Tensor(a -> *) self, int[] sizes, int dim=0) -> Tensor(a)[]",
      "f(int[3] kernel, int[] stride=[], int[2] dilation=[1, 1], bool mode=False) -> (Tensor x, Tensor[] y)",
      "f(float eps=1e-05, float big=1e+10, str a='x\\'y', Device? d=None, Tensor?[] l=[None, None]) -> Tensor?",
      "f(Tensor a, *, Tensor(b!)? out=None, int c) -> ()");
  INFO(text);
  const std::string canonical = print(text);
  CHECK(canonical == text);
  CHECK(same(tb::schema(text).view(), tb::schema(canonical).view()));
}

TEST_CASE("schema: space between words does not matter", "[core][schema]") {
  CHECK(print("  f ( int  a = 1 ,*, float b )->Tensor ") == "f(int a=1, *, float b) -> Tensor");
  CHECK(print("f(\n  int a,\n\tint b) -> ()") == "f(int a, int b) -> ()");
}

TEST_CASE("schema: a copy keeps its own text", "[core][schema]") {
  const auto made = [] {
    const tb::schema first("ns::f(int a) -> int");
    return tb::schema(first);
  }();
  CHECK(to_string(made.view()) == "ns::f(int a) -> int");
}

TEST_CASE("schema: a mistake is a column, counted from 1, and what was expected there", "[core][schema]") {
  struct mistake {
    const char* text;
    std::size_t column;
    const char* expected;
  };
  const auto m = GENERATE(values<mistake>({
      {"", 1, "an operator name"},
      {"1f", 1, "an operator name"},
      {"ns:f", 4, "'::'"},
      {"ns::", 5, "an operator name after '::'"},
      {"f.", 3, "an overload name after '.'"},
      {"f)", 2, "'(' or the end"},
      {"f(int a", 8, "',' or ')'"},
      {"f(int a b)", 9, "',' or ')'"},
      {"f(int)", 6, "an argument name"},
      {"f(int a,)", 9, "a type"},
      {"f(int a,,)", 9, "a type"},
      {"f(int a) Tensor", 10, "'->'"},
      {"f(int a) - Tensor", 11, "'->'"},
      {"f(int a) -> ", 13, "a type"},
      {"f(int a) -> Tensor Tensor x", 27, "the end of the schema"},
      {"f(*, int a, *, int b) -> ()", 14, "no second '*'"},
      {"f(int a=1, int b) -> ()", 16, "a default, since an argument before this one has one"},
      {"f(int a, int a) -> ()", 14, "a name no other argument has"},
      {"f(int a=) -> ()", 9, "a default value"},
      {"f(int a=-) -> ()", 10, "a digit"},
      {"f(float a=1e) -> ()", 13, "a digit"},
      {"f(float a=1.2.3) -> ()", 14, "',' or ')'"},
      {"f(str a=\"x) -> ()", 18, "the closing quote"},
      {"f(int[ a) -> ()", 8, "']' or a list size"},
      {"f(int[2 a) -> ()", 9, "']' or a list size"},
      {"f(int[]?[]?[] a) -> ()", 12, "fewer '[]' and '?'"},
      {"f(Tensor() a) -> ()", 10, "an alias set"},
      {"f(Tensor(a! b) -> ()", 13, "')' after the alias set"},
      {"f(int[] a=[1, 2) -> ()", 16, "',' or ']'"},
  }));
  INFO(m.text);
  CHECK(column_of(m.text) == m.column);
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(m.text); }) ==
        "schema '" + std::string(m.text) + "', column " + std::to_string(m.column) + ": expected " + m.expected);
}

TEST_CASE("schema: 64 arguments parse, and the error of a 65th points behind it", "[core][schema][X2]") {
  std::string text = "f(int a0";
  for (int i = 1; i < 64; ++i) text += ", int a" + std::to_string(i);
  CHECK(tb::schema(text + ") -> ()").view().arguments.size() == tb::max_schema_arguments);
  const std::string one_more = text + ", int more";
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(one_more + ") -> ()"); }) ==
        "schema '" + one_more + ") -> ()', column " + std::to_string(one_more.size() + 1) +
            ": expected at most 64 arguments");
}

TEST_CASE("schema: 64 results parse and 65 do not", "[core][schema]") {
  std::string text = "f() -> (int";
  for (int i = 1; i < 64; ++i) text += ", int";
  CHECK(tb::schema(text + ")").view().returns.size() == 64);
  const std::string one_more = text + ", int";
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(one_more + ")"); }) ==
        "schema '" + one_more + ")', column " + std::to_string(one_more.size() + 1) + ": expected at most 64 results");
}

TEST_CASE("schema: an overload is neither 'default' nor begins with two underscores", "[core][schema][R22]") {
  for (const char* name : {"_", "a", "_1", "default_", "Default", "default1", "a__", "_a__b", "out"}) {
    INFO(name);
    CHECK(tb::schema("ns::f." + std::string(name) + "(int a) -> int").view().overload == name);
    CHECK(tb::schema("ns::f." + std::string(name)).view().overload == name);
  }
  const auto text = [](const char* schema) { return toy::text_of<tb::bad_schema>([&] { tb::schema s(schema); }); };
  CHECK(text("ns::f.default(int a) -> int") ==
        "schema 'ns::f.default(int a) -> int', column 7: expected an overload name other than 'default'");
  CHECK(text("f. default") == "schema 'f. default', column 4: expected an overload name other than 'default'");
  for (const char* name : {"f.__", "f.__a", "f.___", "f.__default"}) {
    CHECK(text(name) ==
          "schema '" + std::string(name) + "', column 3: expected an overload name that does not begin with '__'");
  }
  CHECK(text("f.1a(int a) -> int") == "schema 'f.1a(int a) -> int', column 3: expected an overload name after '.'");
  // Only overloads are kept free of them.
  CHECK(tb::schema("__ns::default.o(int __a, int default) -> int").view().name == "default");
}

TEST_CASE("schema: a name is letters, digits and '_', and no text is a name that passes by accident",
          "[core][schema][R22]") {
  using std::string_view_literals::operator""sv;
  const auto text = [](std::string_view schema) { return toy::text_of<tb::bad_schema>([&] { tb::schema s(schema); }); };
  CHECK(text("") == "schema '', column 1: expected an operator name");
  CHECK(text(" ") == "schema ' ', column 2: expected an operator name");
  CHECK(text("::f") == "schema '::f', column 1: expected an operator name");
  CHECK(text("ns::.o") == "schema 'ns::.o', column 5: expected an operator name after '::'");
  CHECK(text("a::b::c") == "schema 'a::b::c', column 5: expected '(' or the end");
  CHECK(text("f.a.b") == "schema 'f.a.b', column 4: expected '(' or the end");
  CHECK(text("f-g") == "schema 'f-g', column 2: expected '(' or the end");
  CHECK(text("\xc3\xbc") == "schema '\xc3\xbc', column 1: expected an operator name");
  CHECK(text("f\xc3\xbc") == "schema 'f\xc3\xbc', column 2: expected '(' or the end");
  CHECK(text("f(int \xc3\xbc) -> ()") == "schema 'f(int \xc3\xbc) -> ()', column 7: expected an argument name");
  CHECK(text("f(int 1a) -> ()") == "schema 'f(int 1a) -> ()', column 7: expected an argument name");
  CHECK(text("f\0"sv) == "schema 'f");  // what() ends where C's texts end
  CHECK(column_of("f\0"sv) == 2);
  CHECK(tb::schema("_::_._(int _) -> int").view().ns == "_");
  const std::string long_name(50'000, 'n');
  CHECK(tb::schema(long_name + "::" + long_name + "." + long_name).view().overload == long_name);
}

TEST_CASE("schema: lists nest only so deep, so no text exhausts the stack", "[core][schema]") {
  CHECK(print("f(int[][][][] a=[[[[1]]]]) -> ()") == "f(int[][][][] a=[[[[1]]]]) -> ()");
  CHECK(column_of("f(int[] a=" + std::string(1'000'000, '[')) == 16);
}

TEST_CASE("schema: no text makes the parser leave its bounds", "[core][schema]") {
  // Every prefix, and every text with one character replaced, either parses or has a column inside the text.
  const std::string text =
      "ns::f.o(Tensor(a!)[2]? x, *, float y=-1.5e+3, str z=\"q\\\"\", int[] w=[1, 2]) -> (Tensor a, int)";
  for (std::size_t n = 0; n <= text.size(); ++n) CHECK(column_of(text.substr(0, n)) <= n + 1);
  for (std::size_t n = 0; n < text.size(); ++n) {
    for (char c : std::string_view("()[]*,.:=->!?\"\\ a0\0", 19)) {
      std::string changed = text;
      changed[n] = c;
      if (column_of(changed) > changed.size() + 1) FAIL(changed);
      if (column_of(changed) == 0 && !same(tb::schema(changed).view(), tb::schema(print(changed)).view()))
        FAIL(changed);
    }
  }
}
