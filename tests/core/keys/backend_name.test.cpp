// The names that private backends are given: every text that names one of their keys follows.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::backend;
using tb::functionality;
using toy::image;

namespace {

inline constexpr tb::op<"named::width", int(const image&)> width;
int answer(const image&) { return 1; }

constexpr functionality layers[] = {functionality::Dense,     functionality::Quantized,    functionality::Sparse,
                                    functionality::SparseCsr, functionality::NestedTensor, functionality::Autograd,
                                    functionality::Autocast};
constexpr const char* prefixes[] = {"", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd", "Autocast"};

// Every key prints so that it parses as itself: no name means two keys.
void every_name_means_one_key() {
  for (unsigned row = 1; row < tb::author::row_count; ++row) {
    const tb::dispatch_key k = tb::author::key_of_row(row);
    if (tb::author::per_backend(k.layer) && k.device == backend::none) continue;
    INFO(to_string(k));
    CHECK(tb::parse_key(to_string(k)) == tb::key_target(k));
  }
}

template <class F>
std::string refusal(F&& f) {
  return toy::without_places(toy::text_of<tb::bad_registration>(std::forward<F>(f)));
}

}  // namespace

TEST_CASE("backend name: the name of every instance follows, and its own name is still understood",
          "[core][key_name][K17][K18]") {
  {
    const auto name = tb::name_backend(backend::PrivateUse2, "Npu");
    CHECK(tb::name_of(backend::PrivateUse2) == "Npu");
    for (std::size_t i = 0; i < std::size(layers); ++i) {
      const tb::dispatch_key k{layers[i], backend::PrivateUse2};
      CHECK(to_string(k) == prefixes[i] + std::string("Npu"));
      CHECK(tb::parse_key(prefixes[i] + std::string("Npu")) == tb::key_target(k));
      CHECK(tb::parse_key(prefixes[i] + std::string("PrivateUse2")) == tb::key_target(k));
    }
    CHECK(to_string(tb::key_set{key::PrivateUse2, key::AutogradPrivateUse2}) == "{Npu, AutogradNpu}");
    CHECK(to_string(key::PrivateUse1) == "PrivateUse1");
    every_name_means_one_key();
  }
  CHECK(to_string(key::AutogradPrivateUse2) == "AutogradPrivateUse2");
  CHECK_FALSE(tb::parse_key("AutogradNpu").has_value());
}

TEST_CASE("backend name: errors speak of it", "[core][error][K17][E1]") {
  tb::registry r;
  const auto name = tb::name_backend(backend::PrivateUse1, "Npu");
  const auto block = tb::library("named", r).def(width).impl<&answer>(width, key::SparsePrivateUse1);
  const auto call = r.find("named::width").typed<int(const image&)>();
  const auto missing = [&](auto&& f) { return toy::without_places(toy::text_of<tb::no_kernel>(f)); };
  CHECK(missing([&] { (void)call(image{key::SparseCsrPrivateUse1, 0, 0}); }) ==
        "named::width: no kernel for SparseCsrNpu, which argument 1 brought; there are kernels for SparseNpu (HERE)");
  CHECK(missing([&] { (void)call(image{key::AutogradPrivateUse1, 0, 0}); }) ==
        "named::width: every key its arguments brought, {AutogradNpu}, is passed through, excluded or left out, and "
        "there is no catch-all kernel; there are kernels for SparseNpu (HERE)");
  CHECK(missing([&] { (void)call.call_at(key::AutogradPrivateUse1, image{}); }) ==
        "named::width: no kernel and no fallback is registered for AutogradNpu itself; there are kernels for SparseNpu "
        "(HERE)");
  CHECK(refusal([&] { (void)tb::implement("named", key::PrivateUse1, r).replace<&answer>(width, key::PrivateUse1); }) ==
        "named::width: replace() at HERE for Npu: there is no kernel to replace; there are kernels for SparseNpu "
        "(HERE)");
  CHECK(tb::parse_key("AutogradNpu") == tb::key_target(key::AutogradPrivateUse1));
}

TEST_CASE("backend name: given twice it lives until both are unregistered", "[core][key_name][K17][D2]") {
  auto first = tb::name_backend(backend::PrivateUse3, "Npu");
  auto second = tb::name_backend(backend::PrivateUse3, "Npu");
  first.reset();
  CHECK(to_string(key::PrivateUse3) == "Npu");
  second.reset();
  CHECK(to_string(key::PrivateUse3) == "PrivateUse3");
  const auto other = tb::name_backend(backend::PrivateUse3, "Tpu");
  CHECK(to_string(key::PrivateUse3) == "Tpu");
}

TEST_CASE("backend name: an unregistered name is free for another backend", "[core][key_name][K17][D1]") {
  auto first = tb::name_backend(backend::PrivateUse3, "Npu");
  first.reset();
  const auto second = tb::name_backend(backend::PrivateUse4, "Npu");
  CHECK(tb::parse_key("SparseNpu") == tb::key_target(key::SparsePrivateUse4));
  CHECK(to_string(key::PrivateUse3) == "PrivateUse3");
}

TEST_CASE("backend name: its own name is a name", "[core][key_name][K17]") {
  const auto name = tb::name_backend(backend::PrivateUse5, "PrivateUse5");
  CHECK(to_string(key::SparsePrivateUse5) == "SparsePrivateUse5");
  every_name_means_one_key();
}

TEST_CASE("backend name: all eight at once", "[core][key_name][K17]") {
  std::vector<tb::registration> names;
  for (int i = 0; i < 8; ++i) {
    const auto b = static_cast<backend>(static_cast<int>(backend::PrivateUse1) + i);
    names.push_back(tb::name_backend(b, "Vendor" + std::to_string(i)));
  }
  for (int i = 0; i < 8; ++i) {
    const auto b = static_cast<backend>(static_cast<int>(backend::PrivateUse1) + i);
    CHECK(to_string(tb::dispatch_key{functionality::SparseCsr, b}) == "SparseCsrVendor" + std::to_string(i));
  }
  every_name_means_one_key();
  names.clear();
  CHECK(to_string(key::PrivateUse8) == "PrivateUse8");
  every_name_means_one_key();
}

TEST_CASE("backend name: what is refused, in these words, and that nothing changes", "[core][error][K17][R28]") {
  const auto taken = tb::name_backend(backend::PrivateUse1, "Npu");
  struct {
    backend b;
    const char* name;
    const char* text;
  } const refused[] = {
      {backend::CPU, "Npu2", "name 'Npu2' for CPU at HERE: only PrivateUse1 to PrivateUse8 are given names"},
      {backend::Meta, "Npu2", "name 'Npu2' for Meta at HERE: only PrivateUse1 to PrivateUse8 are given names"},
      {backend::none, "Npu2", "name 'Npu2' for Undefined at HERE: only PrivateUse1 to PrivateUse8 are given names"},
      {backend::PrivateUse2, "", "name '' for PrivateUse2 at HERE: needs an identifier of letters, digits and '_'"},
      {backend::PrivateUse2, "2d", "name '2d' for PrivateUse2 at HERE: needs an identifier of letters, digits and '_'"},
      {backend::PrivateUse2, "a b",
       "name 'a b' for PrivateUse2 at HERE: needs an identifier of letters, digits and '_'"},
      {backend::PrivateUse2, "n\xc3\xa9",
       "name 'n\xc3\xa9' for PrivateUse2 at HERE: needs an identifier of letters, digits and '_'"},
      {backend::PrivateUse1, "Tpu", "name 'Tpu' for PrivateUse1 at HERE: the backend is named 'Npu' already, at HERE"},
      {backend::PrivateUse2, "Npu",
       "name 'Npu' for PrivateUse2 at HERE: PrivateUse1 has this name already, given at HERE"},
      {backend::PrivateUse2, "PrivateUse3",
       "name 'PrivateUse3' for PrivateUse2 at HERE: it would make the name of PrivateUse3 mean two keys"},
      {backend::PrivateUse2, "CUDA",
       "name 'CUDA' for PrivateUse2 at HERE: it would make the name of CUDA mean two keys"},
      {backend::PrivateUse2, "Other",
       "name 'Other' for PrivateUse2 at HERE: it would make the name of AutogradOther mean two keys"},
      {backend::PrivateUse2, "NestedTensor",
       "name 'NestedTensor' for PrivateUse2 at HERE: it would make the name of NestedTensor mean two keys"},
      {backend::PrivateUse2, "Sparse",
       "name 'Sparse' for PrivateUse2 at HERE: it would make the name of Sparse mean two keys"},
      {backend::PrivateUse2, "Dense",
       "name 'Dense' for PrivateUse2 at HERE: it would make the name of Dense mean two keys"},
      {backend::PrivateUse2, "Undefined",
       "name 'Undefined' for PrivateUse2 at HERE: it would make the name of Undefined mean two keys"},
      {backend::PrivateUse2, "FPGA",
       "name 'FPGA' for PrivateUse2 at HERE: it would make the name of FPGA mean two keys"},
      {backend::PrivateUse2, "MAIA",
       "name 'MAIA' for PrivateUse2 at HERE: it would make the name of MAIA mean two keys"},
      {backend::PrivateUse2, "SparseCUDA",
       "name 'SparseCUDA' for PrivateUse2 at HERE: it would make the name of SparseCUDA mean two keys"},
      {backend::PrivateUse2, "SparseNpu",
       "name 'SparseNpu' for PrivateUse2 at HERE: with 'Npu', given at HERE, 'SparseNpu' would be the name of two "
       "keys"},
      {backend::PrivateUse2, "CsrCPU",
       "name 'CsrCPU' for PrivateUse2 at HERE: it would make the name of SparseCsrCPU mean two keys"},
      {backend::PrivateUse2, "CsrNpu",
       "name 'CsrNpu' for PrivateUse2 at HERE: with 'Npu', given at HERE, 'SparseCsrNpu' would be the name of two "
       "keys"},
      {backend::PrivateUse2, "CsrPrivateUse1",
       "name 'CsrPrivateUse1' for PrivateUse2 at HERE: it would make the name of SparseCsrPrivateUse1 mean two keys"},
      // The backend's own names are among those that may not come to mean another key.
      {backend::PrivateUse2, "CsrPrivateUse2",
       "name 'CsrPrivateUse2' for PrivateUse2 at HERE: it would make the name of SparseCsrPrivateUse2 mean two keys"},
      {backend::PrivateUse2, "SparsePrivateUse2",
       "name 'SparsePrivateUse2' for PrivateUse2 at HERE: it would make the name of SparsePrivateUse2 mean two keys"},
      {backend::PrivateUse2, "CompositeImplicitAutograd",
       "name 'CompositeImplicitAutograd' for PrivateUse2 at HERE: it would make the name of CompositeImplicitAutograd "
       "mean two keys"},
      {backend::PrivateUse2, "Autograd",
       "name 'Autograd' for PrivateUse2 at HERE: it would make the name of Autograd mean two keys"},
      // Devices go by their names in lower case.
      {backend::PrivateUse2, "cuda",
       "name 'cuda' for PrivateUse2 at HERE: it would make the name of CUDA mean two keys"},
      {backend::PrivateUse2, "Cpu", "name 'Cpu' for PrivateUse2 at HERE: it would make the name of CPU mean two keys"},
      {backend::PrivateUse2, "META",
       "name 'META' for PrivateUse2 at HERE: it would make the name of Meta mean two keys"},
      {backend::PrivateUse2, "privateuse3",
       "name 'privateuse3' for PrivateUse2 at HERE: it would make the name of PrivateUse3 mean two keys"},
      {backend::PrivateUse2, "sparseCuda",
       "name 'sparseCuda' for PrivateUse2 at HERE: it would make the name of SparseCUDA mean two keys"},
      {backend::PrivateUse2, "NPU",
       "name 'NPU' for PrivateUse2 at HERE: PrivateUse1 has the name 'Npu', which differs in case alone, given at "
       "HERE"},
      {backend::PrivateUse2, "csrnpu",
       "name 'csrnpu' for PrivateUse2 at HERE: with 'Npu', given at HERE, 'Sparsecsrnpu' would be the name of two "
       "keys"},
  };
  for (const auto& each : refused) {
    INFO(each.name);
    CHECK(refusal([&] { (void)tb::name_backend(each.b, each.name); }) == each.text);
    CHECK(to_string(key::PrivateUse1) == "Npu");
    CHECK(to_string(key::PrivateUse2) == "PrivateUse2");
  }
  every_name_means_one_key();
  const auto free = tb::name_backend(backend::PrivateUse2, "Tpu");
  CHECK(to_string(key::AutogradPrivateUse2) == "AutogradTpu");
}
