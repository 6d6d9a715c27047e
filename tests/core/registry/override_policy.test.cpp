// What is said of a kernel that is registered over another one, and when.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/standard_error.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"over::width", int(const image&)> width;
inline constexpr tb::op<"over::width(int n) -> int"> other_width;
template <int I>
int answer(const image&) {
  return I;
}
void boxed(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(7);
}

struct policy {
  explicit policy(tb::override_policy p) : before(tb::set_override_policy(p)) {}
  policy(const policy&) = delete;
  ~policy() { tb::set_override_policy(before); }
  tb::override_policy before;
};

// What f leaves on the error output.
template <class F>
std::string said_by(F&& f) {
  return toy::without_places(toy::standard_error_of(std::forward<F>(f)));
}

struct room {
  tb::registry r;
  tb::library_block library = tb::library("over", r).def(width).impl<&answer<1>>(width, key::CPU);
  tb::library_block more() { return tb::implement("over", std::nullopt, r); }
};

}  // namespace

TEST_CASE("override policy: a warning names both source locations", "[core][library][R12]") {
  const policy strict(tb::override_policy::warned);
  room in;
  tb::library_block over = in.more();
  CHECK(said_by([&] { over.impl<&answer<2>>(width, key::CPU); }) ==
        "topbit: over::width: the kernel for CPU at HERE overrides the one registered at HERE; use replace() to say "
        "that it is meant\n");
  CHECK(said_by([&] { over.impl_boxed<&boxed>(width, key::CPU).fallthrough(width, key::CPU); }) ==
        "topbit: over::width: the boxed kernel for CPU at HERE overrides the one registered at HERE; use replace() to "
        "say that it is meant\n"
        "topbit: over::width: the fallthrough for CPU at HERE overrides the one registered at HERE; use replace() to "
        "say that it is meant\n");
  CHECK(in.r.find("over::width").kernels().size() == 4);
}

TEST_CASE("override policy: what is no override is not spoken of", "[core][library][R12]") {
  const policy strict(tb::override_policy::warned);
  room in;
  CHECK(said_by([&] {
          auto other_keys = in.more().impl<&answer<2>>(width, key::CUDA).impl<&answer<3>>(width);
          auto meant = in.more().replace<&answer<4>>(width, key::CPU);
          for (int i = 0; i < 2; ++i) in.library.impl<&answer<5>>(width, key::Meta);  // one line of one source
        }) == "");
  // What is refused, and what was registered before anybody asked.
  CHECK(said_by([&] {
          static constexpr tb::author::kernel_row rows[] = {tb::author::row<&answer<2>>(width, key::CPU),
                                                            tb::author::define(other_width)};
          CHECK_THROWS_AS(tb::author::register_rows(rows, in.r), tb::bad_registration);
          const policy quiet(tb::override_policy::allowed);
          in.library.impl<&answer<6>>(width, key::CPU);
        }) == "");
}

TEST_CASE("override policy: in a batch every override is told once, when all of it has been accepted",
          "[core][library][R12]") {
  const policy strict(tb::override_policy::refused_in_plugins);  // this is none
  room in;
  static constexpr tb::author::kernel_row rows[] = {tb::author::row<&answer<2>>(width, key::CPU),
                                                    tb::author::row<&answer<3>>(width, key::CPU)};
  const std::string line =
      "topbit: over::width: the kernel for CPU at HERE overrides the one registered at HERE; use replace() to say that "
      "it is meant\n";
  CHECK(said_by([&] { tb::author::register_rows(rows, in.r); }) == line + line);
}

TEST_CASE("override policy: setting it returns the previous policy", "[core][library]") {
  const tb::override_policy first = tb::set_override_policy(tb::override_policy::warned);
  CHECK(tb::set_override_policy(first) == tb::override_policy::warned);
}
