#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <set>
#include <string>

#include "support/print.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace {
bool owns_a_key(unsigned row) {
  const tb::dispatch_key k = tb::key_of_row(row);
  return !tb::per_backend(k.layer) || k.device != tb::backend::none;
}
}  // namespace

TEST_CASE("key_name: every key's name parses to that key", "[core][key_name][K18]") {
  for (unsigned row = 0; row < tb::row_count; ++row) {
    if (!owns_a_key(row)) continue;
    const tb::dispatch_key k = tb::key_of_row(row);
    INFO(to_string(k));
    REQUIRE(tb::parse_key(to_string(k)).has_value());
    CHECK(*tb::parse_key(to_string(k)) == tb::key_target(k));
  }
  for (const char* rejected_elsewhere : {"SparseXLA", "AutogradHIP", "QuantizedMeta", "AutocastMTIA"}) {
    CHECK(tb::parse_key(rejected_elsewhere).has_value());
  }
}

TEST_CASE("key_name: every alias's name parses to that alias", "[core][key_name][K7]") {
  for (std::uint8_t i = 0; i < tb::alias_count; ++i) {
    const tb::alias_key a{i};
    REQUIRE(tb::parse_key(to_string(a)).has_value());
    CHECK(*tb::parse_key(to_string(a)) == tb::key_target(a));
    CHECK(to_string(tb::key_target(a)) == to_string(a));
  }
  CHECK(tb::parse_key("Autograd") == tb::key_target(key::Autograd));
}

TEST_CASE("key_name: no two keys have one name", "[core][key_name]") {
  std::set<std::string> names;
  for (unsigned row = 0; row < tb::row_count; ++row) {
    CHECK(names.insert(to_string(tb::key_of_row(row))).second);
  }
  for (std::uint8_t i = 0; i < tb::alias_count; ++i) CHECK(names.insert(to_string(tb::alias_key{i})).second);
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
