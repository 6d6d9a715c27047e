// Rules of operations on rows that the classifier needs: log_softmax, the loss given labels, and their gradients.
#include "oracle/rows.h"
#include "support.h"

using namespace kernel_tests;

namespace {

struct operand {
  const void* data;
  std::int64_t length;
  std::int32_t dtype;
};

// Dense rows, the first of which are written.
template <typename T>
tb_rowwise describe(tb_rowwise_op op, std::int64_t rows, int written, std::initializer_list<operand> operands) {
  tb_rowwise picture{};
  picture.op = op;
  picture.compute = dtype_of<T>;
  picture.ndim = 1;
  picture.sizes[0] = rows;
  for (const operand& o : operands) {
    tb_row_operand& row = picture.row[picture.operands];
    row.data = const_cast<void*>(o.data);
    row.strides[0] = row.length = o.length;
    row.step = 1;
    row.dtype = o.dtype;
    row.written = picture.operands < written ? 1 : 0;
    ++picture.operands;
  }
  picture.number[0] = {-100, -100};
  return picture;
}
template <typename T>
operand row_of(const T* data, std::int64_t length) {
  return {data, length, dtype_of<T>};
}

template <typename T>
std::string try_log_softmax(backend here, std::int64_t rows, std::int64_t cols,
                            const std::function<void(const array<T>&)>& prepare) {
  stage memory(here);
  const auto in = memory.make<T>(rows * cols);
  const auto out = memory.make<T>(rows * cols);
  prepare(in);
  const tb_rowwise picture =
      describe<T>(TB_LOG_SOFTMAX, rows, 1, {row_of(out.seen_by_kernel(), cols), row_of(in.seen_by_kernel(), cols)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&picture, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const oracle::exponentials want(cols, [&](std::int64_t c) { return in[r * cols + c]; });
    for (std::int64_t c = 0; c < cols; ++c) {
      const long double value = want.log_softmax(in[r * cols + c]);
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
  const tb_rowwise picture = describe<T>(TB_LOG_SOFTMAX_BACKWARD, rows, 1,
                                         {row_of(out.seen_by_kernel(), cols), row_of(gradient.seen_by_kernel(), cols),
                                          row_of(result.seen_by_kernel(), cols)});
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&picture, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto sum = oracle::sum_of(cols, [&](std::int64_t c) { return gradient[r * cols + c]; });
    for (std::int64_t c = r * cols; c < (r + 1) * cols; ++c) {
      found.add(
          c, out[c],
          {gradient[c] - std::exp(static_cast<long double>(result[c])) * sum.value, ulps<T>(8, 1 + sum.magnitude)});
    }
  }
  return found.text();
}

template <typename T>
tb_rowwise nll_forward(std::int64_t rows, std::int64_t cols, const T* loss, const T* weight, const T* in,
                       const std::int64_t* labels) {
  return describe<T>(TB_NLL, rows, 2,
                     {row_of(loss, 1), row_of(weight, 1), row_of(in, cols), row_of(labels, 1), {nullptr, 0, 0}});
}
template <typename T>
tb_rowwise nll_backward(std::int64_t rows, std::int64_t cols, const T* out, const T* gradient,
                        const std::int64_t* labels) {
  return describe<T>(TB_NLL_BACKWARD, rows, 1,
                     {row_of(out, cols), row_of(gradient, 1), row_of(labels, 1), {nullptr, 0, 0}});
}

template <typename T>
std::string try_nll(backend here, std::int64_t rows, std::int64_t cols) {
  stage memory(here);
  const auto in = memory.make<T>(rows * cols);
  const auto labels = memory.make<std::int64_t>(rows);
  const auto loss = memory.make<T>(rows);
  const auto weight = memory.make<T>(rows);
  const auto spread = memory.make<T>(rows * cols);
  fill_between(in, 3, -5, 0);
  for (std::int64_t r = 0; r < rows; ++r) labels[r] = r * 7 % cols;
  labels[rows - 1] = -100;
  fill_with_samples(spread, 4);

  const tb_rowwise forward = nll_forward<T>(rows, cols, loss.seen_by_kernel(), weight.seen_by_kernel(),
                                            in.seen_by_kernel(), labels.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&forward, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const bool counts = labels[r] >= 0;
    found.add(r, loss[r], {counts ? -in[r * cols + labels[r]] : T(0), 0});
    found.add(r, weight[r], {counts ? T(1) : T(0), 0});
  }

  const tb_rowwise backward =
      nll_backward<T>(rows, cols, spread.seen_by_kernel(), loss.seen_by_kernel(), labels.seen_by_kernel());
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&backward, nullptr); }) == TB_OK);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < cols; ++c) {
      found.add(r * cols + c, spread[r * cols + c], {c == labels[r] ? -loss[r] : T(0), 0});
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
  std::int64_t told = 0;
  tb_rowwise picture = nll_forward<T>(rows, cols, out.seen_by_kernel(), out.seen_by_kernel(), in.seen_by_kernel(),
                                      labels.seen_by_kernel());
  picture.bad_index = &told;
  std::string failures;
  if (memory.run([&](const tb_kernels& k) { return k.rowwise(&picture, nullptr); }) != TB_BAD_INDEX ||
      memory.refused(told) != bad) {
    failures += "TB_NLL took it ";
  }
  const tb_rowwise backward =
      nll_backward<T>(rows, cols, out.seen_by_kernel(), in.seen_by_kernel(), labels.seen_by_kernel());
  if (memory.run([&](const tb_kernels& k) { return k.rowwise(&backward, nullptr); }) != TB_BAD_INDEX) {
    failures += "TB_NLL_BACKWARD took it";
  }
  return failures;
}

}  // namespace

