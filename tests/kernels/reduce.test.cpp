// Rules of reductions, for every table: each operation against a loop in the widest type, over plans of all forms.
#include <map>

#include "oracle/rows.h"
#include "plans.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

// The first `reduced` dimensions of `of` go away; strides are those of the result, the index and the input.
struct reduction_shape {
  shape of;
  std::int32_t reduced;
};

reduction_shape over(std::string name, std::int32_t reduced, std::vector<std::int64_t> sizes,
                     std::vector<std::int64_t> in, std::vector<std::int64_t> out) {
  std::vector<std::int64_t> index = out;
  for (std::int64_t& s : index) s *= 2;
  return {{std::move(name), std::move(sizes), {std::move(out), std::move(index), std::move(in)}}, reduced};
}

std::vector<reduction_shape> reduction_shapes() {
  std::vector<reduction_shape> all;
  for (const std::int64_t n : awkward_sizes) {
    if (n == 0) continue;
    all.push_back(over("row", 1, {n}, {1}, {0}));
    all.push_back(over("rows", 1, {n, 3}, {1, n}, {0, 1}));
    all.push_back(over("columns", 1, {5, n}, {n, 1}, {0, 1}));
    all.push_back(over("tall columns", 1, {n, 7}, {7, 1}, {0, 1}));
    all.push_back(over("columns apart", 1, {3, n}, {2 * n + 1, 2}, {0, 3}));
  }
  for (const std::int64_t n : {2, 33, 129}) {
    all.push_back(over("apart", 1, {n, 4}, {3, 3 * n}, {0, 2}));
    all.push_back(over("backwards", 1, {n, 2}, {-1, n}, {0, -1}));
    all.push_back(over("columns backwards", 1, {n, 9}, {9, -1}, {0, 1}));
    all.push_back(over("one element repeated", 1, {n, 3}, {0, 1}, {0, 1}));
    all.push_back(over("results repeat their input", 1, {n, 3}, {1, 0}, {0, 1}));
    all.push_back(over("short rows", 2, {3, n, 2}, {1, 5, 5 * n}, {0, 0, 1}));
    all.push_back(over("rows and planes", 2, {n, 3, 4}, {1, 4 * n, n}, {0, 0, 1}));
    all.push_back(over("columns of planes", 2, {3, n, 5}, {5, 17, 1}, {0, 0, 1}));
    all.push_back(over("kept outside and inside", 1, {n, 3, 4}, {3, 1, 3 * n}, {0, 4, 1}));
  }
  all.push_back(over("long row", 1, {5000}, {1}, {0}));
  all.push_back(over("long rows of planes", 2, {1030, 3, 5}, {1, 5 * 1030, 1030}, {0, 0, 1}));
  all.push_back(over("long rows between many", 3, {1024, 2, 2, 70}, {1, 1024, 140 * 1024, 2 * 1024}, {0, 0, 0, 1}));
  all.push_back(over("long row apart", 1, {1500, 2}, {3, 4500}, {0, 1}));
  all.push_back(over("more columns than a tile", 1, {70, 300}, {300, 1}, {0, 1}));
  all.push_back(over("few rows of many columns", 1, {9, 1100}, {1100, 1}, {0, 1}));
  all.push_back(over("many rows of few columns", 1, {1537, 2}, {2, 1}, {0, 1}));
  all.push_back(over("six dimensions", 3, {2, 3, 2, 3, 2, 2}, {1, 4, 24, 2, 12, 48}, {0, 0, 0, 1, 3, 6}));
  return all;
}

struct operation {
  tb_reduction_op op;
  std::int32_t compute;
  double number = 0;
};

template <typename Out>
struct found_value {
  expected<Out> value;
  std::int64_t index = 0;
};

template <typename T>
using prepare_input = std::function<void(const array<T>&)>;
template <typename In, typename Out>
using model_of = std::function<found_value<Out>(const std::vector<In>&)>;

bool has_index(tb_reduction_op op) { return op == TB_MAX_INDEX || op == TB_MIN_INDEX; }

