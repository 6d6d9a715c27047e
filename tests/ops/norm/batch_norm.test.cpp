#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "oracle/rows.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::get;
using support::numbers;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;
using maybe = std::optional<tensor>;

namespace {

// The elements of a tensor [n, channels, ..] that are normalised together, and the place of each among them.
struct groups {
  std::vector<list> members;
  std::vector<std::size_t> group_of, channel_of;  // row-major
  list mean, variance;

  // Each channel, or so many groups of channels of each image.
  groups(const tensor& x, std::int64_t per_image) {
    const std::int64_t channels = x.sizes()[1], width = per_image == 0 ? 1 : channels / per_image;
    members.resize(static_cast<std::size_t>(per_image == 0 ? channels : x.sizes()[0] * per_image));
    support::each_index(x.sizes(), [&](const shape& i) {
      channel_of.push_back(static_cast<std::size_t>(i[1]));
      group_of.push_back(static_cast<std::size_t>(per_image == 0 ? i[1] : i[0] * per_image + i[1] / width));
      members[group_of.back()].push_back(get(x, i));
    });
    for (const list& m : members) {
      const oracle::moments of_group(m);
      mean.push_back(of_group.mean());
      variance.push_back(of_group.variance());
    }
  }
  list normalised(const tensor& x, const list& means, const list& variances, double eps, const maybe& weight,
                  const maybe& bias) const {
    list out = values(x);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto channel = static_cast<std::int64_t>(channel_of[i]);
      out[i] = (out[i] - means[group_of[i]]) / std::sqrt(variances[group_of[i]] + eps);
      if (weight) out[i] *= get(*weight, {channel});
      if (bias) out[i] += get(*bias, {channel});
    }
    return out;
  }
};

template <class Visit>
void for_images(unsigned seed, Visit visit) {
  support::for_every_dtype(seed, 40, [&](numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    shape sizes{source.whole(1, 4), source.whole(1, 3) * 2};
    for (std::int64_t more = source.whole(0, 3); more > 0; --more) sizes.push_back(source.whole(1, 4));
    const auto operand = [&] { return support::any_tensor(source, {sizes[1]}, t); };
    const maybe weight = source.whole(0, 1) == 0 ? maybe(operand()) : maybe(),
                bias = source.whole(0, 1) == 0 ? maybe(operand()) : maybe();
    const tensor x =
        source.whole(0, 3) == 0 ? support::any_odd_tensor(source, sizes, t) : support::any_tensor(source, sizes, t);
    INFO(tb::to_string(sizes));
    visit(source, t, x, weight, bias);
  });
}

// The composites round each step once.
double near(dtype t) { return 20 * support::tolerance_of(t); }

}  // namespace

TEST_CASE("batch_norm: in training each channel of the batch is normalised, and the running statistics are updated",
          "[ops][batch_norm][property]") {
  for_images(1, [](numbers& source, dtype t, const tensor& x, const maybe& weight, const maybe& bias) {
    const groups channels(x, 0);
    const auto n = static_cast<double>(channels.members[0].size());
    if (n < 2) return;
    const double momentum = source.real(0, 1), eps = 0.1;
    const shape sizes{x.sizes()[1]};
    const tensor mean = support::moved(source, source.tensor(sizes, t)),
                 var = support::moved(source, source.positive(sizes, t));
    list means, variances;
    for (std::size_t c = 0; c < channels.members.size(); ++c) {
      const auto at = static_cast<std::int64_t>(c);
      means.push_back((1 - momentum) * get(mean, {at}) + momentum * channels.mean[c]);
      variances.push_back((1 - momentum) * get(var, {at}) + momentum * channels.variance[c] * n / (n - 1));
    }
    const auto [y, saved, inverse] = aten::native_batch_norm(x, weight, bias, mean, var, true, momentum, eps);
    support::check_tensor(y, x.sizes(), t, channels.normalised(x, channels.mean, channels.variance, eps, weight, bias),
                          near(t));
    CHECK(support::difference(values(mean), means, near(t)) == "");
    CHECK(support::difference(values(var), variances, near(t)) == "");
    CHECK(support::difference(values(saved), channels.mean, near(t)) == "");
    list inverses;
    for (double v : channels.variance) inverses.push_back(1 / std::sqrt(v + eps));
    CHECK(support::difference(values(inverse), inverses, near(t)) == "");
    support::check_nothing_beside(mean);
    support::check_nothing_beside(var);
    const auto alone =
        support::results_of(aten::batch_norm, x, weight, bias, maybe(), maybe(), true, momentum, eps, false);
    CHECK(support::difference(values(alone[0]), values(y), 0) == "");
  });
}

