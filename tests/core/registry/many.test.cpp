// A registry holds as many operators as anybody has.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "support/scale.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {
const int many = scaled(100'000);
int answer(const image& i) { return i.width; }
}  // namespace

TEST_CASE("many: very many operators are registered, found, called and withdrawn", "[core][registry][H2]") {
  const auto begin = std::chrono::steady_clock::now();
  tb::registry r;
  auto block = tb::library("many", r);
  for (int i = 0; i < many; ++i) block.def<&answer>("op" + std::to_string(i));
  int found = 0;
  for (int i = 0; i < many; ++i) {
    const std::string name = "many::op" + std::to_string(i);
    const auto op = r.try_find(name);
    found += op && op->name() == name && op->typed<int(const image&)>()(image{key::CPU, i, 0}) == i;
  }
  CHECK(found == many);
  CHECK_FALSE(r.try_find("many::op" + std::to_string(many)).has_value());
  CHECK(r.operators().size() == static_cast<std::size_t>(many));
  block.reset();
  CHECK(r.operators().empty());
  std::printf("%d operators: %.1f s\n", many,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}
