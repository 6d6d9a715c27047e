#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "support/print.h"
#include "support/raises.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace {
bool owns_a_key(unsigned row) {
  const tb::dispatch_key k = tb::author::key_of_row(row);
  return !tb::author::per_backend(k.layer) || k.device != tb::backend::none;
}
}  // namespace

TEST_CASE("key_name: every key's name parses to that key", "[core][key_name][K18]") {
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    if (!owns_a_key(row)) continue;
    const tb::dispatch_key k = tb::author::key_of_row(row);
    INFO(to_string(k));
    REQUIRE(tb::parse_key(to_string(k)).has_value());
    CHECK(*tb::parse_key(to_string(k)) == tb::key_target(k));
  }
  for (const char* rejected_elsewhere : {"SparseXLA", "AutogradHIP", "QuantizedMeta", "AutocastMTIA"}) {
    CHECK(tb::parse_key(rejected_elsewhere).has_value());
  }
}

TEST_CASE("key_name: every alias's name parses to that alias", "[core][key_name][K7]") {
  for (std::uint8_t i = 0; i < tb::author::alias_count; ++i) {
    const tb::alias_key a{i};
    REQUIRE(tb::parse_key(to_string(a)).has_value());
    CHECK(*tb::parse_key(to_string(a)) == tb::key_target(a));
    CHECK(to_string(tb::key_target(a)) == to_string(a));
  }
  CHECK(tb::parse_key("Autograd") == tb::key_target(key::Autograd));
}

TEST_CASE("key_name: no two keys have one name", "[core][key_name]") {
  std::set<std::string> names;
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    CHECK(names.insert(to_string(tb::author::key_of_row(row))).second);
  }
  for (std::uint8_t i = 0; i < tb::author::alias_count; ++i) CHECK(names.insert(to_string(tb::alias_key{i})).second);
}

TEST_CASE("key_name: an instance is its functionality and its backend, Dense is not said", "[core][key_name][K5]") {
  CHECK(to_string(key::CPU) == "CPU");
  CHECK(to_string(key::SparseCsrCUDA) == "SparseCsrCUDA");
  CHECK(to_string(key::AutogradPrivateUse3) == "AutogradPrivateUse3");
  CHECK(to_string(key::BackendSelect) == "BackendSelect");
  CHECK(to_string(key::Undefined) == "Undefined");
  CHECK(to_string(tb::dispatch_key{tb::functionality::Sparse}) == "Sparse (no backend)");
}

TEST_CASE("key_name: what is no name of a key is refused", "[core][key_name][K18]") {
  for (const char* text : {"", "cpu", "CPU ", "Sparse (no backend)", "Dense", "DenseCPU", "CatchAll", "CPU,CUDA"}) {
    INFO(text);
    CHECK_FALSE(tb::parse_key(text).has_value());
  }
  CHECK(tb::parse_key("MAIA") == tb::key_target(key::MSNPU));
}

