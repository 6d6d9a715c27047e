#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdint>
#include <iterator>
#include <random>
#include <range/v3/algorithm/count_if.hpp>
#include <ranges>
#include <utility>
#include <vector>

#include "oracle/key_set.h"
#include "support/print.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::backend;
using tb::functionality;
using tb::key_set;

namespace {

std::vector<tb::dispatch_key> list(key_set s) { return {s.begin(), s.end()}; }

std::vector<tb::dispatch_key> every_key() {
  std::vector<tb::dispatch_key> all;
  for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    if (!tb::author::per_backend(layer))
      all.push_back({layer});
    else
      for (unsigned b = 1; b <= tb::author::backend_count; ++b) all.push_back({layer, static_cast<backend>(b)});
  }
  return all;
}

}  // namespace

TEST_CASE("key_set: the default is the empty set and is all zero", "[core][key_set][S1]") {
  STATIC_REQUIRE(key_set().empty());
  STATIC_REQUIRE(key_set().raw() == 0);
  STATIC_REQUIRE(sizeof(key_set) == 8);
}

TEST_CASE("key_set: backends take bits 1 to 20, functionalities bits 21 to 56, bit 0 is never used",
          "[core][key_set][S1]") {
  STATIC_REQUIRE(key_set(key::CPU).raw() == ((1ULL << 21) | (1ULL << 1)));
  STATIC_REQUIRE(key_set(key::UserTop2).raw() == 1ULL << 56);
  STATIC_REQUIRE(key_set::full().raw() == ((1ULL << 57) - 2));
  for (tb::dispatch_key k : every_key()) CHECK((key_set(k).raw() & 1) == 0);
}

TEST_CASE("key_set: an instance brings its functionality and its backend, any other key one bit",
          "[core][key_set][S2]") {
  STATIC_REQUIRE(key_set(key::SparseCUDA) == key_set{key::Sparse, backend::CUDA});
  STATIC_REQUIRE(key_set(key::Sparse) == key_set(key::SparseCUDA).without(backend::CUDA));
  STATIC_REQUIRE(std::has_single_bit(key_set(key::BackendSelect).raw()));
  STATIC_REQUIRE(std::has_single_bit(key_set(key::Sparse).raw()));
}

TEST_CASE("key_set: functionalities and backends own a bit each, and keys a slot each", "[core][key_set][K2]") {
  std::uint64_t bits = 0;
  for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
    const std::uint64_t bit = key_set(tb::building_block{static_cast<functionality>(f)}).raw();
    CHECK(std::has_single_bit(bit));
    CHECK((bits & bit) == 0);
    bits |= bit;
  }
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const std::uint64_t bit = key_set(static_cast<backend>(b)).raw();
    CHECK(std::has_single_bit(bit));
    CHECK((bits & bit) == 0);
    bits |= bit;
  }
  CHECK(bits == key_set::full().raw());
  std::vector<bool> owned(tb::author::row_count);
  owned[key_set(key::Undefined).row()] = true;
  for (tb::dispatch_key k : every_key()) {
    CHECK_FALSE(owned[key_set(k).row()]);
    owned[key_set(k).row()] = true;
  }
  // What is left are the slots of sets that name no backend, one per functionality that wants one.
  CHECK(std::ranges::count(owned, false) == 7);
}

TEST_CASE("key_set: 56 bits are used, one never is, seven are spare", "[core][key_set][K23]") {
  STATIC_REQUIRE(tb::author::backend_count + tb::author::functionality_count == 56);
  STATIC_REQUIRE(std::popcount(key_set::full().raw()) == 56);
  STATIC_REQUIRE(std::countl_zero(key_set::full().raw()) == 7);
  STATIC_REQUIRE((key_set::full().raw() & 1) == 0);
}

TEST_CASE("key_set: union, intersection, difference of words and equality act on the bits", "[core][key_set][S3]") {
  constexpr key_set a{key::CPU, key::AutogradCPU};
  constexpr key_set b{key::CUDA, key::AutogradCPU};
  STATIC_REQUIRE((a | b).raw() == (a.raw() | b.raw()));
  STATIC_REQUIRE((a & b).raw() == (a.raw() & b.raw()));
  STATIC_REQUIRE((a ^ b).raw() == (a.raw() ^ b.raw()));
  STATIC_REQUIRE(a.contains(key::CPU));
  STATIC_REQUIRE_FALSE(a.contains(key::CUDA));
  STATIC_REQUIRE(a.contains(key_set{}));
}

TEST_CASE("key_set: a set is a cross product, so pairs of functionality and backend are lost",
          "[core][key_set][S4][K21]") {
  STATIC_REQUIRE(key_set{key::CPU, key::AutogradCUDA} ==
                 key_set{key::CUDA, key::AutogradCPU, key::CPU, key::AutogradCUDA});
  STATIC_REQUIRE(key_set{key::CPU, key::AutogradCUDA}.contains(key::CUDA));
  STATIC_REQUIRE(key_set{key::SparseCPU, key::CUDA}.highest() == key::SparseCUDA);
}

