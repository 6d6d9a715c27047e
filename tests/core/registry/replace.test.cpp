// Overriding on purpose: replace() says that a kernel must be there, and is otherwise a kernel like any other.
#include <catch2/catch_test_macros.hpp>
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
using toy::image;

namespace {

inline constexpr tb::op<"rep::width", int(const image&)> width;
inline constexpr tb::op<"rep::height", int(const image&)> height;
inline constexpr tb::op<"elsewhere::width", int(const image&)> elsewhere;
template <int I>
int answer(const image&) {
  return I;
}

struct room {
  tb::registry r;
  tb::library_block library = tb::library("rep", r).def(width).impl<&answer<1>>(width, key::CPU);
  tb::library_block kernels = tb::implement("rep", std::nullopt, r);
  tb::typed_handle<int(const image&)> call = r.find("rep::width").typed<int(const image&)>();
  std::size_t count() { return r.find("rep::width").kernels().size(); }
};
const image on_cpu{key::CPU, 0, 0};

template <class F>
std::string refusal(F&& f) {
  return toy::without_places(toy::text_of<tb::bad_registration>(std::forward<F>(f)));
}

}  // namespace

TEST_CASE("replace: it overrides the kernel that is there, and withdrawing it brings that one back",
          "[core][library][R12][D2]") {
  room in;
  in.kernels.replace<&answer<2>>(width, key::CPU);
  CHECK(in.call(on_cpu) == 2);
  CHECK(in.count() == 2);
  in.kernels.reset();
  CHECK(in.call(on_cpu) == 1);
  CHECK(in.count() == 1);
}

TEST_CASE("replace: where no kernel is registered for the key it is refused, and changes nothing",
          "[core][library][R12][R28]") {
  room in;
  CHECK(refusal([&] { in.kernels.replace<&answer<2>>(width, key::CUDA); }) ==
        "rep::width: replace() at HERE for CUDA: there is no kernel to replace; there are kernels for CPU (HERE)");
  CHECK(refusal([&] { in.kernels.replace<&answer<2>>(height, key::CPU); }) ==
        "rep::height: replace() at HERE for CPU: there is no kernel to replace; there is no kernel for any key");
  CHECK(refusal([&] { in.kernels.replace<&answer<2>>(elsewhere, key::CPU); }) ==
        "elsewhere::width at HERE: belongs to the namespace 'elsewhere', the block to 'rep'");
  CHECK(in.count() == 1);
  CHECK_FALSE(in.r.try_find("rep::height").has_value());
  CHECK_THROWS_AS(in.call(image{key::CUDA, 0, 0}), tb::no_kernel);
  // What was refused is not in the way of what comes later.
  in.kernels.impl<&answer<3>>(width, key::CUDA).replace<&answer<4>>(width, key::CUDA);
  CHECK(in.call(image{key::CUDA, 0, 0}) == 4);
}

TEST_CASE("replace: an alias, or a fallback, that serves the key is no kernel for the key itself",
          "[core][library][R12]") {
  room in;
  in.library.impl<&answer<5>>(width, key::CompositeExplicitAutograd);
  CHECK(refusal([&] { in.kernels.replace<&answer<6>>(width, key::CUDA); }) ==
        "rep::width: replace() at HERE for CUDA: there is no kernel to replace; there are kernels for CPU (HERE), "
        "CompositeExplicitAutograd (HERE)");
  in.kernels.replace<&answer<6>>(width, key::CompositeExplicitAutograd);
  CHECK(in.call(image{key::CUDA, 0, 0}) == 6);
}

TEST_CASE("replace: no key is the catch-all, and a key of a functionality without a backend is refused",
          "[core][library][R9][K19]") {
  room in;
  in.library.impl<&answer<5>>(width);
  in.kernels.replace<&answer<6>>(width, key::Undefined);
  CHECK(in.call(image{}) == 6);
  CHECK(refusal([&] { in.kernels.replace<&answer<7>>(width, tb::dispatch_key{tb::functionality::Sparse}); }) ==
        "rep::width: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU");
}

TEST_CASE("replace: what calls pass through can be replaced too", "[core][library][R12][F2]") {
  room in;
  in.library.fallthrough(width, key::Tracer);
  const image traced{{key::CPU, key::Tracer}, 0, 0};
  CHECK(in.call(traced) == 1);
  in.kernels.replace<&answer<8>>(width, key::Tracer);
  CHECK(in.call(traced) == 8);
  in.kernels.reset();
  CHECK(in.call(traced) == 1);
}

TEST_CASE("replace: it stands in chains, of a block that has a name and of one that has none", "[core][library][R12]") {
  tb::registry r;
  auto named = tb::library("rep", r);
  tb::library_block& same = named.def(width).impl<&answer<1>>(width, key::CPU).replace<&answer<2>>(width, key::CPU);
  CHECK(&same == &named);
  const auto call = r.find("rep::width").typed<int(const image&)>();
  CHECK(call(on_cpu) == 2);
  {
    const auto unnamed = tb::implement("rep", std::nullopt, r)
                             .impl<&answer<3>>(width, key::CUDA)
                             .replace<&answer<4>>(width, key::CUDA)
                             .replace<&answer<5>>(width, key::CPU);
    CHECK(call(on_cpu) == 5);
    CHECK(call(image{key::CUDA, 0, 0}) == 4);
  }
  CHECK(call(on_cpu) == 2);
}

TEST_CASE("replace: of several the newest is active, whichever is withdrawn first", "[core][library][R12][D2]") {
  room in;
  auto second = tb::implement("rep", std::nullopt, in.r).replace<&answer<2>>(width, key::CPU);
  auto third = tb::implement("rep", std::nullopt, in.r).replace<&answer<3>>(width, key::CPU);
  CHECK(in.call(on_cpu) == 3);
  second.reset();
  CHECK(in.call(on_cpu) == 3);
  third.reset();
  CHECK(in.call(on_cpu) == 1);
}

TEST_CASE("replace: it outlives the kernel it replaced", "[core][library][R12][D2]") {
  room in;
  const auto defined = tb::fragment("rep", in.r).def(width);
  in.kernels.replace<&answer<2>>(width, key::CPU);
  in.library.reset();
  CHECK(in.call(on_cpu) == 2);
  in.kernels.reset();
  CHECK_THROWS_AS(in.call(on_cpu), tb::no_kernel);
}