TEST_CASE("key_name: what is nearly a name is refused", "[core][key_name][K18]") {
  using std::string_view_literals::operator""sv;
  for (std::string_view text :
       {" CPU"sv, "CPU\0"sv, "CPU\n"sv, "C\xc3\x9c"sv, "CompositeImplicit"sv, "Autograd "sv, "AutogradUndefined"sv,
        "SparseUndefined"sv, "Sparse"sv, "AutogradFunctionality"sv, "undefined"sv, "none"sv, "\0"sv}) {
    INFO(text);
    CHECK_FALSE(tb::parse_key(text).has_value());
  }
  CHECK_FALSE(tb::parse_key(std::string(100'000, 'C')).has_value());
}

TEST_CASE("key_name: no key has the name Undefined, which parses too", "[core][key_name][K18]") {
  CHECK(tb::parse_key("Undefined") == tb::key_target(key::Undefined));
}

namespace {
// From the lowest to the highest; a functionality with a slot per backend has a star.
std::string all_backends() {
  std::string text;
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    text += (b == 1 ? "" : " ") + std::string(tb::name_of(static_cast<tb::backend>(b)));
  }
  return text;
}
std::string all_functionalities() {
  std::string text;
  for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
    const auto layer = static_cast<tb::functionality>(f);
    text += (f == 1 ? "" : " ") + std::string(tb::name_of(layer)) + (tb::author::per_backend(layer) ? "*" : "");
  }
  return text;
}
}  // namespace

TEST_CASE("key_name: the backends, from the lowest to the highest", "[core][key_name][K3]") {
  CHECK(all_backends() ==
        "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA PrivateUse1 PrivateUse2 PrivateUse3 PrivateUse4 PrivateUse5 "
        "PrivateUse6 PrivateUse7 PrivateUse8 Meta");
}

TEST_CASE("key_name: the functionalities, from the lowest to the highest", "[core][key_name][K1][K4][K6]") {
  CHECK(all_functionalities() ==
        "Dense* FPGA MSNPU MLC Vulkan Metal Quantized* CustomRNGKeyId MkldnnCPU Sparse* SparseCsr* NestedTensor* "
        "BackendSelect Pending UserBottom1 UserBottom2 ModesBelow Functionalize Conjugate Negative ZeroTensor "
        "ADInplaceOrView AutogradOther Autograd* AutogradNestedTensor ForwardAD UserMiddle1 UserMiddle2 Tracer "
        "FuncTorchBatched FuncTorchVmapMode Autocast* TestMode ModesAbove UserTop1 UserTop2");
}

TEST_CASE("key_name: a key is called what its constant is called", "[core][key_name][K5]") {
  const std::pair<tb::key_target, const char*> names[] = {
#define KEY(name) {key::name, #name}
      KEY(CPU),
      KEY(CUDA),
      KEY(HIP),
      KEY(XLA),
      KEY(MPS),
      KEY(IPU),
      KEY(XPU),
      KEY(HPU),
      KEY(VE),
      KEY(Lazy),
      KEY(MTIA),
      KEY(PrivateUse1),
      KEY(PrivateUse2),
      KEY(PrivateUse3),
      KEY(PrivateUse4),
      KEY(PrivateUse5),
      KEY(PrivateUse6),
      KEY(PrivateUse7),
      KEY(PrivateUse8),
      KEY(Meta),
      KEY(QuantizedCUDA),
      KEY(SparseHIP),
      KEY(SparseCsrMeta),
      KEY(NestedTensorVE),
      KEY(AutogradLazy),
      KEY(AutocastPrivateUse8),
      KEY(FPGA),
      KEY(MSNPU),
      KEY(MLC),
      KEY(Vulkan),
      KEY(Metal),
      KEY(CustomRNGKeyId),
      KEY(MkldnnCPU),
      KEY(BackendSelect),
      KEY(Pending),
      KEY(UserBottom1),
      KEY(UserBottom2),
      KEY(ModesBelow),
      KEY(Functionalize),
      KEY(Conjugate),
      KEY(Negative),
      KEY(ZeroTensor),
      KEY(ADInplaceOrView),
      KEY(AutogradOther),
      KEY(AutogradNestedTensor),
      KEY(ForwardAD),
      KEY(UserMiddle1),
      KEY(UserMiddle2),
      KEY(Tracer),
      KEY(FuncTorchBatched),
      KEY(FuncTorchVmapMode),
      KEY(TestMode),
      KEY(ModesAbove),
      KEY(UserTop1),
      KEY(UserTop2),
      KEY(Undefined),
      KEY(Autograd),
      KEY(CompositeImplicitAutograd),
      KEY(CompositeExplicitAutograd),
      KEY(CompositeExplicitAutogradNonFunctional),
      KEY(CompositeImplicitAutogradNestedTensor),
      KEY(FuncTorchBatchedDecomposition),
      KEY(Autocast)
#undef KEY
  };
  for (const auto& [k, name] : names) {
    CHECK(to_string(k) == name);
    CHECK(tb::parse_key(name) == k);
  }
}

TEST_CASE("key_name: a name that is none is refused with the nearest one", "[core][key_name][K18]") {
  CHECK(tb::key_named("SparseCUDA") == tb::key_target(key::SparseCUDA));
  CHECK(tb::key_named("CompositeExplicitAutograd") == tb::key_target(key::CompositeExplicitAutograd));
  CHECK(toy::text_of<tb::bad_argument>([] { (void)tb::key_named("AutogradCUD"); }) ==
        "found the key 'AutogradCUD', wanted the name of a dispatch key or an alias, such as AutogradCPU; the nearest "
        "name is AutogradCUDA");
  CHECK(toy::text_of<tb::bad_argument>([] { (void)tb::key_named("what is this"); }) ==
        "found the key 'what is this', wanted the name of a dispatch key or an alias, such as AutogradCPU");
}

TEST_CASE("key_name: a set reads as it is written, with its braces or without", "[core][key_name]") {
  const tb::key_set set{key::CPU, key::AutogradCPU, key::Tracer};
  CHECK(tb::key_set_named(to_string(set)) == set);
  CHECK(tb::key_set_named("Tracer,CPU,AutogradCPU") == set);
  CHECK(tb::key_set_named("").empty());
  CHECK(tb::key_set_named(" { } ").empty());
  CHECK(tb::key_set_named("Autograd, Sparse") == tb::key_set{key::AutogradFunctionality, key::Sparse});
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    if (!owns_a_key(row) || row == 0) continue;
    CHECK(tb::key_set_named(to_string(tb::author::key_of_row(row))) == tb::key_set(tb::author::key_of_row(row)));
  }
}

TEST_CASE("key_name: what is no set of names is refused", "[core][key_name]") {
  for (const char* text : {",", "CPU,", ",CPU", "CPU,,CUDA", "CPU CUDA", "{CPU", "CPU}", "{{}}", "cpu"}) {
    INFO(text);
    CHECK_THROWS_AS(tb::key_set_named(text), tb::bad_argument);
  }
  CHECK(toy::text_of<tb::bad_argument>([] { (void)tb::key_set_named("CPU, CompositeImplicitAutograd"); }) ==
        "found the alias 'CompositeImplicitAutograd', wanted a dispatch key: an alias stands for several keys at "
        "registration, and is never in a set");
}
