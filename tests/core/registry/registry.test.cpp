#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"reg::width(Tensor self, int n=1) -> int"> width;
inline constexpr tb::op<"reg::width(Tensor self, int n=2) -> int"> other_default;
inline constexpr tb::op<"reg::width(Tensor self) -> int"> other_signature;
inline constexpr tb::op<"reg::height", int(const image&)> height;
inline constexpr tb::op<"reg::weight", int(const image&)> weight;

std::int64_t width_cpu(const toy::tensor& t, std::int64_t n) { return t.value() * n; }
int height_cpu(const image& i) { return i.height; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}
template <class Error, class F>
std::string text_of(F&& f) {
  return toy::without_places(toy::text_of<Error>(std::forward<F>(f)));
}

}  // namespace

TEST_CASE("registry: implementations may come before the definition", "[core][registry][R10][R11]") {
  tb::registry r;
  const auto kernels = tb::implement("reg", key::CPU, r).impl<&width_cpu>(width);
  CHECK_FALSE(r.try_find("reg::width").has_value());
  CHECK(r.operators().empty());
  const auto defined = tb::library("reg", r).def(width);
  CHECK(r.find("reg::width").typed<std::int64_t(const toy::tensor&, std::int64_t)>()(toy::tensor(key::CPU, 3), 2) == 6);
  CHECK(r.operators() == std::vector<std::string>{"reg::width"});
}

TEST_CASE("registry: a handle knows name, schema, signature and counts", "[core][registry]") {
  tb::registry r;
  const auto defined = tb::library("reg", r).def(width).def(height);
  const auto op = r.find("reg::width");
  CHECK(op.name() == "reg::width");
  CHECK(op.schema() == "reg::width(Tensor self, int n=1) -> int");
  CHECK(op.signature() == "int64_t (const toy::tensor&, int64_t)");
  CHECK(op.argument_count() == 2);
  CHECK(op.result_count() == 1);
  CHECK(r.find("reg::height").schema() == "reg::height(toy::image _0) -> int32");
}

TEST_CASE("registry: a lookup that fails offers the nearest name", "[core][registry][E7]") {
  tb::registry r;
  CHECK(text_of<tb::unknown_operator>([&] { r.find("reg::width"); }) ==
        "reg::width: no operator of this name is registered");
  const auto defined = tb::library("reg", r).def(width).def(height);
  CHECK(text_of<tb::unknown_operator>([&] { r.find("reg::widht"); }) ==
        "reg::widht: no operator of this name is registered; the nearest name is reg::width");
  CHECK(text_of<tb::unknown_operator>([&] { r.find("reg::hight"); }) ==
        "reg::hight: no operator of this name is registered; the nearest name is reg::height");
  CHECK(text_of<tb::unknown_operator>([&] { r.find("completely::different"); }) ==
        "completely::different: no operator of this name is registered");
}

TEST_CASE("registry: nearest to a name without its overload is an overload of it", "[core][registry][E7]") {
  tb::registry r;
  static constexpr tb::op<"reg::add.Scalar", int(const image&)> scalar;
  static constexpr tb::op<"reg::adds", int(const image&)> other;
  const auto defined = tb::library("reg", r).def(other).def(scalar);
  CHECK(text_of<tb::unknown_operator>([&] { r.find("reg::add"); }) ==
        "reg::add: no operator of this name is registered; the nearest name is reg::add.Scalar");
}

TEST_CASE("registry: of a name without its overload the overloads' letters do not count", "[core][registry][E7]") {
  tb::registry r;
  static constexpr tb::op<"reg::mm", int(const image&)> product;
  static constexpr tb::op<"reg::add.Tensor", int(const image&)> sum;
  static constexpr tb::op<"reg::adds.out", int(const image&)> sums_out;
  static constexpr tb::op<"reg::adds", int(const image&)> sums;
  const auto defined = tb::library("reg", r).def(product).def(sum).def(sums_out).def(sums);
  const auto nearest = [&](std::string_view name) {
    const std::string text = text_of<tb::unknown_operator>([&] { r.find(name); });
    return text.substr(text.rfind(' ') + 1);
  };
  CHECK(nearest("reg::ad") == "reg::add.Tensor");
  CHECK(nearest("reg::addss") == "reg::adds");
  CHECK(nearest("reg::add.Tensr") == "reg::add.Tensor");
  CHECK(nearest("reg::adds.uot") == "reg::adds.out");
}

