// The host bridge: what is copied, which kernels a backend runs itself, who may run on the host, what is refused.
#include <topbit/kernel_abi.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "far_memory.h"
#include "support/raises.h"
#include "support/tensor_values.h"

import topbit;
import topbit.backend;

namespace tb = topbit;
namespace aten = topbit::aten;
using far_memory::flipped;
using tb::backends::fallback_policy;

namespace {

int own_calls = 0;

// A kernel table with one entry: relu of dense float32, in place or not.
tb_status own_elementwise(const tb_elementwise* e, const tb_call*) {
  const tb_plan& p = e->plan;
  if (e->compute != TB_F32 || p.operand[1].dtype != TB_F32 || p.operand[0].dtype != TB_F32) return TB_UNSUPPORTED_DTYPE;
  ++own_calls;
  auto* to = static_cast<float*>(flipped(p.operand[0].data));
  const auto* from = static_cast<const float*>(flipped(p.operand[1].data));
  for (std::int64_t i = 0; i < p.sizes[0]; ++i) to[i] = from[i] > 0 ? from[i] : 0;
  return TB_OK;
}
std::int32_t own_runs(std::int32_t entry, std::int32_t code) {
  return entry == TB_ENTRY_ELEMENTWISE && code == TB_RELU ? 1 : 0;
}
constexpr tb_kernels own_kernels = [] {
  tb_kernels k{};
  k.size = sizeof k;
  k.version = TB_ABI_VERSION;
  k.name = "mine";
  k.elementwise = &own_elementwise;
  k.runs = &own_runs;
  return k;
}();

tb::tensor own_exp(const tb::tensor& self) { return self; }

int two_devices() { return 2; }

// A backend without kernels, and one with some of one entry.
tb::backend bare() {
  static const tb::backend b = tb::author::register_backend("bare", {.memory = far_memory::hook});
  return b;
}
tb::backend mine() {
  static const tb::backend b = tb::author::register_backend(
      "mine", {.memory = far_memory::hook, .device = {.count = &two_devices}, .kernels = &own_kernels});
  return b;
}

tb::tensor moved(const tb::tensor& t, tb::backend b) { return tb::to(t, tb::device{b}); }
std::vector<double> values(const tb::tensor& t) { return support::values(tb::to(t, tb::cpu)); }
using list = std::vector<double>;

std::vector<tb::backends::fallback_row> rows_of(std::string_view op) {
  std::vector<tb::backends::fallback_row> all = tb::backends::fallback_report();
  std::erase_if(all, [&](const auto& r) { return r.op != op; });
  return all;
}

}  // namespace

TEST_CASE("bridge: a backend runs the operations, and dtypes, that its table has", "[backend][bridge]") {
  const tb::tensor x = moved(tb::tensor({-1.F, 2, -3}), mine());
  tb::backends::reset_fallback_report();
  own_calls = 0;
  CHECK(values(tb::relu(x)) == list{0, 2, 0});
  CHECK(own_calls == 1);
  CHECK(rows_of("aten::relu").empty());
  CHECK(values(tb::relu(tb::to(x, tb::dtype::float64))) == list{0, 2, 0});
  CHECK(values(tb::neg(x)) == list{1, -2, 3});
  CHECK(values(tb::sum(x)) == list{-2});
  CHECK(own_calls == 1);
  REQUIRE(rows_of("aten::relu").size() == 1);
  CHECK(rows_of("aten::relu")[0].reason == "no dtype");
  CHECK(rows_of("aten::neg").at(0).reason == "no code");
  CHECK(rows_of("aten::neg").at(0).entry == "elementwise");
  const tb::backends::fallback_row sum = rows_of("aten::sum").at(0);
  CHECK(sum.reason == "no entry");
  CHECK(sum.which == mine());
  CHECK((sum.calls == 1 && sum.bytes_out == 12 && sum.bytes_in == 4));
}

TEST_CASE("bridge: only elements that a kernel touches are copied", "[backend][bridge]") {
  const tb::tensor all = tb::zeros({100, 100}, tb::arg<"device"> = tb::device{bare()});
  tb::tensor corner = tb::slice(tb::slice(all, 0, 0, 2), 1, 0, 3);
  tb::backends::reset_fallback_report();
  // Two rows of three elements, 100 apart, are 103 elements from first to last. They have holes, so they are
  // read before they are written.
  tb::fill_(corner, 7);
  const tb::backends::fallback_row fill = rows_of("aten::fill_.Scalar").at(0);
  CHECK((fill.bytes_out == 103 * 4 && fill.bytes_in == 103 * 4));
  CHECK(values(tb::sum(all)) == list{42});
  tb::tensor row = tb::select(all, 0, 5);
  tb::backends::reset_fallback_report();
  tb::fill_(row, 1);
  const tb::backends::fallback_row dense = rows_of("aten::fill_.Scalar").at(0);
  CHECK((dense.bytes_out == 0 && dense.bytes_in == 400));
}