template <typename In, typename Out>
std::string try_shape(backend here, const reduction_shape& r, operation what, const prepare_input<In>& prepare,
                      const model_of<In, Out>& model) {
  stage memory(here);
  const auto in = make_operand<In>(memory, r.of, 2);
  const auto out = make_operand<Out>(memory, r.of, 0);
  const auto index = make_operand<std::int64_t>(memory, r.of, 1);
  prepare(in.memory);
  fill_with_samples(out.memory, 2);
  fill_with_samples(index.memory, 3);
  std::vector<expected<Out>> want;
  std::vector<expected<std::int64_t>> want_index;
  for (const Out x : out.memory) want.push_back({x});
  for (const std::int64_t x : index.memory) want_index.push_back({x});
  struct group {
    std::int64_t index_at;
    std::vector<In> elements;
  };
  std::map<std::int64_t, group> groups;
  each_position(r.of, {out.first, index.first, in.first}, [&](std::int64_t o, std::int64_t i, std::int64_t a) {
    groups[o].index_at = i;
    groups[o].elements.push_back(in.memory[a]);
  });
  for (const auto& [at, g] : groups) {
    const found_value<Out> found = model(g.elements);
    want[std::size_t(at)] = found.value;
    if (has_index(what.op)) want_index[std::size_t(g.index_at)] = {found.index};
  }
  tb_reduction call{};
  call.plan = has_index(what.op) ? make_plan(r.of, out, index, in) : make_plan(r.of, out, in);
  call.plan.reduced = r.reduced;
  call.op = what.op;
  call.compute = what.compute;
  call.number[0] = {what.number, std::int64_t(std::isfinite(what.number) ? what.number : 0)};
  CHECK(memory.run([&](const tb_kernels& k) { return k.reduce(&call, nullptr); }) == TB_OK);
  differences<Out> found;
  differences<std::int64_t> found_index;
  for (std::int64_t i = 0; i < out.memory.size(); ++i) found.add(i, out.memory[i], want[std::size_t(i)]);
  for (std::int64_t i = 0; i < index.memory.size(); ++i) {
    found_index.add(i, index.memory[i], want_index[std::size_t(i)]);
  }
  return found.text() + (found_index.text().empty() ? "" : " index " + found_index.text());
}

template <typename In, typename Out>
std::string try_all(backend here, operation what, const prepare_input<In>& prepare, const model_of<In, Out>& model) {
  std::string failures;
  static sampled_cases shapes;  // other shapes for each operation
  for (const reduction_shape& r : reduction_shapes()) {
    if (!shapes.is_drawn()) continue;
    const std::string text = try_shape<In, Out>(here, r, what, prepare, model);
    if (text.empty()) continue;
    failures += "operation " + std::to_string(what.op) + " " + std::to_string(what.number) + ", " + r.of.name + " [";
    for (const std::int64_t n : r.of.sizes) failures += std::to_string(n) + " ";
    failures += "] " + text + "\n";
  }
  return failures;
}

template <typename T>
void samples(const array<T>& values) {
  fill_with_samples(values, 11);
}
template <typename T>
void finite(const array<T>& values) {
  fill_between(values, 5, -4, 4);
}

// Models of floats: the elements as long doubles, and how far a result of T may be off.
using wide = std::vector<long double>;
struct wide_result {
  long double value, magnitude;
  double units = 8;
  long double least = 0;  // what the model itself may be off
};

wide_result sum_of(const wide& x, long double (*f)(long double, double), double number, double units = 8) {
  const auto [sum, magnitude] = oracle::sum_of(x.size(), [&](std::size_t i) { return f(x[i], number); });
  return {sum, magnitude, units};
}

wide_result variance(const wide& x, double correction) {
  const long double value = oracle::moments(x).variance(correction);
  // Deviations are exact in double at best.
  long double greatest = 0;
  for (const long double v : x) greatest = std::max(greatest, std::fabs(v));
  const long double step = 4 * std::numeric_limits<double>::epsilon() * greatest;
  return {value, value, 8, step * step};
}