TEST_CASE("registry: a lookup tells implemented but not defined from unknown", "[core][registry][R11][E7]") {
  tb::registry r;
  const auto kernels = tb::implement("reg", key::CPU, r).impl<&height_cpu>(height);
  CHECK(text_of<tb::unknown_operator>([&] { r.find("reg::height"); }) ==
        "reg::height: an implementation was found, at HERE, but no definition; was the object that defines it linked?");
}

TEST_CASE("registry: the same definition again is merged, and stays until both are gone", "[core][registry]") {
  tb::registry r;
  auto first = tb::library("reg", r).def(width);
  auto second = tb::fragment("reg", r).def(width);
  first.reset();
  CHECK(r.find("reg::width").is_defined());
  second.reset();
  CHECK_FALSE(r.try_find("reg::width").has_value());
}

TEST_CASE("registry: a different definition is refused and names both source locations", "[core][registry][R6]") {
  tb::registry r;
  const auto first = tb::library("reg", r).def(width);
  CHECK(text_of<tb::bad_registration>([&] { (void)tb::fragment("reg", r).def(other_default); }) ==
        "reg::width: defined at HERE as 'reg::width(Tensor self, int n=1) -> int', and differently at HERE as "
        "'reg::width(Tensor self, int n=2) -> int'; argument 2 'n': default is '1' and '2'");
  CHECK(text_of<tb::bad_registration>([&] { (void)tb::fragment("reg", r).def(other_signature); }) ==
        "reg::width: defined at HERE as 'reg::width(Tensor self, int n=1) -> int', and differently at HERE as "
        "'reg::width(Tensor self) -> int'; arguments: number is 2 and 1");
  CHECK(r.find("reg::width").schema() == "reg::width(Tensor self, int n=1) -> int");
}

TEST_CASE("registry: a refused definition leaves nothing behind", "[core][registry][R16][R28]") {
  tb::registry r;
  auto first = tb::library("reg", r).def(width);
  CHECK_THROWS_AS(tb::fragment("reg", r).def(other_signature), tb::bad_registration);
  first.reset();
  const auto second = tb::library("reg", r).def(other_signature);
  CHECK(r.find("reg::width").argument_count() == 1);
}

TEST_CASE("registry: a kernel and a definition have one signature, whichever comes second",
          "[core][registry][R13][R15]") {
  constexpr auto of_one = [](const toy::tensor& t) { return t.value(); };
  {
    tb::registry r;
    const auto defined = tb::library("reg", r).def(width);
    CHECK(
        text_of<tb::bad_registration>([&] { (void)tb::implement("reg", key::CPU, r).impl<of_one>(other_signature); }) ==
        "reg::width: implemented for CPU at HERE with the signature 'int64_t (const toy::tensor&)', defined at HERE "
        "with 'int64_t (const toy::tensor&, int64_t)'; kernel for reg::width: the schema has 2 arguments, the kernel "
        "takes 1; it lacks argument 2 'n'");
    CHECK(r.find("reg::width").kernels().empty());
  }
  tb::registry r;
  auto kernels = tb::implement("reg", key::CPU, r).impl<of_one>(other_signature);
  CHECK(
      text_of<tb::bad_registration>([&] { (void)tb::library("reg", r).def(width); }) ==
      "reg::width: defined at HERE with the signature 'int64_t (const toy::tensor&, int64_t)', implemented for CPU at "
      "HERE with 'int64_t (const toy::tensor&)'; kernel for reg::width: the schema has 2 arguments, the kernel takes "
      "1; "
      "it lacks argument 2 'n'");
  // Nor may two kernels differ, for other keys either, that wait for a definition.
  CHECK(
      text_of<tb::bad_registration>([&] { (void)tb::implement("reg", key::CUDA, r).impl<&width_cpu>(width); }) ==
      "reg::width: implemented for CUDA at HERE with the signature 'int64_t (const toy::tensor&, int64_t)', "
      "implemented for CPU at HERE with 'int64_t (const toy::tensor&)'; kernel for reg::width: an earlier kernel has 1 "
      "argument, the kernel takes 2; its argument 2, 'int64_t', is one too many");
  kernels.reset();
  const auto defined = tb::library("reg", r).def(width);
  CHECK(r.find("reg::width").argument_count() == 2);
}

