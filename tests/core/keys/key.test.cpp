#include <catch2/catch_test_macros.hpp>
#include <type_traits>

#include "support/print.h"
import topbit.core;

namespace tb = topbit;
using tb::backend;
using tb::functionality;

TEST_CASE("key: backends rise in PyTorch's order, private ones above, Meta above all", "[core][key][K3]") {
  STATIC_REQUIRE(tb::author::backend_count == 20);
  STATIC_REQUIRE(backend::CPU < backend::CUDA);
  STATIC_REQUIRE(backend::CUDA < backend::HIP);
  STATIC_REQUIRE(backend::MTIA < backend::PrivateUse1);
  STATIC_REQUIRE(backend::PrivateUse1 < backend::PrivateUse8);
  STATIC_REQUIRE(backend::PrivateUse8 < backend::Meta);
  STATIC_REQUIRE(static_cast<unsigned>(backend::none) == 0);
}

TEST_CASE("key: functionalities rise from the backends to the tracing layers", "[core][key][K4][K6]") {
  STATIC_REQUIRE(functionality::Dense < functionality::Quantized);
  STATIC_REQUIRE(functionality::Quantized < functionality::Sparse);
  STATIC_REQUIRE(functionality::NestedTensor < functionality::BackendSelect);
  STATIC_REQUIRE(functionality::BackendSelect < functionality::Pending);
  STATIC_REQUIRE(functionality::Pending < functionality::UserBottom1);
  STATIC_REQUIRE(functionality::UserBottom2 < functionality::ModesBelow);
  STATIC_REQUIRE(functionality::ModesBelow < functionality::Functionalize);
  STATIC_REQUIRE(functionality::ZeroTensor < functionality::ADInplaceOrView);
  STATIC_REQUIRE(functionality::ADInplaceOrView < functionality::AutogradOther);
  STATIC_REQUIRE(functionality::AutogradOther < functionality::Autograd);
  STATIC_REQUIRE(functionality::Autograd < functionality::AutogradNestedTensor);
  STATIC_REQUIRE(functionality::AutogradNestedTensor < functionality::ForwardAD);
  STATIC_REQUIRE(functionality::ForwardAD < functionality::UserMiddle1);
  STATIC_REQUIRE(functionality::UserMiddle2 < functionality::Tracer);
  STATIC_REQUIRE(functionality::Tracer < functionality::FuncTorchBatched);
  STATIC_REQUIRE(functionality::FuncTorchBatched < functionality::FuncTorchVmapMode);
  STATIC_REQUIRE(functionality::FuncTorchVmapMode < functionality::Autocast);
  STATIC_REQUIRE(functionality::Autocast < functionality::TestMode);
  STATIC_REQUIRE(functionality::TestMode < functionality::ModesAbove);
  STATIC_REQUIRE(functionality::ModesAbove < functionality::UserTop1);
  STATIC_REQUIRE(functionality::UserTop1 < functionality::UserTop2);
}

TEST_CASE("key: seven functionalities have a slot per backend", "[core][key][K1]") {
  unsigned found = 0;
  for (unsigned f = 0; f <= tb::author::functionality_count; ++f)
    found += tb::author::per_backend(static_cast<functionality>(f));
  CHECK(found == 7);
  for (tb::building_block b : {tb::key::Dense, tb::key::Quantized, tb::key::Sparse, tb::key::SparseCsr,
                               tb::key::NestedTensor, tb::key::AutogradFunctionality, tb::key::AutocastFunctionality}) {
    CHECK(tb::author::per_backend(b.layer));
  }
}

TEST_CASE("key: only a dispatch key or an alias can be registered to", "[core][key][K8][K19]") {
  STATIC_REQUIRE(std::is_convertible_v<tb::dispatch_key, tb::key_target>);
  STATIC_REQUIRE(std::is_convertible_v<tb::alias_key, tb::key_target>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<tb::building_block, tb::key_target>);
}

TEST_CASE("key: an alias can never be in a set", "[core][key][K8]") {
  STATIC_REQUIRE(std::is_convertible_v<tb::dispatch_key, tb::key_set>);
  STATIC_REQUIRE(std::is_convertible_v<tb::building_block, tb::key_set>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<tb::key_set, tb::alias_key>);
}

TEST_CASE("key: every backend carries its own autograd key", "[core][key][K9]") {
  CHECK(tb::author::autograd_key_of(backend::none) == tb::key::AutogradOther);
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const auto device = static_cast<backend>(b);
    CHECK(tb::author::autograd_key_of(device) == tb::dispatch_key{functionality::Autograd, device});
  }
  CHECK(tb::author::autograd_key_of(backend::HIP) == tb::key::AutogradHIP);
  CHECK(tb::author::autograd_key_of(backend::MTIA) == tb::key::AutogradMTIA);
}

TEST_CASE("key: the default key is no key", "[core][key][K1]") {
  STATIC_REQUIRE(tb::dispatch_key{} == tb::key::Undefined);
  STATIC_REQUIRE(tb::key_set(tb::key::Undefined).empty());
}

TEST_CASE("key: the ten aliases differ and MAIA is MSNPU", "[core][key][K7]") {
  STATIC_REQUIRE(tb::author::alias_count == 10);
  STATIC_REQUIRE(tb::key_target(tb::key::Autograd) != tb::key_target(tb::key::CompositeImplicitAutograd));
  STATIC_REQUIRE(tb::key_target(tb::key::Autograd).is_alias());
  STATIC_REQUIRE_FALSE(tb::key_target(tb::key::CPU).is_alias());
  STATIC_REQUIRE(tb::key::MAIA == tb::key::MSNPU);
}

TEST_CASE("key: every backend has its own autocast key", "[core][key][K13]") {
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const tb::dispatch_key k{functionality::Autocast, static_cast<backend>(b)};
    CHECK(tb::author::key_of_row(tb::key_set(k).row()) == k);
    CHECK(tb::key_set(k).highest() == k);
  }
  STATIC_REQUIRE(tb::key::AutocastHIP == tb::dispatch_key{functionality::Autocast, backend::HIP});
  STATIC_REQUIRE(tb::key::AutocastPrivateUse1 == tb::dispatch_key{functionality::Autocast, backend::PrivateUse1});
}
