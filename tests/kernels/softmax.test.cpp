// Rules of softmax along rows and across rows that stand side by side, against sums in long double.
#include "oracle/rows.h"
#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

enum class form { softmax, log_softmax, softmax_backward, log_softmax_backward };
constexpr form all_forms[] = {form::softmax, form::log_softmax, form::softmax_backward, form::log_softmax_backward};
constexpr tb_rowwise_op op_of(form f) {
  constexpr tb_rowwise_op ops[] = {TB_SOFTMAX, TB_LOG_SOFTMAX, TB_SOFTMAX_BACKWARD, TB_LOG_SOFTMAX_BACKWARD};
  return ops[static_cast<int>(f)];
}
constexpr bool is_backward(form f) { return f == form::softmax_backward || f == form::log_softmax_backward; }

using row = std::vector<long double>;

// `b` is the result of a backward form, whose gradient is `a`.
std::vector<expected<float>> wanted(form f, const row& a, const row& b, long double unit) {
  std::vector<expected<float>> want;
  const oracle::exponentials shifted(a);
  const auto product = oracle::sum_of(b.size(), [&](std::size_t i) { return a[i] * b[i]; });
  const auto gradients = oracle::sum_of(b.size(), [&](std::size_t i) { return a[i]; });
  for (std::size_t i = 0; i < a.size(); ++i) {
    switch (f) {
      case form::softmax: {
        const long double value = shifted.softmax(a[i]);
        // The difference from the greatest is rounded before its exponential is taken.
        want.push_back({value, (8 + 0.5L * std::fabs(a[i] - shifted.greatest)) * unit * value + 1e-45L});
        break;
      }
      case form::log_softmax: {
        const long double value = shifted.log_softmax(a[i]);
        want.push_back({value, std::isinf(value) ? 0 : 8 * unit * (1 + std::fabs(value))});
        break;
      }
      case form::softmax_backward: want.push_back({(a[i] - product.value) * b[i], 16 * unit}); break;
      case form::log_softmax_backward:
        want.push_back({a[i] - std::exp(b[i]) * gradients.value, 8 * unit * (1 + gradients.magnitude)});
        break;
    }
  }
  return want;
}

template <typename T>
std::string try_form(backend here, form f, std::int64_t rows, std::int64_t length, lie in_lie, lie out_lie,
                     const std::function<void(const array<T>&)>& prepare) {
  stage memory(here);
  const auto a = memory.make<T>(rows * length), b = memory.make<T>(rows * length), out = memory.make<T>(rows * length);
  prepare(a);
  if (f == form::softmax_backward) fill_between(b, 5, 0, 2 / double(length + 1));
  if (f == form::log_softmax_backward) fill_between(b, 5, -8, 0);
  tb_rowwise call = rows_call<T>(op_of(f), rows, 1, {matrix(out, length, out_lie), matrix(a, length, in_lie)});
  if (is_backward(f)) {
    call = rows_call<T>(op_of(f), rows, 1,
                        {matrix(out, length, out_lie), matrix(a, length, in_lie), matrix(b, length, in_lie)});
  }
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    row x, y;
    for (std::int64_t i = 0; i < length; ++i) {
      x.push_back(a[in_lie.at(r, i)]);
      if (is_backward(f)) y.push_back(b[in_lie.at(r, i)]);
    }
    const auto want = wanted(f, x, y, std::numeric_limits<T>::epsilon());
    for (std::int64_t i = 0; i < length; ++i) {
      const auto& one = want[std::size_t(i)];
      found.add(r * length + i, out[out_lie.at(r, i)], {one.value, one.slack});
    }
  }
  return found.text();
}

template <typename T>
void fill_small(const array<T>& values) {
  fill_between(values, 3, -6, 6);
}

// Rows of every way to lie, in and out.
template <typename T>
std::string try_lies(backend here, form f, std::int64_t rows, std::int64_t length) {
  std::string failures;
  for (const bool in_beside : {false, true}) {
    for (const bool out_beside : {false, true}) {
      const lie in = in_beside ? beside(rows) : behind(length), out = out_beside ? beside(rows) : behind(length);
      const std::string text = try_form<T>(here, f, rows, length, in, out, fill_small<T>);
      if (!text.empty()) failures += std::to_string(rows) + "x" + std::to_string(length) + ": " + text + "\n";
    }
  }
  return failures;
}

}  // namespace

