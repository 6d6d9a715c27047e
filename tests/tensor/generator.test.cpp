#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

import topbit.core;
import topbit.tensor;

namespace tb = topbit;

TEST_CASE("generator: stretches follow each other, and the same seed begins the same stream", "[tensor][generator]") {
  tb::generator g(7);
  CHECK(g.take(10) == tb::random_stretch{7, 0});
  CHECK(g.take(5) == tb::random_stretch{7, 10});
  CHECK(g.take(0) == tb::random_stretch{7, 15});
  g.set_seed(8);
  CHECK(g.seed() == 8);
  CHECK(g.take(1) == tb::random_stretch{8, 0});
}

TEST_CASE("generator: a copy is the same generator", "[tensor][generator]") {
  tb::generator g(1), other(1);
  tb::generator copy = g;
  CHECK(copy == g);
  CHECK_FALSE(other == g);
  (void)copy.take(3);
  CHECK(g.take(1).first == 3);
  CHECK(other.take(1).first == 0);
}

TEST_CASE("generator: threads are never given the same numbers", "[tensor][generator]") {
  tb::generator g;
  std::vector<std::uint64_t> first[2];
  const auto take = [&](int who) {
    for (int i = 0; i < 1000; ++i) first[who].push_back(g.take(4).first);
  };
  std::thread other(take, 1);
  take(0);
  other.join();
  std::vector<std::uint64_t> all = first[0];
  all.insert(all.end(), first[1].begin(), first[1].end());
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == 4 * i);
}

TEST_CASE("generator: it is the schema's Generator", "[tensor][generator]") {
  STATIC_REQUIRE(std::is_same_v<tb::schema_signature<"f(Generator? g=None) -> Generator">,
                                tb::generator(const std::optional<tb::generator>&)>);
}
