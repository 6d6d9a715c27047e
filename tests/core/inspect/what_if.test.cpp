#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "support/named_places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::inspect::adding;
using tb::inspect::fallback_at;
using tb::inspect::fallthrough_at;
using tb::inspect::removing;
using tb::inspect::removing_fallback;
using tb::inspect::supposition;
using toy::image;

namespace {

inline constexpr tb::op<"if::width", int(const image&)> width;
inline constexpr tb::op<"if::zeros(int n, Device device) -> Tensor"> zeros;

int kernel(const image& i) { return i.width; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
const toy::named_places named{{"A", A}, {"B", B}};

}  // namespace

TEST_CASE("what if: says which slots would change, and registers nothing", "[core][what_if][P10a]") {
  tb::registry r;
  const auto block = tb::library("if", r).def(width).impl<&kernel>(width, A).impl<&kernel>(width, key::Autograd, B);
  const auto op = r.find("if::width");
  const auto before = dump(r);
  CHECK(named(to_string(what_if(op, {adding(key::CPU)}))) ==
        R"(if::width
  suppose   kernel for CPU
  changes   CPU: kernel (supposed); now composite kernel, registered for CompositeImplicitAutograd at A
  changes   AutogradCPU: autograd kernel, registered for Autograd at B; now composite kernel, registered for CompositeImplicitAutograd at A
)");
  CHECK(dump(r) == before);
  CHECK(verify(op).empty());
}

TEST_CASE("what if: suppositions come one after the other", "[core][what_if]") {
  tb::registry r;
  const auto block =
      tb::library("if", r).def(width).impl<&kernel>(width, key::CPU, A).impl<&kernel>(width, key::CPU, B);
  const auto op = r.find("if::width");
  CHECK(named(to_string(what_if(op, {removing(key::CPU)}))) ==
        "if::width\n"
        "  suppose   no kernel for CPU\n"
        "  changes   CPU: kernel, registered at A; now kernel, registered at B\n");
  CHECK(named(to_string(what_if(op, {removing(key::CPU), removing(key::CPU), fallthrough_at(key::AutogradCPU)}))) ==
        "if::width\n"
        "  suppose   no kernel for CPU\n"
        "  suppose   no kernel for CPU\n"
        "  suppose   fallthrough for AutogradCPU\n"
        "  changes   CPU: missing; now kernel, registered at B\n"
        "  changes   AutogradCPU: kernel, a fallthrough (supposed); now transparent, calls pass through it\n");
  CHECK(to_string(what_if(op, {adding(key::CUDA), removing(key::CUDA)})) ==
        "if::width\n"
        "  suppose   kernel for CUDA\n"
        "  suppose   no kernel for CUDA\n"
        "  changes   nothing\n");
}

TEST_CASE("what if: fallbacks may be supposed, and removed", "[core][what_if]") {
  tb::registry r;
  const auto block = tb::library("if", r).def(width);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r, A);
  const auto op = r.find("if::width");
  CHECK(named(to_string(what_if(op, {fallback_at(key::Autograd), removing_fallback(key::Tracer)}))) ==
        R"(if::width
  suppose   fallback for Autograd
  suppose   no fallback for Tracer
  changes   AutogradOther: backend fallback, for Autograd (supposed); now transparent, calls pass through it
  changes   AutogradCPU to AutogradMeta: backend fallback, for Autograd (supposed); now transparent, calls pass through it
  changes   AutogradNestedTensor: backend fallback, for Autograd (supposed); now transparent, calls pass through it
  changes   Tracer: missing; now backend fallback, registered at A
)");
}

TEST_CASE("what if: teaches the rules on an operator without registrations", "[core][what_if][I5][P10e]") {
  CHECK(to_string(tb::what_if({key::SparseCPU, key::CompositeImplicitAutograd, fallthrough_at(key::AutogradCUDA)})) ==
        R"(an operator without registrations
  suppose   kernel for SparseCPU
  suppose   kernel for CompositeImplicitAutograd
  suppose   fallthrough for AutogradCUDA
  gives     Undefined: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     CPU to Meta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     FPGA: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     MSNPU: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     MLC: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     Vulkan: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     Metal: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     QuantizedCPU to QuantizedMeta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     CustomRNGKeyId: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     MkldnnCPU: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     SparseCPU: kernel (supposed)
  gives     SparseCUDA to SparseMeta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     SparseCsrCPU to SparseCsrMeta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     NestedTensorCPU to NestedTensorMeta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     BackendSelect: transparent, calls pass through it
  gives     ModesBelow: transparent, calls pass through it
  gives     Functionalize: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     ADInplaceOrView: transparent, calls pass through it
  gives     AutogradOther: ambiguous autogradother, calls throw
  gives     AutogradCPU: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     AutogradCUDA: kernel, a fallthrough (supposed)
  gives     AutogradHIP to AutogradMeta: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     AutogradNestedTensor: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     ForwardAD: transparent, calls pass through it
  gives     FuncTorchBatched: composite kernel, for CompositeImplicitAutograd (supposed)
  gives     FuncTorchVmapMode: transparent, calls pass through it
  gives     AutocastCPU to AutocastMeta: transparent, calls pass through it
  gives     ModesAbove: transparent, calls pass through it
)");
}

