// Norms of channels and their gradients, against long double.
#include "half.h"
#include "oracle/rows.h"
#include "row_calls.h"

using namespace kernel_tests;
using tb_kernel::bfloat16;
using tb_kernel::half;

namespace {

template <typename E>
constexpr bool is_half = std::is_same_v<E, half> || std::is_same_v<E, bfloat16>;
// What elements are computed in, and parameters and statistics are.
template <typename E>
using number = std::conditional_t<std::is_same_v<E, double>, double, float>;
template <typename E>
constexpr std::int32_t element_code = std::is_same_v<E, half>       ? TB_F16
                                      : std::is_same_v<E, bfloat16> ? TB_BF16
                                                                    : dtype_of<number<E>>;
// The rounding of a result to the type of the elements.
template <typename E>
long double rounding(long double x) {
  if constexpr (std::is_same_v<E, half>) return std::fabs(x) * 0x1p-11L + 0x1p-25L;
  if constexpr (std::is_same_v<E, bfloat16>) return std::fabs(x) * 0x1p-8L;
  return 0;
}

template <typename E>
number<E> number_of(E x) {
  if constexpr (is_half<E>)
    return tb_kernel::to_float(x);
  else
    return x;
}
template <typename E>
E element_of(double x) {
  if constexpr (std::is_same_v<E, half>)
    return tb_kernel::to_half(float(x));
  else if constexpr (std::is_same_v<E, bfloat16>)
    return tb_kernel::to_bfloat16(float(x));
  else
    return E(x);
}
template <typename E>
void fill_elements(const array<E>& values, std::uint64_t seed, double low, double high) {
  random_numbers random(seed);
  for (E& x : values) x = element_of<E>(random.between(low, high));
}

struct problem {
  std::int64_t images, channels, inner, groups = 0;
  bool given = false, weighted = true, biased = true;

  std::int64_t count() const { return images * channels * inner; }
  std::int64_t statistics() const { return groups == 0 ? channels : images * groups; }
  std::int64_t channel(std::int64_t i) const { return i / inner % channels; }
  std::int64_t statistic(std::int64_t i) const {
    return groups == 0 ? channel(i) : i / inner / channels * groups + channel(i) / (channels / groups);
  }
  std::vector<std::vector<std::int64_t>> elements_of_statistics() const {
    std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(statistics()));
    for (std::int64_t i = 0; i < count(); ++i) all[static_cast<std::size_t>(statistic(i))].push_back(i);
    return all;
  }
};

template <typename E>
struct arrays {
  using T = number<E>;
  problem p;
  double eps;
  stage memory;
  array<E> in, out, gradient, in_gradient;
  array<T> weight, bias, mean, variance, weight_gradient, bias_gradient;

  arrays(backend here, problem given, double low, double high, double epsilon)
      : p(given),
        eps(epsilon),
        memory(here),
        in(memory.make<E>(p.count())),
        out(memory.make<E>(p.count())),
        gradient(memory.make<E>(p.count())),
        in_gradient(memory.make<E>(p.count())),
        weight(memory.make<T>(p.channels)),
        bias(memory.make<T>(p.channels)),
        mean(memory.make<T>(p.statistics())),
        variance(memory.make<T>(p.statistics())),
        weight_gradient(memory.make<T>(p.channels)),
        bias_gradient(memory.make<T>(p.channels)) {
    fill_elements(in, 3, low, high);
    fill_elements(gradient, 4, -1, 1);
    fill_between(weight, 5, -2, 2);
    fill_between(bias, 6, -2, 2);
    fill_between(mean, 7, low, high);
    fill_between(variance, 8, 0.5, 2);
  }
  tb_channel_norm forward() const {
    tb_channel_norm c{};
    c.out = out.seen_by_kernel();
    c.in = in.seen_by_kernel();
    c.weight = p.weighted ? weight.seen_by_kernel() : nullptr;
    c.bias = p.biased ? bias.seen_by_kernel() : nullptr;
    c.mean = mean.seen_by_kernel();
    c.variance = variance.seen_by_kernel();
    c.images = p.images;
    c.channels = p.channels;
    c.inner = p.inner;
    c.groups = p.groups;
    c.epsilon = eps;
    c.dtype = element_code<E>;
    c.given = p.given ? 1 : 0;
    return c;
  }
  tb_channel_norm backward() const {
    tb_channel_norm c = forward();
    c.out = in_gradient.seen_by_kernel();
    c.gradient = gradient.seen_by_kernel();
    c.bias = nullptr;
    c.weight_gradient = weight_gradient.seen_by_kernel();
    c.bias_gradient = bias_gradient.seen_by_kernel();
    return c;
  }
  void run(const tb_channel_norm& call) {
    CHECK(memory.run([&](const tb_kernels& k) { return k.channel_norm(&call, nullptr); }) == TB_OK);
  }
  long double weight_of(std::int64_t i) const { return p.weighted ? weight[p.channel(i)] : T(1); }
};

