// What the reader tells of a text, at compile time and when the program runs.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

import topbit.core;
import topbit.tables;

namespace tb = topbit;
namespace tables = topbit::tables;

namespace {

// Writes down what it hears.
struct writer {
  std::string text;
  void entry(tables::position at, tables::mistake&) {
    text += "entry " + std::to_string(at.line) + ":" + std::to_string(at.column) + "\n";
  }
  void key(const tables::scalar& k, tables::value_kind kind, tables::mistake&) {
    text += k.text() +
            (kind == tables::value_kind::scalar ? "="
             : kind == tables::value_kind::list ? "[]"
                                                : "{}") +
            "\n";
  }
  void value(const tables::scalar& v, tables::mistake&) { text += " <" + v.text() + ">\n"; }
  void pair(const tables::scalar& k, const tables::scalar& v, tables::mistake&) {
    text += " <" + k.text() + "> <" + v.text() + ">\n";
  }
  void end_of_entry(tables::mistake&) {}
};

std::string told(std::string_view text) {
  writer w;
  const tables::mistake m = tables::read_yaml(text, w);
  return m.ok() ? w.text : std::string(tables::sentence_of("text", m).view());
}

// The same in the compiler: how many of each.
struct counter {
  int entries = 0, values = 0, pairs = 0;
  constexpr void entry(tables::position, tables::mistake&) { ++entries; }
  constexpr void key(const tables::scalar&, tables::value_kind, tables::mistake&) {}
  constexpr void value(const tables::scalar&, tables::mistake&) { ++values; }
  constexpr void pair(const tables::scalar&, const tables::scalar&, tables::mistake&) { ++pairs; }
  constexpr void end_of_entry(tables::mistake&) {}
};
consteval int counted(std::string_view text) {
  counter c;
  const tables::mistake m = tables::read_yaml(text, c);
  return m.ok() ? c.entries * 100 + c.values * 10 + c.pairs : -1;
}

}  // namespace

TEST_CASE("tables reader: plain scalars end at a comment, lose space around them and keep the rest", "[tables]") {
  CHECK(told("- a: x y   # z\n  b: x#y:z\n") == "entry 1:1\na=\n <x y>\nb=\n <x#y:z>\n");
  CHECK(told("\n# c\n- a: 1") == "entry 3:1\na=\n <1>\n");
}

TEST_CASE("tables reader: the lines of a long scalar are joined by one space each", "[tables]") {
  CHECK(told("- func: f(int a,\n          int b)\n\n     -> int\n  k: v\n") ==
        "entry 1:1\nfunc=\n <f(int a, int b) -> int>\nk=\n <v>\n");
  CHECK(told("- a:  b  c\n    d\n") == "entry 1:1\na=\n <b  c d>\n");
}

TEST_CASE("tables reader: quoted scalars have their quotes taken off and their escapes read", "[tables]") {
  CHECK(told("- a: 'it''s # no: comment'  # one\n") == "entry 1:1\na=\n <it's # no: comment>\n");
  CHECK(told(R"(- a: "a \"b\" \\ c")") == "entry 1:1\na=\n <a \"b\" \\ c>\n");
  CHECK(told("- 'a': ''\n") == "entry 1:1\na=\n <>\n");
}

TEST_CASE("tables reader: flow lists may go over lines and have comments", "[tables]") {
  CHECK(told("- a: [x, 'y, z', \"w\"]\n  b: []\n") == "entry 1:1\na[]\n <x>\n <y, z>\n <w>\nb[]\n");
  CHECK(told("- a: [x,  # first\n    y,\n  ]  # end\n  b: c\n") == "entry 1:1\na[]\n <x>\n <y>\nb=\n <c>\n");
}

TEST_CASE("tables reader: block lists and block maps are values of a key", "[tables]") {
  CHECK(told("- a:\n  - x -> y\n  - z\n  b:\n    CPU, CUDA: f  # g\n    Meta: h\n- a: {}\n") ==
        "entry 1:1\na[]\n <x -> y>\n <z>\nb{}\n <CPU, CUDA> <f>\n <Meta> <h>\nentry 7:1\na{}\n");
  CHECK(told("  - a:\n      - x\n  - b: y\n") == "entry 1:3\na[]\n <x>\nentry 3:3\nb=\n <y>\n");
}

TEST_CASE("tables reader: a text without entries is one, and says nothing", "[tables]") {
  CHECK(told("").empty());
  CHECK(told("# only a comment\n\n   \n").empty());
}

TEST_CASE("tables reader: the compiler reads the same", "[tables]") {
  STATIC_REQUIRE(counted("- a: [x, y]\n  b:\n    CPU: f\n- a: z\n") == 231);
  STATIC_REQUIRE(counted("- a: 'x\n") == -1);
}

TEST_CASE("tables words: each key is read by the name that it prints", "[tables]") {
  for (unsigned row = 1; row < tb::author::row_count; ++row) {
    const tb::dispatch_key k = tb::author::key_of_row(row);
    if (tb::author::per_backend(k.layer) && k.device == tb::backend::none) continue;
    INFO(to_string(k));
    REQUIRE(tables::key_of_word(to_string(k)).has_value());
    CHECK(*tables::key_of_word(to_string(k)) == tb::key_target(k));
  }
  for (std::uint8_t i = 0; i < tb::author::alias_count; ++i) {
    const tb::alias_key a{i};
    INFO(name_of(a));
    REQUIRE(tables::key_of_word(name_of(a)).has_value());
    CHECK(*tables::key_of_word(name_of(a)) == tb::key_target(a));
  }
  CHECK_FALSE(tables::key_of_word("SparseCPUs").has_value());
  CHECK_FALSE(tables::key_of_word("Dense").has_value());
  CHECK_FALSE(tables::key_of_word("").has_value());
}

TEST_CASE("tables words: tags are topbit's and PyTorch's", "[tables]") {
  STATIC_REQUIRE(tables::tags_of_word("pointwise") == tb::tag_set(tb::tag::pointwise));
  STATIC_REQUIRE(tables::tags_of_word("nondeterministic_seeded") == tb::tag_set(tb::tag::random));
  STATIC_REQUIRE(tables::tags_of_word("core") == tb::tag_set());
  STATIC_REQUIRE_FALSE(tables::tags_of_word("cored").has_value());
}
