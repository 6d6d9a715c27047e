// Kernels that are known only when the program runs, as pointers to functions.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;
using toy::tensor;

namespace {

inline constexpr tb::op<"pointer::scale(Tensor self, int by, *, str mode=\"x\") -> Tensor"> scale;
inline constexpr tb::op<"pointer::fill(Tensor(a!) self, int by) -> Tensor(a!)"> fill;
inline constexpr tb::op<"pointer::keys", key_set(const image&)> seen;

tensor twice(const tensor& t, std::int64_t by, std::string_view) { return tensor(t.keys(), 2 * by * t.value()); }
tensor thrice(const tensor& t, std::int64_t by, std::string_view mode) {
  return tensor(t.keys(), 3 * by * t.value() + static_cast<std::int64_t>(mode.size()));
}
tensor& set(tensor& t, std::int64_t by) {
  t.set(by);
  return t;
}
key_set keys_given(key_set keys, const image&) { return keys; }
int width(const image& i) noexcept { return i.width; }

using scale_function = tensor (*)(const tensor&, std::int64_t, std::string_view);
struct room {
  tb::registry r;
  tb::library_block library = tb::library("pointer", r).def(scale).def(fill).def(seen);
  tb::library_block more() { return tb::implement("pointer", std::nullopt, r); }
};
template <class F>
std::string refusal(F&& f) {
  return toy::without_places(toy::text_of<tb::bad_registration>(std::forward<F>(f)));
}

}  // namespace

TEST_CASE("pointer kernel: one that is chosen when the program runs serves typed calls and boxed ones",
          "[core][library][B2]") {
  room in;
  const std::array<scale_function, 2> table{&twice, &thrice};
  const auto call = in.r.find("pointer::scale").typed<tensor(const tensor&, std::int64_t, std::string_view)>();
  for (const std::int64_t factor : {2, 3}) {
    const auto block = in.more().impl_pointer(scale, key::CPU, table[static_cast<std::size_t>(factor - 2)]);
    const std::int64_t wanted = factor * 5 * 7 + (factor == 3 ? 1 : 0);
    CHECK(call(tensor(key::CPU, 7), 5, "x").value() == wanted);
    tb::boxed_stack s;
    s.push(tensor(key::CPU, 7));
    s.push(std::int64_t{5});
    s.push(std::string("x"));
    in.r.find("pointer::scale").call_boxed(s);
    CHECK(s.pop().get<tensor>().value() == wanted);
  }
  CHECK_THROWS_AS(call(tensor(key::CPU, 7), 5, "x"), tb::no_kernel);
}

TEST_CASE("pointer kernel: it may write to its arguments, and take the key set", "[core][library][B2]") {
  room in;
  auto block = in.more();
  block.impl_pointer(fill, key::CPU, &set).impl_pointer(seen, key::CUDA, &keys_given);
  tensor t(key::CPU, 1);
  CHECK(in.r.find("pointer::fill").typed<tensor&(tensor&, std::int64_t)>()(t, 9).is_same(t));
  CHECK(t.value() == 9);
  const auto call = in.r.find("pointer::keys").typed<key_set(const image&)>();
  CHECK(call(image{{key::CUDA, key::CPU}, 0, 0}) == key_set{key::CUDA, key::CPU});
}

TEST_CASE("pointer kernel: it stands beside kernels of other kinds, and newest is active", "[core][library][B2][R12]") {
  room in;
  const auto older = in.more().impl<&twice>(scale, key::CPU);
  const auto call = in.r.find("pointer::scale").typed<tensor(const tensor&, std::int64_t, std::string_view)>();
  {
    const auto newer = in.more().impl_pointer(scale, key::CPU, &thrice).impl_pointer(scale, key::CUDA, &thrice);
    CHECK(call(tensor(key::CPU, 1), 1, "").value() == 3);
    CHECK(verify(in.r.find("pointer::scale")).empty());
    CHECK(toy::without_places(to_string(dump(in.r.find("pointer::scale")).kernels.front())) ==
          "CPU: typed, registered at HERE");
  }
  CHECK(call(tensor(key::CPU, 1), 1, "").value() == 2);
}

TEST_CASE("pointer kernel: by name it brings its signature", "[core][library][B2]") {
  room in;
  const auto by_name = tb::fragment("pointer", in.r).def<&width>("width");
  const auto block = in.more().impl_pointer("width", key::CUDA, &width);
  CHECK(in.r.find("pointer::width").typed<int(const image&)>()(image{key::CUDA, 6, 0}) == 6);
  CHECK(in.r.find("pointer::width").kernels().size() == 2);
  CHECK(refusal([&] {
          (void)in.more().impl_pointer("pointer::keys", key::CPU, &width);
        }).starts_with("pointer::keys: implemented for CPU at HERE with the signature "));
}

TEST_CASE("pointer kernel: a null pointer is refused, and so is another key than the block's", "[core][library][B2]") {
  room in;
  CHECK(refusal([&] { (void)in.more().impl_pointer(scale, key::CPU, scale_function{}); }) ==
        "pointer::scale at HERE: found a null pointer for CPU, wanted one to a kernel");
  CHECK(refusal([&] { (void)in.more().impl_pointer("scale", key::CPU, scale_function{}); }) ==
        "pointer::scale at HERE: found a null pointer for CPU, wanted one to a kernel");
  CHECK(refusal([&] {
          (void)tb::implement("pointer", key::CUDA, in.r).impl_pointer(scale, key::CPU, &twice);
        }).starts_with("pointer::scale at HERE: the block is for CUDA, found a kernel for CPU; "));
  CHECK(in.r.find("pointer::scale").kernels().empty());
}