wide_result norm(const wide& x, double order) {
  if (std::isinf(order)) {
    long double best = order > 0 ? 0 : std::numeric_limits<long double>::infinity();
    for (const long double v : x) {
      if (std::isnan(v)) return {v, v};
      best = order > 0 ? std::max(best, std::fabs(v)) : std::min(best, std::fabs(v));
    }
    return {best, best};
  }
  const auto term = [](long double v, double p) -> long double {
    return p == 0 ? v != 0 : std::pow(std::fabs(v), static_cast<long double>(p));
  };
  const wide_result sum = sum_of(x, term, order);
  const long double value = order == 0 ? sum.value : std::pow(sum.value, 1 / static_cast<long double>(order));
  return {value, value, 16};
}

wide_result log_sum_exp(const wide& x, double) {
  const oracle::exponentials shifted(x);
  return {shifted.log_sum(), std::fabs(shifted.greatest) + 2};
}

wide_result product(const wide& x, double) {
  long double all = 1;
  for (const long double v : x) all *= v;
  return {all, all, 8 + double(x.size())};
}

template <typename T>
std::string try_float(backend here, tb_reduction_op op, double number,
                      const std::function<wide_result(const wide&, double)>& model) {
  const model_of<T, T> as_values = [&](const std::vector<T>& x) -> found_value<T> {
    const wide_result r = model(wide(x.begin(), x.end()), number);
    return {{r.value, ulps<T>(r.units, std::isfinite(r.magnitude) ? r.magnitude : 0) + r.least}};
  };
  const operation what = {op, dtype_of<T>, number};
  return try_all<T, T>(here, what, finite<T>, as_values) + try_all<T, T>(here, what, samples<T>, as_values);
}

long double as_it_is(long double v, double) { return v; }
long double without_nan(long double v, double) { return std::isnan(v) ? 0 : v; }
long double squared(long double v, double) { return v * v; }

template <typename T>
std::string try_floats(backend here) {
  std::string all = try_float<T>(here, TB_SUM, 0, [](const wide& x, double) { return sum_of(x, as_it_is, 0); }) +
                    try_float<T>(here, TB_NANSUM, 0, [](const wide& x, double) { return sum_of(x, without_nan, 0); }) +
                    try_float<T>(here, TB_SUM_SQUARES, 0, [](const wide& x, double) { return sum_of(x, squared, 0); }) +
                    try_float<T>(here, TB_PROD, 0, product) + try_float<T>(here, TB_LOGSUMEXP, 0, log_sum_exp);
  for (const double correction : {0, 1, 2}) {
    all += try_float<T>(here, TB_VAR, correction, variance);
    all += try_float<T>(here, TB_STD, correction, [](const wide& x, double c) -> wide_result {
      const wide_result v = variance(x, c);
      const long double root = std::sqrt(v.value);
      return {root, root, 8, std::sqrt(v.least)};
    });
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double order : {0.0, 1.0, 2.0, 3.0, 0.5, -1.0, infinity, -infinity}) {
    all += try_float<T>(here, TB_NORM, order, norm);
  }
  return all;
}

template <typename T>
bool is_nan(T x) {
  return x != x;
}

// The first of the greatest or least, or the first NaN.
template <typename T>
std::int64_t place_of(const std::vector<T>& x, bool greatest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_nan(x[i])) return std::int64_t(i);
    if (greatest ? x[i] > x[best] : x[i] < x[best]) best = i;
  }
  return std::int64_t(best);
}

template <typename T>
std::string try_order(backend here, const prepare_input<T>& prepare) {
  std::string all;
  for (const bool greatest : {true, false}) {
    // Which of two zeros is found is not said.
    const model_of<T, T> value = [=](const std::vector<T>& x) -> found_value<T> {
      const std::int64_t at = place_of(x, greatest);
      return {{x[std::size_t(at)], std::is_floating_point_v<T> ? 1e-300L : 0}, at};
    };
    const model_of<T, std::int64_t> place = [=](const std::vector<T>& x) -> found_value<std::int64_t> {
      return {{place_of(x, greatest)}};
    };
    all += try_all<T, T>(here, {greatest ? TB_MAX : TB_MIN, dtype_of<T>}, prepare, value);
    all += try_all<T, T>(here, {greatest ? TB_MAX_INDEX : TB_MIN_INDEX, dtype_of<T>}, prepare, value);
    all += try_all<T, std::int64_t>(here, {greatest ? TB_ARGMAX : TB_ARGMIN, dtype_of<T>}, prepare, place);
  }
  return all;
}

