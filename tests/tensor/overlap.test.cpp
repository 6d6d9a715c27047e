// Overlap of tensors against the sets of addresses they reach.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <set>
#include <vector>

#include "support/tensor_values.h"
import topbit.tensor;

namespace tb = topbit;
using tb::tensor;

namespace {

std::vector<const std::byte*> addresses(const tensor& t) {
  std::vector<const std::byte*> all;
  support::each_index(t.sizes(), [&](const tb::shape& i) { all.push_back(support::address(t, i)); });
  return all;
}

// A view of random sizes and strides, negative ones and zeros among them, that stays in the storage.
tensor random_view(support::numbers& source, const tensor& whole) {
  for (;;) {
    const tb::shape sizes = source.shape(3, 4);
    tb::shape strides(sizes.size(), 0);
    for (std::size_t d = 0; d < sizes.size(); ++d) strides[d] = source.whole(-6, 7);
    try {
      return tb::author::make_view(whole, sizes, strides, source.whole(0, 30));
    } catch (const tb::shape_error&) {
    }
  }
}

}  // namespace

TEST_CASE("overlap: a tensor has distinct elements if no address occurs twice", "[tensor][overlap]") {
  support::numbers source(1);
  const tensor whole = tb::author::make_tensor({40}, tb::dtype::float32, tb::cpu);
  int distinct = 0;
  for (int round = 0; round < 5000; ++round) {
    const tensor t = random_view(source, whole);
    const auto all = addresses(t);
    const bool wanted = std::set(all.begin(), all.end()).size() == all.size();
    INFO(tb::to_string(t.sizes()) << " by " << tb::to_string(t.strides()));
    REQUIRE(tb::author::has_distinct_elements(t) == wanted);
    distinct += wanted;
  }
  CHECK(distinct > 500);
  CHECK(distinct < 4500);
}

TEST_CASE("overlap: tensors that share an address are said to share memory", "[tensor][overlap]") {
  support::numbers source(2);
  const tensor whole = tb::author::make_tensor({40}, tb::dtype::float32, tb::cpu);
  int apart = 0;
  for (int round = 0; round < 5000; ++round) {
    const tensor a = random_view(source, whole), b = random_view(source, whole);
    std::set<const std::byte*> first;
    for (const std::byte* p : addresses(a)) first.insert(p);
    bool shared = false;
    for (const std::byte* p : addresses(b)) shared = shared || first.contains(p);
    INFO(tb::to_string(a.sizes()) << " by " << tb::to_string(a.strides()) << ", " << tb::to_string(b.sizes()) << " by "
                                  << tb::to_string(b.strides()));
    if (shared) REQUIRE(tb::author::share_memory(a, b));
    if (!tb::author::share_memory(a, b)) ++apart;
  }
  CHECK(apart > 100);
  const tensor other = tb::author::make_tensor({40}, tb::dtype::float32, tb::cpu);
  CHECK_FALSE(tb::author::share_memory(whole, other));
  CHECK(tb::author::same_view(whole, tensor(whole)));
  CHECK_FALSE(tb::author::same_view(whole, other));
  CHECK_FALSE(tb::author::same_view(whole, tb::author::make_view(whole, {40}, {0}, 0)));
}

TEST_CASE("overlap: huge strides allocate nothing", "[tensor][overlap]") {
  const std::int64_t far = 1'000'000'000'000, many = 1'000'000;
  const tensor whole = tb::author::make_tensor({std::int64_t{1} << 50}, tb::dtype::int8, tb::meta);
  const auto distinct = [&](const tb::shape& sizes, const tb::shape& strides) {
    return tb::author::has_distinct_elements(tb::author::make_view(whole, sizes, strides, 0));
  };
  CHECK(distinct({3}, {far}));
  CHECK_FALSE(distinct({3, 3}, {far, far}));
  CHECK(distinct({3, 4}, {3 * far, far + 1}));
  CHECK_FALSE(distinct({3, 4}, {3 * far, far}));
  CHECK(distinct({many, many}, {many + 1, many + 2}));
  CHECK_FALSE(distinct({many + 3, many + 3}, {many + 1, many + 2}));
  CHECK(distinct({1000, 1000}, {1003, 1002}));
  CHECK_FALSE(distinct({1004, 1004}, {1003, 1002}));
}
