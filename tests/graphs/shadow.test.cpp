// Two devices side by side: which operator differs, and by how much. The second device has the CPU's kernels, of which
// one can be broken.
#include <topbit/kernel_abi.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
namespace graphs = topbit::graphs;
using Catch::Matchers::ContainsSubstring;
using graphs::graph;
using tb::tensor;

namespace {

constexpr tb::device other{tb::backend::PrivateUse2, 0};

bool tanh_is_broken = false, abs_is_finite = false;

tb_status elementwise(const tb_elementwise* call, const tb_call* on) {
  const tb_status status = tb_cpu_kernels()->elementwise(call, on);
  if (abs_is_finite && call->op == TB_ABS) static_cast<float*>(call->plan.operand[0].data)[1] = 1;
  if (tanh_is_broken && call->op == TB_TANH) static_cast<float*>(call->plan.operand[0].data)[1] += 0.5F;
  return status;
}

const tb_kernels kernels = [] {
  tb_kernels k = *tb_cpu_kernels();
  k.name = "other";
  k.elementwise = elementwise;
  k.dense_loops = nullptr;
  return k;
}();

// Filled, so that elements that nothing wrote differ.
void* allocate(tb::device, std::size_t bytes) { return std::memset(std::malloc(bytes), 0x41, bytes); }
void release(tb::device, void* p) noexcept { std::free(p); }
void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

[[maybe_unused]] const bool registered = [] {
  tb::set_memory_hook(other.type, {allocate, release, copy, copy});
  tb::author::register_strided_backend(kernels, tb::key::PrivateUse2);
  return true;
}();

// Writes an argument that it does not return; wrong on the other device.
inline constexpr tb::op<"shadow_test::clear(Tensor(a!) x) -> ()"> clear;
void clear_here(tensor& x) { tb::zero_(x); }
void clear_there(tensor& x) { tb::fill_(x, 1); }
const auto clear_kernels = tb::library("shadow_test")
                               .def(clear)
                               .impl<&clear_here>(clear, tb::key::CPU)
                               .impl<&clear_there>(clear, tb::key::PrivateUse2);

const graphs::shadow_options to_other{.map = {{tb::cpu, other}}};
const tensor a = tb::tensor({{1.f, 2}, {3, 4}});

graph recorded() {
  return graphs::record([](const tensor& x) { return tb::relu(tb::tanh(tb::mm(x, x) * 0.125)) + tb::ones({2, 2}); }, a);
}

}  // namespace

TEST_CASE("shadow: two right devices have no difference, and a replay there is right", "[graphs][shadow]") {
  tanh_is_broken = false;
  const graph g = recorded();
  CHECK(graphs::shadow(g, std::vector{a}, to_other).empty());
  const tensor there = graphs::replay(g, {tb::to(a, other)}, {.map = {{tb::cpu, other}}})[0];
  CHECK(there.device() == other);
  CHECK(tb::equal(tb::to(there, tb::cpu), graphs::replay(g, {a})[0]));
}

TEST_CASE("shadow: names the operator that is wrong, alone or with those that carry its error", "[graphs][shadow]") {
  tanh_is_broken = true;
  const graph g = recorded();
  const auto alone = graphs::shadow(g, std::vector{a}, to_other);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].op == "aten::tanh");
  CHECK(alone[0].differing == 1);
  CHECK(alone[0].worst == 1);
  CHECK(alone[0].max_absolute > 0.49);
  CHECK(alone[0].elements == 4);
  CHECK_FALSE(alone[0].arguments_differed);
  CHECK(alone[0].max_ulp == alone[0].max_absolute * 0x1p23);  // both are in [1, 2)
  CHECK(alone[0].nmse > 0);
  CHECK_THAT(to_string(alone[0]), ContainsSubstring("1 of 4 elements differ"));
  CHECK_THAT(to_string(alone[0]), ContainsSubstring(" ulp, NMSE "));
  CHECK_THAT(to_string(alone[0]), ContainsSubstring("PrivateUse2: kernel, registered at "));
  graphs::shadow_options chained = to_other;
  chained.how = graphs::shadowing::chained;
  const auto all = graphs::shadow(g, std::vector{a}, chained);
  REQUIRE(all.size() == 3);
  CHECK_FALSE(all[0].arguments_differed);
  CHECK(all[1].op == "aten::relu");
  CHECK(all[1].arguments_differed);
  chained.most = 1;
  CHECK(graphs::shadow(g, std::vector{a}, chained).size() == 1);
  chained.within = [](const tb::operator_handle&, tb::dtype) { return graphs::tolerance{1, 0}; };
  CHECK(graphs::shadow(g, std::vector{a}, chained).empty());
  tanh_is_broken = false;
}

