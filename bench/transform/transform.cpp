// bench_transform: what batching and tangents add to a call, what entering a vmap costs, and derivatives of examples
// beside the same work by hand.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../dispatch/cases.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using tb::tensor;

namespace {

// Additions of x, and of what a mapped function sees of it with as many levels.
template <class Rounds>
bool add(const tensor& x, int levels, Rounds& rounds) {
  bool right = true;
  if (levels == 0) {
    for ([[maybe_unused]] auto round : rounds) right = right && (x + x).dim() == x.dim();
    return right;
  }
  tb::vmap([&](const tensor& one) {
    right = add(one, levels - 1, rounds);
    return one;
  })(x);
  return right;
}

// The call of a dual tensor and one without, and the calls that it takes to compute its tangent by hand.
template <class F, class Hand>
void add_dual(const std::string& name, const tensor& x, F f, Hand by_hand) {
  cases::add("transform/dual_" + name, [=](auto& rounds) {
    const tb::dual_level level;
    const tensor d = level.dual(x, x);
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && f(d, x).dim() == x.dim();
    return right;
  });
  cases::add("transform/dual_" + name + "_by_hand", [=](auto& rounds) {
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && f(x, x).dim() == x.dim() && by_hand(x).dim() == x.dim();
    return right;
  });
}

// The gradients of the weights of a linear layer by each of 256 examples, and the same products by hand.
struct linear_problem {
  tensor weight = tb::randn({128, 128}), x = tb::randn({256, 128}), target = tb::randn({256, 128});

  tensor per_example() const {
    const auto loss = [](const tensor& w, const tensor& one, const tensor& wanted) {
      return tb::sum(tb::square(tb::linear(one, w) - wanted));
    };
    return tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0, 0}})(weight, x, target);
  }
  tensor by_hand() const {
    const tensor difference = (tb::linear(x, weight) - target) * 2.0;
    return tb::bmm(tb::unsqueeze(difference, 2), tb::unsqueeze(x, 1));
  }
};

// The gradients of all parameters of the digit classifier by each of 256 images, and the sum of them by backward().
struct digits_problem {
  using parameters = std::array<tensor, 6>;
  parameters p{tb::randn({128, 64}), tb::randn({128}),    tb::randn({64, 128}),
               tb::randn({64}),      tb::randn({10, 64}), tb::randn({10})};
  tensor images = tb::randn({256, 64}), labels = tb::randint(0, 10, {256});

  static tensor loss(const parameters& p, const tensor& images, const tensor& labels) {
    const tensor first = tb::relu(tb::linear(images, p[0], p[1])), second = tb::relu(tb::linear(first, p[2], p[3]));
    return tb::cross_entropy_loss(tb::linear(second, p[4], p[5]), labels);
  }
  tensor per_example() const {
    return tb::vmap(tb::grad_of(&loss), {.in = {tb::unmapped, 0, 0}})(p, images, labels)[0];
  }
  tensor summed() const { return tb::grad_of(&loss)(p, images, labels)[0]; }
};

template <class F>
void time_of(const std::string& name, F f) {
  cases::add_timed("transform/" + name, [=](auto& rounds) {
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && f().defined();
    return right;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const tensor x = tb::ones({4, 4, 8});
  for (const int levels : {0, 1, 2}) {
    cases::add("transform/add_level_" + std::to_string(levels), [=](auto& rounds) { return add(x, levels, rounds); });
  }
  cases::add("transform/add_unbatched", [x](auto& rounds) {
    bool right = true;
    tb::vmap([&](const tensor& one) {
      right = add(x, 0, rounds);
      return one;
    })(x);
    return right;
  });
  cases::add("transform/enter_and_leave", [x](auto& rounds) {
    const auto identity = tb::vmap([](const tensor& one) { return one; });
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && identity(x).dim() == 3;
    return right;
  });
  add_dual("mul", x, [](const tensor& a, const tensor& b) { return a * b; }, [](const tensor& a) { return a * a; });
  add_dual(
      "exp", x, [](const tensor& a, const tensor&) { return tb::exp(a); },
      [](const tensor& a) { return tb::exp(a) * a; });
  const linear_problem p;
  time_of("linear_by_hand", [p] { return p.by_hand(); });
  time_of("linear_per_example", [p] { return p.per_example(); });
  const digits_problem digits;
  time_of("digits_summed", [digits] { return digits.summed(); });
  time_of("digits_per_example", [digits] { return digits.per_example(); });
  const tensor w1 = tb::randn({32, 16}), w2 = tb::randn({32, 32}), w3 = tb::randn({8, 32}), v = tb::randn({16});
  const auto network = [=](const tensor& in) {
    return tb::linear(tb::tanh(tb::linear(tb::tanh(tb::linear(in, w1)), w2)), w3);
  };
  time_of("jacobian_mlp", [=] { return tb::jacrev(network)(v); });
  time_of("jacobian_mlp_forward", [=] { return tb::jacfwd(network)(v); });
  time_of("jvp_mlp", [=] { return tb::jvp(network, v, v).second; });
  time_of("jvp_mlp_by_reverse", [=] { return tb::linearize(network, v).second(v); });
  const tensor data = tb::randn({200, 10}), signs = tb::sign(tb::randn({200})), w = tb::randn({10});
  const auto logistic = [=](const tensor& at) { return tb::mean(tb::softplus(-(signs * tb::matmul(data, at)))); };
  time_of("hessian_logistic", [=] { return tb::hessian(logistic)(w); });
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