TEST_CASE("registry: after a withdrawal another definition may follow, and the old handle says so",
          "[core][registry][D3][D5]") {
  tb::registry r;
  auto first = tb::library("reg", r).def(width).impl<&width_cpu>(width, key::CPU);
  const auto old = r.find("reg::width");
  const auto call = old.typed<std::int64_t(const toy::tensor&, std::int64_t)>();
  first.reset();
  CHECK_FALSE(old.is_defined());
  CHECK(text_of<tb::no_kernel>([&] { (void)call(toy::tensor(key::CPU), 1); }) ==
        "reg::width: was withdrawn: its library is gone or was reset");
  const auto second = tb::library("reg", r).def(other_signature);
  CHECK(text_of<tb::no_kernel>([&] { (void)call(toy::tensor(key::CPU), 1); }) ==
        "reg::width: is defined at HERE with the signature 'int64_t (const toy::tensor&)', this handle has 'int64_t "
        "(const toy::tensor&, int64_t)'");
  CHECK(r.find("reg::width") != old);
}

TEST_CASE("registry: a handle asked for another signature shows both, the schema and its place",
          "[core][registry][E6][R17]") {
  tb::registry r;
  auto defined = tb::library("reg", r).def(height);
  const auto handle = r.find("reg::height");
  const std::string both = "reg::height: has the signature 'int (const toy::image&)', asked for 'int (toy::image)'; ";
  CHECK(text_of<tb::bad_argument>([&] { (void)handle.typed<int(image)>(); }) ==
        both + "its schema is 'reg::height(toy::image _0) -> int32', defined at HERE");
  defined.reset();
  CHECK(text_of<tb::bad_argument>([&] { (void)handle.typed<int(image)>(); }) ==
        both + "its schema was 'reg::height(toy::image _0) -> int32'");
  const auto waiting = tb::implement("reg", key::CPU, r).impl<[](const image&) { return 1; }>(height);
  CHECK(text_of<tb::bad_argument>([&] { (void)handle.typed<int(image)>(); }) ==
        both + "its schema is 'reg::height(toy::image _0) -> int32', implemented for CPU at HERE");
}

TEST_CASE("registry: a registration ends with its handle, and may be moved, kept, or reset twice",
          "[core][registry][D1]") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<tb::registration>);
  tb::registry r;
  tb::registration a = tb::fallback<&boxed>(key::UserTop1, r);
  tb::registration b = std::move(a);
  a.reset();  // empty since the move
  CHECK_THROWS_AS(tb::fallback<&boxed>(key::UserTop1, r).reset(), tb::bad_registration);
  b.reset();
  b.reset();
  {
    tb::registration again = tb::fallback<&boxed>(key::UserTop1, r);
    again.keep();
  }
  CHECK_THROWS_AS(tb::fallback<&boxed>(key::UserTop1, r).reset(), tb::bad_registration);
}

TEST_CASE("registry: assigning over a live registration takes that one back first", "[core][registry][D1]") {
  tb::registry r;
  tb::registration a = tb::fallback<&boxed>(key::UserTop1, r);
  a = tb::fallback<&boxed>(key::UserTop2, r);
  a = tb::fallback<&boxed>(key::UserTop1, r);  // free again
  tb::registration& same = a;
  a = std::move(same);
  CHECK_THROWS_AS(tb::fallback<&boxed>(key::UserTop1, r).reset(), tb::bad_registration);
}

TEST_CASE("registry: a fallback that meets an occupied key leaves nothing behind", "[core][registry][R18][R19]") {
  tb::registry r;
  auto taken = tb::fallback<&boxed>(key::AutogradMeta, r);
  CHECK(text_of<tb::bad_registration>([&] { tb::fallback<&boxed>(key::Autograd, r).reset(); }) ==
        "fallback for Autograd at HERE: AutogradMeta has one already, registered at HERE");
  CHECK_NOTHROW(tb::fallback<&boxed>(key::AutogradCPU, r).reset());
  CHECK_NOTHROW(tb::fallback<&boxed>(key::AutogradOther, r).reset());
  taken.reset();
  CHECK_NOTHROW(tb::fallback<&boxed>(key::Autograd, r).reset());
  CHECK_NOTHROW(tb::fallback<&boxed>(key::AutogradNestedTensor, r).reset());
}