template <typename T>
void few_values(const array<T>& values) {
  random_numbers random(7);
  for (T& x : values) x = T(random.bits() >> 9 & (std::is_same_v<T, byte> ? 1 : 3));
}
// The greatest, or the least, stands at the end.
template <typename T>
void rising(const array<T>& values) {
  for (std::int64_t i = 0; i < values.size(); ++i)
    values[i] = std::is_same_v<T, byte> ? T(i + 1 == values.size()) : T(i);
}
template <typename T>
void falling(const array<T>& values) {
  rising(values);
  for (T& x : values) x = std::is_same_v<T, byte> ? T(1 - x) : T(-x);
}
template <typename T>
void all_alike(const array<T>& values) {
  std::fill(values.begin(), values.end(), std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : T(1));
}

std::string try_integer(backend here, tb_reduction_op op,
                        const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& join, std::uint64_t start) {
  return try_all<std::int64_t, std::int64_t>(here, {op, TB_I64}, samples<std::int64_t>,
                                             [&](const std::vector<std::int64_t>& x) -> found_value<std::int64_t> {
                                               std::uint64_t all = start;
                                               for (const std::int64_t v : x) all = join(all, std::uint64_t(v));
                                               return {{std::int64_t(all)}};
                                             });
}

// any, all and how many, of elements of T that become BOOL on the way.
template <typename T>
std::string try_truth(backend here, const prepare_input<T>& prepare) {
  const auto count = [](const std::vector<T>& x) {
    return std::count_if(x.begin(), x.end(), [](T v) { return v != T(0); });
  };
  const auto size = [](const std::vector<T>& x) { return std::ptrdiff_t(x.size()); };
  return try_all<T, byte>(here, {TB_ANY, TB_BOOL}, prepare,
                          [=](const std::vector<T>& x) -> found_value<byte> { return {{byte(count(x) > 0)}}; }) +
         try_all<T, byte>(here, {TB_ALL, TB_BOOL}, prepare,
                          [=](const std::vector<T>& x) -> found_value<byte> { return {{byte(count(x) == size(x))}}; }) +
         try_all<T, std::int64_t>(
             here, {TB_COUNT_NONZERO, TB_BOOL}, prepare,
             [=](const std::vector<T>& x) -> found_value<std::int64_t> { return {{std::int64_t(count(x))}}; });
}
template <typename T>
void nearly_all_zero(const array<T>& values) {
  random_numbers random(13);
  for (T& x : values) x = T((random.bits() >> 9 & 31) == 0);
}
template <typename T>
void nearly_none_zero(const array<T>& values) {
  random_numbers random(17);
  for (T& x : values) x = T((random.bits() >> 9 & 31) != 0);
}

template <typename T>
tb_status run_one(backend here, operation what, const std::vector<std::int64_t>& sizes,
                  const std::vector<std::int64_t>& in_strides, const std::vector<std::int64_t>& out_strides,
                  const prepare_input<T>& prepare, std::vector<T>& result) {
  stage memory(here);
  const shape of = {"", sizes, {out_strides, in_strides}};
  const auto in = make_operand<T>(memory, of, 1);
  const auto out = make_operand<T>(memory, of, 0);
  prepare(in.memory);
  tb_reduction call{};
  call.plan = make_plan(of, out, in);
  call.plan.reduced = 1;
  call.op = what.op;
  call.compute = what.compute;
  call.number[0] = {what.number, std::int64_t(what.number)};
  const tb_status status = memory.run([&](const tb_kernels& k) { return k.reduce(&call, nullptr); });
  result.assign(out.memory.begin(), out.memory.end());
  return status;
}

