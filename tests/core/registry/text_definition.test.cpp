// Operators that are defined from a schema text when the program runs, and handles of what is only implemented.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::tensor;

namespace text_definition {

struct words_registered {
  words_registered() { tb::author::register_schema_types<"Tensor", "Device">(); }
} const registered;

// A kernel that leaves these values, and counts the calls of it.
template <class... R>
auto gives(std::shared_ptr<int> calls, R... results) {
  return [=](const tb::operator_handle& op, tb::boxed_stack& s) {
    ++*calls;
    s.drop(op.argument_count());
    (s.push(results), ...);
  };
}
auto gives_value_plus(std::int64_t n) {
  return [n, state = std::make_shared<int>(0)](const tb::operator_handle&, tb::boxed_stack& s) {
    const std::int64_t result = s.pop().get<tensor>().value() + n;
    s.push(result);
  };
}

template <class F>
std::string refusal(F&& f) {
  return toy::without_places(toy::text_of<tb::bad_registration>(std::forward<F>(f)));
}
std::int64_t value_of(const tensor& x) { return x.value(); }

}  // namespace text_definition
using namespace text_definition;

TEST_CASE("text definition: a boxed kernel with a state serves it, called boxed and as text", "[core][library][B2]") {
  tb::registry r;
  auto block = tb::library("txt", r);
  {
    const std::string schema = "txt::f(Tensor x, int n=2) -> int";
    block.def(schema).impl_boxed("f", key::CPU, [state = std::make_shared<int>(10)](auto&, tb::boxed_stack& s) {
      const std::int64_t n = s.pop().get<std::int64_t>();
      const std::int64_t x = s.pop().get<tensor>().value();
      s.push(x * n + *state);
    });
  }
  const tb::operator_handle f = r.find("txt::f");
  CHECK(f.schema() == "txt::f(Tensor x, int n=2) -> int");
  CHECK(f.signature() == "int64_t (const toy::tensor&, int64_t)");
  CHECK(f.argument_count() == 2);
  CHECK(f.result_count() == 1);
  REQUIRE(f.parsed_schema() != nullptr);
  CHECK(f.parsed_schema()->arguments[1].name == "n");
  tb::boxed_stack s;
  s.push(tensor(key::CPU, 4));
  s.push(std::int64_t{3});
  f.call_boxed(s);
  REQUIRE(s.size() == 1);
  CHECK(s[0].get<std::int64_t>() == 22);
  CHECK(tb::call_text(f, {"5"}) == std::vector<std::string>{"20"});
  CHECK(verify(f).empty());
  block.reset();
  CHECK_FALSE(r.try_find("txt::f").has_value());
}

TEST_CASE("text definition: it is called by its C++ signature too", "[core][library][boxing]") {
  tb::registry r;
  const auto block = tb::library("txt", r).def("f(Tensor x) -> int", gives_value_plus(1));
  const tb::operator_handle f = r.find("txt::f");
  CHECK(toy::without_places(toy::text_of<tb::bad_argument>([&] { (void)f.typed<int(const tensor&)>(); })) ==
        "txt::f: has the signature 'int64_t (const toy::tensor&)', asked for 'int (const toy::tensor&)'; its schema is "
        "'txt::f(Tensor x) -> int', defined at HERE");
  const auto typed = f.typed<std::int64_t(const tensor&)>();
  CHECK(typed(tensor(key::CPU, 4)) == 5);
  CHECK(typed.redispatch(tb::key_set(key::CPU), tensor(key::CPU, 4)) == 5);
  // A layer that comes later, and its end.
  {
    const auto layer = tb::fallback(
        key::Conjugate,
        [](const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
          op.redispatch_boxed(keys & tb::below(key::Conjugate), s);
          s.push(std::int64_t{100} + s.pop().get<std::int64_t>());
        },
        r);
    CHECK(typed(tensor({key::CPU, key::Conjugate}, 4)) == 105);
    const auto skips = tb::implement("txt", std::nullopt, r).impl<&value_of>(std::string_view("f"), key::CUDA);
    CHECK(typed(tensor(key::CUDA, 4)) == 4);
  }
  CHECK(typed(tensor(key::CPU, 4)) == 5);
  tb::boxed_stack s;
  s.push(tensor(key::CPU, 4));
  f.call_boxed(s);
  CHECK(s[0].get<std::int64_t>() == 5);
}

