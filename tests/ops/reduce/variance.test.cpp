// Variance and mean, deviation and mean: two results, each what the operator for it alone gives.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "support/properties.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_tensor;
using support::numbers;
using support::results_of;
using tb::dtype;
using tb::shape;
using tb::tensor;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;

TEST_CASE("variance: variance, standard deviation and mean over some dimensions, in all forms",
          "[ops][reduce][property]") {
  support::for_every_dtype(1, 40, [](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    const shape sizes = support::any_shape(source, 0, 4, 5);
    const tensor x = support::any_odd_tensor(source, sizes, t);
    integers over;
    shape kept = sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (source.whole(0, 1) == 0) continue;
      over.push_back(static_cast<std::int64_t>(d) -
                     (source.whole(0, 1) == 0 ? 0 : static_cast<std::int64_t>(sizes.size())));
      kept[d] = 1;
    }
    const bool whole = over.empty();
    if (whole) kept = shape(sizes.size(), 1);
    std::vector<list> groups(static_cast<std::size_t>(tb::numel(kept)));
    support::each_index(sizes, [&](const shape& i) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < i.size(); ++d) at = at * kept[d] + (kept[d] == 1 ? 0 : i[d]);
      groups[static_cast<std::size_t>(at)].push_back(support::get(x, i));
    });
    const auto moments = [&](std::int64_t correction, bool root) {
      std::pair<list, list> out;
      for (const list& g : groups) {
        double sum = 0, squares = 0;
        for (double v : g) sum += v;
        const double n = static_cast<double>(g.size()), mean = sum / n;
        for (double v : g) squares += (v - mean) * (v - mean);
        const double variance = squares / std::max(n - static_cast<double>(correction), 0.0);
        out.first.push_back(root ? std::sqrt(variance) : variance);
        out.second.push_back(mean);
      }
      return out;
    };
    const double near = 16 * support::tolerance_of(t);
    const auto check = [&](const std::vector<tensor>& found, const shape& given_shape, std::int64_t correction,
                           bool root) {
      const auto [spread, mean] = moments(correction, root);
      check_tensor(found[0], given_shape, t, spread, near);
      if (found.size() == 2) check_tensor(found[1], given_shape, t, mean, near);
    };
    const std::optional<integers> given = whole ? std::nullopt : std::optional(over);
    const std::optional<std::int64_t> correction = source.whole(0, 3);
    const bool unbiased = source.whole(0, 1) == 0;
    check(results_of(aten::var_mean_correction, x, given, correction, true), kept, *correction, false);
    check(results_of(aten::std_mean_correction, x, given, correction, true), kept, *correction, true);
    check(results_of(aten::var_mean_dim, x, given, unbiased, true), kept, unbiased, false);
    check(results_of(aten::std_mean_dim, x, given, unbiased, true), kept, unbiased, true);
    check(results_of(aten::var_dim, x, given, unbiased, true), kept, unbiased, false);
    check(results_of(aten::std_dim, x, given, unbiased, true), kept, unbiased, true);
    if (!whole) return;
    check(results_of(aten::var_mean, x, unbiased), {}, unbiased, false);
    check(results_of(aten::std_mean, x, unbiased), {}, unbiased, true);
    check(results_of(aten::var, x, unbiased), {}, unbiased, false);
    check(results_of(aten::std, x, unbiased), {}, unbiased, true);
  });
}
