// Eigen's array and matrix expressions, compiled for this machine.
#include <Eigen/Core>
#include <map>
#include <memory>
#include <unsupported/Eigen/SpecialFunctions>

#include "peers.h"

namespace bench {

namespace {

using maker = std::function<std::optional<work>(const problem&)>;
using values = Eigen::ArrayXf;
using in = Eigen::Map<const values, Eigen::Aligned64>;
using out = Eigen::Map<values, Eigen::Aligned64>;

in input(const problem& p, std::size_t i = 0) { return {p.inputs[i].as<float>(), p.inputs[i].count()}; }
out output(const problem& p) { return {p.result.as<float>(), p.result.count()}; }

template <class Call>
work given(const problem& p, Call call) {
  work w;
  w.run = repeat(call);
  w.result = [call, to = p.result]() mutable {
    call();
    return to;
  };
  return w;
}

// `expression` takes the inputs and returns what is to be evaluated.
template <class Expression>
work evaluated(const problem& p, Expression expression) {
  const in a = input(p), b = input(p, p.inputs.size() - 1);
  if (p.how == form::given) {
    return given(p, [a, b, expression, to = output(p)]() mutable { to = expression(a, b); });
  }
  work w;
  w.run = repeat([a, b, expression] {
    const values dropped = expression(a, b);
    asm volatile("" : : "r"(dropped.data()) : "memory");
  });
  w.result = [a, b, expression, to = p.result, kept = std::make_shared<values>()]() mutable {
    *kept = expression(a, b);
    to.data = kept->data();
    return to;
  };
  return w;
}

template <class Expression>
maker elementwise(Expression expression) {
  return [expression](const problem& p) -> std::optional<work> {
    if (p.how == form::in_place) {
      work w = given(p, [b = input(p, 1), to = output(p)]() mutable { to += b; });
      w.result = [a = input(p), b = input(p, 1), to = output(p), of = p.result]() mutable {
        to = a;
        to += b;
        return of;
      };
      return w;
    }
    return evaluated(p, expression);
  };
}

template <class Reduce>
maker reduction(Reduce reduce) {
  return [reduce](const problem& p) -> std::optional<work> {
    return given(p, [a = input(p), to = p.result.as<float>(), reduce] {
      *to = reduce(a);
      asm volatile("" : : : "memory");
    });
  };
}

// `normalise` takes a row and where it goes.
template <class Normalise>
maker rows(Normalise normalise) {
  return [normalise](const problem& p) -> std::optional<work> {
    const std::int64_t length = p.result.sizes[1], count = p.result.sizes[0];
    return given(p, [=, from = p.inputs[0].as<float>(), to = p.result.as<float>()] {
      for (std::int64_t r = 0; r < count; ++r) {
        normalise(Eigen::Map<const values>(from + r * length, length), Eigen::Map<values>(to + r * length, length));
      }
    });
  };
}

template <class T>
work product(const problem& p) {
  using row_major = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using column_major = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const array &a = p.inputs[0], &b = p.inputs[1];
  const std::int64_t m = a.sizes[a.sizes.size() - 2], k = a.sizes.back(), n = b.sizes.back();
  const std::int64_t batch = p.result.count() / (m * n);
  const auto with = [&](auto left, auto right) {
    using L = decltype(left);
    using R = decltype(right);
    return given(p, [=, x = a.as<T>(), y = b.as<T>(), z = p.result.as<T>()] {
      for (std::int64_t i = 0; i < batch; ++i) {
        Eigen::Map<row_major>(z + i * m * n, m, n).noalias() =
            Eigen::Map<const L>(x + i * m * k, m, k) * Eigen::Map<const R>(y + i * k * n, k, n);
      }
    });
  };
  if (a.transposed) return b.transposed ? with(column_major(), column_major()) : with(column_major(), row_major());
  return b.transposed ? with(row_major(), column_major()) : with(row_major(), row_major());
}

std::optional<work> matmul(const problem& p) {
  if (p.result.type == element::float32) return product<float>(p);
  if (p.result.type == element::float64) return product<double>(p);
  return std::nullopt;
}

const std::map<std::string, maker>& makers() {
  static const std::map<std::string, maker> all{
      {"add", elementwise([](const in& a, const in& b) { return a + b; })},
      {"mul", elementwise([](const in& a, const in& b) { return a * b; })},
      {"relu", elementwise([](const in& a, const in&) { return a.max(0.0F); })},
      {"copy", elementwise([](const in& a, const in&) { return a; })},
      {"exp", elementwise([](const in& a, const in&) { return a.exp(); })},
      {"log", elementwise([](const in& a, const in&) { return a.log(); })},
      {"tanh", elementwise([](const in& a, const in&) { return a.tanh(); })},
      {"sigmoid", elementwise([](const in& a, const in&) { return a.logistic(); })},
      {"erf", elementwise([](const in& a, const in&) { return a.erf(); })},
      {"gelu", elementwise([](const in& a, const in&) { return 0.5F * a * (1.0F + (a * 0.70710678F).erf()); })},
      {"sin", elementwise([](const in& a, const in&) { return a.sin(); })},
      {"cos", elementwise([](const in& a, const in&) { return a.cos(); })},
      {"pow", elementwise([](const in& a, const in& b) { return a.pow(b); })},
      {"sum", reduction([](const in& a) { return a.sum(); })},
      {"mean", reduction([](const in& a) { return a.mean(); })},
      {"max", reduction([](const in& a) { return a.maxCoeff(); })},
      {"var", reduction([](const in& a) { return (a - a.mean()).square().sum() / static_cast<float>(a.size() - 1); })},
      {"softmax", rows([](const auto& from, auto to) {
         to = (from - from.maxCoeff()).exp();
         to *= 1 / to.sum();
       })},
      {"log_softmax", rows([](const auto& from, auto to) {
         const float greatest = from.maxCoeff();
         to = from - (greatest + std::log((from - greatest).exp().sum()));
       })},
      {"matmul", matmul},
      {"matmul_float64", matmul},
      {"matmul_shapes", matmul},
      {"matmul_transposed", matmul},
      {"matmul_batched", matmul},
  };
  return all;
}

}  // namespace

peer eigen_peer() {
  peer p{.name = "Eigen",
         .version = std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                    std::to_string(EIGEN_MINOR_VERSION),
         .setting = Eigen::SimdInstructionSetsInUse()};
  p.setting.resize(std::min(p.setting.size(), p.setting.find(',')));  // the best of them
  p.prepare = [](const problem& wanted) -> std::optional<work> {
    const auto found = makers().find(wanted.operation);
    if (found == makers().end() || wanted.how == form::unmapped) return std::nullopt;
    return found->second(wanted);
  };
  return p;
}

}  // namespace bench
