#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using nlohmann::json;
using toy::image;

namespace {

inline constexpr tb::op<"json::width", int(const image&)> width;
inline constexpr tb::op<"json::zeros(int n, Device device) -> Tensor"> zeros;
inline constexpr tb::op<R"(json::say(Tensor a, str what="\"hi\"") -> int)"> say;

int kernel(const image& i) { return i.width; }
std::int64_t say_kernel(const toy::tensor&, std::string_view) { return 0; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();

json place(const std::source_location& where) { return {{"file", where.file_name()}, {"line", where.line()}}; }

const auto kernels = tb::library("json").def(zeros).def(say).impl<&say_kernel>(say, key::CPU, A);

}  // namespace

TEST_CASE("json: a dump of an operator and of a registry", "[core][json][I1]") {
  tb::registry r;
  const auto block =
      tb::library("json", r, B).def(width, A).impl<&kernel>(width, key::CPU, A).impl<&kernel>(width, key::CPU, B);
  const auto grading = tb::fallback<&boxed>(key::Autograd, r, B);
  const auto included = r.include_always(key::UserTop1, A);
  const json op{
      {"name", "json::width"},
      {"schema", "json::width(toy::image _0) -> int32"},
      {"signature", "int (const toy::image&)"},
      {"tags", json::array()},
      {"definitions", {place(A)}},
      {"kernels",
       {{{"key", "CPU"}, {"form", "typed"}, {"place", place(B)}, {"overridden_by", nullptr}, {"replaces", false}},
        {{"key", "CPU"}, {"form", "typed"}, {"place", place(A)}, {"overridden_by", place(B)}, {"replaces", false}}}}};
  CHECK(json::parse(to_json(dump(r.find("json::width")))) == op);
  const json all{{"operators", json::array({op})},
                 {"fallbacks", json::array({{{"key", "Autograd"},
                                             {"form", "boxed"},
                                             {"place", place(B)},
                                             {"overridden_by", nullptr},
                                             {"replaces", false}}})},
                 {"namespaces", json::array({{{"name", "json"}, {"owner", place(B)}}})},
                 {"layers", json::array({{{"keys", {"UserTop1"}}, {"place", place(A)}}})},
                 {"backend_names", json::array()}};
  CHECK(json::parse(to_json(dump(r))) == all);
}

TEST_CASE("json: members come in the order of the structs, on one line", "[core][json]") {
  CHECK(to_json(tb::inspect::registry_dump()) ==
        R"({"operators":[],"fallbacks":[],"namespaces":[],"layers":[],"backend_names":[]})");
  CHECK(to_json(tb::inspect::table_row{key::CPU}) ==
        R"({"key":"CPU","reason":"missing","passes":false,"registered_for":null,"place":null})");
}

TEST_CASE("json: a computed table", "[core][json][I2]") {
  tb::registry r;
  const auto block = tb::library("json", r).def(width).impl<&kernel>(width, key::CompositeExplicitAutograd, A);
  const json table = json::parse(to_json(computed_table(r.find("json::width"))));
  CHECK(table[1] == json{{"key", "CPU"},
                         {"reason", "default backend kernel"},
                         {"passes", false},
                         {"registered_for", "CompositeExplicitAutograd"},
                         {"place", place(A)}});
  CHECK(table.back() == json{{"key", "ModesAbove"},
                             {"reason", "transparent"},
                             {"passes", true},
                             {"registered_for", nullptr},
                             {"place", nullptr}});
}

TEST_CASE("json: the note and the word of a remark come last, where there are any", "[core][json]") {
  const tb::inspect::table_row row{key::CPU, tb::inspect::row_reason::kernel, false, key::CPU, {"f.cpp", 1}, "in part",
                                   "half"};
  CHECK(to_json(row) == R"({"key":"CPU","reason":"kernel","passes":false,"registered_for":"CPU",)"
                        R"("place":{"file":"f.cpp","line":1},"note":"in part","word":"half"})");
}