// The error of sums of `length` copies of 0.1, in units in the last place.
template <typename T>
double error_of_long_sum(backend here, std::int64_t length, std::int64_t columns) {
  std::vector<T> sums;
  const prepare_input<T> tenth = [](const array<T>& x) { std::fill(x.begin(), x.end(), T(0.1)); };
  CHECK(run_one<T>(here, {TB_SUM, dtype_of<T>}, {length, columns}, {columns, 1}, {0, 1}, tenth, sums) == TB_OK);
  const long double exact = static_cast<long double>(T(0.1)) * length;
  return double(std::fabs(sums.back() - exact) / exact / std::numeric_limits<T>::epsilon());
}

}  // namespace

TEMPLATE_TEST_CASE("reduce: sums, products, variances and norms of floats", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  CHECK(try_floats<float>(here) == "");
  CHECK(try_floats<double>(here) == "");
}

TEMPLATE_TEST_CASE("reduce: integers wrap", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  CHECK(try_integer(here, TB_SUM, [](std::uint64_t a, std::uint64_t b) { return a + b; }, 0) == "");
  CHECK(try_integer(here, TB_NANSUM, [](std::uint64_t a, std::uint64_t b) { return a + b; }, 0) == "");
  CHECK(try_integer(here, TB_PROD, [](std::uint64_t a, std::uint64_t b) { return a * b; }, 1) == "");
  CHECK(try_integer(here, TB_SUM_SQUARES, [](std::uint64_t a, std::uint64_t b) { return a + b * b; }, 0) == "");
}

TEMPLATE_TEST_CASE("reduce: maximum and minimum, the first of equals, and NaN above any number", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  for (int kind = 0; kind < 5; ++kind) {
    const auto run = [&]<typename T>(T) {
      const prepare_input<T> kinds[] = {samples<T>, few_values<T>, all_alike<T>, rising<T>, falling<T>};
      return try_order<T>(here, kinds[kind]);
    };
    CHECK(run(byte()) == "");
    CHECK(run(std::int64_t()) == "");
    CHECK(run(float()) == "");
    CHECK(run(double()) == "");
  }
}

TEMPLATE_TEST_CASE("reduce: any, all and count_nonzero", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const auto run = [&]<typename T>(T) {
    return try_truth<T>(here, samples<T>) + try_truth<T>(here, nearly_all_zero<T>) +
           try_truth<T>(here, nearly_none_zero<T>);
  };
  CHECK(run(byte()) == "");
  CHECK(run(std::int64_t()) == "");
  CHECK(run(float()) == "");
  CHECK(run(double()) == "");
}

TEMPLATE_TEST_CASE("reduce: operands are converted to the type of the computation and from it", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const auto count = [](const std::vector<byte>& x) { return std::count(x.begin(), x.end(), byte(1)); };
  CHECK(try_all<byte, std::int64_t>(
            here, {TB_SUM, TB_I64}, samples<byte>,
            [&](const std::vector<byte>& x) -> found_value<std::int64_t> { return {{std::int64_t(count(x))}}; }) == "");
  CHECK(try_all<byte, float>(here, {TB_SUM, TB_F32}, samples<byte>,
                             [&](const std::vector<byte>& x) -> found_value<float> {
                               return {{static_cast<long double>(count(x)), 1e-30L}};
                             }) == "");
  // Truncated before they are added.
  CHECK(try_all<float, std::int64_t>(here, {TB_SUM, TB_I64}, finite<float>,
                                     [](const std::vector<float>& x) -> found_value<std::int64_t> {
                                       std::int64_t sum = 0;
                                       for (const float v : x) sum += std::int64_t(v);
                                       return {{sum}};
                                     }) == "");
  CHECK(try_all<float, double>(here, {TB_SUM, TB_F64}, finite<float>,
                               [](const std::vector<float>& x) -> found_value<double> {
                                 const wide_result r = sum_of(wide(x.begin(), x.end()), as_it_is, 0);
                                 return {{r.value, ulps<double>(8, r.magnitude)}};
                               }) == "");
}