TEST_CASE("text definition: an operator declared in code meets it, in either order", "[core][library][R6]") {
  static constexpr tb::op<"txt::same(Tensor x, int[2] size, *, float? by=None) -> Tensor"> same;
  const std::string_view text = "same(Tensor x, int[2] size, *, float? by=None) -> Tensor";
  const std::array<std::int64_t, 2> size{1, 2};
  const auto calls = std::make_shared<int>(0);
  const auto kernel = gives(calls, tensor(key::CPU, 9));
  {
    const auto from_text = tb::fragment("txt").def(text, kernel);
    CHECK(same(tensor(key::CPU, 1), size).value() == 9);
    const auto from_code = tb::fragment("txt").def(same);
    CHECK(same.handle()
              .typed<tensor(const tensor&, std::span<const std::int64_t>, std::optional<double>)>()(tensor(key::CPU, 1),
                                                                                                    size, 2.0)
              .value() == 9);
  }
  CHECK_THROWS_AS(same(tensor(key::CPU, 1), size), tb::no_kernel);
  {
    const auto from_code = tb::fragment("txt").def(same);
    const auto from_text = tb::fragment("txt").def(text).impl_boxed("same", key::CPU, kernel);
    CHECK(tb::find("txt::same") == same.handle());
    CHECK(same(tensor(key::CPU, 1), size).value() == 9);
  }
  CHECK(*calls == 3);
}

TEST_CASE("text definition: the signature of every form of a type is the compiler's", "[core][signature]") {
  tb::registry r;
  auto block = tb::library("txt", r);
  const auto check = [&]<tb::fixed_string Schema>() {
    block.def(Schema.view());
    const std::string_view name = Schema.view().substr(0, Schema.view().find('('));
    INFO(Schema.view());
    CHECK_NOTHROW(r.find("txt::" + std::string(name)).typed<tb::author::schema_signature<Schema>>());
  };
  check.operator()<"a(int a, SymInt b, float c, bool d, str e, complex f) -> ()">();
  check.operator()<"b(int[] a, SymInt[2] b, float[] c, bool[3] d, str[] e, Tensor[] f) -> int[]">();
  check.operator()<"c(int? a, SymInt? b, float? c, bool? d, str? e, Tensor? f) -> Tensor?">();
  check.operator()<"d(int[]? a, float[2]? b, bool[]? c, str[]? d, Tensor[]? e) -> str">();
  check.operator()<"e(Tensor?[] a, str?[] b) -> (int, Tensor[], str)">();
  check.operator()<"f(Tensor(a!) a, Tensor(b!)[] b) -> Tensor(a!)">();
  check.operator()<"g(Tensor(a!) a, Tensor(b!) b) -> (Tensor(a!), Tensor(b!))">();
  check.operator()<"h(Device d, Device? e) -> bool[]">();
  check.operator()<"i(int(a!) a) -> float?">();
  check.operator()<"j() -> Tensor?[]">();
}

TEST_CASE("text definition: it is placed by a device where no argument brings keys", "[core][library][X5]") {
  tb::registry r;
  const auto calls = std::make_shared<int>(0);
  auto block = tb::library("txt", r).def("make(int n, Device d) -> int");
  block.impl_boxed("make", key::CPU, gives(calls, std::int64_t{1}));
  block.impl_boxed("make", key::CUDA, gives(calls, std::int64_t{2}));
  const tb::operator_handle make = r.find("txt::make");
  for (const auto where : {tb::backend::CPU, tb::backend::CUDA}) {
    tb::boxed_stack s;
    s.push(std::int64_t{0});
    s.push(toy::device{where});
    make.call_boxed(s);
    CHECK(s[0].get<std::int64_t>() == (where == tb::backend::CPU ? 1 : 2));
    CHECK(make.typed<std::int64_t(std::int64_t, toy::device)>()(0, {where}) == (where == tb::backend::CPU ? 1 : 2));
  }
}

