// The same on devices of other projects, where operators on the parts do what the CPU's kernels do.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/scale.h"

import topbit;
import topbit.sparse;

#include "sparse_values.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::layout;

namespace {

constexpr std::array layouts{layout::sparse_coo, layout::sparse_csr, layout::sparse_csc};

// The parts of both are equal, not only their elements.
void compare(const tb::tensor& there, const tb::tensor& here) {
  CHECK(there.device() != tb::cpu);
  REQUIRE(there.layout() == here.layout());
  CHECK(there.sizes() == here.sizes());
  if (here.layout() == layout::strided) {
    CHECK(same_values(tb::to(there, tb::cpu), here));
    return;
  }
  const auto found = tb::author::parts_of(there)->parts(), wanted = tb::author::parts_of(here)->parts();
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(same_values(tb::to(found[i].value, tb::cpu), wanted[i].value));
}

}  // namespace

TEST_CASE("devices: conversions, views and selections give the CPU's parts on every device") {
  random_tensors random(21);
  for (int i = 0; i < scaled(24, 8); ++i) {
    const std::string name = i % 2 == 0 ? "npu" : "chip";
    const tb::device device = tb::parse_device(name);
    CAPTURE(name);
    const tb::dtype type = std::array{tb::dtype::float32, tb::dtype::int64, tb::dtype::float16,
                                      tb::dtype::boolean}[static_cast<std::size_t>(random.below(4))];
    const tb::tensor s = random.coo(random.sizes(2, 6), 2, type, random.below(12)), there = tb::to(s, device);
    compare(there, s);
    compare(tb::coalesce(there), tb::coalesce(s));
    compare(tb::to_dense(there), tb::to_dense(s));
    compare(tb::to_sparse(tb::to_dense(there)), tb::to_sparse(tb::to_dense(s)));
    compare(tb::to_sparse(tb::to_dense(there), 1), tb::to_sparse(tb::to_dense(s), 1));
    compare(tb::drop_zeros(there), tb::drop_zeros(s));
    compare(tb::select(there, 1, 0), tb::select(s, 1, 0));
    compare(tb::narrow(there, 0, 0, 1), tb::narrow(s, 0, 0, 1));
    compare(tb::cat(std::array{there, there}, 1), tb::cat(std::array{s, s}, 1));
    const tb::tensor index = tb::tensor({0, 0});
    const tb::tensor found = tb::index_select(there, 0, tb::to(index, device)), wanted = tb::index_select(s, 0, index);
    compare(tb::coalesce(found), tb::coalesce(wanted));
    for (const layout from : layouts) {
      const tb::tensor a = tb::to_sparse(s, arg<"layout"> = from), b = tb::to_sparse(there, arg<"layout"> = from);
      compare(b, a);
      for (const layout to : layouts)
        compare(tb::to_sparse(b, arg<"layout"> = to), tb::to_sparse(a, arg<"layout"> = to));
      compare(tb::t(b), tb::t(a));
      compare(tb::select(b, 0, 0), tb::select(a, 0, 0));
      CHECK(tb::equal(b, there));
    }
    const tb::tensor other = random.coo(s.sizes(), 2, type, 5), pattern = tb::coalesce(s);
    compare(tb::sparse::values_at(tb::to(other, device), tb::coalesce(there)), tb::sparse::values_at(other, pattern));
  }
}

TEST_CASE("devices: constructors check indices of every device") {
  const tb::device npu = tb::parse_device("npu");
  CHECK(error_of(
            [&] { (void)tb::sparse_coo_tensor(tb::to(tb::tensor({{0, 5}}), npu), tb::to(tb::ones({2}), npu), {4}); }) ==
        "aten::sparse_coo_tensor.indices_size: found index 5 in dimension 0 of entry 1, wanted 0 to below its size, 4");
  CHECK(throws<tb::shape_error>([&] {
    (void)tb::sparse_csr_tensor(tb::to(tb::tensor({0, 2, 1}), npu), tb::to(tb::tensor({0}), npu),
                                tb::to(tb::ones({1}), npu), {2, 2});
  }));
  CHECK(tb::sparse_coo_tensor(tb::to(tb::tensor({{0, 5}}), npu), tb::to(tb::ones({2}), npu)).sizes() == tb::shape{6});
}
