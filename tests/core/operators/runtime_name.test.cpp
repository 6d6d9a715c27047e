// Operators whose names are made at run time: the schema is the function's own signature.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

int width(const image& i) { return i.width; }
int wider(const image& i) { return i.width + 100; }
int scaled(const image& i, int n) { return i.width * n; }
std::uint64_t keys_seen(tb::key_set keys, const image&) { return keys.raw(); }
void nothing() {}

using of_image = int(const image&);
const image on_cpu{key::CPU, 7, 0};

template <class F>
std::string refusal(F&& f) {
  return toy::without_places(toy::text_of<tb::bad_registration>(std::forward<F>(f)));
}

}  // namespace

TEST_CASE("runtime name: the namespace is filled in, or may be written out", "[core][library][R5][R7]") {
  tb::registry r;
  const std::string made = "op" + std::to_string(7);
  const auto block = tb::library("run", r).def<&width>(made).def<&width>("run::written").def<&width>("w.overload");
  CHECK(r.operators() == std::vector<std::string>{"run::op7", "run::w.overload", "run::written"});
  for (const std::string& name : r.operators()) CHECK(r.find(name).typed<of_image>()(on_cpu) == 7);
}

TEST_CASE("runtime name: the schema is inferred from the function", "[core][library][R7]") {
  tb::registry r;
  const auto block = tb::library("run", r).def<&scaled>("scaled").def<&nothing>("nothing").def<&keys_seen>("seen.of");
  CHECK(r.find("run::scaled").schema() == "run::scaled(toy::image _0, int32 _1) -> int32");
  CHECK(r.find("run::scaled").signature() == "int (const toy::image&, int)");
  CHECK(r.find("run::scaled").argument_count() == 2);
  CHECK(r.find("run::nothing").schema() == "run::nothing() -> ()");
  CHECK(r.find("run::nothing").result_count() == 0);
  r.find("run::nothing").typed<void()>()();
  // The key set is the dispatcher's argument, not the operator's.
  CHECK(r.find("run::seen.of").argument_count() == 1);
  CHECK(r.find("run::seen.of").typed<std::uint64_t(const image&)>()(on_cpu) == tb::key_set(key::CPU).raw());
}

TEST_CASE("runtime name: definition and kernel in one step, for the block's key or as a catch-all",
          "[core][library][R7][R9]") {
  tb::registry r;
  const auto block = tb::library("run", r).def<&width>("width");
  const auto records = r.find("run::width").kernels();
  REQUIRE(records.size() == 1);
  CHECK(records[0].target == tb::key_target(key::CompositeImplicitAutograd));
  CHECK(records[0].file == __FILE__);
  CHECK(r.find("run::width").typed<of_image>()(image{{}, 3, 0}) == 3);
}

TEST_CASE("runtime name: kernels are added for a key, from any block and in any order", "[core][library][R8][R10]") {
  tb::registry r;
  const std::string_view name = "width";
  auto early = tb::implement("run", key::CUDA, r).impl<&wider>(name, key::CUDA);
  CHECK_FALSE(r.try_find("run::width").has_value());
  const auto block = tb::library("run", r).def<&width>(name);
  const auto call = r.find("run::width").typed<of_image>();
  CHECK(call(image{key::CUDA, 7, 0}) == 107);
  CHECK(call(on_cpu) == 7);
  early.reset();
  CHECK(call(image{key::CUDA, 7, 0}) == 7);
}

TEST_CASE("runtime name: without a key a kernel is for the block's", "[core][library][R8]") {
  tb::registry r;
  const auto block = tb::library("run", r).def<&width>("op");
  const std::string name = "run::op";
  const auto typed = r.find(name).typed<of_image>();
  {
    const auto on_its_key = tb::implement("run", key::CPU, r).impl<&wider>("op");
    CHECK(typed(on_cpu) == 107);
    CHECK(tb::inspect::has_kernel(r.find(name), key::CPU));
  }
  const auto catch_all = tb::implement("run", std::nullopt, r).impl<&wider>(name);
  CHECK(typed(image{{}, 7, 0}) == 107);
}

TEST_CASE("runtime name: a literal, a string and a view are all names", "[core][library][R7]") {
  tb::registry r;
  auto block = tb::library("run", r);
  const std::string text = "b";
  block.def<&width>("a").def<&width>(text).def<&width>(std::string_view("c"));
  block.impl<&wider>("a", key::CPU).impl<&wider>(text, key::CPU).impl<&wider>(std::string_view("c"), key::CPU);
  for (const char* name : {"run::a", "run::b", "run::c"}) CHECK(r.find(name).typed<of_image>()(on_cpu) == 107);
}

TEST_CASE("runtime name: it may be the name of an operator declared in code", "[core][library][R6]") {
  static constexpr tb::op<"run::declared", of_image> declared;
  tb::registry r;
  const auto block = tb::library("run", r).def(declared).impl<&width>(declared, key::CPU);
  const auto more = tb::fragment("run", r).impl<&wider>("declared", key::CPU);
  CHECK(r.find("run::declared").typed<of_image>()(on_cpu) == 107);
  CHECK(r.find("run::declared").kernels().size() == 2);
}

TEST_CASE("runtime name: a text that lives no longer than the call is copied", "[core][library]") {
  tb::registry r;
  auto block = tb::library("run", r);
  {
    std::string name = "a_name_that_is_longer_than_a_string_keeps_in_place";
    block.def<&width>(name);
    name.assign(name.size(), 'x');
  }
  CHECK(r.find("run::a_name_that_is_longer_than_a_string_keeps_in_place").typed<of_image>()(on_cpu) == 7);
}

