#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "support/named_places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/raw_entry.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using tb::inspect::row_reason;
using toy::image;

namespace {

inline constexpr tb::op<"table::width", int(const image&)> width;
inline constexpr tb::op<"table::zeros(int n, Device device) -> Tensor"> zeros;

int width_kernel(const image& i) { return i.width; }
toy::tensor zeros_kernel(std::int64_t, toy::device) { return {}; }
void boxed(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(0);
}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
constexpr auto C = std::source_location::current();
constexpr auto D = std::source_location::current();
const toy::named_places named{{"A", A}, {"B", B}, {"C", C}, {"D", D}};

std::string table_text(const tb::operator_handle& op) { return named(to_string(computed_table(op))); }

}  // namespace

TEST_CASE("computed table: every slot that holds something, with the reason and the place", "[core][table][I2]") {
  tb::registry r;
  const auto block = tb::library("table", r)
                         .def(width)
                         .impl<&width_kernel>(width, key::CPU, A)
                         .impl<&width_kernel>(width, key::CompositeExplicitAutogradNonFunctional, B)
                         .fallthrough(width, key::AutogradCUDA, C);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r, D);
  const auto grading = tb::fallback<&boxed>(key::Autograd, r, B);
  CHECK(table_text(r.find("table::width")) ==
        R"(Undefined: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
CPU: kernel, registered at A
CUDA to HIP: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
MPS to VE: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
MTIA to Meta: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
FPGA: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
MSNPU: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
MLC: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
Vulkan: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
Metal: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
QuantizedCPU to QuantizedHIP: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
QuantizedMPS to QuantizedVE: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
QuantizedMTIA to QuantizedMeta: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
CustomRNGKeyId: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
MkldnnCPU: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
SparseCsrCPU to SparseCsrHIP: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
SparseCsrMPS to SparseCsrVE: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
SparseCsrMTIA to SparseCsrMeta: default backend kernel, registered for CompositeExplicitAutogradNonFunctional at B
BackendSelect: transparent, calls pass through it
ModesBelow: transparent, calls pass through it
ADInplaceOrView: transparent, calls pass through it
AutogradOther: backend fallback, registered for Autograd at B
AutogradCPU: backend fallback, registered for Autograd at B
AutogradCUDA: kernel, a fallthrough, registered at C
AutogradHIP to AutogradMeta: backend fallback, registered for Autograd at B
AutogradNestedTensor: backend fallback, registered for Autograd at B
ForwardAD: transparent, calls pass through it
Tracer: backend fallback, registered at D
FuncTorchVmapMode: transparent, calls pass through it
AutocastCPU to AutocastMeta: transparent, calls pass through it
ModesAbove: transparent, calls pass through it
)");
}

TEST_CASE("computed table: says where calls throw though something is registered", "[core][table][I2][P5a][P10i]") {
  tb::registry r;
  const auto block = tb::library("table", r)
                         .def(width)
                         .impl<&width_kernel>(width, key::MkldnnCPU, A)
                         .fallthrough(width, key::CompositeImplicitAutograd, B);
  const auto op = r.find("table::width");
  const std::string text = table_text(op);
  CHECK(text.find("AutogradOther: ambiguous autogradother, calls throw\n") != std::string::npos);
  CHECK(text.starts_with(
      "CPU to Meta: composite kernel, a fallthrough, registered for CompositeImplicitAutograd at B\n"));
  CHECK_FALSE(tb::inspect::has_entry(op, key::Undefined));
  CHECK_FALSE(tb::inspect::has_entry(op, key::AutogradOther));
  CHECK(tb::inspect::has_entry(op, key::AutogradCPU));
}

TEST_CASE("computed table: a slot as data and as text", "[core][table][I2][I3]") {
  tb::registry r;
  const auto block = tb::library("table", r).def(width).impl<&width_kernel>(width, key::CPU, A);
  const auto op = r.find("table::width");
  const auto table = computed_table(op);
  REQUIRE_FALSE(table.empty());
  CHECK(table[0] == tb::inspect::table_row{key::CPU, row_reason::kernel, false, key::CPU, {A.file_name(), A.line()}});
  CHECK(named(to_string(table[0])) == "CPU: kernel, registered at A");
  CHECK(to_string(tb::inspect::table_row{key::CUDA}) == "CUDA: missing");
  CHECK(tb::inspect::has_entry(op, key::CPU));
  CHECK(tb::inspect::has_entry(op, key::ADInplaceOrView));
  CHECK_FALSE(tb::inspect::has_entry(op, key::CUDA));
  CHECK_FALSE(tb::inspect::has_entry(op, tb::dispatch_key{tb::functionality::Dense}));
}

TEST_CASE("computed table: empty while the operator is not defined", "[core][table][I2]") {
  tb::registry r;
  auto defined = tb::library("table", r).def(width);
  const auto kernel = tb::implement("table", std::nullopt, r).impl<&width_kernel>(width, key::CPU);
  const auto op = r.find("table::width");
  CHECK(tb::inspect::has_entry(op, key::CPU));
  defined.reset();
  CHECK(computed_table(op).empty());
  CHECK_FALSE(tb::inspect::has_entry(op, key::CPU));
  CHECK(verify(op).empty());
}

