#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import topbit.core;

namespace tb = topbit;
namespace author = topbit::author;

// A page names the variable, so it must not be in an unnamed namespace.
namespace page_test {

inline constexpr tb::op<"pagetest::add.int(int self, int other, *, int alpha=1) -> int"> add;
inline constexpr tb::op<"pagetest::add(int self) -> int"> add_nothing;

std::int64_t add_kernel(std::int64_t a, std::int64_t b, std::int64_t alpha) { return a + alpha * b; }

constexpr author::operator_page pages[] = {
    author::page<add, add_nothing>({
        .summary = "Adds.",
        .shapes = "self: [..], other: [..] -> sum: broadcast",
        .dtypes = "numbers",
        .memory = "nothing",
        .cost = "one addition",
        .errors = {author::raises<tb::bad_argument>("self is a word", "add.int(two, 3)"),
                   author::raises<tb::no_kernel>("there is no kernel")},
        .examples = {{"add.int(2, 3)", "5"}, {"add(2)"}},
    }),
};

}  // namespace page_test

namespace {

std::string mistake(author::page_lines lines) {
  const tb::author::schema_view schemas[] = {page_test::add.schema(), page_test::add_nothing.schema()};
  return std::string(author::explain_page(schemas, lines).view());
}

std::vector<std::string> titles() {
  std::vector<std::string> all;
  for (const author::page_group& g : author::operator_pages()) all.emplace_back(g.title);
  return all;
}

}  // namespace

TEST_CASE("operator_page: a page says what its lines say, the keys and every form", "[core][operator_page]") {
  tb::registry r;
  const auto kernels = tb::library("pagetest", r).def(page_test::add).impl<&page_test::add_kernel>(page_test::add);
  CHECK(to_string(page_test::pages[0], r) ==
        "pagetest::add.int\n"
        "  Adds.\n"
        "  Shapes   self: [..], other: [..] -> sum: broadcast\n"
        "  Dtypes   numbers\n"
        "  Keys     CompositeImplicitAutograd\n"
        "  Memory   nothing\n"
        "  Cost     one addition\n"
        "  Errors   bad_argument: self is a word\n"
        "           no_kernel: there is no kernel\n"
        "  Example  add.int(2, 3) = 5\n"
        "           add(2)\n"
        "  Forms    page_test::add          pagetest::add.int(int self, int other, *, int alpha=1) -> int\n"
        "           page_test::add_nothing  pagetest::add(int self) -> int\n");
}

TEST_CASE("operator_page: a document has a list of contents and each page under its group", "[core][operator_page]") {
  const author::page_group group[] = {{"Sums and more", page_test::pages}};
  tb::registry r;
  const std::string text = author::to_markdown(group, r);
  CHECK(
      text.starts_with("- [Sums and more](#sums-and-more): [pagetest::add.int](#pagetestaddint)\n\n"
                       "## Sums and more\n\n### pagetest::add.int\n\nAdds.\n\n```text\n  Shapes   self"));
  CHECK(text.ends_with("-> int\n```\n"));
}

TEST_CASE("operator_page: pages are known while their publication lives", "[core][operator_page]") {
  {
    const author::published_pages first = author::publish_pages({"First", page_test::pages});
    author::published_pages second = author::publish_pages({"Second", {}});
    CHECK(titles() == std::vector<std::string>{"First", "Second"});
    author::published_pages third = author::publish_pages({"Third", {}});
    second = std::move(third);
    CHECK(titles() == std::vector<std::string>{"First", "Third"});
  }
  CHECK(titles().empty());
}

TEST_CASE("operator_page: lines that say what cannot be are refused with a sentence", "[core][operator_page]") {
  CHECK(mistake({.summary = "Adds."}).empty());
  CHECK(mistake({.summary = "adds."}) ==
        "the summary is a sentence, with a capital letter and a full stop; found 'adds.'");
  CHECK(mistake({.summary = "Adds"}) ==
        "the summary is a sentence, with a capital letter and a full stop; found 'Adds'");
  CHECK(mistake({}) == "the summary is a sentence, with a capital letter and a full stop; found ''");
  CHECK(mistake({.summary = "Adds.", .cost = "a\nb"}) == "a line has no line break; found one in 'a\nb'");
  CHECK(mistake({.summary = "Adds.", .shapes = "self: [..], mine: [..] -> any: []"}) ==
        "the shapes name 'mine', which is no argument of the operators");
  CHECK(mistake({.summary = "Adds.", .errors = {author::raises<tb::error>("")}}) ==
        "the error error needs a word about when it is thrown");
  CHECK(mistake({.summary = "Adds.", .errors = {author::raises<tb::error>("never", "sub(1)")}}) ==
        "the example 'sub(1)' calls no operator of the page");
  for (std::string_view call : {"add.in(1)", "add.integer(1)", "add.int", "add.int(1", "addint(1)", "(1)"}) {
    INFO(call);
    CHECK(mistake({.summary = "Adds.", .examples = {{call, ""}}}) ==
          "the example '" + std::string(call) + "' calls no operator of the page");
  }
}
