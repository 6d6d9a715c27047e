// Rules of the classifier's loss: log_softmax, nll_loss and their backward kernels.
#include "support.h"

using namespace kernel_tests;

namespace {

template <typename T>
tb_rows describe(std::int64_t rows, std::int64_t cols, T* out, const T* in, const void* aux = nullptr) {
  tb_rows picture{};
  picture.out = out;
  picture.in = in;
  picture.aux = aux;
  picture.rows = rows;
  picture.cols = cols;
  picture.dtype = dtype_of<T>;
  return picture;
}

// The model of one row: shifted by its greatest value, summed in long double.
template <typename T>
std::vector<long double> log_softmax_of(const T* row, std::int64_t cols) {
  long double top = -std::numeric_limits<long double>::infinity();
  for (std::int64_t c = 0; c < cols; ++c) top = std::fmax(top, static_cast<long double>(row[c]));
  long double sum = 0;
  for (std::int64_t c = 0; c < cols; ++c) sum += std::exp(row[c] - top);
  std::vector<long double> result;
  for (std::int64_t c = 0; c < cols; ++c) result.push_back(row[c] - top - std::log(sum));
  return result;
}

template <typename T>
std::string try_log_softmax(backend here, std::int64_t rows, std::int64_t cols,
                            const std::function<void(const array<T>&)>& prepare) {
  stage memory(here);
  const auto in = memory.make<T>(rows * cols);
  const auto out = memory.make<T>(rows * cols);
  prepare(in);
  const tb_rows picture = describe(rows, cols, out.seen_by_kernel(), in.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.log_softmax(&picture, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto want = log_softmax_of(in.begin() + r * cols, cols);
    for (std::int64_t c = 0; c < cols; ++c) {
      const long double value = want[std::size_t(c)];
      found.add(r * cols + c, out[r * cols + c], {value, std::isinf(value) ? 0 : ulps<T>(8, 1 + std::fabs(value))});
    }
  }
  return found.text();
}

template <typename T>
std::string try_log_softmax_backward(backend here, std::int64_t rows, std::int64_t cols) {
  stage memory(here);
  const auto gradient = memory.make<T>(rows * cols);
  const auto result = memory.make<T>(rows * cols);
  const auto out = memory.make<T>(rows * cols);
  fill_between(gradient, 8, -1, 1);
  fill_between(result, 9, -6, 0);
  const tb_rows picture =
      describe(rows, cols, out.seen_by_kernel(), gradient.seen_by_kernel(), result.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.log_softmax_backward(&picture, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    long double sum = 0;
    long double magnitude = 1;
    for (std::int64_t c = 0; c < cols; ++c) {
      sum += gradient[r * cols + c];
      magnitude += std::fabs(gradient[r * cols + c]);
    }
    for (std::int64_t c = r * cols; c < (r + 1) * cols; ++c) {
      found.add(c, out[c], {gradient[c] - std::exp(static_cast<long double>(result[c])) * sum, ulps<T>(8, magnitude)});
    }
  }
  return found.text();
}

template <typename T>
std::string try_nll(backend here, std::int64_t rows, std::int64_t cols) {
  stage memory(here);
  const auto in = memory.make<T>(rows * cols);
  const auto labels = memory.make<std::int64_t>(rows);
  const auto loss = memory.make<T>(1);
  const auto gradient = memory.make<T>(1);
  const auto spread = memory.make<T>(rows * cols);
  fill_between(in, 3, -5, 0);
  for (std::int64_t r = 0; r < rows; ++r) labels[r] = r * 7 % cols;
  gradient[0] = T(1.5);
  fill_with_samples(spread, 4);

  const tb_rows forward = describe(rows, cols, loss.seen_by_kernel(), in.seen_by_kernel(), labels.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.nll_loss(&forward, nullptr); }) == TB_OK);
  long double sum = 0;
  for (std::int64_t r = 0; r < rows; ++r) sum -= in[r * cols + labels[r]];
  differences<T> found;
  found.add(0, loss[0], {sum / rows, ulps<T>(2 + std::sqrt(double(rows)), sum / rows)});

  const tb_rows backward =
      describe(rows, cols, spread.seen_by_kernel(), gradient.seen_by_kernel(), labels.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.nll_loss_backward(&backward, nullptr); }) == TB_OK);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) {
      const long double want = c == labels[r] ? -1.5L / rows : 0.0L;
      found.add(r * cols + c, spread[r * cols + c], {want, want == 0 ? 0 : ulps<T>(2, want)});
    }
  }
  return found.text();
}