TEST_CASE("text definition: calls are checked as those of a declared operator are", "[core][error][B6]") {
  tb::registry r;
  auto block = tb::library("txt", r).def("f(Tensor x, int? n=None) -> int");
  const auto calls = std::make_shared<int>(0);
  const tb::operator_handle f = r.find("txt::f");
  const auto call = [&](auto... arguments) {
    tb::boxed_stack s;
    (s.push(arguments), ...);
    return toy::without_places(toy::text_of<tb::error>([&] { f.call_boxed(s); }));
  };
  CHECK(call(tensor(key::CPU), tb::value()) ==
        "txt::f: no kernel for CPU, which argument 1 'x' brought; there is no kernel for any key");
  CHECK(call(tensor(key::CPU)) == "txt::f: found 1 values on the stack, wanted 2 arguments");
  CHECK(call(std::int64_t{1}, tb::value()) == "txt::f, argument 1 'x': found 'int64_t', wanted 'toy::tensor'");
  CHECK(call(tensor(key::CPU), 1.5) == "txt::f, argument 2 'n': found 'double', wanted 'std::optional<int64_t>'");
  block.impl_boxed("f", key::CPU, gives(calls));
  CHECK(call(tensor(key::CPU), tb::value()) ==
        "txt::f: the boxed kernel registered for CPU at HERE left 0 values on the stack, wanted 1; it must replace the "
        "arguments by the results");
  block.impl_boxed("f", key::CPU, gives(calls, 1.5));
  CHECK(call(tensor(key::CPU), tb::value()) ==
        "txt::f: result 1 of the boxed kernel registered for CPU at HERE is 'double', wanted 'int64_t'");
}

TEST_CASE("text definition: a trace sees its calls, boxed and typed", "[core][trace][I6]") {
  const auto block = tb::fragment("txt").def("traced(Tensor x) -> int", gives_value_plus(0));
  const tb::operator_handle traced = tb::find("txt::traced");
  tb::trace_session t = tb::trace_session::this_thread();
  tb::boxed_stack s;
  s.push(tensor(key::CPU, 4));
  traced.call_boxed(s);
  (void)traced.typed<std::int64_t(const tensor&)>()(tensor(key::CPU, 4));
  CHECK(t.events().size() == 2);
}

TEST_CASE("text definition: what is no schema is refused, with its column, and leaves nothing", "[core][error][R28]") {
  struct {
    const char* schema;
    const char* text;
  } const refused[] = {
      {"f",
       "schema 'f' at HERE: found a name, wanted a schema; def<&kernel>(name) takes the signature from a function"},
      {"f(Tensor) -> int", "schema 'f(Tensor) -> int' at HERE, column 9: expected an argument name"},
      {"f(Tensor x, Strange y) -> int",
       "txt::f at HERE: schema 'f(Tensor x, Strange y) -> int', column 13: 'Strange' is not a type that a schema "
       "text can name; import topbit.ops for its types, or call "
       "topbit::author::register_schema_types<\"Strange\">()"},
      {"f(Dict(str, int) x) -> int",
       "txt::f at HERE: schema 'f(Dict(str, int) x) -> int', column 3: 'Dict(str, int)' has no C++ type"},
      {"f(Tensor x, ...) -> int",
       "txt::f at HERE: schema 'f(Tensor x, ...) -> int', column 13: found '...', wanted a fixed number of arguments "
       "and results"},
      {"f(Tensor(b!) x) -> Tensor(a!)",
       "schema 'f(Tensor(b!) x) -> Tensor(a!)' at HERE, column 20: expected the type and alias set of an argument that "
       "is written, since this result is"},
      {"other::f(int n) -> int", "other::f at HERE: belongs to the namespace 'other', the block to 'txt'"},
  };
  for (const auto& each : refused) {
    INFO(each.schema);
    tb::registry r;
    auto block = tb::library("txt", r);
    CHECK(refusal([&] { block.def(std::string_view(each.schema)); }) == each.text);
    CHECK(refusal([&] { block.def(std::string_view(each.schema), gives_value_plus(0)); }) == each.text);
    CHECK(r.operators().empty());
  }
  tb::registry r;
  auto kernels = tb::implement("txt", key::CPU, r);
  CHECK(refusal([&] { kernels.def("f(int n) -> int"); }) ==
        "txt::f at HERE: def() in an implement() block; define it in a library() or a fragment()");
  CHECK(
      refusal([&] { kernels.impl_boxed("f", key::CPU, gives_value_plus(0)); }) ==
      "txt::f at HERE: a boxed kernel has no signature, and no operator of this name is defined or implemented; define "
      "it first, or give its schema");
}

