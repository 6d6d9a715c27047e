#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/named_places.h"
#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::inspect::row_reason;
using tb::inspect::shadow_reason;
using toy::image;

template <>
struct Catch::StringMaker<tb::inspect::shadow_reason> {
  static std::string convert(tb::inspect::shadow_reason r) { return std::string(name_of(r)); }
};

namespace {

inline constexpr tb::op<"cov::add", int(const image&)> add;
inline constexpr tb::op<"cov::mul", int(const image&)> mul;
inline constexpr tb::op<"cov::zeros(int n, Device device) -> Tensor"> zeros;

int kernel(const image& i) { return i.width; }
toy::tensor zeros_kernel(std::int64_t, toy::device) { return {}; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
constexpr auto C = std::source_location::current();
constexpr auto D = std::source_location::current();
const toy::named_places named{{"A", A}, {"B", B}, {"C", C}, {"D", D}};

std::vector<tb::inspect::shadowed_kernel> shadowed(const tb::registry& r) { return coverage(r).shadowed; }

}  // namespace

TEST_CASE("coverage: operators by keys, and the kernels that are out of reach", "[core][coverage][Z4][P10e]") {
  tb::registry r;
  const auto block = tb::library("cov", r)
                         .def(mul)
                         .impl<&kernel>(mul, key::CPU, A)
                         .impl<&kernel>(mul, key::Autograd, A)
                         .impl<&kernel>(mul, key::CPU, B)
                         .fallthrough(mul, key::AutogradCUDA, A)
                         .def(add)
                         .impl<&kernel>(add, key::SparseCPU, C)
                         .impl<&kernel>(add, D)
                         .def(zeros)
                         .impl<&zeros_kernel>(zeros, key::CUDA);
  const auto tracing = tb::fallback<&boxed>(key::Tracer, r);
  CHECK(named(to_string(coverage(r))) ==
        R"(operator    CPU        CUDA       SparseCPU  AutogradCUDA  Tracer
cov::add    composite  composite  kernel     composite     fallback
cov::mul    kernel     -          -          fallthrough   fallback
cov::zeros  -          kernel     -          passes        fallback
out of reach
  cov::add: the kernel for SparseCPU, registered at C, cannot be reached by arguments that carry AutogradCPU: the slot holds the composite kernel, registered for CompositeImplicitAutograd at D; register one for AutogradCPU, or call below autograd
  cov::mul: the kernel for CPU, registered at A, is overridden by the newer one at B
)");
}

TEST_CASE("coverage: carries the same facts as data, for the keys it is asked for", "[core][coverage]") {
  tb::registry r;
  const auto block = tb::library("cov", r).def(mul).def(add).impl<&kernel>(add, key::CPU, A);
  const auto report = coverage(r, std::array{key::AutogradCPU, key::CPU, key::CUDA});
  CHECK(report.keys == std::vector{key::AutogradCPU, key::CPU, key::CUDA});
  REQUIRE(report.operators.size() == 2);
  CHECK(report.operators[0].op == "cov::add");
  REQUIRE(report.operators[0].cells.size() == 3);
  CHECK(report.operators[0].cells[0].why == row_reason::transparent);
  CHECK(report.operators[0].cells[1].place == tb::inspect::source_location{A.file_name(), A.line()});
  CHECK(report.operators[0].cells[2] == tb::inspect::table_row{key::CUDA});
  CHECK(report.operators[1].cells[1].why == row_reason::missing);
  CHECK(report.shadowed.empty());
}

TEST_CASE("coverage: a remark stands for the kernels of one key that say nothing themselves", "[core][coverage]") {
  tb::registry r;
  const auto block = tb::library("cov", r)
                         .def(mul)
                         .impl<&kernel>(mul, key::IPU, A)
                         .def(add)
                         .impl<&kernel>(add, key::IPU, B)
                         .impl<&kernel>(add, key::CPU, B)
                         .def(zeros)
                         .fallthrough(zeros, key::IPU, C);
  tb::author::remark_on_kernels(key::IPU, [](std::string_view op, const tb::inspect::source_location& place) {
    return place.line == A.line() ? tb::author::kernel_remark{}
                                  : tb::author::kernel_remark{"half", "half of " + std::string(op)};
  });
  CHECK(to_string(coverage(r, std::array{key::CPU, key::IPU})) ==
        "operator    CPU     IPU\n"
        "cov::add    kernel  half\n"
        "cov::mul    -       kernel\n"
        "cov::zeros  -       fallthrough\n");
  const tb::operator_handle op = r.find("cov::add");
  CHECK(tb::inspect::computed_row(op, key::IPU).note == "half of cov::add");
  CHECK(tb::inspect::explain_keys(op, std::array{tb::key_set(key::IPU)}).candidates.back().note == "half of cov::add");
  CHECK(tb::dump(op).kernels.back().note == "half of cov::add");
  tb::author::remark_on_kernels(key::IPU, nullptr);
  CHECK(tb::inspect::computed_row(op, key::IPU).note.empty());
}

TEST_CASE("coverage: some operators only, in the order given", "[core][coverage]") {
  tb::registry r;
  auto block = tb::library("cov", r).def(mul).def(add).def(zeros).impl<&kernel>(mul, key::CPU);
  const std::array some{r.find("cov::mul"), r.find("cov::add")};
  CHECK(to_string(tb::coverage(some)) ==
        "operator  CPU\n"
        "cov::mul  kernel\n"
        "cov::add  -\n");
  block.reset();
  CHECK(to_string(tb::coverage(some, std::array{key::CPU})) ==
        "operator  CPU\n"
        "cov::mul  -\n"
        "cov::add  -\n");
}

TEST_CASE("coverage: an empty registry and one without keys", "[core][coverage]") {
  tb::registry r;
  CHECK(to_string(coverage(r)) == "operator\n");
  const auto block = tb::library("cov", r).def(add).impl<&kernel>(add);
  CHECK(to_string(coverage(r)) == "operator\ncov::add\n");
}

TEST_CASE("coverage: operators that are implemented and never defined are left out", "[core][coverage]") {
  tb::registry r;
  const auto kernels = tb::implement("cov", std::nullopt, r).impl<&kernel>(add, key::CPU);
  CHECK(coverage(r).operators.empty());
}

TEST_CASE("coverage: an alias kernel that no slot selects is out of reach", "[core][coverage]") {
  tb::registry r;
  auto block = tb::library("cov", r).def(add);
  block.impl<&kernel>(add, key::FuncTorchBatched, A).impl<&kernel>(add, key::FuncTorchBatchedDecomposition, B);
  const auto found = shadowed(r);
  REQUIRE(found.size() == 1);
  CHECK(found[0].op == "cov::add");
  CHECK(found[0].key == tb::key_target(key::FuncTorchBatchedDecomposition));
  CHECK(found[0].reason == shadow_reason::unselected);
  CHECK(
      named(found[0].sentence) ==
      "cov::add: the kernel for FuncTorchBatchedDecomposition, registered at B, is held by none of the slots it stands "
      "for: each has one that comes first");
}

TEST_CASE("coverage: quantized and compressed kernels are shadowed as sparse ones are, on every backend",
          "[core][coverage][Z4][P10e]") {
  for (tb::dispatch_key k : {key::QuantizedCUDA, key::SparseCsrCPU, key::SparseHIP, key::SparsePrivateUse3}) {
    tb::registry r;
    const auto block = tb::library("cov", r).def(add).impl<&kernel>(add, k, A).impl<&kernel>(add, B);
    const auto found = shadowed(r);
    INFO(to_string(k));
    REQUIRE(found.size() == 1);
    CHECK(found[0].reason == shadow_reason::composite);
    CHECK(found[0].at == tb::author::autograd_key_of(k.device));
    CHECK(found[0].by == tb::inspect::source_location{B.file_name(), B.line()});
  }
}

TEST_CASE("coverage: a kernel that its arguments reach is not named", "[core][coverage][P10a][P10f]") {
  tb::registry r;
  const auto block = tb::library("cov", r)
                         .def(add)
                         .impl<&kernel>(add, key::CPU)
                         .impl<&kernel>(add, key::HIP)
                         .impl<&kernel>(add, key::CompositeImplicitAutograd)
                         .fallthrough(add, key::SparseCUDA)
                         .def(mul)
                         .impl<&kernel>(mul, key::SparseCPU)
                         .impl<&kernel>(mul, key::CompositeImplicitAutograd)
                         .impl<&kernel>(mul, key::AutogradCPU)
                         .def(zeros)
                         .impl<&zeros_kernel>(zeros, key::BackendSelect);
  CHECK(shadowed(r).empty());
}

TEST_CASE("coverage: calls that throw because a slot is ambiguous are said of the backend's kernel",
          "[core][coverage][P5a][Z4]") {
  tb::registry r;
  const auto block = tb::library("cov", r).def(add).impl<&kernel>(add, key::MkldnnCPU, A).impl<&kernel>(add, B);
  const auto found = shadowed(r);
  REQUIRE(found.size() == 1);
  CHECK(found[0].reason == shadow_reason::ambiguous);
  CHECK(found[0].at == key::AutogradOther);
  CHECK(named(found[0].sentence) ==
        "cov::add: the kernel for MkldnnCPU, registered at A, cannot be reached by arguments that carry AutogradOther: "
        "beside a composite kernel, calls throw there; register one for AutogradOther, or call below autograd");
}

TEST_CASE("coverage: a nested kernel wins over that of a nested backend", "[core][coverage][P4n]") {
  tb::registry r;
  const auto block = tb::library("cov", r)
                         .def(add)
                         .impl<&kernel>(add, key::NestedTensorCPU, A)
                         .impl<&kernel>(add, key::CompositeImplicitAutogradNestedTensor, B);
  const auto found = shadowed(r);
  REQUIRE(found.size() == 1);
  CHECK(found[0].at == key::AutogradNestedTensor);
}

TEST_CASE("coverage: columns without room go on below", "[core][coverage]") {
  tb::inspect::coverage_report report;
  report.keys = {key::CPU, key::CUDA, key::Meta};
  const auto cell = [](tb::dispatch_key k, tb::inspect::row_reason why) { return tb::inspect::table_row{k, why}; };
  report.operators = {
      {"a::b",
       {cell(key::CPU, tb::inspect::row_reason::kernel), cell(key::CUDA, tb::inspect::row_reason::missing),
        cell(key::Meta, tb::inspect::row_reason::composite_kernel)}}};
  const std::string whole =
      "operator  CPU     CUDA  Meta\n"
      "a::b      kernel  -     composite\n";
  CHECK(to_string(report) == whole);
  CHECK(to_string(report, 33) == whole);
  CHECK(to_string(report, 32) ==
        "operator  CPU     CUDA\n"
        "a::b      kernel  -\n"
        "\n"
        "operator  Meta\n"
        "a::b      composite\n");
  // A column has its place however narrow it is.
  CHECK(to_string(report, 1) ==
        "operator  CPU\n"
        "a::b      kernel\n"
        "\n"
        "operator  CUDA\n"
        "a::b      -\n"
        "\n"
        "operator  Meta\n"
        "a::b      composite\n");
  CHECK(to_string(tb::inspect::coverage_report{}, 10) == "operator\n");
}