TEST_CASE("key_set: difference takes functionalities and leaves backends", "[core][key_set][S5]") {
  constexpr key_set s{key::CPU, key::AutogradCUDA};
  STATIC_REQUIRE((s - key_set(key::AutogradCPU)) == key_set{key::CPU, backend::CUDA});
  STATIC_REQUIRE((s - key_set(backend::CPU)) == s);
  STATIC_REQUIRE_FALSE(s.without(backend::CPU).contains(backend::CPU));
}

TEST_CASE("key_set: intersects() compares bits, so keys of one backend have that backend in common",
          "[core][key_set][S6]") {
  STATIC_REQUIRE(key_set(key::AutogradCPU).intersects(key::CPU));
  STATIC_REQUIRE_FALSE(key_set(key::AutogradCPU).intersects(key::Dense));
  STATIC_REQUIRE(key_set(key::AutogradCPU).intersects(tb::autograd_keys));
}

TEST_CASE("key_set: highest() is the highest functionality with the highest backend", "[core][key_set][S7]") {
  STATIC_REQUIRE(key_set{key::CPU, key::ADInplaceOrView, key::AutogradCPU}.highest() == key::AutogradCPU);
  STATIC_REQUIRE(key_set{key::CPU, key::Meta}.highest() == key::Meta);
  STATIC_REQUIRE(key_set{key::Meta, key::BackendSelect}.highest() == key::BackendSelect);
  STATIC_REQUIRE(key_set().highest() == key::Undefined);
  for (tb::dispatch_key k : every_key()) CHECK(key_set(k).highest() == k);
}

TEST_CASE("key_set: row() is the slot of the highest key", "[core][key_set][S8]") {
  const auto keys = every_key();
  for (tb::dispatch_key a : keys) {
    CHECK(tb::author::key_of_row(key_set(a).row()) == a);
    for (tb::dispatch_key b : keys) {
      const key_set both{a, b};
      if (both.row() != key_set(both.highest()).row()) FAIL(to_string(a) << " with " << to_string(b));
    }
  }
}

TEST_CASE("key_set: slots rise with priority and no two keys share one", "[core][key_set][S9]") {
  unsigned last = 0;
  for (tb::dispatch_key k : every_key()) {
    CHECK(key_set(k).row() > last);
    last = key_set(k).row();
  }
  CHECK(last == tb::author::row_count - 1);
}

TEST_CASE("key_set: a building block without a backend has a slot of its own, not CPU's", "[core][key_set][S10]") {
  STATIC_REQUIRE(key_set(key::Dense).row() != key_set(key::CPU).row());
  STATIC_REQUIRE(key_set(key::Dense).row() != 0);
  STATIC_REQUIRE(key_set(key::Dense).highest() == tb::dispatch_key{functionality::Dense});
}

TEST_CASE("key_set: backends alone select slot 0 and hold no key, but are not nothing", "[core][key_set][S11]") {
  constexpr key_set s{backend::CPU, backend::CUDA};
  STATIC_REQUIRE(s.row() == 0);
  STATIC_REQUIRE(s.begin() == s.end());
  STATIC_REQUIRE_FALSE(s.empty());
}

TEST_CASE("key_set: iteration visits runtime keys upwards and skips blocks without a backend", "[core][key_set][S12]") {
  CHECK(list(key_set::full()) == every_key());
  CHECK(list(key_set{key::Sparse, key::BackendSelect}) == std::vector{key::BackendSelect});
  CHECK(list(key_set{key::CPU, key::CUDA, key::AutogradCPU}) ==
        std::vector{key::CPU, key::CUDA, key::AutogradCPU, key::AutogradCUDA});
}

TEST_CASE("key_set: is a forward range for the algorithms of std and of range-v3", "[core][key_set][S12]") {
  STATIC_REQUIRE(std::ranges::forward_range<key_set>);
  constexpr key_set s{key::CPU, key::BackendSelect, key::AutogradCPU};
  CHECK(std::ranges::distance(s) == 3);
  CHECK(std::ranges::find(s, key::BackendSelect) != s.end());
  CHECK(ranges::count_if(s, [](tb::dispatch_key k) { return tb::author::per_backend(k.layer); }) == 2);
  auto i = s.begin();
  const auto before = i++;
  CHECK(*before == key::CPU);
  CHECK(*i == key::BackendSelect);
}

TEST_CASE("key_set: below() holds everything under the key's functionality, all backends included",
          "[core][key_set][S13][S14]") {
  for (tb::dispatch_key k : every_key()) {
    const key_set s = tb::below(k);
    for (unsigned b = 1; b <= tb::author::backend_count; ++b) CHECK(s.contains(static_cast<backend>(b)));
    for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
      const auto layer = static_cast<functionality>(f);
      if (s.has(layer) != (layer < k.layer)) FAIL(to_string(k) << ": " << tb::name_of(layer));
    }
  }
}