TEST_CASE("shadow: elements that nothing wrote do not count, and nothing is near infinity", "[graphs][shadow]") {
  const tensor x = tb::tensor({1.F, -std::numeric_limits<float>::infinity()});
  const graph g = graphs::record(
      [](const tensor& t) {
        tensor made = tb::empty_like(t);
        tb::copy_(made, t);
        return tb::abs(made);
      },
      x);
  CHECK(graphs::shadow(g, std::vector{x}, to_other).empty());
  abs_is_finite = true;
  const std::vector<graphs::shadow_finding> found = graphs::shadow(g, std::vector{x}, to_other);
  abs_is_finite = false;
  REQUIRE(found.size() == 1);
  CHECK(found[0].op == "aten::abs");
}

TEST_CASE("shadow: what the program writes is written once", "[graphs][shadow]") {
  const tensor x = tb::clone(a);
  graphs::recorder r({.inputs = {{"x", x}}});
  tb::tanh_(tb::select(x, 0, 0));
  const graph g = r.finish({{"x", x}});
  tanh_is_broken = true;
  const tensor input = tb::clone(a), wanted = tb::clone(a);
  const auto found = graphs::shadow(g, std::vector{input}, to_other);
  REQUIRE(found.size() == 1);
  CHECK(found[0].op == "aten::tanh_");
  tanh_is_broken = false;
  tb::tanh_(tb::select(wanted, 0, 0));
  CHECK(tb::equal(input, wanted));
}

TEST_CASE("shadow: of a running thread names the operator that is wrong, forward and backward", "[graphs][shadow]") {
  const auto step = [](const tensor& w) {
    const tensor loss = tb::sum(tb::tanh(tb::mm(w, a) * 0.125) + tb::flip(tb::cat({a, a}), {0, 1})[1] + tb::rand({2}));
    tb::backward(loss);
    return loss;
  };
  const auto watched = [&](graphs::shadow_options options) {
    const tensor w = tb::require_grad(tb::clone(a));
    std::pair<std::vector<graphs::shadow_finding>, std::size_t> seen;
    {
      graphs::thread_shadow shadow(std::move(options));
      step(w);
      tensor scratch = tb::clone(a);
      tb::tanh_(scratch);
      CHECK(shadow.skipped() > 0);  // views, random numbers
      seen = {{shadow.findings().begin(), shadow.findings().end()}, shadow.compared()};
    }
    CHECK(tb::allclose(tb::leaf_grad(w), tb::mm(1 - tb::square(tb::tanh(tb::mm(a, a) * 0.125)), tb::t(a)) * 0.125));
    CHECK(seen.second > 0);
    return seen;
  };
  tanh_is_broken = false;
  CHECK(watched(to_other).first.empty());
  tanh_is_broken = true;
  const auto [found, compared] = watched(to_other);
  REQUIRE(found.size() == 2);
  CHECK(found[0].op == "aten::tanh");
  CHECK(found[1].op == "aten::tanh_");
  CHECK(found[1].node > found[0].node);
  CHECK(found[0].differing == 1);
  CHECK(to_string(found[0]).starts_with("node " + std::to_string(found[0].node) + ", aten::tanh: 1 of 4 elements"));
  graphs::shadow_options first = to_other;
  first.most = 1;
  CHECK(watched(first).first.size() == 1);
  graphs::shadow_options sampled = to_other;
  sampled.every = 4;
  CHECK(watched(sampled).second < compared / 2);
  tanh_is_broken = false;
  {
    tensor x = tb::clone(a);
    graphs::thread_shadow shadow(to_other);
    clear(x);
    REQUIRE(shadow.findings().size() == 1);
    CHECK(shadow.findings()[0].op == "shadow_test::clear");
    CHECK(shadow.findings()[0].differing == 4);
  }
  const graphs::shadow_options to_meta{.map = {{tb::cpu, tb::device{tb::backend::Meta}}}};
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::thread_shadow refused(to_meta); }),
             ContainsSubstring("found meta, wanted a device whose tensors have elements"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::shadow(recorded(), std::vector{a}, to_meta); }),
             ContainsSubstring("found meta, wanted a device whose tensors have elements"));
  sampled.how = graphs::shadowing::chained;
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::thread_shadow refused(sampled); }),
             ContainsSubstring("found chained, wanted isolated"));
}

