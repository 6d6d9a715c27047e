// Rules of optimizers' steps, each against its formula in long double.
#include <cmath>

#include "row_calls.h"

using namespace kernel_tests;

namespace {

template <typename T>
struct step {
  stage memory;
  std::int64_t n;
  array<T> parameter, gradient, states[3];
  std::vector<long double> p, g, s[3];  // as they were
  tb_update call{};

  step(backend here, tb_update_op op, std::int64_t count, int with_states)
      : memory(here), n(count), parameter(memory.make<T>(count)), gradient(memory.make<T>(count)) {
    for (int k = 0; k < with_states; ++k) states[k] = memory.make<T>(count);
    fill_between(parameter, 1, -2, 2);
    fill_between(gradient, 2, -1, 1);
    for (int k = 0; k < with_states; ++k) {
      // Squares and their maxima are not negative.
      fill_between(states[k], std::uint64_t(3 + k), k == 0 ? -1 : 0.01, 1);
      s[k].assign(states[k].begin(), states[k].end());
      call.state[k] = states[k].seen_by_kernel();
    }
    p.assign(parameter.begin(), parameter.end());
    g.assign(gradient.begin(), gradient.end());
    call.op = op;
    call.dtype = dtype_of<T>;
    call.parameter = parameter.seen_by_kernel();
    call.gradient = gradient.seen_by_kernel();
    call.count = count;
    call.rate = 0.1;
    call.step = 1;
    call.epsilon = 1e-3;
  }
  tb_status run() {
    return memory.run([&](const tb_kernels& k) { return k.update(&call, nullptr); });
  }
  // The gradient as a step takes it.
  long double taken(std::size_t i, bool adds_decay) const {
    long double x = g[i];
    if (call.gradient_scale != 0) x /= T(call.gradient_scale);
    if (call.maximize != 0) x = -x;
    return adds_decay ? x + call.decay * p[i] : x;
  }
  void compare(differences<T>& found, std::size_t i, const array<T>& got, long double want) const {
    found.add(std::int64_t(i), got[std::int64_t(i)],
              {want, 16 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(want))});
  }
  void compare_gradient(differences<T>& found) const {
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
      found.add(std::int64_t(i), gradient[std::int64_t(i)],
                {call.gradient_scale != 0 ? (long double)(T(g[i]) / T(call.gradient_scale)) : g[i], 0});
    }
  }
};

struct choice {
  double decay = 0, momentum = 0, dampening = 0, scale = 0;
  bool nesterov = false, maximize = false, first_step = false;
};

template <typename T>
std::string try_sgd(backend here, std::int64_t n, const choice& c) {
  step<T> s(here, TB_UPDATE_SGD, n, c.momentum != 0 ? 1 : 0);
  s.call.decay = c.decay, s.call.first = c.momentum, s.call.second = c.dampening, s.call.gradient_scale = c.scale;
  s.call.nesterov = c.nesterov, s.call.maximize = c.maximize, s.call.first_step = c.first_step;
  CHECK(s.run() == TB_OK);
  differences<T> found;
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    long double g = s.taken(i, true);
    if (c.momentum != 0) {
      const long double v = c.first_step ? g : c.momentum * s.s[0][i] + (1 - c.dampening) * g;
      s.compare(found, i, s.states[0], v);
      g = c.nesterov ? g + c.momentum * v : v;
    }
    s.compare(found, i, s.parameter, s.p[i] - s.call.rate * g);
  }
  s.compare_gradient(found);
  return found.text();
}