TEST_CASE("key_set: below an alias is below the lowest functionality it stands for", "[core][key_set][S14]") {
  STATIC_REQUIRE(tb::below(key::Autograd) == tb::below(key::AutogradOther));
  STATIC_REQUIRE(tb::below(key::Autograd).contains(key::ADInplaceOrView));
  STATIC_REQUIRE(tb::below(key::CompositeImplicitAutogradNestedTensor) == tb::below(key::NestedTensorCPU));
  STATIC_REQUIRE(tb::below(key::FuncTorchBatchedDecomposition) == tb::below(key::FuncTorchBatched));
  STATIC_REQUIRE(tb::below(key::Autocast) == tb::below(key::AutocastCPU));
  STATIC_REQUIRE(tb::below(key::AnySparse) == tb::below(key::SparseCPU));
  STATIC_REQUIRE(tb::below(key::AnySparseCsr) == tb::below(key::SparseCsrCPU));
  STATIC_REQUIRE(tb::below(key::AnyQuantized) == tb::below(key::QuantizedCPU));
  STATIC_REQUIRE((tb::below(key::CompositeImplicitAutograd) & key_set::full()).highest() == key::Undefined);
}

TEST_CASE("key_set: nothing is below no key", "[core][key_set][S13]") {
  STATIC_REQUIRE(tb::below(key::Undefined).empty());
}

TEST_CASE("key_set: below_highest() takes the functionality that selected away, and no backend",
          "[core][key_set][C4]") {
  const key_set all{key::CPU, key::SparseCUDA, key::AutogradMeta, key::UserTop1};
  CHECK(all.below_highest() == key_set{key::CPU, key::SparseCUDA, key::AutogradMeta});
  CHECK(all.below_highest().below_highest() == (all & tb::below(key::Autograd)));
  CHECK(key_set().below_highest() == key_set());
  const key_set backends_alone = all & key_set{tb::backend::CPU, tb::backend::CUDA, tb::backend::Meta};
  CHECK(backends_alone.below_highest() == backends_alone);
  for (const tb::dispatch_key k : key_set::full()) {
    const key_set one(k);
    CHECK(one.below_highest() == one - one);
    CHECK((key_set(key::CPU) | one).below_highest() == ((key_set(key::CPU) | one) & tb::below(k)));
  }
}

TEST_CASE("key_set: the autograd set has three functionalities and no backend", "[core][key_set][S14]") {
  STATIC_REQUIRE(tb::autograd_keys.has(functionality::AutogradOther));
  STATIC_REQUIRE(tb::autograd_keys.has(functionality::Autograd));
  STATIC_REQUIRE(tb::autograd_keys.has(functionality::AutogradNestedTensor));
  STATIC_REQUIRE(std::popcount(tb::autograd_keys.raw()) == 3);
}

TEST_CASE("key_set: printing lists the keys in order of iteration", "[core][key_set][S15]") {
  CHECK(to_string(key_set{key::AutogradCPU, key::CPU, key::ADInplaceOrView}) == "{CPU, ADInplaceOrView, AutogradCPU}");
  CHECK(to_string(key_set{}) == "{}");
}

namespace {

// Random operations on both, and how often they disagreed.
int disagreements(oracle::key_set_fault wrong) {
  std::mt19937_64 random(7);
  const auto keys = every_key();
  const auto some = [&] {
    std::pair<key_set, oracle::naive_key_set> s;
    for (auto n = random() % 5; n != 0; --n) {
      // Bare blocks and bare backends are part of the language of sets too.
      tb::dispatch_key k = keys[random() % keys.size()];
      if (random() % 4 == 0) k.device = backend::none;
      if (random() % 8 == 0) k.layer = functionality::undefined;
      s.first = s.first | k;
      s.second.add(k);
    }
    return s;
  };
  int found = 0;
  auto [word, model] = some();
  for (int step = 0; step < 20'000; ++step) {
    const auto [other_word, other_model] = some();
    switch (random() % 5) {
      case 0: word = word | other_word, model.merge(other_model); break;
      case 1: word = word & other_word, model.keep(other_model); break;
      case 2: word = word ^ other_word, model.flip(other_model); break;
      case 3: word = word - other_word, model.take_away(other_model, wrong); break;
      default: word = other_word, model = other_model; break;
    }
    const bool same = word.highest() == model.highest(wrong) && list(word) == model.keys(wrong) &&
                      word.row() == model.row(wrong) &&
                      word.empty() == (model.layers.empty() && model.backends.empty());
    found += same ? 0 : 1;
  }
  return found;
}

}  // namespace

TEST_CASE("key_set: random operations agree with a naive model", "[core][key_set][S3][S5][S8][S12]") {
  CHECK(disagreements(oracle::key_set_fault::none) == 0);
}

TEST_CASE("key_set: a fault planted in the model is noticed", "[core][key_set]") {
  using enum oracle::key_set_fault;
  const auto wrong =
      GENERATE(difference_takes_backends, lowest_backend_wins, iterates_bare_blocks, row_ignores_backend);
  CHECK(disagreements(wrong) > 0);
}