TEMPLATE_TEST_CASE("reduce: the error of a sum does not grow with the length", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const int length = scaled(1'000'003, 200'003);
  CHECK(error_of_long_sum<float>(here, length, 1) < 4);
  CHECK(error_of_long_sum<float>(here, scaled(300'007, 100'003), 3) < 4);
  CHECK(error_of_long_sum<float>(here, 20'011, 50) < 4);
  CHECK(error_of_long_sum<double>(here, length, 1) < 4);
  CHECK(error_of_long_sum<double>(here, 20'011, 50) < 4);
}

TEMPLATE_TEST_CASE("reduce: a large mean does not reduce the accuracy of the variance", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const auto run = [&]<typename T>(T, long double mean, std::int64_t columns) {
    const prepare_input<T> around = [&](const array<T>& x) {
      for (std::int64_t i = 0; i < x.size(); ++i) x[i] = T(mean + (i / columns % 2 == 0 ? 0.5L : -0.5L));
    };
    std::vector<T> found;
    CHECK(run_one<T>(here, {TB_VAR, dtype_of<T>, 0}, {1000, columns}, {columns, 1}, {0, 1}, around, found) == TB_OK);
    for (const T v : found) CHECK(v == T(0.25));
  };
  run(float(), 1e6L, 1);
  run(float(), 1e6L, 40);
  run(double(), 1e14L, 1);
  run(double(), 1e14L, 40);
}

TEMPLATE_TEST_CASE("reduce: logsumexp of large numbers does not overflow", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  std::vector<float> found;
  const prepare_input<float> great = [](const array<float>& x) { std::fill(x.begin(), x.end(), 1000.0f); };
  CHECK(run_one<float>(here, {TB_LOGSUMEXP, TB_F32}, {8, 3}, {3, 1}, {0, 1}, great, found) == TB_OK);
  for (const float v : found) CHECK(std::fabs(v - (1000.0f + std::log(8.0f))) < 1e-3f);
}

TEMPLATE_TEST_CASE("reduce: the same input gives the same bits", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const prepare_input<float> random = [](const array<float>& x) { fill_between(x, 6, -1, 1); };
  std::vector<float> first, again;
  CHECK(run_one<float>(here, {TB_SUM, TB_F32}, {100'003, 1}, {1, 1}, {0, 1}, random, first) == TB_OK);
  for (int n = 0; n < 5; ++n) {
    CHECK(run_one<float>(here, {TB_SUM, TB_F32}, {100'003, 1}, {1, 1}, {0, 1}, random, again) == TB_OK);
    CHECK(again == first);
  }
}

TEMPLATE_TEST_CASE("reduce: unsupported types are refused, and nothing is written", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const auto status = [&]<typename T>(T, int op, std::int32_t compute) {
    std::vector<T> result;
    const prepare_input<T> ones = [](const array<T>& x) { std::fill(x.begin(), x.end(), T(1)); };
    const tb_status found =
        run_one<T>(here, {static_cast<tb_reduction_op>(op), compute}, {4, 1}, {1, 1}, {0, 1}, ones, result);
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, result.data(), sizeof(T));
    CHECK(std::all_of(bytes, bytes + sizeof(T), [](unsigned char b) { return b == block::pattern; }));
    return found;
  };
  CHECK(status(byte(), TB_SUM, TB_BOOL) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(std::int64_t(), TB_VAR, TB_I64) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(std::int64_t(), TB_LOGSUMEXP, TB_I64) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(float(), TB_ANY, TB_F32) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(float(), TB_MAX_INDEX, TB_F32) == TB_UNSUPPORTED_DTYPE);  // no operand for the index
  CHECK(status(float(), TB_REDUCTION_COUNT, TB_F32) == TB_UNSUPPORTED_DTYPE);
  CHECK(status(float(), 31, TB_F32) == TB_UNSUPPORTED_DTYPE);  // the greatest code the enumeration can hold
}