template <typename T>
std::string try_adam(backend here, tb_update_op op, std::int64_t n, bool greatest, double decay, double steps,
                     bool maximize, double scale, bool step_in_memory = false) {
  step<T> s(here, op, n, greatest ? 3 : 2);
  s.call.decay = decay, s.call.first = 0.9, s.call.second = 0.99, s.call.step = steps;
  if (step_in_memory) {
    const array<double> there = s.memory.template make<double>(1);
    there[0] = steps;
    s.call.step_there = there.seen_by_kernel();
    s.call.step = std::nan("");
  }
  s.call.maximize = maximize, s.call.gradient_scale = scale;
  CHECK(s.run() == TB_OK);
  differences<T> found;
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    const long double g = s.taken(i, op == TB_UPDATE_ADAM),
                      start = op == TB_UPDATE_ADAMW ? s.p[i] * (1 - 0.1 * decay) : s.p[i];
    const long double m = 0.9L * s.s[0][i] + 0.1L * g, v = 0.99L * s.s[1][i] + 0.01L * g * g;
    const long double used = greatest ? std::fmax(v, s.s[2][i]) : v;
    const long double by = std::sqrt(used / (1 - std::pow(0.99L, steps))) + 1e-3L;
    s.compare(found, i, s.states[0], m);
    s.compare(found, i, s.states[1], v);
    if (greatest) s.compare(found, i, s.states[2], used);
    s.compare(found, i, s.parameter, start - 0.1L / (1 - std::pow(0.9L, steps)) * m / by);
  }
  s.compare_gradient(found);
  return found.text();
}

}  // namespace

TEMPLATE_TEST_CASE("update: steps of SGD, with all options", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::update);
  const choice choices[] = {{},
                            {.decay = 0.1},
                            {.maximize = true},
                            {.scale = 4},
                            {.decay = 0.1, .momentum = 0.9, .dampening = 0.2},
                            {.momentum = 0.9, .nesterov = true},
                            {.momentum = 0.9, .dampening = 0.5, .first_step = true},
                            {.decay = 0.1, .momentum = 0.5, .scale = 2, .nesterov = true, .maximize = true}};
  std::string failures;
  for (const choice& c : choices) {
    for (const std::int64_t n : awkward_sizes) failures += try_sgd<float>(here, n, c) + try_sgd<double>(here, n, c);
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("update: steps of Adam, with all options", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::update);
  std::string failures;
  for (const tb_update_op op : {TB_UPDATE_ADAM, TB_UPDATE_ADAMW}) {
    for (const bool greatest : {false, true}) {
      for (const double decay : {0.0, 0.1}) {
        for (const std::int64_t n : awkward_sizes) {
          failures += try_adam<float>(here, op, n, greatest, decay, 1, false, 0);
          failures += try_adam<double>(here, op, n, greatest, decay, 3, false, 0);
        }
        failures += try_adam<float>(here, op, 33, greatest, decay, 2, true, 4);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("update: the step number of Adam may be in memory", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::update);
  std::string failures;
  for (const tb_update_op op : {TB_UPDATE_ADAM, TB_UPDATE_ADAMW}) {
    for (const bool greatest : {false, true}) {
      for (const std::int64_t n : {0, 1, 33, 1000, 200003}) {
        failures += try_adam<float>(here, op, n, greatest, 0.1, 2, false, 0, true);
        failures += try_adam<double>(here, op, n, greatest, 0.1, 3, true, 4, true);
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("update: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::update);
  step<float> s(here, TB_UPDATE_ADAM, 150001, 3);
  s.call.first = 0.9, s.call.second = 0.99, s.call.decay = 0.1;
  const auto put = [](const array<float>& to, const std::vector<long double>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[std::int64_t(i)] = float(from[i]);
  };
  CHECK(same_on_threads(s.parameter, [&] {
          put(s.parameter, s.p);
          for (int k = 0; k < 3; ++k) put(s.states[k], s.s[k]);
          CHECK(here.kernels->update(&s.call, nullptr) == TB_OK);
        }) == "");
}

TEMPLATE_TEST_CASE("update: integers and unknown steps are refused", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::update);
  tb_update call{};
  call.dtype = TB_I64;
  CHECK(here.kernels->update(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
  call.dtype = TB_F32;
  call.op = TB_UPDATE_COUNT;
  CHECK(here.kernels->update(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
}
