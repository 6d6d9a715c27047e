#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <thread>

#define main access_check_main
#include "layers/access_check.cpp"
#undef main
#include "support/raises.h"
import topbit.core;

using access_check::grant;

namespace {

int set_to = 0;
const auto clock_operators = tb::library("clock")
                                 .def<[](std::int64_t t) { set_to = static_cast<int>(t); }>("set.seconds")
                                 .def<[](std::int64_t t) { set_to = static_cast<int>(t); }>("settle");
void call(std::string_view name, std::int64_t t) { tb::find(name).typed<void(std::int64_t)>()(t); }
void remove_file(std::string_view name) { tb::find(name).typed<void(std::string_view)>()("a.txt"); }
std::string refusal(auto f) { return toy::text_of<tb::error>(f); }
const std::string none = "nothing was thrown";

}  // namespace

TEST_CASE("access_check: an operator is refused with all its overloads, but not one with the same prefix",
          "[layers][access_check]") {
  const auto checking = tb::registry::process().include_always(access_check::own_key);
  CHECK(refusal([] { call("clock::set.seconds", 3); }) ==
        "clock::set.seconds: found no grant on this thread; make an access_check::grant");
  CHECK(set_to == 0);
  CHECK(refusal([] { call("clock::settle", 4); }) == none);
  CHECK(set_to == 4);
  const grant allowed("clock::set");
  CHECK(refusal([] { call("clock::set.seconds", 5); }) == none);
  CHECK(set_to == 5);
}

TEST_CASE("access_check: a grant is for a scope of one thread", "[layers][access_check][T3]") {
  const auto checking = tb::registry::process().include_always(access_check::own_key);
  const auto removed = [] { return refusal([] { remove_file("file::remove"); }) == none; };
  CHECK_FALSE(removed());
  {
    const grant outer("file::");
    {
      const grant inner("clock::");
      CHECK(removed());
    }
    CHECK(removed());
    bool elsewhere = true;
    std::jthread([&] { elsewhere = removed(); }).join();
    CHECK_FALSE(elsewhere);
  }
  CHECK_FALSE(removed());
}

TEST_CASE("access_check: a call from an operator that needs no grant is checked, typed, boxed or through another layer",
          "[layers][access_check][C5]") {
  const auto checking = tb::registry::process().include_always(access_check::own_key);
  const std::string refused = "file::remove: found no grant on this thread; make an access_check::grant";
  CHECK(refusal([] { remove_file("tool::tidy"); }) == refused);
  CHECK(refusal([] {
          tb::boxed_stack s;
          s.push(std::string("a.txt"));
          tb::find("tool::tidy").call_boxed(s);
        }) == refused);
  const auto layer = tb::fallback<[](const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
    op.redispatch_boxed(keys & tb::below(tb::key::TestMode), s);
  }>(tb::key::TestMode);
  const tb::include_guard another(tb::key::TestMode);
  CHECK(refusal([] { remove_file("tool::tidy"); }) == refused);
  const grant allowed("file::remove");
  CHECK(refusal([] { remove_file("tool::tidy"); }) == none);
}
