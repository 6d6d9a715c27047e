#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"lib::height", int(const image&)> height;
inline constexpr tb::op<"lib::height(int n) -> int"> differently;
inline constexpr tb::op<"another::height", int(const image&)> elsewhere;
int height_cpu(const image& i) { return i.height; }
void drop_one(const tb::operator_handle&, tb::boxed_stack& s) { s.drop(1); }

bool refused(std::string_view text, std::string_view begin, std::string_view end) {
  return text.starts_with(begin) && text.ends_with(end);
}

}  // namespace

TEST_CASE("library: a block owns what it registered and takes it back", "[core][library][D1]") {
  tb::registry r;
  {
    auto block = tb::library("lib", r).def(height).impl<&height_cpu>(height, key::CPU);
    const auto moved = std::move(block);
    CHECK(r.find("lib::height").kernels().size() == 1);
  }
  CHECK_FALSE(r.try_find("lib::height").has_value());
  {
    auto block = tb::library("lib", r).def(height);
    block.keep();
  }
  CHECK(r.find("lib::height").is_defined());
}

TEST_CASE("library: moving over a live block takes its registrations back", "[core][library][D1]") {
  tb::registry r;
  const auto defined = tb::library("lib", r).def(height);
  auto block = tb::implement("lib", key::CPU, r).impl<&height_cpu>(height);
  block = tb::implement("lib", key::CUDA, r).impl<&height_cpu>(height);
  const auto records = r.find("lib::height").kernels();
  REQUIRE(records.size() == 1);
  CHECK(records[0].target == tb::key_target(key::CUDA));
}

TEST_CASE("library: an operator of another namespace is refused", "[core][library][R5]") {
  tb::registry r;
  CHECK(refused(toy::text_of<tb::bad_registration>([&] { (void)tb::library("lib", r).def(elsewhere); }),
                "another::height at ", ": belongs to the namespace 'another', the block to 'lib'"));
  CHECK(refused(
      toy::text_of<tb::bad_registration>([&] { (void)tb::implement("lib", key::CPU, r).impl<&height_cpu>(elsewhere); }),
      "another::height at ", ": belongs to the namespace 'another', the block to 'lib'"));
}

TEST_CASE("library: a library defines, a fragment adds to it, an implementation implements for its key",
          "[core][library][R1][R4]") {
  tb::registry r;
  const auto library = tb::library("lib", r).def(height).impl<&height_cpu>(height, key::CPU);
  const auto fragment = tb::fragment("lib", r).def<&height_cpu>("more").impl<&height_cpu>(height, key::CUDA);
  const auto fixed = tb::implement("lib", key::Meta, r).impl<&height_cpu>(height);
  const auto free = tb::implement("lib", std::nullopt, r).impl<&height_cpu>(height);
  CHECK(r.operators() == std::vector<std::string>{"lib::height", "lib::more"});
  const auto records = r.find("lib::height").kernels();
  const tb::key_target wanted[] = {key::CPU, key::CUDA, key::Meta, key::CompositeImplicitAutograd};
  REQUIRE(records.size() == std::size(wanted));
  for (std::size_t i = 0; i < std::size(wanted); ++i) CHECK(records[i].target == wanted[i]);
}

TEST_CASE("library: an implement block defines nothing", "[core][library][R4]") {
  tb::registry r;
  CHECK(refused(toy::text_of<tb::bad_registration>([&] { (void)tb::implement("lib", key::CPU, r).def(height); }),
                "lib::height at ", ": def() in an implement() block; define it in a library() or a fragment()"));
}

TEST_CASE("library: a namespace is an identifier", "[core][library][R3]") {
  tb::registry r;
  for (const char* name : {"", "1a", "a::b", "a b"}) {
    INFO(name);
    CHECK(refused(toy::text_of<tb::bad_registration>([&] { (void)tb::library(name, r); }), "namespace '",
                  ": needs an identifier of letters, digits and '_'"));
  }
}

TEST_CASE("library: a block fixed to a key refuses another key, naming both", "[core][library][R8]") {
  tb::registry r;
  const auto defined = tb::library("lib", r).def(height);
  auto block = tb::implement("lib", key::CUDA, r).impl<&height_cpu>(height).impl<&height_cpu>(height, key::CUDA);
  const auto refusal = [](auto&& f) { return toy::without_places(toy::text_of<tb::bad_registration>(f)); };
  const std::string text =
      "lib::height at HERE: the block is for CUDA, found a kernel for CPU; leave the key out, or take a block without "
      "a key";
  CHECK(refusal([&] { block.impl<&height_cpu>(height, key::CPU); }) == text);
  CHECK(refusal([&] { block.impl<&height_cpu>("height", key::CPU); }) == text);
  CHECK(refusal([&] { block.replace<&height_cpu>(height, key::CPU); }) == text);
  CHECK(refusal([&] { block.fallthrough(height, key::CPU); }) == text);
  CHECK(refusal([&] { block.impl_boxed<&drop_one>(height, key::CPU); }) == text);
  CHECK(refusal([&] { block.impl_boxed(height, key::CPU, [](const tb::operator_handle&, tb::boxed_stack&) {}); }) ==
        text);
  CHECK(r.find("lib::height").kernels().size() == 2);
  // No key and the catch-all are one.
  auto all = tb::implement("lib", key::Undefined, r);
  all.impl<&height_cpu>(height, key::CompositeImplicitAutograd);
  CHECK(r.find("lib::height").kernels().size() == 3);
}

TEST_CASE("library: a chain that is refused midway takes back what it had registered", "[core][library][R28]") {
  tb::registry r;
  CHECK_THROWS_AS(tb::library("lib", r).def(height).impl<&height_cpu>(height, key::CPU).def(elsewhere),
                  tb::bad_registration);
  CHECK_FALSE(r.try_find("lib::height").has_value());
}

TEST_CASE("library: rows are registered for good, all of them or none", "[core][library]") {
  static constexpr std::array good{tb::author::define(height), tb::author::row<&height_cpu>(height, key::CPU)};
  static constexpr std::array bad{tb::author::row<&height_cpu>(height, key::CUDA), tb::author::define(differently)};
  tb::registry r;
  tb::author::register_rows(good, r);
  CHECK(r.find("lib::height").typed<int(const image&)>()(image{key::CPU, 0, 9}) == 9);
  CHECK_THROWS_AS(tb::author::register_rows(bad, r), tb::bad_registration);
  CHECK(r.find("lib::height").kernels().size() == 1);
}

TEST_CASE("library: rows registered twice are as if registered once", "[core][library]") {
  static constexpr std::array rows{tb::author::define(height), tb::author::row<&height_cpu>(height, key::CPU)};
  tb::registry r;
  tb::author::register_rows(rows, r);
  tb::author::register_rows(rows, r);
  CHECK(r.operators().size() == 1);
  CHECK(r.find("lib::height").typed<int(const image&)>()(image{key::CPU, 0, 9}) == 9);
}

TEST_CASE("library: a namespace has one library block at a time, and any number of others", "[core][library][R2]") {
  tb::registry r;
  auto first = tb::library("own", r);
  const std::string text = toy::text_of<tb::bad_registration>([&] { (void)tb::library("own", r); });
  CHECK(text.starts_with("library 'own' at "));
  CHECK(text.find(": the namespace has one already, at ") != std::string::npos);
  CHECK(text.ends_with("; add to it with fragment() or implement()"));
  (void)tb::fragment("own", r);
  (void)tb::implement("own", tb::key::CPU, r);
  first.reset();
  (void)tb::library("own", r);
}