TEST_CASE("free_size: replays of all sizes on another device train one network", "[graphs][free_size]") {
  const tensor w = tb::require_grad(tb::clone(a));
  const auto step_of = [&](std::int64_t rows) {
    const tensor x = tb::ones({rows, 2});
    tb::sgd optimizer({w}, {.learning_rate = 0.125});
    graphs::recorder r({.inputs = {{"x", x}}, .parameters = {{"w", w}}});
    optimizer.zero_grad();
    const tensor loss = tb::sum(tb::mm(x, w));
    tb::backward(loss);
    optimizer.step();
    return r.finish({{"loss", loss}});
  };
  graphs::sized_replayer replay(graphs::free_size(step_of(5), step_of(7)), {.map = {{tb::cpu, other}}});
  const tensor before = tb::clone(tb::detach(w));
  for (const std::int64_t rows : {3, 8}) replay({tb::to(tb::ones({rows, 2}), other)});
  for (const std::int64_t rows : {3, 8}) {
    CHECK(tb::equal(tb::to(tb::detach(replay.of(rows).parameter("w")), tb::cpu), before - 0.125 * 11));
  }
}

TEST_CASE("replay: operators without a kernel elsewhere are listed, or stay", "[graphs][shadow]") {
  // Of a device with a kernel for additions alone.
  static const tb_kernels few = [] {
    tb_kernels k{};
    k.size = sizeof(tb_kernels);
    k.version = TB_ABI_VERSION;
    k.name = "few";
    k.copy = tb_cpu_kernels()->copy;
    k.elementwise = tb_cpu_kernels()->elementwise;
    k.runs = [](std::int32_t entry, std::int32_t op) {
      return std::int32_t{entry != TB_ENTRY_ELEMENTWISE || op == TB_ADD};
    };
    return k;
  }();
  constexpr tb::device third{tb::backend::PrivateUse3, 0};
  tb::set_memory_hook(third.type, {allocate, release, copy, copy});
  tb::author::register_strided_backend(few, tb::key::PrivateUse3);
  const graph g = graphs::record([](const tensor& x) { return tb::tanh(x + x) + x; }, a);
  const std::vector<std::pair<tb::device, tb::device>> map{{tb::cpu, third}};
  const auto without = graphs::coverage(g, map);
  REQUIRE(without.size() == 1);
  CHECK(g.nodes()[without[0].node].op.name() == "aten::tanh");
  CHECK(without[0].where == third);
  try {
    graphs::replayer refused(g, {.map = map});
    FAIL("wanted a refusal");
  } catch (const graphs::graph_error& e) {
    CHECK_THAT(e.what(), ContainsSubstring("aten::tanh, on "));
  }
  graphs::replayer again(g, {.map = map, .missing = graphs::missing::stay});
  CHECK(again.stayed().size() == 1);
  const tensor y = again({tb::to(a, third)})[0];
  CHECK(y.device() == third);
  CHECK(tb::equal(tb::to(y, tb::cpu), graphs::replay(g, {a})[0]));
}
