// Rules of sum and argmax over [outer][length][inner].
#include "support.h"

using namespace kernel_tests;

namespace {

struct extent {
  std::int64_t outer, length, inner;
};

std::vector<extent> extents(bool with_empty) {
  std::vector<extent> all;
  for (const std::int64_t n : awkward_sizes) {
    if (n == 0) continue;
    all.insert(all.end(), {{1, n, 1}, {3, n, 1}, {1, 5, n}, {2, 9, n}, {n, 2, 3}});
  }
  all.insert(all.end(), {{1, 2000, 1}, {2, 1500, 2}, {1, 1537, 70}});
  if (with_empty) all.insert(all.end(), {{2, 0, 3}, {2, 0, 1}});
  all.insert(all.end(), {{0, 4, 1}, {2, 4, 0}});
  return all;
}

template <typename T>
tb_reduce describe(extent of, void* out, const array<T>& in) {
  tb_reduce reduce{};
  reduce.out = out;
  reduce.in = in.seen_by_kernel();
  reduce.outer = of.outer;
  reduce.length = of.length;
  reduce.inner = of.inner;
  reduce.dtype = dtype_of<T>;
  return reduce;
}

std::string name_of(extent of) {
  return " in [" + std::to_string(of.outer) + "][" + std::to_string(of.length) + "][" + std::to_string(of.inner) +
         "]\n";
}

// prepare(values) fills the input; want(get, length) gives the result of the run whose elements are get(l).
template <typename In>
using prepare_input = std::function<void(const array<In>&)>;
template <typename In>
using element = std::function<In(std::int64_t)>;

template <typename Out, typename In>
std::string try_reduce(backend here, const std::vector<extent>& shapes,
                       tb_status (*kernel)(const tb_kernels&, const tb_reduce*), const prepare_input<In>& prepare,
                       const std::function<expected<Out>(const element<In>&, std::int64_t)>& want) {
  std::string failures;
  for (const extent of : shapes) {
    stage memory(here);
    const auto in = memory.make<In>(of.outer * of.length * of.inner);
    const auto out = memory.make<Out>(of.outer * of.inner);
    prepare(in);
    const tb_reduce reduce = describe(of, out.seen_by_kernel(), in);
    CHECK(memory.run([&](const tb_kernels& k) { return kernel(k, &reduce); }) == TB_OK);
    differences<Out> found;
    for (std::int64_t o = 0; o < of.outer; ++o) {
      for (std::int64_t c = 0; c < of.inner; ++c) {
        const auto get = [&](std::int64_t l) { return in[(o * of.length + l) * of.inner + c]; };
        found.add(o * of.inner + c, out[o * of.inner + c], want(get, of.length));
      }
    }
    if (found.text() != "") failures += found.text() + name_of(of);
  }
  return failures;
}

tb_status run_sum(const tb_kernels& k, const tb_reduce* reduce) { return k.sum(reduce, nullptr); }
tb_status run_argmax(const tb_kernels& k, const tb_reduce* reduce) { return k.argmax(reduce, nullptr); }

template <typename T>
void samples(const array<T>& values) {
  fill_with_samples(values, 11);
}

template <typename T>
expected<T> sum_model(const element<T>& get, std::int64_t length) {
  long double sum = 0;
  long double magnitude = 0;
  for (std::int64_t l = 0; l < length; ++l) {
    sum += get(l);
    magnitude += std::fabs(static_cast<long double>(get(l)));
  }
  return {sum, ulps<T>(8, magnitude)};
}

template <typename T>
std::string try_float_sum(backend here) {
  const auto finite = [](const array<T>& values) { fill_between(values, 5, -4, 4); };
  return try_reduce<T, T>(here, extents(true), run_sum, finite, sum_model<T>) +
         try_reduce<T, T>(here, extents(true), run_sum, samples<T>, sum_model<T>);
}

template <typename T>
std::string try_integer_sum(backend here) {
  return try_reduce<std::int64_t, T>(here, extents(true), run_sum, samples<T>,
                                     [](const element<T>& get, std::int64_t length) {
                                       std::uint64_t sum = 0;
                                       for (std::int64_t l = 0; l < length; ++l) sum += std::uint64_t(get(l));
                                       return expected<std::int64_t>{static_cast<std::int64_t>(sum)};
                                     });
}

template <typename T>
std::string try_argmax(backend here, const std::vector<extent>& shapes, const prepare_input<T>& prepare) {
  return try_reduce<std::int64_t, T>(here, shapes, run_argmax, prepare, [](const element<T>& get, std::int64_t length) {
    for (std::int64_t l = 0; l < length; ++l) {
      if (get(l) != get(l)) return expected<std::int64_t>{l};
    }
    std::int64_t best = 0;
    for (std::int64_t l = 0; l < length; ++l) {
      if (get(l) > get(best)) best = l;
    }
    return expected<std::int64_t>{best};
  });
}

// The error of a float sum of `length` copies of 0.1, in units in the last place.
template <typename T>
double error_of_long_sum(backend here, extent of) {
  stage memory(here);
  const auto in = memory.make<T>(of.outer * of.length * of.inner);
  const auto out = memory.make<T>(of.outer * of.inner);
  std::fill(in.begin(), in.end(), T(0.1));
  const tb_reduce reduce = describe(of, out.seen_by_kernel(), in);
  CHECK(memory.run([&](const tb_kernels& k) { return k.sum(&reduce, nullptr); }) == TB_OK);
  const long double exact = static_cast<long double>(T(0.1)) * of.length;
  return double(std::fabs(out[0] - exact) / exact / std::numeric_limits<T>::epsilon());
}

}  // namespace

