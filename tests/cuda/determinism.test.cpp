// Sums into elements that many threads add to: in any order, or in one.
#include <optional>

#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

namespace {

struct deterministic_for_now {
  deterministic_for_now() { tb::set_deterministic(true); }
  ~deterministic_for_now() { tb::set_deterministic(false); }
};

}  // namespace

TEST_CASE("determinism: in deterministic mode sums are bitwise reproducible", "[cuda][determinism]") {
  const tb::device where = cuda_tests::need();
  CHECK_FALSE(tb::is_deterministic());
  // Enough that threads race on a GPU; its model has nothing to race, and takes its time.
  const std::int64_t n = tb::properties_of(where).memory_bytes > std::uint64_t{8} << 30 ? 20000 : 300;
  tb::manual_seed(5);
  const tb::tensor source = aten::randn(tb::shape{n}), index = aten::randint(7, tb::shape{n});
  const tb::tensor there = tb::to(source, where), at = tb::to(index, where);
  const tb::tensor zeros = aten::zeros(tb::shape{7}), none = tb::to(zeros, where);
  const auto compare = [&](const auto& call) {
    const std::vector<double> on_host = support::values(call(zeros, index, source));
    const deterministic_for_now guard;
    CHECK(tb::is_deterministic());
    const std::vector<double> first = cuda_tests::values(call(none, at, there));
    for (int run = 0; run < 5; ++run) CHECK(cuda_tests::values(call(none, at, there)) == first);
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(std::abs(first[i] - on_host[i]) < 1e-3);
  };
  compare(
      [](const tb::tensor& to, const tb::tensor& i, const tb::tensor& x) { return aten::scatter_add(to, 0, i, x); });
  compare([](const tb::tensor& to, const tb::tensor& i, const tb::tensor& x) { return aten::index_add(to, 0, i, x); });
  compare([](const tb::tensor& to, const tb::tensor& i, const tb::tensor& x) {
    const std::vector<std::optional<tb::tensor>> indices{i};
    return aten::index_put(to, indices, x, true);
  });
}
