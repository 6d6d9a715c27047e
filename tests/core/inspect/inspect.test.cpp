#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "support/named_places.h"
#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace {

inline constexpr tb::op<"insp::add(Tensor a, Tensor b) -> Tensor"> add;
inline constexpr tb::op<"insp::add(Tensor a) -> Tensor"> other_add;
inline constexpr tb::op<"insp::zeros(int n, Device device) -> Tensor"> zeros;
inline constexpr tb::op<"insp::width", int(const toy::image&)> width;

toy::tensor add_kernel(const toy::tensor& a, const toy::tensor&) { return a; }
toy::tensor other_kernel(const toy::tensor& a) { return a; }
toy::tensor zeros_kernel(std::int64_t, toy::device) { return {}; }
int width_kernel(const toy::image& i) { return i.width; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
constexpr auto C = std::source_location::current();
constexpr auto D = std::source_location::current();
constexpr auto E = std::source_location::current();
const toy::named_places named{{"A", A}, {"B", B}, {"C", C}, {"D", D}, {"E", E}};

}  // namespace

TEST_CASE("inspect: a dump of an operator has every place, newest first for each key", "[core][inspect][I1]") {
  tb::registry r;
  const auto block = tb::library("insp", r, A)
                         .def(add, A)
                         .impl<&add_kernel>(add, key::Autograd, B)
                         .impl<&add_kernel>(add, key::CPU, B)
                         .impl_boxed<&boxed>(add, key::CUDA, C)
                         .impl<&add_kernel>(add, key::CPU, C)
                         .fallthrough(add, key::AutogradCUDA, D)
                         .replace<&add_kernel>(add, key::CPU, D);
  const auto again = tb::fragment("insp", r).def(add, E);
  CHECK(named(to_string(dump(r.find("insp::add")))) ==
        R"(insp::add
  schema    insp::add(Tensor a, Tensor b) -> Tensor
  signature toy::tensor (const toy::tensor&, const toy::tensor&)
  defined   A
  defined   E
  kernel    CPU: typed, registered at D with replace()
  kernel    CPU: typed, registered at C, inactive: overridden by D
  kernel    CPU: typed, registered at B, inactive: overridden by D
  kernel    CUDA: boxed, registered at C
  kernel    AutogradCUDA: fallthrough, registered at D
  kernel    Autograd: typed, registered at B
)");
}

TEST_CASE("inspect: a dump carries the same facts as data", "[core][inspect][I1]") {
  tb::registry r;
  const auto block =
      tb::library("insp", r).def(add, A).impl<&add_kernel>(add, key::CPU, B).impl<&add_kernel>(add, key::CPU, C);
  const tb::inspect::operator_dump d = dump(r.find("insp::add"));
  CHECK(d.name == "insp::add");
  REQUIRE(d.definitions.size() == 1);
  CHECK(d.definitions[0] == tb::inspect::source_location{A.file_name(), A.line()});
  REQUIRE(d.kernels.size() == 2);
  CHECK(d.kernels[0].key == tb::key_target(key::CPU));
  CHECK(d.kernels[0].form == tb::inspect::kernel_form::typed);
  CHECK_FALSE(d.kernels[0].overridden_by.has_value());
  CHECK(d.kernels[0].place == tb::inspect::source_location{C.file_name(), C.line()});
  CHECK(d.kernels[1].overridden_by == d.kernels[0].place);
}

TEST_CASE("inspect: the kernel made from a signature is shown, and overridden like any other", "[core][inspect][I1]") {
  tb::registry r;
  const auto block = tb::library("insp", r).def(zeros, A).impl<&zeros_kernel>(zeros, key::CPU, B);
  const auto zeros_text = [&] { return named(to_string(dump(r.find("insp::zeros")))); };
  CHECK(
      zeros_text().ends_with("  kernel    CPU: typed, registered at B\n"
                             "  kernel    BackendSelect: generated (from the signature)\n"));
  const auto own = tb::implement("insp", std::nullopt, r).impl<&zeros_kernel>(zeros, key::BackendSelect, C);
  CHECK(
      zeros_text().ends_with("  kernel    BackendSelect: typed, registered at C\n"
                             "  kernel    BackendSelect: generated (from the signature), inactive: overridden by C\n"));
}

