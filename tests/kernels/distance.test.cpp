// Rules of distances of rows, against plain loops.
#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename Table>
backend need_distances() {
  const backend here = need<Table>(&tb_kernels::rowwise);
  if (here.kernels->runs != nullptr && here.kernels->runs(TB_ENTRY_ROWWISE, TB_DISTANCE) == 0) {
    SKIP("no such operation in the table " << here.kernels->name);
  }
  return here;
}

// Some batches of rows of points, each beside points of its own or all beside the same.
struct problem {
  std::int64_t batches, rows, points, terms;
  double order;
  bool shared;

  std::string text() const {
    std::ostringstream all;
    all << batches << " x " << rows << " x " << points << " x " << terms << ", order " << order << (shared ? ", " : "");
    return all.str() + (shared ? "shared" : "");
  }
};

template <typename T>
tb_rowwise call_of(const problem& p, const array<T>& out, const array<T>& in, const array<T>& points) {
  tb_rowwise call = rows_call<T>(TB_DISTANCE, p.rows, 1,
                                 {{out.seen_by_kernel(), p.points, p.points, 1, dtype_of<T>},
                                  {in.seen_by_kernel(), p.terms, p.terms, 1, dtype_of<T>},
                                  {points.seen_by_kernel(), p.points * p.terms, 0, 1, dtype_of<T>}});
  call.ndim = 2;
  call.sizes[1] = p.batches;
  call.row[0].strides[1] = p.rows * p.points;
  call.row[1].strides[1] = p.rows * p.terms;
  call.row[2].strides[1] = p.shared ? 0 : p.points * p.terms;
  call.number[0].f = p.order;
  return call;
}

// Differences of infinities are NaN, and a NaN among them is the distance, but for order 0, where it counts.
template <typename T>
expected<T> distance_of(const T* a, const T* b, const problem& p) {
  long double sum = 0;
  bool lacks = false;
  for (std::int64_t k = 0; k < p.terms; ++k) {
    const long double x = std::fabs(static_cast<long double>(a[k]) - static_cast<long double>(b[k]));
    lacks = lacks || std::isnan(x);
    sum = p.order == 0          ? sum + (x != 0 ? 1 : 0)
          : std::isinf(p.order) ? std::max(sum, x)
                                : sum + std::pow(x, static_cast<long double>(p.order));
  }
  if (lacks && p.order != 0) return {std::numeric_limits<long double>::quiet_NaN()};
  if (p.order == 0 || std::isinf(p.order)) return {sum, ulps<T>(1, sum)};
  // Each term has the error of the difference, of its power and of a block of 32 additions, of half an ulp each, and
  // the double sums that of a long row.
  const double order = p.order, terms = 2 + order + 32 + (sizeof(T) == 8 ? double(p.terms) / 32 : 0);
  const long double norm = std::pow(sum, 1 / static_cast<long double>(order));
  return {norm, ulps<T>(terms / 2 / order + 1, norm)};
}

template <typename T>
std::string mismatch(const problem& p, const T* out, const T* in, const T* points) {
  differences<T> found;
  for (std::int64_t b = 0; b < p.batches; ++b) {
    for (std::int64_t i = 0; i < p.rows; ++i) {
      for (std::int64_t j = 0; j < p.points; ++j) {
        const std::int64_t at = (b * p.rows + i) * p.points + j;
        const T* const point = points + ((p.shared ? 0 : b * p.points) + j) * p.terms;
        found.add(at, out[at], distance_of(in + (b * p.rows + i) * p.terms, point, p));
      }
    }
  }
  return found.text() == "" ? "" : p.text() + ": " + found.text() + "\n";
}

template <typename T, typename Fill>
std::string try_distances(backend here, const problem& p, Fill fill) {
  stage memory(here);
  const auto in = memory.make<T>(p.batches * p.rows * p.terms);
  const auto points = memory.make<T>((p.shared ? 1 : p.batches) * p.points * p.terms);
  const auto out = memory.make<T>(p.batches * p.rows * p.points);
  fill(in, points);
  const tb_rowwise call = call_of(p, out, in, points);
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  return mismatch(p, out.begin(), in.begin(), points.begin());
}

template <typename T>
std::string try_numbers(backend here, const problem& p) {
  return try_distances<T>(here, p, [&](const array<T>& in, const array<T>& points) {
    fill_between(in, std::uint64_t(p.rows + p.terms), -2, 3);
    fill_between(points, std::uint64_t(p.points * p.terms + 1), -2, 3);
    // Some equal elements, for order 0, and some equal rows.
    random_numbers random(std::uint64_t(p.points + 7));
    for (T& x : points) {
      if (in.size() > 0 && (random.bits() >> 9) % 4 == 0) x = in[std::int64_t(random.bits() >> 9) % in.size()];
    }
    if (p.terms > 0) std::copy_n(in.begin(), p.terms, points.begin());
  });
}

}  // namespace