TEST_CASE("registry: a fallback needs a key with a row", "[core][registry][R18][K19]") {
  tb::registry r;
  CHECK(text_of<tb::bad_registration>([&] { tb::fallback<&boxed>(key::Undefined, r).reset(); }) ==
        "fallback at HERE: needs a key, found Undefined");
  constexpr tb::dispatch_key made_by_hand{tb::functionality::Sparse};
  CHECK(text_of<tb::bad_registration>([&] { tb::fallback<&boxed>(made_by_hand, r).reset(); }) ==
        "fallback: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU");
  CHECK(text_of<tb::bad_registration>(
            [&] { (void)tb::implement("reg", key::CPU, r).impl<&height_cpu>(height, made_by_hand); }) ==
        "reg::height: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU");
}

TEST_CASE("registry: the records of an operator say what is registered where", "[core][registry][R27]") {
  tb::registry r;
  const auto block = tb::library("reg", r).def(height).impl<&height_cpu>(height, key::CPU);
  const auto more =
      tb::implement("reg", std::nullopt, r).impl_boxed<&boxed>(height, key::CUDA).fallthrough(height, key::Autograd);
  const auto records = r.find("reg::height").kernels();
  REQUIRE(records.size() == 3);
  CHECK(records[0].target == tb::key_target(key::CPU));
  CHECK(records[0].file == __FILE__);
  CHECK(records[0].line != 0);
  CHECK_FALSE(records[0].boxed);
  CHECK(records[1].boxed);
  CHECK(records[2].fallthrough);
  CHECK(records[2].target == tb::key_target(key::Autograd));
}

TEST_CASE("registry: handles destroyed in any order leave what the others registered", "[core][registry][D2][D4]") {
  std::mt19937 random(3);
  for (int round = 0; round < scaled(50, 5); ++round) {
    tb::registry r;
    const auto defined = tb::library("reg", r).def(height).def(weight);
    const auto call = r.find("reg::height").typed<int(const image&)>();
    struct live {
      tb::dispatch_key k;
      tb::library_block block;
    };
    std::vector<live> all;
    for (int step = 0; step < 30; ++step) {
      const tb::dispatch_key k =
          tb::author::autograd_key_of(static_cast<tb::backend>(1 + random() % tb::author::backend_count));
      if (random() % 2 == 0)
        all.push_back({k, tb::implement("reg", k, r).impl<&height_cpu>(height)});
      else if (!all.empty())
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(random() % all.size()));
      for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
        const tb::dispatch_key probe = tb::author::autograd_key_of(static_cast<tb::backend>(b));
        bool wanted = false, found = true;
        for (const live& l : all) wanted |= l.k == probe;
        try {
          (void)call(image{probe, 0, 0});
        } catch (const tb::no_kernel&) {
          found = false;
        }
        if (found != wanted) FAIL(to_string(probe));
      }
    }
  }
}

namespace {
template <int I>
struct numbered {
  static constexpr auto text = [] {
    auto name = tb::fixed_string("many::op000");
    name.chars[8] = static_cast<char>('0' + I / 100);
    name.chars[9] = static_cast<char>('0' + I / 10 % 10);
    name.chars[10] = static_cast<char>('0' + I % 10);
    return name;
  }();
  static constexpr tb::op<text, int(const image&)> op{};
};
}  // namespace

TEST_CASE("registry: operators are found again when the table of names has grown", "[core][registry]") {
  tb::registry r;
  auto block = tb::library("many", r);
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (block.def(numbered<I>::op), ...);
  }(std::make_integer_sequence<int, 150>{});
  const auto names = r.operators();
  REQUIRE(names.size() == 150);
  for (const std::string& name : names) CHECK(r.find(name).name() == name);
  CHECK_FALSE(r.try_find("many::op150").has_value());
}

namespace {
inline constexpr tb::op<"reg::odd", int(unsigned int)> odd;
}

TEST_CASE("registry: a C++ signature is not read as a schema, though it may look like one", "[core][registry]") {
  tb::registry r;
  const auto defined = tb::library("reg", r).def(odd).impl<[](unsigned int) { return 0; }>(odd);
  const auto op = r.find("reg::odd");
  CHECK(op.schema() == "reg::odd(uint32 _0) -> int32");
  tb::boxed_stack s;
  s.push(1);
  CHECK(toy::text_of<tb::bad_argument>([&] { op.call_boxed(s); }) ==
        "reg::odd, argument 1: found 'int', wanted 'unsigned int'");
}
