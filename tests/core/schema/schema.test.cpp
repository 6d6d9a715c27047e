#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace

TEST_CASE("schema: a name has a namespace, a base and an overload", "[core][schema][G1]") {
  const tb::schema s("aten::add.Tensor(Tensor self) -> Tensor");
  CHECK(s.view().ns == "aten");
  CHECK(s.view().name == "add");
  CHECK(s.view().overload == "Tensor");
  CHECK(qualified_name(s.view()) == "aten::add.Tensor");
  CHECK(qualified_name(tb::schema("add").view()) == "add");
}

TEST_CASE("schema: an argument has a type, modifiers, a name, and perhaps a default", "[core][schema][G5]") {
  const tb::schema s("f(Tensor?[] a, int[2]? size=None, *, Scalar alpha=-1, str mode=\"a, b)\") -> ()");
  const auto a = s.view().arguments;
  REQUIRE(a.size() == 4);
  CHECK(a[0].type == "Tensor");
  CHECK(a[0].modifiers[0] == tb::author::type_modifier::optional);
  CHECK(a[0].modifiers[1] == tb::author::type_modifier::list);
  CHECK_FALSE(a[0].has_default);
  CHECK(a[1].list_size == 2);
  CHECK(a[1].modifiers[0] == tb::author::type_modifier::list);
  CHECK(a[1].modifiers[1] == tb::author::type_modifier::optional);
  CHECK(a[1].default_text == "None");
  CHECK_FALSE(a[1].keyword_only);
  CHECK(a[2].keyword_only);
  CHECK(a[2].default_text == "-1");
  CHECK(a[3].default_text == "\"a, b)\"");
  CHECK(s.view().returns.empty());
}

TEST_CASE("schema: a list without a default may follow an argument with one", "[core][schema][G8]") {
  for (const char* list :
       {"int[]", "int[2]", "Tensor?[]", "Tensor(a!)[]", "int[]?[]", "Dict(str, int)[]", "int[](a)"}) {
    const std::string text = "f(int a=1, " + std::string(list) + " b) -> ()";
    INFO(text);
    CHECK(column_of(text) == 0);
    CHECK(print(text) == text);
  }
}

TEST_CASE("schema: an alias set says what is written", "[core][schema][G9]") {
  const tb::schema s("f(Tensor(a!) self, Tensor(b) other, Tensor(c -> *)[] all) -> (Tensor(a!) x, Tensor(b)[] y)");
  CHECK(s.view().arguments[0].alias == "a");
  CHECK(s.view().arguments[0].writes);
  CHECK_FALSE(s.view().arguments[1].writes);
  CHECK(s.view().arguments[2].alias == "c");
  CHECK(s.view().arguments[2].alias_after == "*");
  REQUIRE(s.view().returns.size() == 2);
  CHECK(s.view().returns[0].name == "x");
  CHECK(s.view().returns[0].writes);
  CHECK(s.view().returns[1].modifiers[0] == tb::author::type_modifier::list);
}

TEST_CASE("schema: an annotation stands behind the core type, or behind a list for the list itself",
          "[core][schema][G10]") {
  const tb::schema s("f(Tensor(a!)[](b!) all, Tensor(c)? one, Tensor! fresh) -> ()");
  const auto a = s.view().arguments;
  CHECK(a[0].alias == "a");
  CHECK(a[0].list_alias == "b");
  CHECK(a[0].writes);
  CHECK(a[1].alias == "c");
  CHECK(a[1].modifiers[0] == tb::author::type_modifier::optional);
  CHECK(a[2].alias.empty());
  CHECK(a[2].writes);
}

TEST_CASE("schema: types may be made of types", "[core][schema][G1]") {
  const tb::schema s(
      "f(Dict(str, int[]) d, (int, Tensor?) t, Union(int, float)[] u, Future(Tensor) w, "
      "__torch__.torch.classes.ns.name o, img::image i) -> ((int, int), Dict(str, Tensor)?)");
  const auto a = s.view().arguments;
  REQUIRE(a.size() == 6);
  CHECK(a[0].type == "Dict(str, int[])");
  CHECK(a[1].type == "(int, Tensor?)");
  CHECK(a[2].type == "Union(int, float)");
  CHECK(a[2].modifiers[0] == tb::author::type_modifier::list);
  CHECK(a[3].type == "Future(Tensor)");
  CHECK(a[4].type == "__torch__.torch.classes.ns.name");
  CHECK(a[5].type == "img::image");
  REQUIRE(s.view().returns.size() == 2);
  CHECK(s.view().returns[0].type == "(int, int)");
  CHECK(s.view().returns[1].modifiers[0] == tb::author::type_modifier::optional);
}