TEMPLATE_TEST_CASE("log_softmax: x minus the logarithm of the row's sum of exponentials", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  const auto prepare = [](const auto& values) { fill_between(values, 7, -20, 20); };
  std::string failures;
  for (const std::int64_t cols : awkward_sizes) {
    failures += try_log_softmax<float>(here, 3, cols, prepare) + try_log_softmax<double>(here, 3, cols, prepare);
  }
  CHECK(failures == "");
  CHECK(try_log_softmax<float>(here, 257, 10, prepare) == "");
  CHECK(try_log_softmax<float>(here, 0, 10, prepare) == "");
}

TEMPLATE_TEST_CASE("log_softmax: large and small inputs neither overflow nor underflow", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  const auto great = [](const auto& values) { fill_between(values, 7, 9990, 10010); };
  const auto wide = [](const auto& values) { fill_between(values, 7, -1e4, 1e4); };
  for (const std::int64_t cols : {1, 10, 33}) {
    CHECK(try_log_softmax<float>(here, 4, cols, great) == "");
    CHECK(try_log_softmax<double>(here, 4, cols, great) == "");
    CHECK(try_log_softmax<float>(here, 4, cols, wide) == "");
    CHECK(try_log_softmax<double>(here, 4, cols, wide) == "");
  }
}

TEMPLATE_TEST_CASE("log_softmax: a NaN or +infinity makes its row NaN, -infinity affects its element only", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
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
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t cols : awkward_sizes) {
    failures += try_log_softmax_backward<float>(here, 3, cols) + try_log_softmax_backward<double>(here, 3, cols);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("nll_loss: minus the labelled entries, and its gradient at the labels", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t rows : {1, 2, 31, 33, 64, 300, 2000}) {
    failures += try_nll<float>(here, rows, 10) + try_nll<double>(here, rows, 3);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("nll_loss: the mean of no rows is NaN, their sum 0", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  stage memory(here);
  const auto none = memory.make<float>(0);
  const auto loss = memory.make<float>(1);
  const auto weight = memory.make<float>(1);
  for (const bool divided : {true, false}) {
    tb_rowwise picture = describe<float>(TB_NLL_TOTAL, 1, 2,
                                         {row_of(loss.seen_by_kernel(), 1), row_of(weight.seen_by_kernel(), 1),
                                          row_of(none.seen_by_kernel(), 0), row_of(none.seen_by_kernel(), 0)});
    picture.number[0].i = divided ? 1 : 0;
    CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&picture, nullptr); }) == TB_OK);
    CHECK((divided ? std::isnan(loss[0]) : loss[0] == 0));
    CHECK(weight[0] == 0);
  }
}

TEMPLATE_TEST_CASE("nll_loss: a label outside the columns is reported and nothing outside is accessed", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(10), INT64_MIN, INT64_MAX}) {
    CHECK(try_bad_label<float>(here, bad) == "");
    CHECK(try_bad_label<double>(here, bad) == "");
  }
}

TEMPLATE_TEST_CASE("rows: floating-point operations refuse integers", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const tb_rowwise_op op : {TB_SOFTMAX, TB_LOG_SOFTMAX_BACKWARD, TB_NLL, TB_NLL_BACKWARD, TB_LAYER_NORM}) {
    tb_rowwise picture{};
    picture.op = op;
    picture.compute = TB_I64;
    CHECK(here.kernels->rowwise(&picture, nullptr) == TB_UNSUPPORTED_DTYPE);
  }
}
