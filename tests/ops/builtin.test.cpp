// All operators alike: each is registered, runs on the CPU whether called by type or by name, and has a shape on meta.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/tensor_calls.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using support::bytes_of;
using support::twin_argument;
using tb::tensor;

namespace {
template <class Op>
using calls_of = support::calls<typename std::remove_cvref_t<Op>::signature>;

std::vector<std::string> built_in() {
  std::vector<std::string> names = tb::registry::process().operators();
  std::erase_if(names, [](const std::string& n) { return !n.starts_with("aten::") && !n.starts_with("topbit::"); });
  return names;
}

// Calls look(t) for the tensors that an argument is or has.
template <class T, class Look>
void each_tensor(const T& argument, Look look) {
  if constexpr (std::is_same_v<T, tensor>) {
    look(argument);
  } else if constexpr (std::is_same_v<T, std::vector<tensor>>) {
    for (const tensor& t : argument) look(t);
  }
}
}  // namespace

TEST_CASE("builtin: every operator this walk calls is registered, and so are enough for a library", "[ops][builtin]") {
  std::set<std::string> called;
  support::each_call([&](const auto& op, const auto&...) { called.emplace(op.name()); });
  const std::vector<std::string> registered = built_in();
  CHECK(std::includes(registered.begin(), registered.end(), called.begin(), called.end()));
  CHECK(called.size() >= 150);
}

TEST_CASE("builtin: an operator found by name has the schema it was declared with", "[ops][builtin]") {
  support::each_call([&](const auto& op, const auto&...) {
    const tb::operator_handle h = tb::registry::process().find(op.name());
    CHECK(h.is_defined());
    CHECK(h.schema() == op.info().schema);
    CHECK(h == op.handle());
    CHECK_FALSE(h.kernels().empty());
  });
}

TEST_CASE("builtin: a call by name with boxed arguments does what the typed call does", "[ops][builtin]") {
  support::each_call([&](const auto& op, const auto&... given) {
    INFO(op.name());
    auto first = std::tuple(twin_argument(given, tb::cpu)...), second = std::tuple(twin_argument(given, tb::cpu)...);
    const std::vector<tensor> all_typed = calls_of<decltype(op)>::typed(op, first);
    const std::vector<tensor> all_boxed = calls_of<decltype(op)>::boxed(op, second);
    REQUIRE_FALSE(all_typed.empty());
    REQUIRE(all_boxed.size() == all_typed.size());
    for (std::size_t i = 0; i < all_typed.size(); ++i) {
      const tensor &typed = all_typed[i], &boxed = all_boxed[i];
      REQUIRE(typed.defined());
      REQUIRE(boxed.defined());
      CHECK(boxed.sizes() == typed.sizes());
      CHECK(boxed.strides() == typed.strides());
      CHECK(boxed.dtype() == typed.dtype());
      CHECK(boxed.device() == tb::cpu);
      if (op.name() != "aten::empty.memory_format") {
        CHECK(support::difference(support::values(boxed), support::values(typed), 0) == "");
      }
    }
  });
}

TEST_CASE("builtin: meta gives the sizes, strides and dtype of the CPU, and no elements", "[ops][builtin][meta]") {
  support::each_call([&](const auto& op, const auto&... given) {
    INFO(op.name());
    auto real = std::tuple(twin_argument(given, tb::cpu)...), shapes = std::tuple(twin_argument(given, tb::meta)...);
    const std::vector<tensor> all_wanted = calls_of<decltype(op)>::typed(op, real);
    const std::vector<tensor> all_found = calls_of<decltype(op)>::typed(op, shapes);
    REQUIRE(all_found.size() == all_wanted.size());
    for (std::size_t i = 0; i < all_found.size(); ++i) {
      const tensor &wanted = all_wanted[i], &found = all_found[i];
      CHECK(found.device() == tb::meta);
      CHECK(found.data() == nullptr);
      CHECK(found.sizes() == wanted.sizes());
      CHECK(found.strides() == wanted.strides());
      CHECK(found.dtype() == wanted.dtype());
      CHECK(found.keys() == tb::keys_of(tb::layout::strided, tb::meta, found.dtype()));
    }
  });
}

TEST_CASE("builtin: an operator reads its inputs and writes only what its schema says", "[ops][builtin]") {
  support::each_call([&](const auto& op, const auto&... given) {
    INFO(op.name());
    auto arguments = std::tuple(twin_argument(given, tb::cpu)...);
    std::vector<std::vector<std::byte>> before;
    std::apply([&](const auto&... x) { (before.push_back(bytes_of(x)), ...); }, arguments);
    calls_of<decltype(op)>::typed(op, arguments);
    std::size_t i = 0;
    std::apply(
        [&](const auto&... x) {
          const auto look = [&](const auto& argument) {
            const bool writes = op.schema().arguments[i].writes;
            if (!writes) CHECK(bytes_of(argument) == before[i]);
            each_tensor(argument, [&](const tensor& t) { CHECK((t.version() != 0) == writes); });
            ++i;
          };
          (look(x), ...);
        },
        arguments);
  });
}

TEST_CASE("builtin: no operator keeps what it was given, or leaves the result shared with the library",
          "[ops][builtin]") {
  support::each_call([&](const auto& op, const auto&... given) {
    INFO(op.name());
    auto arguments = std::tuple(twin_argument(given, tb::cpu)...);
    {
      const std::vector<tensor> results = calls_of<decltype(op)>::typed(op, arguments);
    }
    std::apply(
        [&](const auto&... x) {
          const auto look = [](const auto& argument) {
            each_tensor(argument, [](const tensor& t) {
              CHECK(t.record().references == 1);
              CHECK(t.record().data->references == 1);
            });
          };
          (look(x), ...);
        },
        arguments);
  });
}

TEST_CASE("builtin: an unknown name is an error that offers the nearest", "[ops][builtin]") {
  try {
    tb::registry::process().find("aten::add.Tenser");
    FAIL("nothing was thrown");
  } catch (const tb::unknown_operator& e) {
    CHECK(std::string(e.what()).find("aten::add.Tensor") != std::string::npos);
  }
}