TEST_CASE("text definition: a second definition is merged if it says the same, else refused", "[core][registry][R6]") {
  tb::registry r;
  auto block = tb::library("txt", r).def("f(Tensor x, int n=2) -> int").def("txt::f( Tensor x, int n = 2 )->int");
  CHECK(
      refusal([&] { block.def("f(Tensor x, int n=3) -> int"); }) ==
      "txt::f: defined at HERE as 'txt::f(Tensor x, int n=2) -> int', and differently at HERE as 'txt::f(Tensor x, int "
      "n=3) -> int'; argument 2 'n': default is '2' and '3'");
  CHECK(refusal([&] { block.def("f(Tensor x, float n=2) -> int"); }) ==
        "txt::f: defined at HERE as 'txt::f(Tensor x, int n=2) -> int', and differently at HERE as 'txt::f(Tensor x, "
        "float n=2.0) -> int'; argument 2 'n': type is 'int' and 'float'");
}

TEST_CASE("text definition: a kernel may come before it, with the schema", "[core][registry][R10]") {
  tb::registry r;
  const auto early = tb::implement("txt", key::CPU, r).impl_boxed("f(Tensor x) -> int", key::CPU, gives_value_plus(1));
  CHECK_FALSE(r.try_find("txt::f").has_value());
  const auto more = tb::implement("txt", key::CUDA, r).impl_boxed("f", key::CUDA, gives_value_plus(2));
  const auto block = tb::library("txt", r).def("f(Tensor x) -> int");
  CHECK(tb::call_text(r.find("txt::f"), {"5"}) == std::vector<std::string>{"6"});
  CHECK(r.find("txt::f").kernels().size() == 2);
}

TEST_CASE("handle: one of an operator that is implemented and not defined works from its definition on",
          "[core][handle][E7]") {
  tb::registry r;
  CHECK_FALSE(r.find_implemented("txt::late").has_value());
  const auto early = tb::implement("txt", key::CPU, r).impl<&value_of>(std::string_view("late"), key::CPU);
  CHECK_FALSE(r.try_find("txt::late").has_value());
  const auto found = r.find_implemented("txt::late");
  REQUIRE(found.has_value());
  CHECK_FALSE(found->is_defined());
  CHECK(found->kernels().size() == 1);
  const auto late = found->typed<std::int64_t(const tensor&)>();
  CHECK(toy::without_places(toy::text_of<tb::no_kernel>([&] { (void)late(tensor(key::CPU, 4)); })) ==
        "txt::late: implemented at HERE, never defined: was the object that defines it linked?");
  auto block = tb::library("txt", r).def("late(Tensor x) -> int");
  CHECK(r.find("txt::late") == *found);
  CHECK(late(tensor(key::CPU, 4)) == 4);
  block.reset();
  CHECK(r.find_implemented("txt::late") == found);
}

TEST_CASE("schema types: a word that a text may name stands for one C++ type", "[core][signature]") {
  tb::author::register_schema_types<"Tensor">();
  CHECK(tb::author::mapped_schema_type<"Tensor">);
}