TEST_CASE("schema: three dots stand for any number of arguments or results", "[core][schema][G7]") {
  CHECK(tb::schema("f(int a, ...) -> ...").view().variadic_arguments);
  CHECK(tb::schema("f(...) -> int").view().arguments.empty());
  const tb::schema s("f(int a) -> (int, ...)");
  CHECK_FALSE(s.view().variadic_arguments);
  CHECK(s.view().variadic_returns);
  CHECK(s.view().returns.size() == 1);
}

TEST_CASE("schema: space between words and comments do not matter", "[core][schema][G4]") {
  CHECK(print("  f ( int  a = 1 ,*, float b )->Tensor ") == "f(int a=1, *, float b) -> Tensor");
  CHECK(print("f(\n  int a,\r\n\tint b) -> ()\n") == "f(int a, int b) -> ()");
  CHECK(print("ns :: f # a name\n(int a # an argument\n) -> ()  # no result") == "ns::f(int a) -> ()");
}

TEST_CASE("schema: a copy keeps its own text", "[core][schema]") {
  const auto made = [] {
    const tb::schema first("ns::f(int a) -> int");
    return tb::schema(first);
  }();
  CHECK(to_string(made.view()) == "ns::f(int a) -> int");
}

TEST_CASE("schema: out, mutable and in-place operators are told by what they write", "[core][schema][G6][G11]") {
  const auto mutates = [](const char* text) { return is_mutable(tb::schema(text).view()); };
  const auto in_place = [](const char* text) { return is_in_place(tb::schema(text).view()); };
  CHECK_FALSE(mutates("f(Tensor a, Tensor(a) b) -> Tensor(a)"));
  CHECK(mutates("f(Tensor a, Tensor! b) -> ()"));
  CHECK(in_place("add_(Tensor(a!) self, Tensor other) -> Tensor(a!)"));
  CHECK_FALSE(in_place("add(Tensor self, Tensor other) -> Tensor"));
  CHECK_FALSE(in_place("f(Tensor(a!) self) -> ()"));
  CHECK_FALSE(in_place("f(Tensor(a!) self) -> Tensor"));
  CHECK_FALSE(in_place("f(Tensor(a!) self, Tensor(b!) other) -> Tensor(a!)"));
  CHECK_FALSE(in_place("f(Tensor other, Tensor(a!) self) -> Tensor(a!)"));
  const tb::schema s("f(Tensor(a!) self, *, Tensor(b!) out, Tensor other) -> Tensor(b!)");
  CHECK_FALSE(is_out(s.view().arguments[0]));
  CHECK(is_out(s.view().arguments[1]));
  CHECK_FALSE(is_out(s.view().arguments[2]));
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
      {"f(int a) - Tensor", 10, "'->'"},
      {"f(int a) -> ", 13, "a type"},
      {"f(int a) -> Tensor Tensor x", 27, "the end of the schema"},
      {"f(*, int a, *, int b) -> ()", 13, "no second '*'"},
      {"f(int a=1, int b) -> ()", 16, "a default, since an argument before this one has one"},
      {"f(int a=1, int[]? b) -> ()", 19, "a default, since an argument before this one has one"},
      {"f(int a=1, int[] b, int c) -> ()", 25, "a default, since an argument before this one has one"},
      {"f(int a, int a) -> ()", 14, "a name that no other argument has"},
      {"f(int a=) -> ()", 9, "an integer or 'Mean'"},
      {"f(int a=-) -> ()", 9, "an integer or 'Mean'"},
      {"f(float a=1e) -> ()", 13, "a digit of the exponent"},
      {"f(float a=1.2.3) -> ()", 11, "a number"},
      {"f(str a=\"x) -> ()", 18, "the closing quote"},
      {"f(int[ a) -> ()", 8, "']' or a list size"},
      {"f(int[2 a) -> ()", 9, "']' or a list size"},
      {"f(int[]?[]?[] a) -> ()", 12, "fewer '[]' and '?'"},
      {"f(Tensor() a) -> ()", 10, "an alias set"},
      {"f(Tensor(a! b) -> ()", 13, "')' after the alias set"},
      {"f(int[] a=[1, 2) -> ()", 16, "',' or ']'"},
      {"f(int a, *) -> ()", 11, "',' and a keyword-only argument after '*'"},
      {"f(*) -> ()", 4, "',' and a keyword-only argument after '*'"},
      {"f(..., int a) -> ()", 6, "')' after '...'"},
      {"f(int a=1, ...) -> ()", 12, "no '...', since an argument has a default"},
      {"f(.. a) -> ()", 3, "'...'"},
      {"f(Tensor?(a) x) -> ()", 10, "the annotation before the '?'"},
      {"f(int?? x) -> ()", 7, "no second '?'"},
      {"f(int[2][3] x) -> ()", 9, "nothing after a list with a size but '?'"},
      {"f(int[2][] x) -> ()", 9, "nothing after a list with a size but '?'"},
      {"f(int[-1] x) -> ()", 7, "']' or a list size"},
      {"f(int[0] x) -> ()", 7, "a list size of at least 1"},
      {"f(int[123456] x) -> ()", 7, "a list size of at most 99999"},
      {"f(Dict(str, int[2]) x) -> ()", 17, "no list size inside another type"},
      {"f(Dict(str, int x) -> ()", 17, "',' or ')' after a type"},
      {"f(Dict(str, Tensor(a)) x) -> ()", 19, "no annotation inside another type"},
      {"f(Dict(str) x) -> ()", 11, "two types in a Dict, of its keys and of its values"},
      {"f(Future(int, int) x) -> ()", 18, "one type"},
      {"f(Tensor[](a)[] x) -> ()", 14, "nothing but '?' after the annotation of a list"},
      {"f(Tensor(a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q) x) -> ()", 42, "at most 16 alias sets"},
      {"f(Tensor(a|) x) -> ()", 12, "an alias set"},
      {"f(Tensor(a!)[](b) x) -> ()", 15, "a list's own sets, written like its elements' and without '->'"},
      {"f(double x) -> ()", 3, "'float', the schema's name of a double"},
      {"f(int64_t x) -> ()", 3, "'int', the schema's name of an int64_t"},
      {"f(std::string x) -> ()", 3, "'str', the schema's name of a string"},
      {"f(int x) -> size_t", 13, "'int', the schema's name of an int64_t"},
      {"f(Tensor::1 x) -> ()", 11, "a name after '::'"},
      {"f(Tensor(b!) x) -> Tensor(a!)", 20,
       "the type and alias set of an argument that is written, since this result is"},
  }));
  INFO(m.text);
  CHECK(column_of(m.text) == m.column);
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(m.text); }) ==
        "schema '" + std::string(m.text) + "', column " + std::to_string(m.column) + ": expected " + m.expected);
}