TEST_CASE("runtime name: what is no name is refused, with its column, and leaves nothing", "[core][error][R8][R28]") {
  struct {
    const char* name;
    const char* text;
  } const refused[] = {
      {"", "operator name '' at HERE, column 1: expected an operator name"},
      {"run::", "operator name 'run::' at HERE, column 6: expected an operator name after '::'"},
      {"run:width", "operator name 'run:width' at HERE, column 5: expected '::'"},
      {"::width", "operator name '::width' at HERE, column 1: expected an operator name"},
      {"a b", "operator name 'a b' at HERE, column 3: expected '(' or the end"},
      {"a-b", "operator name 'a-b' at HERE, column 2: expected '(' or the end"},
      {"w\xc3\xa9", "operator name 'w\xc3\xa9' at HERE, column 2: expected '(' or the end"},
      {"w.", "operator name 'w.' at HERE, column 3: expected an overload name after '.'"},
      {"w.default", "operator name 'w.default' at HERE, column 3: expected an overload name other than 'default'"},
      {"w.__x", "operator name 'w.__x' at HERE, column 3: expected an overload name that does not begin with '__'"},
      {"w(int n) -> int",
       "operator name 'w(int n) -> int' at HERE: found a schema, wanted a name; the signature is the function's"},
      {"run::w() -> ()",
       "operator name 'run::w() -> ()' at HERE: found a schema, wanted a name; the signature is the function's"},
      {"other::w", "other::w at HERE: belongs to the namespace 'other', the block to 'run'"},
      {"other::w.over", "other::w.over at HERE: belongs to the namespace 'other', the block to 'run'"},
  };
  for (const auto& each : refused) {
    INFO(each.name);
    tb::registry r;
    auto block = tb::library("run", r);
    const std::string_view name = each.name;
    CHECK(refusal([&] { block.def<&width>(name); }) == each.text);
    CHECK(refusal([&] { block.impl<&width>(name, key::CPU); }) == each.text);
    CHECK(r.operators().empty());
    block.def<&width>("width");
    CHECK(r.operators().size() == 1);
  }
}

TEST_CASE("runtime name: an implement block defines nothing", "[core][library][R4]") {
  tb::registry r;
  auto block = tb::implement("run", key::CPU, r);
  CHECK(refusal([&] { block.def<&width>("width"); }) ==
        "run::width at HERE: def() in an implement() block; define it in a library() or a fragment()");
  CHECK(toy::text_of<tb::unknown_operator>([&] { r.find("run::width"); }) ==
        "run::width: no operator of this name is registered");
}

TEST_CASE("runtime name: a kernel of another signature is refused, whichever comes second",
          "[core][registry][R14][R15]") {
  {
    tb::registry r;
    auto block = tb::library("run", r).def<&width>("w");
    CHECK(
        refusal([&] { block.impl<&scaled>(std::string_view("w"), key::CPU); }) ==
        "run::w: implemented for CPU at HERE with the signature 'int (const toy::image&, int)', defined at HERE with "
        "'int (const toy::image&)'; kernel for run::w: the schema has 1 argument, the kernel takes 2; its argument 2, "
        "'int', is one too many");
    CHECK(r.find("run::w").kernels().size() == 1);
    CHECK(r.find("run::w").typed<of_image>()(on_cpu) == 7);
  }
  {
    tb::registry r;
    auto kernels = tb::implement("run", std::nullopt, r).impl<&scaled>(std::string_view("w"), key::CUDA);
    auto block = tb::library("run", r);
    CHECK(
        refusal([&] { block.def<&width>("w"); }) ==
        "run::w: defined at HERE with the signature 'int (const toy::image&)', implemented for CUDA at HERE with 'int "
        "(const toy::image&, int)'; kernel for run::w: the schema has 1 argument, the kernel takes 2; its argument 2, "
        "'int', is one too many");
    // Nor may two kernels differ that wait for a definition.
    CHECK(refusal([&] { block.impl<&width>(std::string_view("w"), key::CPU); }) ==
          "run::w: implemented for CPU at HERE with the signature 'int (const toy::image&)', implemented for CUDA at "
          "HERE with 'int (const toy::image&, int)'; kernel for run::w: an earlier kernel has 2 arguments, the kernel "
          "takes 1; it lacks argument 2");
    CHECK(r.operators().empty());
    kernels.reset();
    block.def<&width>("w");
    CHECK(r.find("run::w").typed<of_image>()(on_cpu) == 7);
  }
}

TEST_CASE("runtime name: a second definition is merged if it has the same signature, else refused",
          "[core][registry][R6]") {
  tb::registry r;
  auto first = tb::library("run", r).def<&width>("w");
  auto second = tb::fragment("run", r).def<&wider>("w");
  CHECK(r.find("run::w").typed<of_image>()(on_cpu) == 107);
  CHECK(refusal([&] { second.def<&scaled>("w"); }) ==
        "run::w: defined at HERE with the signature 'int (const toy::image&, int)', defined at HERE with 'int (const "
        "toy::image&)'");
  second.reset();
  CHECK(r.find("run::w").typed<of_image>()(on_cpu) == 7);
  first.reset();
  CHECK_FALSE(r.try_find("run::w").has_value());
}

TEST_CASE("runtime name: overloads are operators of their own", "[core][registry][R6]") {
  tb::registry r;
  const auto block = tb::library("run", r).def<&width>("w").def<&scaled>("w.by").def<&wider>("w.more");
  CHECK(r.find("run::w").typed<of_image>()(on_cpu) == 7);
  CHECK(r.find("run::w.by").typed<int(const image&, int)>()(on_cpu, 3) == 21);
  CHECK(r.find("run::w.more").typed<of_image>()(on_cpu) == 107);
}
