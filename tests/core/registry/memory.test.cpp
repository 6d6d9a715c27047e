// What a registry keeps for good is bounded by the distinct registrations it was ever given, and what is withdrawn
// leaves handles that raise.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"mem::width", int(const image&)> width;
inline constexpr tb::op<"mem::depth(int n=1) -> int"> depth;
inline constexpr tb::op<"mem::depth(int n=2) -> int"> depth_by_two;
inline constexpr tb::op<"mem::depth(float n) -> int"> depth_of_float;
int answer(const image& i) { return i.width; }
void boxed(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(3);
}

const int rounds = scaled(20'000, 2'000);

// Registers again and again. What the first rounds had to make is there; the others make nothing that stays.
void stays_as_large(const std::function<void()>& round, int times = rounds) {
  for (int i = 0; i < 10; ++i) round();
  const std::ptrdiff_t before = toy::live_bytes();
  for (int i = 0; i < times; ++i) round();
  CHECK(toy::live_bytes() == before);
}

}  // namespace

TEST_CASE("memory: what is allocated and freed is counted", "[core][memory]") {
  const std::ptrdiff_t before = toy::live_bytes();
  const std::size_t asked = toy::allocations();
  auto* some = new std::vector<int>(1000);
  const std::ptrdiff_t with = toy::live_bytes();
  const bool counts = toy::allocations() != asked;
  delete some;
  if (!counts) SKIP("a sanitizer keeps operator new to itself");
  CHECK(with >= before + 4000);
  CHECK(toy::live_bytes() == before);
}

TEST_CASE("memory: definitions and kernels registered again take no more", "[core][memory][H5]") {
  tb::registry r;
  stays_as_large([&] { const auto block = tb::library("mem", r).def(width).impl<&answer>(width, key::CPU); });
}

TEST_CASE("memory: other schemas of a name, in turns, take no more", "[core][memory][H5]") {
  tb::registry r;
  stays_as_large([&] {
    {
      const auto block = tb::fragment("mem", r).def(depth);
    }
    {
      const auto block = tb::fragment("mem", r).def(depth_by_two);
    }
    {
      const auto block = tb::fragment("mem", r).def(depth_of_float);
    }
  });
}

TEST_CASE("memory: boxed kernels, passing through and fallbacks registered again take no more", "[core][memory][H5]") {
  tb::registry r;
  const auto defined = tb::library("mem", r).def(width);
  stays_as_large([&] {
    const auto block =
        tb::implement("mem", std::nullopt, r).impl_boxed<&boxed>(width, key::CPU).fallthrough(width, key::Tracer);
    const auto back = tb::fallback<&boxed>(key::UserTop1, r);
    const auto passing = tb::fallthrough(key::UserTop2, r);
  });
}

TEST_CASE("memory: layers and listeners that come again take no more", "[core][memory][H5]") {
  tb::registry r;
  const auto defined = tb::library("mem", r).def(width);
  stays_as_large([&] {
    const auto layer = r.include_always(key::Tracer);
    const auto listening = r.listen([](const tb::registry_event&) {});
  });
}

TEST_CASE("memory: a backend named again takes no more", "[core][memory][H5][K17]") {
  // A name is compared with those of all keys: fewer rounds, since each takes long.
  stays_as_large([] { const auto name = tb::name_backend(tb::backend::PrivateUse6, "Npu"); }, rounds / 20);
}

TEST_CASE("memory: names made at run time and registered again take no more", "[core][memory][H5]") {
  tb::registry r;
  int next = 0;
  stays_as_large([&] {
    const std::string name = "one_of_ten_names_longer_than_a_string_keeps_in_place" + std::to_string(next++ % 10);
    const auto block = tb::fragment("mem", r).def<&answer>(name).impl<&answer>(name, key::CPU);
  });
}

TEST_CASE("memory: what is refused takes no more", "[core][memory][H5][R28]") {
  tb::registry r;
  const auto defined = tb::library("mem", r).def(depth);
  for (int i = 0; i < 10; ++i) CHECK_THROWS_AS(tb::fragment("mem", r).def(depth_of_float), tb::bad_registration);
  const std::ptrdiff_t before = toy::live_bytes();
  int refused = 0;
  for (int i = 0; i < rounds / 10; ++i) {
    try {
      (void)tb::fragment("mem", r).def(depth_of_float);
    } catch (const tb::bad_registration&) {
      ++refused;
    }
  }
  CHECK(refused == rounds / 10);
  CHECK(toy::live_bytes() == before);
}

TEST_CASE("memory: a registry that goes gives everything back", "[core][memory][D6]") {
  const auto whole = [] {
    tb::registry r;
    auto block = tb::library("mem", r).def(width).impl_boxed<&boxed>(width, key::CPU).def(depth);
    for (int i = 0; i < 200; ++i) block.def<&answer>("op" + std::to_string(i));
    const auto back = tb::fallback<&boxed>(key::UserTop1, r);
    const auto listening = r.listen([](const tb::registry_event&) {});
  };
  whole();
  const std::ptrdiff_t before = toy::live_bytes();
  whole();
  CHECK(toy::live_bytes() == before);
}

TEST_CASE("memory: handles of withdrawn operators throw, whatever was registered meanwhile", "[core][memory][D4][D5]") {
  tb::registry r;
  std::vector<tb::operator_handle> handles;
  std::vector<tb::typed_handle<int(const image&)>> typed;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "gone" + std::to_string(i);
    const auto block = tb::fragment("mem", r).def<&answer>(name);
    handles.push_back(r.find("mem::" + name));
    typed.push_back(handles.back().typed<int(const image&)>());
  }
  auto block = tb::library("mem", r);
  for (int i = 0; i < 1000; ++i) block.def<&answer>("here" + std::to_string(i));
  for (int i = 0; i < 100; ++i) {
    const std::string text = "mem::gone" + std::to_string(i) + ": was withdrawn: its library is gone or was reset";
    CHECK_FALSE(handles[static_cast<std::size_t>(i)].is_defined());
    CHECK(toy::text_of<tb::no_kernel>([&] { (void)typed[static_cast<std::size_t>(i)](image{key::CPU, 1, 0}); }) ==
          text);
    tb::boxed_stack s;
    s.push(image{key::CPU, 1, 0});
    CHECK(toy::text_of<tb::no_kernel>([&] { handles[static_cast<std::size_t>(i)].call_boxed(s); }) == text);
  }
  block.def<&answer>("gone7");
  CHECK(typed[7](image{key::CPU, 9, 0}) == 9);
}
