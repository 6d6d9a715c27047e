// What a boxed layer can ask an operator for.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/allocations.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using toy::image;

namespace {
inline constexpr tb::op<"handle::into(Image a, int n=2, *, Image(a!) out) -> Image(a!)",
                        image&(const image&, std::int64_t, image&)>
    into;
inline constexpr tb::op<"handle::area", int(const image&)> area;
inline constexpr tb::op<"handle::named(int n=1) -> int"> named;
inline constexpr tb::op<"handle::named(int n=2) -> int"> renamed;
}  // namespace

TEST_CASE("handle: a schema in parts says what is written and what a result aliases", "[core][handle]") {
  tb::registry r;
  const auto block = tb::library("handle", r).def(into).def(area);
  const tb::author::schema_view* s = r.find("handle::into").parsed_schema();
  REQUIRE(s != nullptr);
  CHECK(s->ns == "handle");
  CHECK(s->name == "into");
  REQUIRE(s->arguments.size() == 3);
  CHECK(s->arguments[1].default_text == "2");
  CHECK_FALSE(s->arguments[0].writes);
  CHECK(s->arguments[2].writes);
  REQUIRE(s->returns.size() == 1);
  CHECK(s->returns[0].alias == s->arguments[2].alias);
  CHECK(r.find("handle::into").argument_label(2) == "argument 3 'out'");
}

TEST_CASE("handle: an operator with a C++ signature alone has no parts", "[core][handle]") {
  tb::registry r;
  const auto block = tb::library("handle", r).def(area);
  CHECK(r.find("handle::area").parsed_schema() == nullptr);
  CHECK(r.find("handle::area").argument_label(0) == "argument 1");
}

TEST_CASE("handle: an id is an operator's own, and stays while its operator is withdrawn and defined anew",
          "[core][handle]") {
  tb::registry r;
  auto block = tb::fragment("handle", r).def(named).def(area);
  const tb::operator_handle h = r.find("handle::named");
  CHECK(h.id() == r.find("handle::named").id());
  CHECK(h.id() != r.find("handle::area").id());
  block.reset();
  const auto again = tb::fragment("handle", r).def(named);
  CHECK(h.id() == r.find("handle::named").id());
}

TEST_CASE("handle: a schema is parsed once, and stays while its operator is defined anew", "[core][handle][D5]") {
  tb::registry r;
  auto first = tb::fragment("handle", r).def(named);
  const tb::operator_handle h = r.find("handle::named");
  const tb::author::schema_view* s = h.parsed_schema();
  const std::size_t asked = toy::allocations();
  CHECK(h.parsed_schema() == s);
  CHECK(toy::allocations() == asked);
  first.reset();
  CHECK(s->arguments[0].default_text == "1");
  const auto second = tb::fragment("handle", r).def(renamed);
  CHECK(h.parsed_schema()->arguments[0].default_text == "2");
  CHECK(s->arguments[0].default_text == "1");
}

TEST_CASE("handle: threads that ask for the parts at once get the same", "[core][handle][H3]") {
  tb::registry r;
  const auto block = tb::library("handle", r).def(into);
  const tb::operator_handle h = r.find("handle::into");
  std::vector<const tb::author::schema_view*> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& f : found) threads.emplace_back([&f, h] { f = h.parsed_schema(); });
  }
  for (const tb::author::schema_view* f : found) CHECK(f == found[0]);
}