TEST_CASE("bridge: operands that share memory share it on the host", "[backend][bridge]") {
  tb::tensor x = moved(tb::tensor({1.F, 2, 3, 4, 5}), bare());
  x += x;
  CHECK(values(x) == list{2, 4, 6, 8, 10});
  tb::tensor head = tb::slice(x, 0, 0, 2);
  head += tb::slice(x, 0, 3, 5);  // beside it, in one storage
  CHECK(values(x) == list{10, 14, 6, 8, 10});
  tb::add(x, x, tb::arg<"out"> = x);
  CHECK(values(x) == list{20, 28, 12, 16, 20});
  const tb::tensor flipped_x = tb::flip(x, {0});  // negative strides
  CHECK(values(flipped_x) == list{20, 16, 12, 28, 20});
}

TEST_CASE("bridge: errors are the CPU's, and nothing is written", "[backend][bridge]") {
  const tb::tensor table = moved(tb::tensor({1.F, 2, 3}), bare()), index = moved(tb::tensor({0, 3}), bare());
  CHECK(toy::text_of<tb::shape_error>([&] { tb::index_select(table, 0, index); }) ==
        "aten::index_select: found the index 3, wanted 0 to 2");
  tb::tensor counts = moved(tb::tensor({4, 6}), bare());
  const tb::tensor zero = moved(tb::tensor({2, 0}), bare());
  CHECK_THROWS_AS(tb::div_(counts, zero, tb::arg<"rounding_mode"> = "floor"), tb::error);
  CHECK(values(counts) == list{4, 6});
}

TEST_CASE("bridge: the policy refuses before anything is written", "[backend][bridge]") {
  tb::tensor x = moved(tb::tensor({1.F, 2}), bare());
  tb::backends::set_fallback_policy(bare(), fallback_policy::refuse, "aten::exp*");
  CHECK(toy::text_of<tb::no_kernel>([&] { tb::exp_(x); }) ==
        "aten::exp_: found no entry elementwise of the kernels of bare, and running on the host is refused; add the "
        "kernel, or allow it with set_fallback_policy() or TOPBIT_FALLBACK=allow");
  CHECK(values(x) == list{1, 2});
  tb::backends::set_fallback_policy(bare(), fallback_policy::allow, "aten::exp_");
  CHECK_NOTHROW(tb::exp_(x));
  CHECK_THROWS_AS(tb::expm1(x), tb::no_kernel);
  tb::backends::set_fallback_policy(bare(), fallback_policy::allow, "aten::exp*");
  CHECK_NOTHROW(tb::expm1(x));
  CHECK(toy::text_of<tb::bad_argument>([] {
          tb::backends::set_fallback_policy(tb::backend::CPU, fallback_policy::allow);
        }) == "set_fallback_policy: found CPU, wanted a backend that register_backend() made");
}

TEST_CASE("bridge: a device that is not there is refused before its memory is asked for", "[backend][bridge]") {
  const auto ones_on = [](int index) {
    return tb::ones({2}, tb::arg<"device"> = tb::device{mine(), static_cast<std::int8_t>(index)});
  };
  CHECK(values(ones_on(1)) == list{1, 1});
  const std::int64_t before = far_memory::blocks;
  CHECK(toy::text_of<tb::device_error>([&] { ones_on(2); }) ==
        "aten::ones: in aten::empty.memory_format: found mine:2, wanted mine:0 to mine:1");
  CHECK(toy::text_of<tb::device_error>([] { tb::ones({2}, tb::arg<"device"> = tb::device{bare(), 1}); }) ==
        "aten::ones: in aten::empty.memory_format: found bare:1, wanted bare:0");
  CHECK_THROWS_AS(ones_on(-1), tb::device_error);
  CHECK(far_memory::blocks == before);
}