TEST_CASE("inspect: a dump of a registry is sorted, with fallbacks and owners of namespaces", "[core][inspect][I1]") {
  tb::registry r;
  const auto late = tb::implement("insp", std::nullopt, r).impl<&width_kernel>(width, key::CPU, D);
  const auto block = tb::library("insp", r, A).def(add, A).impl<&add_kernel>(add, key::CPU, B);
  const auto owner = tb::library("empty", r, C);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r, C);
  const auto grading = tb::fallback<&boxed>(key::Autograd, r, E);
  const auto included = r.include_always(key::UserTop1, D);
  CHECK(named(to_string(dump(r))) ==
        R"(insp::add
  schema    insp::add(Tensor a, Tensor b) -> Tensor
  signature toy::tensor (const toy::tensor&, const toy::tensor&)
  defined   A
  kernel    CPU: typed, registered at B
insp::width
  schema    insp::width(toy::image _0) -> int32
  signature int (const toy::image&)
  defined   nowhere
  kernel    CPU: typed, registered at D
fallback    Tracer: boxed, registered at C
fallback    Autograd: boxed, registered at E
namespace   empty: owned by C
namespace   insp: owned by A
always      {UserTop1}, registered at D
)");
}

TEST_CASE("inspect: a registration that was refused leaves the registry exactly as it was",
          "[core][inspect][R16][R19]") {
  tb::registry r;
  const auto block = tb::library("insp", r, A).def(add, A).impl<&add_kernel>(add, key::CPU, B);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r, C);
  const tb::inspect::registry_dump before = dump(r);

  CHECK_THROWS_AS(tb::fragment("insp", r).def(other_add, D), tb::bad_registration);
  CHECK_THROWS_AS(tb::implement("insp", std::nullopt, r).impl<&other_kernel>(other_add, key::CPU, D),
                  tb::bad_registration);
  CHECK_THROWS_AS(tb::library("insp", r, D), tb::bad_registration);
  CHECK_THROWS_AS(tb::fallback<&boxed>(key::Tracer, r, D), tb::bad_registration);
  CHECK_THROWS_AS(
      tb::implement("insp", std::nullopt, r).impl<&add_kernel>(add, tb::dispatch_key{tb::functionality::Sparse}),
      tb::bad_registration);
  CHECK(dump(r) == before);

  auto more = tb::implement("insp", std::nullopt, r).impl<&add_kernel>(add, key::CPU, E);
  CHECK(dump(r) != before);
  more.reset();
  CHECK(dump(r) == before);
}

TEST_CASE("inspect: what was withdrawn is not in the dump", "[core][inspect]") {
  tb::registry r;
  {
    const auto block = tb::library("insp", r).def(zeros).impl<&add_kernel>(add, key::CPU);
    CHECK(dump(r).operators.size() == 2);
  }
  CHECK(dump(r) == tb::inspect::registry_dump());
  CHECK(to_string(dump(r)).empty());
}

TEST_CASE("inspect: operators are found by what they have a kernel for", "[core][inspect][I3]") {
  tb::registry r;
  const auto block = tb::library("insp", r)
                         .def(zeros)
                         .impl<&zeros_kernel>(zeros, key::CPU)
                         .def(add)
                         .impl<&add_kernel>(add, key::CPU)
                         .impl<&add_kernel>(add, key::CompositeImplicitAutograd)
                         .fallthrough(add, key::Tracer);
  const auto dangling = tb::implement("insp", std::nullopt, r).impl<&width_kernel>(width, key::CUDA);
  using names = std::vector<std::string>;
  CHECK(r.operators() == names{"insp::add", "insp::zeros"});
  CHECK(tb::inspect::operators_with_kernel(key::CPU, r) == names{"insp::add", "insp::zeros"});
  CHECK(tb::inspect::operators_with_kernel(key::CUDA, r) == names{"insp::width"});
  CHECK(tb::inspect::operators_with_kernel(key::CompositeImplicitAutograd, r) == names{"insp::add"});
  CHECK(tb::inspect::operators_with_kernel(key::AutogradCPU, r).empty());
  CHECK(tb::inspect::dangling_operators(r) == names{"insp::width"});
}

TEST_CASE("inspect: an operator answers for one key, aliases included", "[core][inspect][I3]") {
  tb::registry r;
  auto block = tb::library("insp", r)
                   .def(add)
                   .impl<&add_kernel>(add, key::CPU)
                   .impl<&add_kernel>(add, key::CompositeImplicitAutograd)
                   .impl<&add_kernel>(add, key::Tracer)
                   .fallthrough(add, key::Tracer)
                   .fallthrough(add, key::Autograd);
  const auto op = r.find("insp::add");
  CHECK(tb::inspect::has_kernel(op, key::CPU));
  CHECK(tb::inspect::has_kernel(op, key::CompositeImplicitAutograd));
  CHECK(tb::inspect::has_kernel(op, key::Tracer));
  CHECK_FALSE(tb::inspect::has_kernel(op, key::CUDA));
  CHECK_FALSE(tb::inspect::has_kernel(op, key::AutogradCPU));
  CHECK(tb::inspect::is_fallthrough_at(op, key::Tracer));
  CHECK(tb::inspect::is_fallthrough_at(op, key::Autograd));
  CHECK_FALSE(tb::inspect::is_fallthrough_at(op, key::CPU));
  CHECK_FALSE(tb::inspect::is_fallthrough_at(op, key::AutogradCPU));
}