// A few units in the last place of what is added up to an element: its distance from the mean, times weight, and bias.
template <typename E>
std::string try_forward(backend here, problem p, double low = -2, double high = 5, double eps = 1e-5) {
  using T = number<E>;
  arrays<E> a(here, p, low, high, eps);
  a.run(a.forward());
  const long double unit = std::numeric_limits<T>::epsilon();
  differences<T> found;
  const auto elements = p.elements_of_statistics();
  for (std::size_t s = 0; s < elements.size(); ++s) {
    const auto at = static_cast<std::int64_t>(s);
    const std::vector<std::int64_t>& own = elements[s];
    const oracle::moments of(own.size(), [&](std::size_t i) { return (long double)number_of(a.in[own[i]]); });
    const long double middle = p.given ? a.mean[at] : of.mean(), variance = p.given ? a.variance[at] : of.variance();
    const long double rstd = 1 / std::sqrt(variance + (long double)eps);
    if (!p.given) {
      found.add(at, a.mean[at], {middle, 4 * unit * (std::fabs(middle) + std::sqrt(variance))});
      found.add(at, a.variance[at], {variance, 8 * unit * variance + std::numeric_limits<T>::denorm_min()});
    }
    for (const std::int64_t i : own) {
      const long double x = number_of(a.in[i]), deviation = p.given ? x - middle : of.deviation(x);
      const long double w = a.weight_of(i), b = p.biased ? a.bias[p.channel(i)] : T(0), scaled = deviation * rstd * w;
      // The mean of constants is subtracted as it is.
      const long double slack = 8 * unit * (1 + std::fabs(scaled) + std::fabs(w) + std::fabs(b));
      found.add(i, number_of(a.out[i]), {scaled + b, slack + rounding<E>(std::fabs(scaled + b) + slack)});
    }
  }
  return found.text();
}

