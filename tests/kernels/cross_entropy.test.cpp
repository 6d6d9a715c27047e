// Rules of the loss of scores given labels, and of its gradient.
#include "oracle/rows.h"
#include "row_calls.h"

using namespace kernel_tests;

namespace {

constexpr std::int64_t ignored = -100;

template <typename T>
struct scores {
  stage memory;
  std::int64_t rows, classes;
  lie how;
  array<T> in, weight, loss, row_weight, gradient, out;
  array<std::int64_t> label;

  scores(backend here, std::int64_t r, std::int64_t c, lie h)
      : memory(here),
        rows(r),
        classes(c),
        how(h),
        in(memory.make<T>(r * c)),
        weight(memory.make<T>(c)),
        loss(memory.make<T>(r)),
        row_weight(memory.make<T>(r)),
        gradient(memory.make<T>(r)),
        out(memory.make<T>(r * c)),
        label(memory.make<std::int64_t>(r)) {
    fill_between(in, 3, -5, 5);
    fill_between(weight, 4, 0, 2);
    fill_between(gradient, 5, -1, 1);
    for (std::int64_t i = 0; i < r; ++i) label[i] = i % 5 == 3 ? ignored : i * 7 % c;
  }
  tb_rowwise forward(bool weighted) {
    tb_rowwise call = rows_call<T>(TB_CROSS_ENTROPY, rows, 2,
                                   {number_of_row(loss), number_of_row(row_weight), matrix(in, classes, how),
                                    number_of_row(label), shared_row(weight, classes, weighted)});
    call.number[0] = {ignored, ignored};
    return call;
  }
  tb_rowwise backward(bool weighted) {
    tb_rowwise call = rows_call<T>(TB_CROSS_ENTROPY_BACKWARD, rows, 1,
                                   {matrix(out, classes, how), number_of_row(gradient), matrix(in, classes, how),
                                    number_of_row(label), shared_row(weight, classes, weighted)});
    call.number[0] = {ignored, ignored};
    return call;
  }
  tb_status run(const tb_rowwise& call) {
    return memory.run([&](const tb_kernels& k) { return k.rowwise(&call, nullptr); });
  }
};

template <typename T>
std::string try_cross_entropy(backend here, std::int64_t rows, std::int64_t classes, lie how, bool weighted,
                              const std::function<void(const array<T>&)>& change = nullptr) {
  scores<T> s(here, rows, classes, how);
  if (change != nullptr) change(s.in);
  const tb_rowwise forward = s.forward(weighted), backward = s.backward(weighted);
  CHECK(s.run(forward) == TB_OK);
  CHECK(s.run(backward) == TB_OK);
  const long double unit = std::numeric_limits<T>::epsilon();
  differences<T> found;
  for (std::int64_t r = 0; r < rows; ++r) {
    const oracle::exponentials shifted(classes, [&](std::int64_t c) { return s.in[how.at(r, c)]; });
    const bool counts = s.label[r] != ignored;
    const long double w = !counts ? 0 : weighted ? s.weight[s.label[r]] : T(1);
    const long double loss = counts ? -shifted.log_softmax(s.in[how.at(r, s.label[r])]) * w : 0;
    found.add(r, s.loss[r], {loss, counts ? 8 * unit * (1 + std::fabs(loss)) : 0});
    found.add(r, s.row_weight[r], {w, 0});
    for (std::int64_t c = 0; c < classes; ++c) {
      const long double p = shifted.softmax(s.in[how.at(r, c)]) - (c == s.label[r] ? 1 : 0);
      const long double want = counts ? p * s.gradient[r] * w : 0;
      found.add(how.at(r, c), s.out[how.at(r, c)], {want, counts ? 8 * unit : 0});
    }
  }
  return found.text();
}

}  // namespace

TEMPLATE_TEST_CASE("cross_entropy: minus the labelled log-probability, and its gradient", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  std::string failures;
  for (const std::int64_t classes : awkward_sizes) {
    if (classes == 0) continue;
    for (const bool weighted : {false, true}) {
      for (const lie how : {behind(classes), beside(9)}) {
        failures += try_cross_entropy<float>(here, 9, classes, how, weighted);
        failures += try_cross_entropy<double>(here, 9, classes, how, weighted);
      }
    }
  }
  failures += try_cross_entropy<float>(here, 257, 10, behind(10), true);
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("cross_entropy: large scores, infinities and NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t classes : {3, 17, 300}) {
    const lie how = behind(classes);
    CHECK(try_cross_entropy<float>(here, 4, classes, how, false,
                                   [](const array<float>& x) { fill_between(x, 7, 9990, 10010); }) == "");
    for (const double corner : {double(NAN), double(INFINITY), -double(INFINITY)}) {
      const auto one = [=](const array<float>& x) { x[classes * 2 + 1] = float(corner); };
      CHECK(try_cross_entropy<float>(here, 4, classes, how, false, one) == "");
    }
  }
}

TEMPLATE_TEST_CASE("cross_entropy: ignored rows give 0 whatever their scores", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t classes : {3, 300}) {
    const auto nothing = [=](const array<float>& x) { std::fill_n(x.begin() + 3 * classes, classes, float(NAN)); };
    CHECK(try_cross_entropy<float>(here, 5, classes, behind(classes), true, nothing) == "");
  }
}

TEMPLATE_TEST_CASE("cross_entropy: a label outside the classes is reported, and its row is not written", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t bad : {std::int64_t(-1), std::int64_t(10), INT64_MIN, INT64_MAX}) {
    scores<float> s(here, 300, 10, behind(10));
    s.label[299] = bad;
    std::fill(s.loss.begin(), s.loss.end(), 7.0f);
    std::fill(s.out.begin(), s.out.end(), 7.0f);
    std::int64_t told = 0;
    tb_rowwise forward = s.forward(true);
    forward.bad_index = &told;
    CHECK(s.run(forward) == TB_BAD_INDEX);
    CHECK(s.memory.refused(told) == bad);
    CHECK(s.run(s.backward(true)) == TB_BAD_INDEX);
    // The host looks at all labels first; on a device the other rows are done.
    CHECK(std::count(s.loss.begin(), s.loss.end(), 7.0f) == (here.memory == nullptr ? 300 : 1));
    CHECK(std::count(s.out.begin(), s.out.end(), 7.0f) == (here.memory == nullptr ? 3000 : 10));
  }
}

TEMPLATE_TEST_CASE("cross_entropy: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>(&tb_kernels::rowwise);
  for (const std::int64_t classes : {10, 1000}) {
    scores<float> s(here, 150000 / classes, classes, behind(classes));
    const tb_rowwise forward = s.forward(true), backward = s.backward(true);
    CHECK(same_on_threads(s.loss, [&] { CHECK(here.kernels->rowwise(&forward, nullptr) == TB_OK); }) == "");
    CHECK(same_on_threads(s.out, [&] { CHECK(here.kernels->rowwise(&backward, nullptr) == TB_OK); }) == "");
  }
}