TEST_CASE("schema: a result that is written is in an alias set of a written argument of its type",
          "[core][schema][G9]") {
  for (const char* text : {
           "f() -> Tensor(a!)",
           "f(Tensor x) -> Tensor(a!)",
           "f(Tensor(a) x) -> Tensor(a!)",
           "f(Tensor(b -> a) x) -> Tensor(a!)",
           "f(Tensor(a!)[] x) -> Tensor(a!)",
           "f(Tensor(a!)? x) -> Tensor(a!)",
           "f(Scalar(a!) x) -> Tensor(a!)",
           "f(Tensor(ab!) x) -> Tensor(a!)",
           "f(Tensor! x) -> Tensor!",  // in a set of its own
           "f(Tensor(*) x) -> Tensor(*!)",
           "f(Tensor(a!) x, ...) -> (Tensor(a!), Tensor(b!))",
       }) {
    INFO(text);
    CHECK(column_of(text) == std::string_view(text).rfind("Tensor") + 1);
  }
  for (const char* text : {
           "f(Tensor(a!) x) -> Tensor(a!)",
           "f(Tensor(a!) x) -> (Tensor, Tensor(a!))",
           "f(Tensor(a!)[] x) -> Tensor(a!)[]",
           "f(Tensor(a!)? x) -> Tensor(a!)?",
           "f(Tensor(a! -> *) x) -> Tensor(a!)",
           "f(Tensor(a!) x, Tensor(b!) y) -> Tensor( b|a !)",
           "f(Tensor(a|b!) x) -> Tensor(b!)",
           "f(Tensor(*!) x) -> Tensor(a!)",
           "f(Tensor(a!) x) -> Tensor(*!)",
           "f(Dict(str, int)(a!) x) -> Dict(str, int)(a!)",
           "f(Tensor(a!) x) -> (Tensor(a!), Tensor(a!))",
           "f(Tensor x) -> Tensor(a)",  // what is not written may alias what the schema does not name
       }) {
    INFO(text);
    CHECK(column_of(text) == 0);
  }
}

