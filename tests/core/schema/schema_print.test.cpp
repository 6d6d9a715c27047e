#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <string_view>

import topbit.core;

namespace tb = topbit;

namespace {

std::string print(std::string_view text) { return to_string(tb::schema(text).view()); }
bool equal(std::string_view a, std::string_view b) { return tb::schema(a).view() == tb::schema(b).view(); }

}  // namespace

TEST_CASE("schema_print: canonical text stays as it is", "[core][schema_print][G16][G18]") {
  const std::string text = GENERATE(
      as<std::string>{}, "f() -> ()", "f() -> Tensor", "ns::f.o() -> (int, int)",
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      "aten::split(Tensor(a -> *) self, int[] sizes, int dim=0) -> Tensor(a)[]",
      "f(int[3] kernel, int[] stride=[], int[2] dilation=1, bool mode=False) -> (Tensor x, Tensor[] y)",
      "f(float eps=1e-05, float big=1e+20, str a=\"x'y\", Device? d=None, Tensor?[] l=[]) -> Tensor?",
      "f(Tensor a, *, Tensor(b!)? out=None, int c) -> ()", "f(Tensor! a) -> ()",
      "f(Tensor(a!)[](b!) l, Dict(str, Tensor) d, (int, int)[] p) -> ((int, int))", "f(int a, ...) -> (int, ...)",
      "f(...) -> ...", "f(int[2]? a=None, int?[2] b=[1, None]) -> ()", "f(Device d=\"cuda:0\") -> ()",
      "f(complex z=2.5j, Scalar s=2, Scalar t=2.0, Scalar u=True, float v=-inf) -> ()",
      "f(ScalarType t=long, Layout l=strided, MemoryFormat m=contiguous_format, int r=Mean) -> ()",
      "f(img::image i=blank, Mine m=[1, \"a\", [x]]) -> img::image");
  INFO(text);
  CHECK(print(text) == text);
}

TEST_CASE("schema_print: what means the same is printed the same", "[core][schema_print][G9][G17][G19]") {
  struct pair {
    const char* first;
    const char* second;
  };
  const auto p = GENERATE(values<pair>({
      {"f(Tensor(b|a) x) -> ()", "f(Tensor(a|b) x) -> ()"},
      {"f(Tensor(b | a | b) x) -> ()", "f(Tensor(a|b) x) -> ()"},
      {"f(Tensor(a|*) x) -> ()", "f(Tensor(*) x) -> ()"},
      {"f(Tensor(a! -> a) x) -> ()", "f(Tensor(a!) x) -> ()"},
      {"f(Tensor(a -> b | a) x) -> ()", "f(Tensor(a -> a|b) x) -> ()"},
      {"f(int[2] x=[3, 3]) -> ()", "f(int[2] x=3) -> ()"},
      {"f(int[1] x=[ 3 ]) -> ()", "f(int[1] x=3) -> ()"},
      {"f(float x=1) -> ()", "f(float x=1.0) -> ()"},
      {"f(float x=1.) -> ()", "f(float x=1.0) -> ()"},
      {"f(float x=.5) -> ()", "f(float x=0.5) -> ()"},
      {"f(float x=1E3) -> ()", "f(float x=1000.0) -> ()"},
      {"f(float x=0.00001) -> ()", "f(float x=1e-05) -> ()"},
      {"f(float[] x=[1, 2.50]) -> ()", "f(float[] x=[1.0, 2.5]) -> ()"},
      {"f(int x=-0) -> ()", "f(int x=0) -> ()"},
      {"f(int x=007) -> ()", "f(int x=7) -> ()"},
      {"f(str x='a\"b') -> ()", "f(str x=\"a\\\"b\") -> ()"},
      {"f(str x=\"\\101\\t\\'\") -> ()", "f(str x=\"A\\t'\") -> ()"},
      {"f(str x='''a'b''') -> ()", "f(str x=\"a'b\") -> ()"},
      {"f(Dict( str,int ) x) -> ()", "f(Dict(str, int) x) -> ()"},
      {"f() -> (int)", "f() -> int"},
      {"f(Device d='cpu') -> ()", "f(Device d=\"cpu\") -> ()"},
  }));
  INFO(p.first);
  CHECK(print(p.first) == p.second);
  CHECK(print(p.second) == p.second);
  CHECK(equal(p.first, p.second));
}

TEST_CASE("schema_print: what differs in meaning is not equal", "[core][schema_print][G19]") {
  const char* const base = "n::f.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int)";
  CHECK(equal(base, base));
  for (const char* other : {
           "m::f.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::g.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.p(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(b!) x, int[2] y=1, *, float z=1.5) -> (Tensor(b!) r, int)",
           "n::f.o(Tensor(a) x, int[2] y=1, *, float z=1.5) -> (Tensor(a) r, int)",
           "n::f.o(Tensor! x, int[2] y=1, *, float z=1.5) -> (Tensor r, int)",
           "n::f.o(Tensor(a!) w, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[3] y=1, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[2] y=2, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[2] y, *, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[2] y=1, float z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[2] y=1, *, float? z=1.5) -> (Tensor(a!) r, int)",
           "n::f.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!), int)",
           "n::f.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> (Tensor(a!) r, int, ...)",
           "n::f.o(Tensor(a!) x, int[2] y=1, *, float z=1.5) -> Tensor(a!) r",
       }) {
    INFO(other);
    CHECK_FALSE(equal(base, other));
    CHECK_FALSE(differences(tb::schema(base).view(), tb::schema(other).view()).empty());
  }
}

TEST_CASE("schema_print: differences come one by one, with their place", "[core][schema_print]") {
  const tb::schema a("n::f(Tensor(a!) x, *, int y=1, str z) -> (int, int)");
  const tb::schema b("n::f.o(Tensor x, int y=2, *, str w) -> int");
  std::string all;
  for (const tb::author::schema_change& c : differences(a.view(), b.view())) all += to_string(c) + "\n";
  CHECK(all ==
        "operator: name is 'n::f' and 'n::f.o'\n"
        "argument 1 'x': type is 'Tensor(a!)' and 'Tensor'\n"
        "argument 2 'y': default is '1' and '2'\n"
        "argument 2 'y': keyword-only is 'yes' and 'no'\n"
        "argument 3: name is 'z' and 'w'\n"
        "results: number is 2 and 1\n");
  CHECK(differences(a.view(), a.view()).empty());
}

TEST_CASE("schema_print: the compiler prints as the program does", "[core][schema_print]") {
  constexpr tb::fixed_string text = "f(int[2] y=[ 1,1 ], *, float z=.5, Tensor(b|a!) x, str s='q') -> (int)";
  constexpr tb::fixed_string canonical = "f(int[2] y=1, *, float z=0.5, Tensor(a|b!) x, str s=\"q\") -> int";
  STATIC_REQUIRE(tb::author::canonical_schema<text> == canonical);
  STATIC_REQUIRE(tb::author::canonical_schema<canonical> == canonical);
  CHECK(print(text.view()) == canonical.view());
}