template <typename T>
std::string try_bad_label(backend here, std::int64_t bad) {
  constexpr std::int64_t rows = 300;
  constexpr std::int64_t cols = 10;
  stage memory(here);
  const auto in = memory.make<T>(rows * cols);
  const auto labels = memory.make<std::int64_t>(rows);
  const auto out = memory.make<T>(rows * cols);
  fill_between(in, 3, -5, 0);
  std::fill(labels.begin(), labels.end(), 3);
  labels[rows - 1] = bad;
  const tb_rows picture = describe(rows, cols, out.seen_by_kernel(), in.seen_by_kernel(), labels.seen_by_kernel());
  std::string failures;
  if (memory.run([&](const tb_kernels& k) { return k.nll_loss(&picture, nullptr); }) != TB_BAD_INDEX) {
    failures += "nll_loss took it ";
  }
  if (memory.run([&](const tb_kernels& k) { return k.nll_loss_backward(&picture, nullptr); }) != TB_BAD_INDEX) {
    failures += "nll_loss_backward took it";
  }
  return failures;
}

}  // namespace

TEMPLATE_TEST_CASE("log_softmax: x minus the logarithm of the row's sum of exponentials", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto prepare = [](const auto& values) { fill_between(values, 7, -20, 20); };
  std::string failures;
  for (const std::int64_t cols : awkward_sizes) {
    failures += try_log_softmax<float>(here, 3, cols, prepare) + try_log_softmax<double>(here, 3, cols, prepare);
  }
  CHECK(failures == "");
  CHECK(try_log_softmax<float>(here, 257, 10, prepare) == "");
  CHECK(try_log_softmax<float>(here, 0, 10, prepare) == "");
}

TEMPLATE_TEST_CASE("log_softmax: great and small inputs neither overflow nor vanish", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto great = [](const auto& values) { fill_between(values, 7, 9990, 10010); };
  const auto wide = [](const auto& values) { fill_between(values, 7, -1e4, 1e4); };
  for (const std::int64_t cols : {1, 10, 33}) {
    CHECK(try_log_softmax<float>(here, 4, cols, great) == "");
    CHECK(try_log_softmax<double>(here, 4, cols, great) == "");
    CHECK(try_log_softmax<float>(here, 4, cols, wide) == "");
    CHECK(try_log_softmax<double>(here, 4, cols, wide) == "");
  }
}

TEMPLATE_TEST_CASE("log_softmax: a NaN or +infinity makes its row NaN, -infinity stays in its place", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const double corner : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    for (const std::int64_t place : {0, 5, 20, 38}) {
      const auto prepare = [=](const auto& values) {
        fill_between(values, 7, -2, 2);
        values[39 + place] = static_cast<std::remove_cvref_t<decltype(values[0])>>(corner);
      };
      CHECK(try_log_softmax<float>(here, 3, 39, prepare) == "");
      CHECK(try_log_softmax<double>(here, 3, 39, prepare) == "");
    }
  }
}

TEMPLATE_TEST_CASE("log_softmax_backward: gradient minus probability times the row's gradient", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  for (const std::int64_t cols : awkward_sizes) {
    failures += try_log_softmax_backward<float>(here, 3, cols) + try_log_softmax_backward<double>(here, 3, cols);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("nll_loss: the mean of minus the labelled entries, and its gradient at the labels", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  std::string failures;
  for (const std::int64_t rows : {1, 2, 31, 33, 64, 300, 2000}) {
    failures += try_nll<float>(here, rows, 10) + try_nll<double>(here, rows, 3);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("nll_loss: the mean of no rows is NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  stage memory(here);
  const auto none = memory.make<float>(0);
  const auto labels = memory.make<std::int64_t>(0);
  const auto loss = memory.make<float>(1);
  const tb_rows picture = describe(0, 10, loss.seen_by_kernel(), none.seen_by_kernel(), labels.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.nll_loss(&picture, nullptr); }) == TB_OK);
  CHECK(std::isnan(loss[0]));
}

TEMPLATE_TEST_CASE("nll_loss: a label outside the columns is reported and nothing outside is touched", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(10), INT64_MIN, INT64_MAX}) {
    CHECK(try_bad_label<float>(here, bad) == "");
    CHECK(try_bad_label<double>(here, bad) == "");
  }
}

TEMPLATE_TEST_CASE("rows: integers are not supported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  tb_rows picture{};
  picture.dtype = TB_I64;
  CHECK(here.kernels->log_softmax(&picture, nullptr) == TB_UNSUPPORTED_DTYPE);
  CHECK(here.kernels->log_softmax_backward(&picture, nullptr) == TB_UNSUPPORTED_DTYPE);
  CHECK(here.kernels->nll_loss(&picture, nullptr) == TB_UNSUPPORTED_DTYPE);
  CHECK(here.kernels->nll_loss_backward(&picture, nullptr) == TB_UNSUPPORTED_DTYPE);
}