TEST_CASE("json: an explanation", "[core][json][explain]") {
  const toy::tensor a({key::CPU, key::AutogradCPU});
  tb::exclude_guard out(tb::autograd_keys);
  const json said = json::parse(to_json(tb::explain(say, a)));
  CHECK(said ==
        json{{"op", "json::say"},
             {"schema", R"(json::say(Tensor a, str what="\"hi\"") -> int)"},
             {"arguments",
              {{{"name", "argument 1 'a'"}, {"keys", {"CPU", "AutogradCPU"}}},
               {{"name", "argument 2 'what'"}, {"keys", json::array()}}}},
             {"included", json::array()},
             {"excluded", {"AutogradOther", "Autograd", "AutogradNestedTensor", "Autocast"}},
             {"always", json::array()},
             {"masked", {"AutogradCPU"}},
             {"effective", {"CPU"}},
             {"backends", {"CPU"}},
             {"placed", nullptr},
             {"candidates",
              json::array(
                  {{{"key", "CPU"}, {"taken", true}, {"rule", "kernel"}, {"why", "kernel"}, {"place", place(A)}}})},
             {"selected", "CPU"},
             {"found", true}});
  const json placed = json::parse(to_json(tb::explain(zeros, 1, toy::device{tb::backend::HIP})));
  CHECK(placed["placed"] == json{"HIP"});
  CHECK(placed["candidates"][0]["place"] == json{{"file", "(from the signature)"}, {"line", 0}});
}

TEST_CASE("json: an answer to why not", "[core][json][explain]") {
  CHECK(json::parse(to_json(tb::why_not(say, key::CUDA, toy::tensor(key::CPU)))) ==
        json{{"op", "json::say"},
             {"key", "CUDA"},
             {"reason", "not registered"},
             {"kernel", nullptr},
             {"selected", "CPU"},
             {"found", true},
             {"instead", place(A)},
             {"sentence", "json::say: nothing is registered for CUDA; the call takes CPU: kernel, registered at " +
                              std::string(A.file_name()) + ":" + std::to_string(A.line())}});
}

TEST_CASE("json: coverage", "[core][json][coverage]") {
  tb::registry r;
  const auto block = tb::library("json", r).def(width).impl<&kernel>(width, key::SparseCPU, A).impl<&kernel>(width, B);
  const auto report = coverage(r);
  const json said = json::parse(to_json(report));
  CHECK(said["keys"] == json{"SparseCPU"});
  REQUIRE(said["operators"].size() == 1);
  CHECK(said["operators"][0]["op"] == "json::width");
  CHECK(said["operators"][0]["cells"] == json::array({json::parse(to_json(report.operators[0].cells[0]))}));
  CHECK(said["shadowed"] == json::array({{{"op", "json::width"},
                                          {"key", "SparseCPU"},
                                          {"place", place(A)},
                                          {"reason", "composite"},
                                          {"at", "AutogradCPU"},
                                          {"by", place(B)},
                                          {"sentence", report.shadowed[0].sentence}}}));
}

TEST_CASE("json: a supposed table", "[core][json][what_if]") {
  const auto result =
      tb::what_if({key::CPU, tb::inspect::fallthrough_at(key::Tracer), tb::inspect::fallback_at(key::UserTop1)});
  const json said = json::parse(to_json(result));
  CHECK(said["op"] == "");
  CHECK(said["suppositions"] == json::array({{{"what", "kernel"}, {"key", "CPU"}},
                                             {{"what", "fallthrough"}, {"key", "Tracer"}},
                                             {{"what", "fallback"}, {"key", "UserTop1"}}}));
  CHECK(said["table"] == json::parse(to_json(result.table)));
  REQUIRE(said["changed"].size() == 3);
  CHECK(said["changed"][0] == json{{"from", json::parse(to_json(result.changed[0].from))},
                                   {"to", json::parse(to_json(result.changed[0].to))}});
}

TEST_CASE("json: bytes that are no UTF-8 are replaced", "[core][json]") {
  tb::inspect::operator_dump d;
  d.name = "a\xff\"\n";
  CHECK(json::parse(to_json(d))["name"] == "a\xef\xbf\xbd\"\n");
}