TEST_CASE("batch_norm: outside training every channel is normalised with the running statistics",
          "[ops][batch_norm][property]") {
  for_images(2, [](numbers& source, dtype t, const tensor& x, const maybe& weight, const maybe& bias) {
    const shape sizes{x.sizes()[1]};
    const maybe mean = support::any_tensor(source, sizes, t), var = support::moved(source, source.positive(sizes, t));
    const auto all = support::results_of(aten::native_batch_norm, x, weight, bias, mean, var, false, 0.5, 0.1);
    support::check_tensor(all[0], x.sizes(), t,
                          groups(x, 0).normalised(x, values(*mean), values(*var), 0.1, weight, bias), near(t));
    CHECK(all[1].numel() + all[2].numel() == 0);
  });
}

TEST_CASE("batch_norm: group_norm normalises groups of channels of each image", "[ops][batch_norm][property]") {
  for_images(3, [](numbers& source, dtype t, const tensor& x, const maybe& weight, const maybe& bias) {
    const std::int64_t channels = x.sizes()[1], all[] = {1, 2, channels}, count = all[source.whole(0, 2)];
    const groups of(x, count);
    support::check_tensor(support::result_of(aten::group_norm, x, count, weight, bias, 0.1, true), x.sizes(), t,
                          of.normalised(x, of.mean, of.variance, 0.1, weight, bias), near(t));
  });
}

TEST_CASE("batch_norm: training updates the running statistics, with the unbiased variance",
          "[ops][batch_norm][property]") {
  const tensor x = tensor_of({1, 10, 3, 10, 5, 10, 7, 10}, {4, 2});
  const tensor mean = tensor_of({0, 0}, {2}), var = tensor_of({1, 1}, {2});
  const tensor y = aten::batch_norm(x, std::nullopt, std::nullopt, mean, var, true, 0.5, 0.0, false);
  CHECK(support::difference(values(mean), {2, 5}, 1e-12) == "");
  CHECK(support::difference(values(var), {0.5 + 0.5 * 20 / 3, 0.5}, 1e-12) == "");
  CHECK(support::difference(values(aten::slice_Tensor(y, 1, 0, 1)),
                            {-3 / std::sqrt(5.0), -1 / std::sqrt(5.0), 1 / std::sqrt(5.0), 3 / std::sqrt(5.0)},
                            1e-12) == "");
}

TEST_CASE("batch_norm: outside training the running statistics are used and unchanged", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 10, 3, 20}, {2, 2}), mean = tensor_of({1, 10}, {2}), var = tensor_of({4, 25}, {2});
  const tensor y =
      aten::batch_norm(x, tensor_of({2, 1}, {2}), tensor_of({0, 1}, {2}), mean, var, false, 0.5, 0.0, false);
  CHECK(support::difference(values(y), {0, 1, 2, 3}, 1e-12) == "");
  CHECK(values(mean) == std::vector<double>{1, 10});
  CHECK(mean.version() == 0);
}

TEST_CASE("batch_norm: mismatched arguments are refused before anything is written", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {2, 2}), mean = tensor_of({1, 2}, {2}), wrong = tensor_of({1}, {1});
  CHECK(toy::text_of<tb::shape_error>([&] {
          aten::batch_norm(x, std::nullopt, std::nullopt, mean, wrong, true, 0.5, 0.0, false);
        }) == "aten::batch_norm: found running_var [1] for input [2, 2], wanted [2]");
  CHECK(values(mean) == std::vector<double>{1, 2});
  CHECK(toy::text_of<tb::error>([&] { aten::group_norm(x, 3); }) ==
        "aten::group_norm: found 3 groups for input [2, 2], wanted a number that divides the channels");
}

TEST_CASE("batch_norm: running statistics are updated both or not at all", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {2, 2}), mean = tensor_of({5, 5}, {2});
  const tensor shared = aten::expand(tensor_of({1}, {1}), std::vector<std::int64_t>{2});
  CHECK_THROWS_AS(aten::batch_norm(x, std::nullopt, std::nullopt, mean, shared, true, 0.5, 1e-5, false),
                  tb::shape_error);
  CHECK(values(mean) == std::vector<double>{5, 5});
}