TEST_CASE("schema: the argument that a written result is has its type and a set of it", "[core][schema]") {
  const auto sources = [](const char* text) {
    const tb::schema s(text);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < s.view().returns.size(); ++i) all.push_back(written_argument(s.view(), i));
    return all;
  };
  using all = std::vector<std::size_t>;
  CHECK(sources("f(Tensor(c) z, Tensor(a!) x, Tensor(b!) y) -> (Tensor(b!), Tensor(a!))") == all{2, 1});
  CHECK(sources("f(Tensor(a!)[] x, Tensor(a) y, Tensor(a!) z) -> (Tensor(a!), Tensor(a!)[])") == all{2, 0});
  CHECK(sources("f(Tensor x, Tensor(b!) y, Tensor(c!) z) -> (Tensor(a|c!), Tensor(*!))") == all{2, 1});
  // Of no text, but a view can be made by hand.
  tb::schema s("ns::f(Tensor x, Tensor(a!) y) -> Tensor(a!)");
  tb::author::schema_item result = s.view().returns[0];
  result.alias = "b";
  tb::author::schema_view view = s.view();
  view.returns = {&result, 1};
  CHECK(toy::text_of<tb::bad_schema>([&] { (void)written_argument(view, 0); }) ==
        "ns::f: found result 1 written in the alias set 'b', wanted the type and alias set of an argument that is "
        "written");
}

TEST_CASE("schema: 64 arguments parse, and the error of a 65th points at it", "[core][schema][X2]") {
  std::string text = "f(int a0";
  for (int i = 1; i < 64; ++i) text += ", int a" + std::to_string(i);
  CHECK(tb::schema(text + ") -> ()").view().arguments.size() == tb::author::max_schema_arguments);
  const std::string one_more = text + ", int more";
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(one_more + ") -> ()"); }) ==
        "schema '" + one_more + ") -> ()', column " + std::to_string(text.size() + 3) +
            ": expected at most 64 arguments");
}

TEST_CASE("schema: 64 results parse and 65 do not", "[core][schema]") {
  std::string text = "f() -> (int";
  for (int i = 1; i < 64; ++i) text += ", int";
  CHECK(tb::schema(text + ")").view().returns.size() == 64);
  const std::string one_more = text + ", int";
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(one_more + ")"); }) ==
        "schema '" + one_more + ")', column " + std::to_string(text.size() + 3) + ": expected at most 64 results");
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
  const std::string long_name(20'000, 'n');
  CHECK(tb::schema(long_name + "::" + long_name + "." + long_name).view().overload == long_name);
}

TEST_CASE("schema: types and lists nest only so deep, so no text exhausts the stack", "[core][schema]") {
  CHECK(print("f(int[][][][] a=[[[[1]]]]) -> ()") == "f(int[][][][] a=[[[[1]]]]) -> ()");
  CHECK(column_of("f(int[] a=" + std::string(60'000, '[')) == 12);
  CHECK(column_of("f(Whatever a=" + std::string(60'000, '[')) == 23);
  CHECK(column_of("f(" + std::string(60'000, '(')) == 12);
  std::string deep = "f(", close;
  for (int i = 0; i < 8; ++i) deep += "Future(", close += ")";
  CHECK(column_of(deep + "int" + close + " a) -> ()") == 0);
}

TEST_CASE("schema: a text has at most 65,000 characters, and its error does not repeat all of them", "[core][schema]") {
  std::string text = "f(int a) -> ()";
  text.resize(tb::author::max_schema_text, ' ');
  CHECK(column_of(text) == 0);
  text += ' ';
  CHECK(column_of(text) == 1);
  CHECK(toy::text_of<tb::bad_schema>([&] { tb::schema s(text); }).size() < 2'200);
  CHECK(column_of(std::string(50'000'000, ',')) == 1);
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
      if (column_of(changed) == 0 && print(print(changed)) != print(changed)) FAIL(changed);
    }
  }
}