template <typename E>
std::string try_backward(backend here, problem p, double low = 2, double high = 4, double eps = 1e-5) {
  using T = number<E>;
  arrays<E> a(here, p, low, high, eps);
  if (!p.given) a.run(a.forward());
  a.run(a.backward());
  const long double unit = std::numeric_limits<T>::epsilon();
  const auto rstd = [&](std::int64_t s) { return 1 / std::sqrt((long double)a.variance[s] + (long double)eps); };
  const auto unit_of = [&](std::int64_t i) {
    return ((long double)number_of(a.in[i]) - a.mean[p.statistic(i)]) * rstd(p.statistic(i));
  };
  const auto g = [&](std::int64_t i) { return (long double)number_of(a.gradient[i]); };
  differences<T> found;
  const auto elements = p.elements_of_statistics();
  for (std::size_t s = 0; s < elements.size(); ++s) {
    const std::vector<std::int64_t>& own = elements[s];
    const auto sum = oracle::sum_of(own.size(), [&](std::size_t i) { return g(own[i]) * a.weight_of(own[i]); });
    const auto product =
        oracle::sum_of(own.size(), [&](std::size_t i) { return g(own[i]) * a.weight_of(own[i]) * unit_of(own[i]); });
    const auto n = static_cast<long double>(own.size());
    for (const std::int64_t i : own) {
      const long double gw = g(i) * a.weight_of(i), x = unit_of(i), scale = rstd(static_cast<std::int64_t>(s));
      const long double want = p.given ? scale * gw : scale * (gw - sum.value / n - x * (product.value / n));
      const long double slack =
          8 * unit * scale * (std::fabs(gw) + sum.magnitude / n + std::fabs(x) * (product.magnitude / n));
      found.add(i, number_of(a.in_gradient[i]), {want, slack + rounding<E>(std::fabs(want) + slack)});
    }
  }
  std::vector<oracle::sum<>> to_weight(static_cast<std::size_t>(p.channels)), to_bias(to_weight);
  for (std::int64_t i = 0; i < p.count(); ++i) {
    to_weight[static_cast<std::size_t>(p.channel(i))].add(g(i) * unit_of(i));
    to_bias[static_cast<std::size_t>(p.channel(i))].add(g(i));
  }
  for (std::int64_t c = 0; c < p.channels; ++c) {
    const auto &w = to_weight[static_cast<std::size_t>(c)], &b = to_bias[static_cast<std::size_t>(c)];
    found.add(c, a.weight_gradient[c], {w.value, 8 * unit * w.magnitude + std::numeric_limits<T>::denorm_min()});
    found.add(c, a.bias_gradient[c], {b.value, 8 * unit * b.magnitude + std::numeric_limits<T>::denorm_min()});
  }
  return found.text();
}

template <typename E>
std::string try_all(backend here, const problem& p) {
  return try_forward<E>(here, p) + try_backward<E>(here, p);
}
std::string try_types(backend here, const problem& p) {
  return try_all<float>(here, p) + try_all<double>(here, p) + try_all<half>(here, p) + try_all<bfloat16>(here, p);
}

}  // namespace