TEMPLATE_TEST_CASE("sum: adds the middle of [outer][length][inner]; NaN and infinity come through", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_float_sum<float>(here) == "");
  CHECK(try_float_sum<double>(here) == "");
}

TEMPLATE_TEST_CASE("sum: BOOL counts into I64, and I64 wraps", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_integer_sum<byte>(here) == "");
  CHECK(try_integer_sum<std::int64_t>(here) == "");
}

TEMPLATE_TEST_CASE("sum: the rounding error of a million floats stays within a few units", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(error_of_long_sum<float>(here, {1, 1'000'003, 1}) < 8);
  CHECK(error_of_long_sum<float>(here, {1, 300'007, 3}) < 8);
}

TEMPLATE_TEST_CASE("sum: the same input gives the same bits", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  stage memory(here);
  const auto in = memory.make<float>(100'003);
  const auto out = memory.make<float>(1);
  fill_between(in, 6, -1, 1);
  const tb_reduce reduce = describe({1, 100'003, 1}, out.seen_by_kernel(), in);
  CHECK(memory.run([&](const tb_kernels& k) { return k.sum(&reduce, nullptr); }) == TB_OK);
  const float first = out[0];
  for (int again = 0; again < 5; ++again) {
    CHECK(memory.run([&](const tb_kernels& k) { return k.sum(&reduce, nullptr); }) == TB_OK);
    CHECK(out[0] == first);
  }
}

TEMPLATE_TEST_CASE("argmax: the first of equals, and the first NaN before any number", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_argmax<byte>(here, extents(false), samples<byte>) == "");
  CHECK(try_argmax<std::int64_t>(here, extents(false), samples<std::int64_t>) == "");
  CHECK(try_argmax<float>(here, extents(false), samples<float>) == "");
  CHECK(try_argmax<double>(here, extents(false), samples<double>) == "");
}

TEMPLATE_TEST_CASE("argmax: finds the greatest wherever it stands in a long row", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const std::int64_t place : {0, 1, 15, 16, 63, 64, 100, 255, 256, 259}) {
    const auto peak = [place]<typename T>(const array<T>& values) {
      std::fill(values.begin(), values.end(), T(-3));
      values[place] = T(2);
      values[259] = T(2);
    };
    CHECK(try_argmax<float>(here, {{1, 260, 1}}, peak) == "");
    CHECK(try_argmax<double>(here, {{1, 260, 1}}, peak) == "");
    CHECK(try_argmax<std::int64_t>(here, {{1, 260, 1}}, peak) == "");
    const auto nan = [place]<typename T>(const array<T>& values) {
      std::fill(values.begin(), values.end(), std::numeric_limits<T>::infinity());
      values[place] = std::numeric_limits<T>::quiet_NaN();
      values[259] = std::numeric_limits<T>::quiet_NaN();
    };
    CHECK(try_argmax<float>(here, {{1, 260, 1}}, nan) == "");
    CHECK(try_argmax<double>(here, {{1, 260, 1}}, nan) == "");
  }
}

TEMPLATE_TEST_CASE("argmax: of nothing but -infinity is the first", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto lowest = []<typename T>(const array<T>& values) {
    std::fill(values.begin(), values.end(), -std::numeric_limits<T>::infinity());
  };
  CHECK(try_argmax<float>(here, {{1, 260, 1}, {2, 3, 4}}, lowest) == "");
}