TEMPLATE_TEST_CASE("softmax: rows of any length, contiguous and strided", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  sampled_cases cases;
  for (const form f : all_forms) {
    std::string failures;
    for (const std::int64_t length : awkward_sizes) {
      if (cases.is_drawn()) failures += try_lies<float>(here, f, 3, length) + try_lies<double>(here, f, 3, length);
    }
    for (const std::int64_t rows : {1, 16, 65, 129, 257}) {
      if (cases.is_drawn()) failures += try_lies<float>(here, f, rows, 10) + try_lies<double>(here, f, rows, 10);
    }
    CHECK(failures == "");
  }
}

TEMPLATE_TEST_CASE("softmax: infinities, NaN and dominating elements affect their own row only", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const double corner : {double(NAN), double(INFINITY), -double(INFINITY), 1e30}) {
    for (const std::int64_t length : {1, 5, 16, 39, 300}) {
      for (const std::int64_t place : {std::int64_t(0), length / 2, length - 1}) {
        for (const lie how : {behind(length), beside(5)}) {
          const auto prepare = [=](const auto& values) {
            fill_between(values, 7, -2, 2);
            values[how.at(1, place)] = static_cast<std::remove_cvref_t<decltype(values[0])>>(corner);
          };
          CHECK(try_form<float>(here, form::softmax, 5, length, how, how, prepare) == "");
          CHECK(try_form<double>(here, form::softmax, 5, length, how, how, prepare) == "");
          CHECK(try_form<float>(here, form::log_softmax, 5, length, how, how, prepare) == "");
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("softmax: the error of its sum does not grow with the length", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  const auto level = [](const array<float>& values) { fill_between(values, 7, 0, 0.1); };
  const int length = scaled(250000, 100000);
  for (const lie how : {behind(length), beside(2)}) {
    CHECK(try_form<float>(here, form::softmax, 2, length, how, how, level) == "");
    CHECK(try_form<float>(here, form::log_softmax, 2, length, how, how, level) == "");
  }
}

// A CUDA device with enough rows for all of its multiprocessors gives 64 threads to each, several rows to a block.
TEMPLATE_TEST_CASE("softmax: many rows of more elements than a warp keeps", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::int64_t processors = 1;
  if constexpr (std::is_same_v<TestType, cuda>) {
    tb_cuda_properties device{};
    REQUIRE(tb_cuda_runtime_functions()->properties(0, &device) == TB_OK);
    processors = device.multiprocessors;
  }
  for (const form f : all_forms) {
    CHECK(try_form<float>(here, f, 16 * processors + 5, 600, behind(600), behind(600), fill_small<float>) == "");
  }
}

TEMPLATE_TEST_CASE("softmax: a batch of three dimensions, and results in place of the input", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  // Lines and images with gaps between them, so that no two dimensions are one.
  constexpr std::int64_t images = 3, classes = 7, height = 5, width = 21, line = width + 3;
  constexpr std::int64_t plane = height * line, image = classes * plane + 5;
  stage memory(here);
  const auto data = memory.make<float>(images * image);
  fill_between(data, 7, -4, 4);
  const std::vector<float> before(data.begin(), data.end());
  const rows_operand both = matrix(data, classes, {1, plane});
  tb_rowwise call = rows_call<float>(TB_SOFTMAX, width, 1, {both, both});
  call.ndim = 3;
  call.sizes[1] = height;
  call.sizes[2] = images;
  for (int k = 0; k < 2; ++k) {
    call.row[k].strides[1] = line;
    call.row[k].strides[2] = image;
  }
  CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
  std::vector<expected<float>> want;
  for (const float x : before) want.push_back({x});
  for (std::int64_t p = 0; p < images * height * width; ++p) {
    const std::int64_t first = p / (height * width) * image + p / width % height * line + p % width;
    row x;
    for (std::int64_t c = 0; c < classes; ++c) x.push_back(before[std::size_t(first + c * plane)]);
    const auto of_row = wanted(form::softmax, x, {}, std::numeric_limits<float>::epsilon());
    for (std::int64_t c = 0; c < classes; ++c) want[std::size_t(first + c * plane)] = of_row[std::size_t(c)];
  }
  differences<float> found;
  for (std::int64_t i = 0; i < data.size(); ++i) found.add(i, data[i], want[std::size_t(i)]);
  CHECK(found.text() == "");
}

TEMPLATE_TEST_CASE("softmax: contiguous rows in place, and all results in one row", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  constexpr std::int64_t rows = 5;
  for (const std::int64_t length : {1, 10, 100, 1000, 2048, 2049, 3000}) {
    stage memory(here);
    const auto a = memory.make<float>(rows * length), out = memory.make<float>(rows * length);
    const auto last = memory.make<float>(length);
    fill_between(a, 7, -6, 6);
    const rows_operand from = matrix(a, length, behind(length)), to = matrix(out, length, behind(length));
    const rows_operand over = matrix(last, length, {0, 1});
    for (const rows_operand& result : {to, over, from}) {
      const tb_rowwise call = rows_call<float>(TB_SOFTMAX, rows, 1, {result, from});
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
    }
    CHECK(std::equal(out.begin(), out.end(), a.begin()));
    CHECK(std::equal(last.begin(), last.end(), out.end() - length));
  }
}

TEMPLATE_TEST_CASE("softmax: rows of doubles computed in floats, in any memory layout", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  sampled_cases cases;
  for (const std::int64_t rows : {1, 40, scaled(1000, 100)}) {
    for (const std::int64_t length : {1, 10, 700}) {
      for (const lie how : {behind(length), beside(rows)}) {
        if (!cases.is_drawn()) continue;
        stage memory(here);
        const auto in = memory.make<double>(rows * length), out = memory.make<double>(rows * length);
        fill_between(in, 9, -3, 3);
        for (double& x : in) x = double(float(x));
        tb_rowwise call = rows_call<float>(TB_SOFTMAX, rows, 1, {matrix(out, length, how), matrix(in, length, how)});
        CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); }) == TB_OK);
        differences<float> found;
        for (std::int64_t r = 0; r < rows; ++r) {
          row x;
          for (std::int64_t i = 0; i < length; ++i) x.push_back(in[how.at(r, i)]);
          const auto want = wanted(form::softmax, x, {}, std::numeric_limits<float>::epsilon());
          for (std::int64_t i = 0; i < length; ++i) {
            found.add(how.at(r, i), float(out[how.at(r, i)]), want[std::size_t(i)]);
          }
        }
        CHECK(found.text() == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("softmax: a repeated row with strided results", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const form f : all_forms) {
    for (const lie out : {behind(7), beside(20)}) {
      for (const lie repeated : {lie{0, 1}, lie{0, 20}}) {
        CHECK(try_form<float>(here, f, 20, 7, repeated, out, fill_small<float>) == "");
      }
    }
  }
}

TEMPLATE_TEST_CASE("softmax: bitwise the same for any memory layout", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  sampled_cases cases;
  for (const form f : all_forms) {
    for (const std::int64_t length : {1, 7, 16, 50, 129, 1000, 3000}) {
      if (!cases.is_drawn()) continue;
      constexpr std::int64_t rows = 37;
      stage memory(here);
      const auto a = memory.make<float>(rows * length), out = memory.make<float>(rows * length);
      const auto transposed = memory.make<float>(rows * length), beside_out = memory.make<float>(rows * length);
      // Down to exponentials that are subnormal, and 0.
      fill_between(a, 7, length == 50 || length == 1000 ? -130 : -6, 0);
      const lie one = behind(length), other = beside(rows);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < length; ++i) transposed[other.at(r, i)] = a[one.at(r, i)];
      }
      const auto call = [&](const array<float>& to, const array<float>& from, lie how) {
        const rows_operand x = matrix(from, length, how), y = matrix(to, length, how);
        return is_backward(f) ? rows_call<float>(op_of(f), rows, 1, {y, x, x})
                              : rows_call<float>(op_of(f), rows, 1, {y, x});
      };
      const tb_rowwise along = call(out, a, one), across = call(beside_out, transposed, other);
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&along, nullptr); }) == TB_OK);
      CHECK(memory.run([&](const tb_kernels& k) { return k.rowwise(&across, nullptr); }) == TB_OK);
      std::int64_t differ = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < length; ++i) differ += out[one.at(r, i)] != beside_out[other.at(r, i)];
      }
      CHECK(differ == 0);
    }
  }
}

TEMPLATE_TEST_CASE("softmax: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t length : {10, 100, 5000}) {
    const std::int64_t rows = 150000 / length;
    for (const lie how : {behind(length), beside(rows)}) {
      for (const form f : all_forms) {
        stage memory(here);
        const auto a = memory.make<float>(rows * length), out = memory.make<float>(rows * length);
        fill_between(a, 7, -4, 0);
        tb_rowwise call = rows_call<float>(op_of(f), rows, 1, {matrix(out, length, how), matrix(a, length, how)});
        if (is_backward(f)) {
          call = rows_call<float>(op_of(f), rows, 1,
                                  {matrix(out, length, how), matrix(a, length, how), matrix(a, length, how)});
        }
        CHECK(same_on_threads(out, [&] { CHECK(here.kernels->rowwise(&call, nullptr) == TB_OK); }) == "");
      }
    }
  }
}
