#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/print.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using nlohmann::json;

TEST_CASE("key_overview: every key is listed once, in the order in which a call looks at them",
          "[core][key_overview][K1]") {
  std::vector<tb::dispatch_key> listed;
  for (const tb::inspect::layer_overview& l : tb::describe_keys().layers) {
    listed.insert(listed.end(), l.keys.begin(), l.keys.end());
  }
  std::vector<tb::dispatch_key> all;
  for (tb::dispatch_key k : tb::key_set::full()) all.push_back(k);
  std::ranges::reverse(all);
  CHECK(listed == all);
}

TEST_CASE("key_overview: an alias has the slots that a kernel for it fills", "[core][key_overview][K7]") {
  for (const tb::inspect::alias_overview& a : tb::describe_keys().aliases) {
    INFO(to_string(a.alias));
    std::vector<tb::dispatch_key> filled;
    for (const tb::inspect::table_row& row : tb::what_if({tb::inspect::adding(a.alias)}).table) {
      if (!row.passes) filled.push_back(row.key);
    }
    CHECK(a.keys == filled);
  }
}

TEST_CASE("key_overview: calls pass through the keys of an operator without kernels that are marked so",
          "[core][key_overview][F6]") {
  std::vector<tb::dispatch_key> marked;
  for (const tb::inspect::layer_overview& l : tb::describe_keys().layers) {
    if (l.passes) marked.insert(marked.begin(), l.keys.rbegin(), l.keys.rend());
  }
  std::vector<tb::dispatch_key> passed;
  for (const tb::inspect::table_row& row : tb::what_if(std::initializer_list<tb::inspect::supposition>{}).table)
    passed.push_back(row.key);
  CHECK(marked == passed);
}

TEST_CASE("key_overview: a private backend shows both names", "[core][key_overview][K17]") {
  const auto named = tb::name_backend(tb::backend::PrivateUse8, "Npu");
  const std::string text = to_string(tb::describe_keys());
  CHECK(text.find("  Npu, which is PrivateUse8\n") != std::string::npos);
  CHECK(text.find("  AutogradMeta down to AutogradCPU, one for each backend; calls pass through") != std::string::npos);
  CHECK(text.find("  Autograd: AutogradOther, AutogradCPU to AutogradMeta, AutogradNestedTensor\n") !=
        std::string::npos);
}

TEST_CASE("key_overview: as JSON", "[core][key_overview][json]") {
  const json all = json::parse(to_json(tb::describe_keys()));
  CHECK(all["keys"][0] ==
        json{{"key", "UserTop2"}, {"functionality", "UserTop2"}, {"backend", nullptr}, {"passes", false}});
  CHECK(all["keys"].back() == json{{"key", "CPU"}, {"functionality", "Dense"}, {"backend", "CPU"}, {"passes", false}});
  CHECK(all["backends"].front() == "Meta");
  CHECK(all["aliases"].size() == tb::author::alias_count);
  CHECK(all["aliases"][5] == json{{"alias", "FuncTorchBatchedDecomposition"}, {"keys", {"FuncTorchBatched"}}});
}
