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

TEST_CASE("generator: offsets advance, and the same seed starts the same stream", "[tensor][generator]") {
  tb::generator g(7);
  CHECK(g.take(10) == tb::philox_state{7, 0});
  CHECK(g.take(5) == tb::philox_state{7, 10});
  CHECK(g.take(0) == tb::philox_state{7, 15});
  g.set_seed(8);
  CHECK(g.seed() == 8);
  CHECK(g.take(1) == tb::philox_state{8, 0});
}

TEST_CASE("generator: a copy is the same generator", "[tensor][generator]") {
  tb::generator g(1), other(1);
  tb::generator copy = g;
  CHECK(copy == g);
  CHECK_FALSE(other == g);
  (void)copy.take(3);
  CHECK(g.take(1).offset == 3);
  CHECK(other.take(1).offset == 0);
}

TEST_CASE("generator: threads never get the same numbers", "[tensor][generator]") {
  tb::generator g;
  std::vector<std::uint64_t> first[2];
  const auto take = [&](int who) {
    for (int i = 0; i < 1000; ++i) first[who].push_back(g.take(4).offset);
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
  STATIC_REQUIRE(std::is_same_v<tb::author::schema_signature<"f(Generator? g=None) -> Generator">,
                                tb::generator(const std::optional<tb::generator>&)>);
}

TEST_CASE("generator: each device has its own default one, and manual_seed reseeds them all", "[tensor][generator]") {
  const tb::generator before = tb::default_generator();
  CHECK(tb::default_generator() == before);
  CHECK(tb::default_generator(tb::cpu) == before);
  const tb::generator meta = tb::default_generator(tb::meta);
  CHECK_FALSE(meta == before);
  CHECK(tb::manual_seed(11) == before);
  CHECK(tb::default_generator().take(3) == tb::philox_state{11, 0});
  CHECK(tb::default_generator().take(1) == tb::philox_state{11, 3});
  CHECK(tb::default_generator(tb::meta).take(1) == tb::philox_state{11, 0});
  CHECK(tb::default_generator(tb::cuda(3)).take(1) == tb::philox_state{11, 0});  // made later
  CHECK_FALSE(tb::default_generator(tb::cuda(3)) == tb::default_generator(tb::cuda(2)));
}

TEST_CASE("generator: threads may use and seed default generators concurrently", "[tensor][generator]") {
  const auto work = [] {
    for (int i = 0; i < 200; ++i) {
      (void)tb::default_generator(tb::cuda(i % 100)).take(1);
      (void)tb::manual_seed(static_cast<std::uint64_t>(i));
    }
  };
  std::thread other(work);
  work();
  other.join();
  for (int i = 0; i < 100; ++i) CHECK(tb::default_generator(tb::cuda(i)).seed() == 199);
}

TEST_CASE("generator: it brings its keys to a call, and copies have them too", "[tensor][generator]") {
  const tb::generator plain, custom(5, tb::key_set{tb::key::CustomRNGKeyId});
  STATIC_REQUIRE(tb::keyed<tb::generator>);
  CHECK(keys_of(plain).empty());
  CHECK(keys_of(custom) == tb::key_set{tb::key::CustomRNGKeyId});
  const tb::generator copy = custom;
  CHECK(copy.keys() == custom.keys());
  CHECK(copy == custom);
}