TEMPLATE_TEST_CASE("distance: norms of all differences, for every shape of tiles", "[kernels]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  std::string failures;
  random_numbers random(31);
  const auto one_of = [&](std::initializer_list<std::int64_t> all) {
    return all.begin()[(random.bits() >> 9) % all.size()];
  };
  for (const double order : {0.0, 1.0, 2.0, infinity, 0.5, 3.0}) {
    for (int i = 0; i < scaled(60); ++i) {
      const problem p{one_of({1, 1, 2, 3}),
                      one_of({1, 2, 5, 6, 7, 12, 59, 60, 61, 67, 121}),
                      one_of({1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 65}),
                      one_of({0, 1, 2, 3, 4, 15, 16, 31, 32, 33, 63, 65, 100}),
                      order,
                      i % 2 == 0};
      failures += try_numbers<float>(here, p) + try_numbers<double>(here, p);
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("distance: the error of a float's distance does not grow with the row", "[kernels]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  for (const double order : {1.0, 2.0}) {
    // Of equal terms each addition to a long sum is rounded to the same side.
    CHECK(try_distances<float>(here, {1, 7, 3, 100001, order, true},
                               [](const array<float>& in, const array<float>& points) {
                                 std::fill(in.begin(), in.end(), 0.1f);
                                 std::fill(points.begin(), points.end(), 0.0f);
                               }) == "");
    CHECK(try_numbers<double>(here, {1, 7, 3, 10001, order, true}) == "");
  }
}

TEMPLATE_TEST_CASE("distance: squares of floats neither overflow nor vanish", "[kernels]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  for (const double size : {1e30, 1e-15, 1e-25, 1e-38}) {
    const problem p{1, 8, 35, 5, 2, true};
    CHECK(try_distances<float>(here, p, [&](const array<float>& in, const array<float>& points) {
            fill_between(in, 5, -size, size);
            fill_between(points, 6, -size, size);
            // A small term beside others, and an ordinary distance among the large or small ones.
            in[0] = 3;
            points[2 * 5 + 1] = 4;
          }) == "");
  }
}

TEMPLATE_TEST_CASE("distance: NaN and infinity, in any place", "[kernels]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  std::string failures;
  for (const double order : {0.0, 1.0, 2.0, infinity, 3.0}) {
    for (const std::int64_t terms : {1, 4, 40}) {
      const problem p{1, 9, 37, terms, order, true};
      failures += try_distances<float>(here, p,
                                       [&](const array<float>& in, const array<float>& points) {
                                         fill_with_samples(in, std::uint64_t(terms));
                                         fill_with_samples(points, std::uint64_t(terms + 1));
                                       }) +
                  try_distances<double>(here, p, [&](const array<double>& in, const array<double>& points) {
                    fill_with_samples(in, std::uint64_t(terms + 2));
                    fill_with_samples(points, std::uint64_t(terms + 3));
                  });
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("distance: a distance has the same bits wherever it is computed", "[kernels]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  const problem p{1, 70, 50, 45, 2, true};
  stage memory(here);
  const auto in = memory.make<float>(p.rows * p.terms), points = memory.make<float>(p.points * p.terms);
  const auto out = memory.make<float>(p.rows * p.points), single = memory.make<float>(1);
  fill_between(in, 8, -1, 1);
  fill_between(points, 9, -1, 1);
  const tb_rowwise call = call_of(p, out, in, points);
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  for (std::int64_t i = 0; i < p.rows; i += 3) {
    for (std::int64_t j = 0; j < p.points; ++j) {
      problem one = p;
      one.rows = one.points = 1;
      tb_rowwise other = call_of(one, single, in, points);
      other.row[1].data = static_cast<char*>(other.row[1].data) + i * p.terms * 4;
      other.row[2].data = static_cast<char*>(other.row[2].data) + j * p.terms * 4;
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&other, nullptr); }) == TB_OK);
      CHECK(single[0] == out[i * p.points + j]);
    }
  }
}

TEMPLATE_TEST_CASE("distance: the same bits for every number of threads", "[kernels][threads]", EVERY_TABLE) {
  const backend here = need_distances<TestType>();
  const problem p{2, 200, 130, 40, 2, false};
  stage memory(here);
  const auto in = memory.make<float>(p.batches * p.rows * p.terms),
             points = memory.make<float>(p.batches * p.points * p.terms),
             out = memory.make<float>(p.batches * p.rows * p.points);
  fill_between(in, 8, -1, 1);
  fill_between(points, 9, -1, 1);
  const tb_rowwise call = call_of(p, out, in, points);
  CHECK(same_on_threads(out, [&] {
          CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
        }) == "");
  CHECK(mismatch(p, out.begin(), in.begin(), points.begin()) == "");
}