TEST_CASE("bridge: backends exchange tensors, and give all memory back", "[backend][bridge]") {
  const std::int64_t before = far_memory::blocks;
  {
    const tb::tensor x = moved(tb::tensor({1.F, 2, 3}), bare()), y = moved(x, mine());
    CHECK(y.device() == tb::device{mine()});
    CHECK(values(tb::relu(tb::neg(y))) == list{0, 0, 0});
    CHECK_THROWS_AS(x + y, tb::device_error);
    CHECK(values(moved(y * 2, bare()) + x) == list{3, 6, 9});
  }
  CHECK(far_memory::blocks == before);
}

TEST_CASE("bridge: inspection says which operators the host computes, and why", "[backend][bridge]") {
  const auto said = [](std::string_view op, tb::backend b) {
    const tb::inspect::table_row row = tb::inspect::computed_row(tb::find(op), tb::key_of(b));
    return std::string(tb::inspect::word_of(row)) + ": " + row.note;
  };
  CHECK(said("aten::relu", mine()) == "kernel: ");
  CHECK(said("aten::neg", mine()) == "bridge: host bridge: no such operation in entry elementwise");
  CHECK(said("aten::sum", mine()) == "bridge: host bridge: no entry reduce");
  CHECK(said("aten::relu", bare()) == "bridge: host bridge: no entry elementwise");
  {
    // A kernel of one's own for an operator of the device is no bridge.
    const auto own = tb::implement("aten", tb::key_of(bare())).impl<&own_exp>(aten::exp);
    CHECK(said("aten::exp", bare()) == "kernel: ");
  }
  CHECK(said("aten::exp", bare()) == "bridge: host bridge: no entry elementwise");
  CHECK(said("aten::copy_", bare()) == "bridge: host bridge: no entry copy");
  CHECK(said("aten::zero_", bare()) == "bridge: host bridge: no entry elementwise");
  CHECK(said("aten::empty.memory_format", bare()) == "kernel: ");
  CHECK(said("aten::empty_strided", bare()) == "kernel: ");
  const tb::inference_mode no_layers;
  const tb::tensor x = moved(tb::ones({2}), bare());
  CHECK(to_string(tb::explain(aten::sum, x)).find("host bridge: no entry reduce") != std::string::npos);
  // All that a device without kernels has but what allocates.
  const tb::dispatch_key k = tb::key_of(bare());
  std::vector<std::string> own;
  for (const auto& line : tb::coverage(tb::registry::process(), std::array{k}).operators) {
    if (tb::inspect::word_of(line.cells[0]) == "kernel") own.push_back(line.op);
  }
  CHECK(own == std::vector<std::string>{"aten::empty.memory_format", "aten::empty_strided"});
}

TEST_CASE("bridge: the kernels of a table that an operator uses are known", "[backend][bridge]") {
  using kernels = std::vector<tb::author::table_kernel>;
  CHECK(tb::author::kernels_used_by("aten::relu") == kernels{{TB_ENTRY_ELEMENTWISE, TB_RELU}});
  CHECK(tb::author::kernels_used_by("aten::relu_") == kernels{{TB_ENTRY_ELEMENTWISE, TB_RELU}});
  CHECK(tb::author::kernels_used_by("aten::mm") == kernels{{TB_ENTRY_MATMUL, -1}});
  CHECK(tb::author::kernels_used_by("aten::transpose.int").empty());
  CHECK(tb::author::kernels_used_by("nothing::here").empty());
}

TEST_CASE("register_backend: refuses what it cannot use, and registers nothing then", "[backend][bridge]") {
  const auto refused = [](std::string_view name, const tb::author::backend_description& d) {
    return toy::text_of<tb::error>([&] { tb::author::register_backend(name, d); });
  };
  tb::memory_hook memory = far_memory::hook;
  memory.copy_in = nullptr;
  CHECK(refused("fresh", {.memory = memory}) ==
        "register_backend 'fresh': found null for memory.copy_in, wanted a function");
  tb_kernels old = own_kernels;
  old.version = TB_ABI_VERSION - 1;
  CHECK(refused("fresh", {.memory = far_memory::hook, .kernels = &old})
            .starts_with("register_backend 'fresh': found a kernel table of ABI version 7 and "));
  mine();
  CHECK(refused("mine", {.memory = far_memory::hook}).find("has this name already") != std::string::npos);
  CHECK(refused("Mine", {.memory = far_memory::hook}).find("differs in case alone") != std::string::npos);
  CHECK_FALSE(refused("cuda", {.memory = far_memory::hook}).empty());
  CHECK(refused("no name", {.memory = far_memory::hook}).find("needs an identifier") != std::string::npos);
  CHECK_THROWS_AS(tb::parse_device("fresh"), tb::device_error);
}