TEST_CASE("what if: carries the same facts as data", "[core][what_if]") {
  const auto result = tb::what_if({key::CPU});
  CHECK(result.op.empty());
  CHECK(result.suppositions == std::vector<supposition>{adding(key::CPU)});
  REQUIRE(result.changed.size() == 1);
  CHECK(result.changed[0].from == tb::inspect::table_row{key::CPU});
  CHECK(result.changed[0].to.registered_for == tb::key_target(key::CPU));
  CHECK(result.table.front() == result.changed[0].to);
  CHECK(tb::what_if({}).changed.empty());
}

TEST_CASE("what if: no key means catch-all", "[core][what_if][R12]") {
  CHECK(tb::what_if({adding(key::Undefined)}).table == tb::what_if({key::CompositeImplicitAutograd}).table);
}

TEST_CASE("what if: refuses what a registry would refuse", "[core][what_if]") {
  tb::registry r;
  const auto block = tb::library("if", r).def(width).def(zeros);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r, A);
  const auto refusal = [&](const char* name, supposition s) {
    return named(toy::text_of<tb::bad_registration>([&] { (void)what_if(r.find(name), {s}); }));
  };
  CHECK(refusal("if::width", removing(key::CPU)) ==
        "if::width: supposing no kernel for CPU: nothing is registered for it");
  CHECK(refusal("if::zeros", removing(key::BackendSelect)) ==
        "if::zeros: supposing no kernel for BackendSelect: nothing is registered for it");
  CHECK(refusal("if::width", fallback_at(key::Tracer)) ==
        "if::width: supposing fallback for Tracer: Tracer has one, registered at A");
  CHECK(refusal("if::width", removing_fallback(key::Autograd)) ==
        "if::width: supposing no fallback for Autograd: nothing is registered for it");
  CHECK(refusal("if::width", fallback_at(key::Undefined)) ==
        "if::width: supposing fallback for CompositeImplicitAutograd: a fallback needs a key");
  CHECK(
      refusal("if::width", adding(tb::dispatch_key{tb::functionality::Sparse})) ==
      "if::width: supposing kernel for Sparse (no backend): a building block has no slot; name a backend, for example "
      "SparseCPU");
  CHECK(toy::text_of<tb::bad_registration>([] { (void)tb::what_if({removing(key::CPU)}); }) ==
        "what_if: supposing no kernel for CPU: nothing is registered for it");
}

TEST_CASE("what if: the table is the one that registering gives", "[core][what_if][P12]") {
  const std::array<tb::key_target, 12> targets{key::CPU,
                                               key::SparseCPU,
                                               key::AutogradCPU,
                                               key::Autograd,
                                               key::MkldnnCPU,
                                               key::AutogradOther,
                                               key::NestedTensorCPU,
                                               key::Tracer,
                                               key::CompositeImplicitAutograd,
                                               key::CompositeExplicitAutograd,
                                               key::CompositeExplicitAutogradNonFunctional,
                                               key::CompositeImplicitAutogradNestedTensor};
  // The table without places, which differ.
  const auto bare = [](std::vector<tb::inspect::table_row> table) {
    for (tb::inspect::table_row& row : table) row.place = {};
    return table;
  };
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    tb::registry r;
    auto block = tb::library("if", r).def(width);
    const auto op = r.find("if::width");
    std::vector<supposition> supposed;
    for (int i = 0; i < 4; ++i) {
      const tb::key_target t = targets[random() % targets.size()];
      supposed.push_back(random() % 5 == 0 ? fallthrough_at(t) : adding(t));
    }
    const auto said = what_if(op, supposed).table;
    for (const supposition& s : supposed) {
      if (s.what == supposition::kind::fallthrough)
        block.fallthrough(width, s.key);
      else
        block.impl<&kernel>(width, s.key);
    }
    REQUIRE(bare(said) == bare(computed_table(op)));
    REQUIRE(bare(tb::what_if(supposed).table) == bare(said));
  }
}