TEST_CASE("verify: finds nothing whatever comes and goes", "[core][table][I4][P12]") {
  const std::array<tb::key_target, 14> targets{key::CPU,
                                               key::SparseCPU,
                                               key::AutogradCPU,
                                               key::Autograd,
                                               key::MkldnnCPU,
                                               key::BackendSelect,
                                               key::AutogradOther,
                                               key::NestedTensorCPU,
                                               key::Tracer,
                                               key::CompositeImplicitAutograd,
                                               key::CompositeExplicitAutograd,
                                               key::CompositeExplicitAutogradNonFunctional,
                                               key::CompositeImplicitAutogradNestedTensor,
                                               key::FuncTorchBatchedDecomposition};
  std::mt19937 random(5);
  tb::registry r;
  std::vector<tb::library_block> blocks;
  std::vector<tb::registration> fallbacks;
  blocks.push_back(tb::fragment("table", r).def(zeros).def(width));
  const std::array ops{r.find("table::zeros"), r.find("table::width")};
  for (int step = 0; step < 400; ++step) {
    const tb::key_target t = targets[random() % targets.size()];
    auto block = tb::fragment("table", r);
    switch (random() % 8) {
      case 0: block.impl<&zeros_kernel>(zeros, t); break;
      case 1: block.impl_boxed<&boxed>(zeros, t); break;
      case 2: block.impl<&width_kernel>(width, t); break;
      case 3: block.fallthrough(zeros, t).fallthrough(width, t); break;
      case 4: block.def(width); break;
      case 5:
        fallbacks.clear();
        fallbacks.push_back(tb::fallback<&boxed>(t, r));
        break;
      default:
        if (!blocks.empty()) blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(random() % blocks.size()));
    }
    blocks.push_back(std::move(block));
    for (const tb::operator_handle& op : ops) {
      const auto wrong = verify(op);
      INFO(op.name() << ", step " << step << ": " << (wrong.empty() ? "" : wrong[0]));
      REQUIRE(wrong.empty());
    }
  }
}

TEST_CASE("verify: names each word and slot that is not what the registrations give", "[core][table][I4]") {
  tb::registry r;
  const auto block = tb::library("table", r).def(width).impl<&width_kernel>(width, key::CPU, A);
  const auto op = r.find("table::width");
  raw_entry& head = raw_entry::of(op);
  using texts = std::vector<std::string>;
  const auto found = [&] {
    texts all = verify(op);
    for (std::string& text : all) text = named(text);
    return all;
  };

  const std::uint64_t mask = head.mask.load();
  head.mask.store(mask ^ tb::key_set{key::Dense, key::Tracer}.raw());
  CHECK(found() == texts{"table::width: the mask is wrong about {Dense, Tracer}"});
  head.mask.store(mask);

  head.always.store(tb::key_set(key::Tracer).raw());
  CHECK(found() == texts{"table::width: the include mask is wrong about {Tracer}"});
  head.always.store(0);

  auto& cpu = head.rows[tb::key_set(key::CPU).row()];
  auto& cuda = head.rows[tb::key_set(key::CUDA).row()];
  const auto* kernel = cpu.load();
  const auto* raiser = cuda.load();
  cuda.store(kernel);
  CHECK(found() == texts{"table::width: the slot of CUDA is not what the registrations give: missing"});
  cuda.store(raiser);
  cpu.store(raiser);
  CHECK(found() == texts{"table::width: the slot of CPU is not what the registrations give: kernel, registered at A"});
  cpu.store(kernel);
  CHECK(found().empty());
}

TEST_CASE("verify: a call that finds no kernel says what is wrong with its slot instead", "[core][table][E2]") {
  tb::registry r;
  const auto block = tb::library("table", r).def(width).impl<&width_kernel>(width, key::CPU, A);
  const auto op = r.find("table::width");
  const auto call = op.typed<int(const image&)>();
  const auto said = [&] { return named(toy::text_of<tb::error>([&] { (void)call(image{key::CPU, 1, 0}); })); };
  raw_entry& head = raw_entry::of(op);
  auto& cpu = head.rows[key_set(key::CPU).row()];
  const auto* kernel = cpu.load();
  cpu.store(head.rows[key_set(key::CUDA).row()].load());
  CHECK(said() == "table::width: the slot of CPU is not what the registrations give: kernel, registered at A");
  cpu.store(kernel);
  CHECK(said() == "nothing was thrown");
}

TEST_CASE("computed table: the slot of one key is that of the whole table", "[core][table][I2]") {
  tb::registry r;
  const auto kernel = tb::implement("table", std::nullopt, r).impl<&width_kernel>(width, key::CPU, A);
  auto defined = tb::library("table", r).def(width).impl<&width_kernel>(width);
  const tb::operator_handle op = r.find("table::width");
  const std::vector<tb::inspect::table_row> table = tb::computed_table(op);
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    const tb::dispatch_key k = tb::author::key_of_row(row);
    INFO(to_string(k));
    const auto found = std::ranges::find(table, k, &tb::inspect::table_row::key);
    CHECK(tb::inspect::computed_row(op, k) == (found == table.end() ? tb::inspect::table_row{k} : *found));
  }
  CHECK(named(to_string(tb::inspect::computed_row(op, key::CPU))) == "CPU: kernel, registered at A");
  defined.reset();
  CHECK(tb::inspect::computed_row(op, key::CPU) == tb::inspect::table_row{key::CPU});
}
