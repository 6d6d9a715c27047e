// The selection itself, without registry, threads or calls. choose_for_slot is no name that users see, so this file is
// an implementation unit of the module.
module;

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

module topbit.core;

#include "oracle/table.h"

namespace topbit {
namespace {

using oracle::naive_table;

// What choose_for_slot asks for, out of the lists of the model: each registration is the target it was made for.
struct toy_live {
  const naive_table& model;
  const key_target* find(key_target t) const {
    const auto found = std::find(model.kernels.begin(), model.kernels.end(), t);
    return found == model.kernels.end() ? nullptr : &*found;
  }
  const key_target* direct(unsigned row) const { return row == 0 ? nullptr : find(author::key_of_row(row)); }
  const key_target* alias(alias_key a) const { return find(a); }
  const key_target* fallback(unsigned row) const {
    static std::map<unsigned, key_target> targets;
    if (!model.has_fallback(author::key_of_row(row))) return nullptr;
    return &targets.try_emplace(row, author::key_of_row(row)).first->second;
  }
};

naive_table::choice value_of(const naive_table& live, dispatch_key k) {
  const auto found = detail::choose_for_slot(toy_live{live}, detail::slot_index(k), [](auto&&...) {});
  return {found.why, found.from == nullptr ? std::nullopt : std::optional(*found.from)};
}

naive_table with(std::initializer_list<key_target> kernels, std::initializer_list<dispatch_key> fallbacks = {}) {
  naive_table t;
  t.kernels = kernels;
  t.fallbacks = fallbacks;
  return t;
}

inspect::row_reason why(const naive_table& live, dispatch_key k) { return value_of(live, k).why; }
std::string from(const naive_table& live, dispatch_key k) {
  const auto found = value_of(live, k);
  return found.from ? to_string(*found.from) : std::string(name_of(found.why));
}

constexpr alias_key CIA = key::CompositeImplicitAutograd, CEA = key::CompositeExplicitAutograd,
                    CENF = key::CompositeExplicitAutogradNonFunctional,
                    CINT = key::CompositeImplicitAutogradNestedTensor, FTBD = key::FuncTorchBatchedDecomposition,
                    AG = key::Autograd;

}  // namespace

TEST_CASE("table: a kernel registered for the very key wins", "[core][table][P1]") {
  const auto live = with({key::CPU, CEA, CENF, CIA, AG}, {key::CPU});
  CHECK(why(live, key::CPU) == inspect::row_reason::kernel);
  CHECK(from(with({key::AutogradCPU, AG, CIA}), key::AutogradCPU) == "AutogradCPU");
  CHECK(from(with({key::FuncTorchBatched, FTBD}), key::FuncTorchBatched) == "FuncTorchBatched");
}

TEST_CASE("table: the explicit composites serve the backends and no key", "[core][table][P2][P3]") {
  for (alias_key a : {CENF, CEA}) {
    CHECK(from(with({a}), key::Undefined) == to_string(a));
    CHECK(from(with({a}), key::CUDA) == to_string(a));
    CHECK(from(with({a}), key::MkldnnCPU) == to_string(a));
    CHECK(from(with({a}), key::AutogradCPU) == "transparent");
    CHECK(from(with({a}), key::NestedTensorCPU) == "missing");
  }
  CHECK(from(with({CENF}), key::SparseCPU) == "missing");
  CHECK(from(with({CENF}), key::XLA) == "missing");
  CHECK(from(with({CENF}), key::QuantizedLazy) == "missing");
  CHECK(from(with({CENF}), key::SparseCsrCPU) == to_string(CENF));
}

TEST_CASE("table: the nested composite serves nested keys whether or not a backend has a kernel",
          "[core][table][P4n]") {
  const auto live = with({CINT, CIA, key::NestedTensorCPU});
  CHECK(from(live, key::AutogradNestedTensor) == to_string(CINT));
  CHECK(from(live, key::NestedTensorCUDA) == to_string(CINT));
  CHECK(from(live, key::Undefined) == to_string(CIA));
  CHECK(from(with({CINT}), key::Undefined) == "missing");
}

TEST_CASE("table: a composite beside a kernel that shares AutogradOther is ambiguous there", "[core][table][P5][P5a]") {
  for (dispatch_key shared : {key::SparseCPU, key::QuantizedCUDA, key::SparseCsrMeta, key::MkldnnCPU, key::Vulkan}) {
    INFO(to_string(shared));
    CHECK(why(with({CIA, shared}), key::AutogradOther) == inspect::row_reason::ambiguous);
    CHECK(why(with({CIA, AG, shared}), key::AutogradOther) == inspect::row_reason::ambiguous);
    CHECK(why(with({CIA, CEA, shared}), key::AutogradOther) == inspect::row_reason::ambiguous);
    CHECK(why(with({CIA, shared, key::AutogradOther}), key::AutogradOther) == inspect::row_reason::kernel);
    CHECK(why(with({AG, shared}), key::AutogradOther) == inspect::row_reason::autograd_kernel);
  }
  CHECK(why(with({CIA, key::CPU}), key::AutogradOther) == inspect::row_reason::composite_kernel);
}

TEST_CASE("table: the composite serves all it stands for where no backend kernel is below", "[core][table][P5b]") {
  for (dispatch_key k : {key::Undefined, key::CPU, key::SparseXLA, key::AutogradCPU, key::AutogradOther,
                         key::AutogradNestedTensor, key::NestedTensorCPU, key::Functionalize}) {
    INFO(to_string(k));
    CHECK(from(with({CIA}), k) == to_string(CIA));
  }
}

TEST_CASE("table: a backend has a kernel below where its dense key or the explicit composite has one",
          "[core][table][P4][P5c]") {
  const auto shadowed = [](std::initializer_list<key_target> kernels, dispatch_key k) {
    naive_table live = with(kernels);
    live.kernels.push_back(CIA);
    return from(live, k) != to_string(CIA);
  };
  CHECK_FALSE(shadowed({}, key::AutogradCPU));
  CHECK(shadowed({key::CPU}, key::AutogradCPU));
  CHECK(shadowed({CEA}, key::AutogradCPU));
  CHECK(shadowed({CEA}, key::AutogradOther));
  CHECK(shadowed({CEA}, key::AutogradNestedTensor));
  CHECK_FALSE(shadowed({CENF}, key::AutogradCPU));
  CHECK_FALSE(shadowed({AG}, key::AutogradCPU));
  CHECK_FALSE(shadowed({key::CUDA}, key::AutogradCPU));
  CHECK_FALSE(shadowed({key::AutogradCUDA}, key::AutogradCPU));
  CHECK_FALSE(shadowed({key::CPU}, key::AutogradOther));
  CHECK_FALSE(shadowed({key::CPU}, key::AutogradNestedTensor));
  CHECK(shadowed({key::NestedTensorCUDA}, key::AutogradNestedTensor));
  // Below a key that is not autograd's there is nothing to ask, but the explicit composite counts everywhere.
  CHECK_FALSE(shadowed({key::CPU}, key::CUDA));
  CHECK_FALSE(shadowed({key::CPU}, key::Functionalize));
  CHECK(shadowed({CEA}, key::Functionalize));
}

TEST_CASE("table: a shadowed composite leaves the key to Autograd, its fallback or no kernel", "[core][table][P5c]") {
  CHECK(why(with({CIA, AG, key::CPU}, {key::AutogradCPU}), key::AutogradCPU) == inspect::row_reason::autograd_kernel);
  CHECK(why(with({CIA, key::CPU}, {key::AutogradCPU}), key::AutogradCPU) == inspect::row_reason::backend_fallback);
  CHECK(why(with({CIA, key::CPU}), key::AutogradCPU) == inspect::row_reason::transparent);
  CHECK(why(with({CIA, CEA}), key::NestedTensorCPU) == inspect::row_reason::missing);
}

TEST_CASE("table: the Autograd alias serves autograd keys", "[core][table][P6]") {
  for (dispatch_key k : {key::AutogradOther, key::AutogradHIP, key::AutogradMeta, key::AutogradNestedTensor}) {
    CHECK(from(with({AG}), k) == "Autograd");
  }
  CHECK(from(with({AG}), key::ADInplaceOrView) == "transparent");
  CHECK(from(with({AG}), key::Undefined) == "missing");
}

TEST_CASE("table: the batched decomposition serves FuncTorchBatched", "[core][table][P7]") {
  CHECK(from(with({FTBD}), key::FuncTorchBatched) == to_string(FTBD));
  CHECK(from(with({FTBD}), key::TestMode) == "missing");
  CHECK(from(with({FTBD, CIA}), key::FuncTorchBatched) == to_string(FTBD));
}

TEST_CASE("table: a composite serves FuncTorchBatched, whatever kernels backends have", "[core][table][K7]") {
  CHECK(from(with({CIA}), key::FuncTorchBatched) == to_string(CIA));
  CHECK(from(with({CIA, key::CPU, key::SparseCPU}), key::FuncTorchBatched) == to_string(CIA));
}

TEST_CASE("table: the Autocast alias serves Autocast of every backend, below the key's own kernel and above a fallback",
          "[core][table][K13]") {
  for (unsigned b = 1; b <= author::backend_count; ++b) {
    const dispatch_key k{functionality::Autocast, static_cast<backend>(b)};
    CHECK(why(with({key::Autocast}, {k}), k) == inspect::row_reason::autocast_kernel);
    CHECK(from(with({key::Autocast, k}), k) == to_string(k));
  }
  CHECK(why(with({key::Autocast}), dispatch_key{functionality::Autocast}) == inspect::row_reason::missing);
  CHECK(why(with({key::Autocast}), key::CPU) == inspect::row_reason::missing);
}

TEST_CASE("table: the alias of a layout serves every backend, below the key's own kernel and above explicit composites",
          "[core][table][K7]") {
  constexpr std::array layouts{std::pair(key::AnySparse, functionality::Sparse),
                               std::pair(key::AnySparseCsr, functionality::SparseCsr),
                               std::pair(key::AnyQuantized, functionality::Quantized)};
  for (auto [alias, layer] : layouts) {
    for (unsigned b = 1; b <= author::backend_count; ++b) {
      const dispatch_key k{layer, static_cast<backend>(b)};
      CHECK(why(with({alias, CENF, CEA, CIA}, {k}), k) == inspect::row_reason::layout_kernel);
      CHECK(from(with({alias, k}), k) == to_string(k));
    }
    CHECK(from(with({alias}), key::CPU) == "missing");
    // As the kernel of one backend does, it makes an implicit composite ambiguous where layouts share an autograd key.
    CHECK(why(with({alias, CIA}), key::AutogradOther) == inspect::row_reason::ambiguous);
    CHECK(from(with({alias, CIA}), key::AutogradCPU) == to_string(CIA));
  }
}

TEST_CASE("table: a fallback serves what no kernel serves", "[core][table][P8]") {
  CHECK(why(with({AG}, {key::AutogradCPU}), key::AutogradCPU) == inspect::row_reason::autograd_kernel);
  CHECK(why(with({CEA}, {key::AutogradCPU}), key::AutogradCPU) == inspect::row_reason::backend_fallback);
  CHECK(why(with({}, {key::Tracer}), key::Tracer) == inspect::row_reason::backend_fallback);
}

TEST_CASE("table: what no kernel serves is missing, or passed through where the key is a layer",
          "[core][table][P9][F6]") {
  CHECK(why(with({}), key::CPU) == inspect::row_reason::missing);
  CHECK(why(with({}), key::Undefined) == inspect::row_reason::missing);
  CHECK(why(with({}), key::Tracer) == inspect::row_reason::missing);
  CHECK(why(with({}), key::AutogradCPU) == inspect::row_reason::transparent);
  CHECK(why(with({}), key::BackendSelect) == inspect::row_reason::transparent);
  CHECK(why(with({}), key::AutocastCUDA) == inspect::row_reason::transparent);
}

TEST_CASE("table: the composite beats Autograd where no dense kernel is", "[core][table][P10a]") {
  const auto live = with({CIA, AG, key::CPU});
  CHECK(from(live, key::AutogradCPU) == "Autograd");
  CHECK(from(live, key::AutogradCUDA) == to_string(CIA));
  CHECK(from(with({CIA, AG}), key::AutogradCPU) == to_string(CIA));
  CHECK(from(with({CIA, key::CPU}, {key::AutogradCPU}), key::AutogradCPU) == "AutogradCPU");
}

TEST_CASE("table: an explicit composite takes every other key from the implicit one", "[core][table][P10b]") {
  const auto live = with({CEA, CIA});
  CHECK(from(live, key::CPU) == to_string(CEA));
  CHECK(from(live, key::AutogradCPU) == "transparent");
  CHECK(from(with({CEA, CIA, AG}), key::AutogradCPU) == "Autograd");
  CHECK(from(live, key::NestedTensorCPU) == "missing");
  CHECK(from(live, key::AutogradNestedTensor) == "transparent");
  CHECK(from(live, key::Functionalize) == "missing");
}

TEST_CASE("table: the non-functional composite leaves the rest to the implicit one", "[core][table][P10c]") {
  const auto live = with({CENF, CIA});
  for (dispatch_key k :
       {key::XLA, key::Lazy, key::SparseCPU, key::NestedTensorCPU, key::Functionalize, key::AutogradCPU}) {
    CHECK(from(live, k) == to_string(CIA));
  }
  CHECK(from(live, key::CPU) == to_string(CENF));
}

TEST_CASE("table: of two explicit composites the non-functional one goes first", "[core][table][P10d]") {
  const auto live = with({CENF, CEA});
  for (dispatch_key k : {key::XLA, key::Lazy, key::SparseCPU}) CHECK(from(live, k) == to_string(CEA));
  CHECK(from(live, key::CPU) == to_string(CENF));
  CHECK(from(live, key::Undefined) == to_string(CENF));
}

TEST_CASE("table: a composite still shadows a sparse kernel at its backend's autograd key", "[core][table][P10e]") {
  const auto live = with({key::SparseCPU, CIA});
  CHECK(from(live, key::AutogradCPU) == to_string(CIA));
  CHECK(why(live, key::AutogradOther) == inspect::row_reason::ambiguous);
}

TEST_CASE("table: HIP, VE and MTIA behave like every other backend", "[core][table][P10f]") {
  for (backend b : {backend::HIP, backend::VE, backend::MTIA, backend::CPU}) {
    const auto live = with({dispatch_key{functionality::Dense, b}, CIA});
    CHECK(from(live, author::autograd_key_of(b)) == "transparent");
  }
}

TEST_CASE("table: a nested kernel takes AutogradNestedTensor from the composite", "[core][table][P10g]") {
  CHECK(from(with({key::NestedTensorCPU, CIA}), key::AutogradNestedTensor) == "transparent");
  CHECK(from(with({key::NestedTensorCPU, CIA, AG}), key::AutogradNestedTensor) == "Autograd");
}

TEST_CASE("table: no alias fills the layers that are neither backend nor autograd", "[core][table][P10h]") {
  const auto live = with({CIA, CEA, CENF, AG, CINT, FTBD});
  for (dispatch_key k : {key::ADInplaceOrView, key::BackendSelect, key::AutocastCPU, key::FuncTorchVmapMode,
                         key::ForwardAD, key::ModesBelow, key::ModesAbove}) {
    CHECK(why(live, k) == inspect::row_reason::transparent);
  }
  CHECK(why(live, key::Tracer) == inspect::row_reason::missing);
}

TEST_CASE("table: a slot of a building block alone holds nothing", "[core][table][S10]") {
  CHECK(why(with({CIA, CEA, key::CPU}, {key::CPU}), dispatch_key{functionality::Dense}) ==
        inspect::row_reason::missing);
}

namespace {

int disagreements(oracle::table_fault wrong) {
  std::mt19937 random(11);
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    naive_table live;
    const auto some_key = [&] {
      for (;;) {
        const dispatch_key k = author::key_of_row(1 + random() % (author::row_count - 1));
        if (!author::per_backend(k.layer) || k.device != backend::none) return k;
      }
    };
    for (std::uint8_t a = 0; a < author::alias_count; ++a) {
      if (random() % 3 == 0) live.kernels.push_back(alias_key{a});
    }
    for (auto n = random() % 4; n != 0; --n) live.kernels.push_back(some_key());
    if (random() % 2 == 0) live.kernels.push_back(key::CPU);
    if (random() % 3 == 0) live.kernels.push_back(key::SparseCPU);
    if (random() % 4 == 0) live.kernels.push_back(key::NestedTensorCPU);
    for (auto n = random() % 4; n != 0; --n) live.fallbacks.push_back(some_key());
    if (random() % 3 == 0) live.fallbacks.push_back(key::CPU);
    naive_table model = live;
    model.wrong = wrong;
    for (unsigned row = 0; row < author::row_count; ++row) {
      const dispatch_key k = author::key_of_row(row);
      if (author::per_backend(k.layer) && k.device == backend::none) continue;
      if (value_of(live, k) != model.at(k)) ++found;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("table: every slot of random registrations is as the rules written a second time say", "[core][table]") {
  CHECK(disagreements(oracle::table_fault::none) == 0);
}

TEST_CASE("table: a fault planted in the rules is noticed", "[core][table]") {
  using enum oracle::table_fault;
  const auto wrong =
      GENERATE(explicit_before_nonfunctional, composite_shadows, never_ambiguous, fallback_first, fallback_before_alias,
               autograd_before_composite, nested_after_composite, nobody_passes, sparse_counts);
  CHECK(disagreements(wrong) > 0);
}

}  // namespace topbit