TEMPLATE_TEST_CASE("channel_norm: groups, channels and images of any size", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  std::string failures;
  for (const std::int64_t inner : awkward_sizes) {
    if (inner == 0) continue;
    failures +=
        try_types(here, {2, 6, inner, 3}) + try_types(here, {2, 3, inner, 3}) + try_types(here, {1, 5, inner, 1});
    failures += try_types(here, {3, 5, inner}) + try_types(here, {2, 3, inner, 0, true});
  }
  for (const std::int64_t channels : awkward_sizes) {
    if (channels == 0) continue;
    failures += try_types(here, {7, channels, 1}) + try_types(here, {2, channels, 1, 1});
    failures += try_types(here, {7, channels, 1, 0, true});
  }
  failures += try_types(here, {2, 3, 5000}) + try_types(here, {2, 4, 5000, 2}) + try_types(here, {300, 3, 1});
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("channel_norm: without weight, bias, or a gradient", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  std::string failures;
  for (const bool weighted : {false, true}) {
    for (const bool given : {false, true}) {
      failures += try_all<float>(here, {2, 4, 9, 0, given, weighted, !weighted});
      failures += try_all<float>(here, {5, 70, 1, 0, given, weighted, !weighted});
    }
    failures += try_all<float>(here, {2, 4, 9, 2, false, weighted, !weighted});
  }
  CHECK(failures == "");
  // What is not wanted is left out, and changes nothing else.
  for (const problem& p : {problem{2, 4, 9, 2}, problem{2, 4, 9}, problem{2, 4, 9, 0, true}, problem{5, 70, 1}}) {
    for (const int left_out : {0, 1, 2}) {
      arrays<float> all(here, p, 2, 4, 1e-5), some(here, p, 2, 4, 1e-5);
      if (!p.given) {
        all.run(all.forward());
        some.run(some.forward());
      }
      all.run(all.backward());
      tb_channel_norm call = some.backward();
      (left_out == 0 ? call.out : left_out == 1 ? call.weight_gradient : call.bias_gradient) = nullptr;
      some.run(call);
      const auto same = [](const array<float>& a, const array<float>& b) {
        return std::memcmp(a.begin(), b.begin(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
      };
      CHECK((left_out == 0 || same(all.in_gradient, some.in_gradient)));
      CHECK((left_out == 1 || same(all.weight_gradient, some.weight_gradient)));
      CHECK((left_out == 2 || same(all.bias_gradient, some.bias_gradient)));
    }
  }
}

TEMPLATE_TEST_CASE("channel_norm: elements far from 0, and long channels, are accurate", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  for (const problem& p : {problem{2, 4, 500, 2}, problem{2, 4, 500}, problem{300, 4, 1}}) {
    CHECK(try_forward<float>(here, p, 9999, 10001) == "");
    CHECK(try_forward<float>(here, p, 1e6, 1e6 + 64) == "");
    CHECK(try_forward<double>(here, p, 1e9, 1e9 + 1) == "");
    // Squares beyond the range of floats.
    CHECK(try_forward<float>(here, p, -1e18, 1e18, 0) == "");
    CHECK(try_forward<float>(here, p, -1e-15, 1e-15, 0) == "");
  }
  CHECK(try_forward<float>(here, {3, 2, 300000}, 3, 4) == "");
  CHECK(try_forward<float>(here, {1, 2, 300001, 1}, 3, 4) == "");
  CHECK(try_forward<float>(here, {200000, 3, 1}, 3, 4) == "");
}

TEMPLATE_TEST_CASE("channel_norm: results larger than the cache", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  CHECK(try_all<float>(here, {1, 2, 2200003, 2}) == "");
  CHECK(try_all<bfloat16>(here, {2, 1, 4400001}) == "");
}

TEMPLATE_TEST_CASE("channel_norm: an infinity is the mean of its elements, and leaves NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  for (const problem& p : {problem{2, 2, 3000, 2}, problem{2, 2, 3000}, problem{30, 2, 1}}) {
    for (const std::int64_t image : {std::int64_t(0), p.images - 1}) {
      arrays<float> a(here, p, -1, 1, 1e-5);
      const std::int64_t i = image * p.channels * p.inner;
      a.in[i] = -float(INFINITY);
      a.run(a.forward());
      CHECK(a.mean[p.statistic(i)] == -float(INFINITY));
      CHECK(std::isnan(a.variance[p.statistic(i)]));
      CHECK((std::isnan(a.out[i]) && std::isfinite(a.out[i + p.inner])));
    }
  }
}

TEMPLATE_TEST_CASE("channel_norm: no elements have no mean", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  for (const problem& p : {problem{0, 3, 1}, problem{0, 3, 4}, problem{2, 3, 0}, problem{2, 3, 0, 3}}) {
    arrays<float> a(here, p, -1, 1, 1e-5);
    a.run(a.forward());
    for (std::int64_t s = 0; s < p.statistics(); ++s) CHECK((std::isnan(a.mean[s]) && std::isnan(a.variance[s])));
    a.run(a.backward());
    for (std::int64_t c = 0; c < p.channels; ++c) CHECK((a.weight_gradient[c] == 0 && a.bias_gradient[c] == 0));
  }
}

TEMPLATE_TEST_CASE("channel_norm: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::channel_norm);
  for (const problem& p :
       {problem{20, 64, 50, 16}, problem{20, 64, 50}, problem{20, 64, 50, 0, true}, problem{200, 500, 1}}) {
    const arrays<float> a(here, p, -1, 1, 1e-5);
    const tb_channel_norm forward = a.forward(), backward = a.backward();
    const auto run = [&](const tb_channel_norm& call) { CHECK(here.kernels->channel_norm(&call, nullptr) == TB_OK); };
    CHECK(same_on_threads(a.out, [&] { run(forward); }) == "");
    CHECK(same_on_threads(a.in_gradient, [&] { run(backward); }) == "");
    CHECK(same_on_threads(a.weight_gradient, [&] { run(backward); }) == "");
    CHECK(same_on_threads(a.bias_gradient, [&] { run(backward); }) == "");
  }
}
