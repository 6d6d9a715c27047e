// Levels 10, 12 and 13: gradients, training, threads.
module;

#include <thread>

module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import topbit.training;
import :session;

namespace topbit::backend_test {

namespace {

using function = std::function<tensor(const std::vector<tensor>&)>;

// The gradients of a function's weighted sum for each argument.
void compare_gradients(session& s, const std::string& what, const std::vector<shape>& sizes, const function& f) {
  for (const dtype t : {dtype::float32, dtype::float64}) {
    for (int way = 0; way < arrangements; ++way) {
      if (way == 3 || (s.quick() && s.any(4) != 0)) continue;
      s.part(what, [&] {
        std::vector<tensor> here, there;
        for (const shape& size : sizes) {
          here.push_back(arranged(s, size, t, way));
          there.push_back(s.there(here.back()));
        }
        const auto gradients = [&](std::vector<tensor>& all) {
          for (tensor& x : all) require_grad(x);
          const tensor y = f(all);
          const tensor weights = to(arange(y.numel(), arg<"dtype"> = t), y.device());
          backward(sum(y * reshape(weights, y.sizes())));
        };
        gradients(here);
        gradients(there);
        for (std::size_t i = 0; i < here.size(); ++i) {
          s.compare("gradient of " + what + " for argument " + std::to_string(i + 1) + ", " + name_of_arrangement(way),
                    leaf_grad(there[i]), leaf_grad(here[i]), summed);
        }
      });
    }
  }
}

struct classifier {
  nn::linear first, last;
  explicit classifier(const generator& random) : first(8, 16, random), last(16, 3, random) {}
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("last", self.last);
  }
  tensor operator()(const tensor& x) const { return last(relu(first(x))); }
};

std::vector<tensor> trained(device where, const tensor& images, const tensor& labels, int steps,
                            const std::function<std::unique_ptr<optimizer>(std::vector<tensor>)>& make) {
  classifier model(generator(7));
  move_to(model, where);
  const std::unique_ptr<optimizer> o = make(parameters(model));
  const tensor x = to(images, where), y = to(labels, where);
  for (int i = 0; i < steps; ++i) {
    o->zero_grad();
    backward(cross_entropy_loss(model(x), y));
    o->step();
  }
  std::vector<tensor> all;
  for (const tensor& p : parameters(model)) all.push_back(detach(p));
  return all;
}

}  // namespace

void test_gradients(session& s) {
  using all = std::vector<tensor>;
  const auto one = [&](const std::string& what, tensor (*f)(const tensor&)) {
    compare_gradients(s, what, {{3, 4}}, [f](const all& x) { return f(x[0]); });
  };
  one("exp", [](const tensor& x) { return exp(x); });
  one("tanh", [](const tensor& x) { return tanh(x); });
  one("gelu", [](const tensor& x) { return gelu(x); });
  one("sigmoid", [](const tensor& x) { return sigmoid(x); });
  one("softmax", [](const tensor& x) { return softmax(x, 1); });
  one("log_softmax", [](const tensor& x) { return log_softmax(x, 0); });
  one("cumsum", [](const tensor& x) { return cumsum(x, 1); });
  one("var", [](const tensor& x) { return var(x, {0}); });
  one("max", [](const tensor& x) { return std::get<0>(max(x, 1)); });
  one("sort", [](const tensor& x) { return std::get<0>(sort(x, 0)); });
  one("slice and transpose", [](const tensor& x) { return transpose(slice(x, 1, 1, 4, 2), 0, 1); });
  one("a write to a view", [](const tensor& x) {
    const tensor y = x * 2;
    tensor row = select(y, 0, 1);
    row *= row;
    return y;
  });
  compare_gradients(s, "mul, broadcast", {{3, 4}, {4}}, [](const all& x) { return x[0] * x[1]; });
  compare_gradients(s, "div", {{3, 4}, {3, 1}}, [](const all& x) { return x[0] / (x[1] * x[1] + 1); });
  compare_gradients(s, "mm", {{3, 4}, {4, 5}}, [](const all& x) { return mm(x[0], x[1]); });
  compare_gradients(s, "linear", {{2, 3, 4}, {5, 4}, {5}}, [](const all& x) { return linear(x[0], x[1], x[2]); });
  compare_gradients(s, "conv2d", {{2, 3, 6, 6}, {4, 3, 3, 3}, {4}},
                    [](const all& x) { return conv2d(x[0], x[1], x[2]); });
  compare_gradients(s, "max_pool2d", {{1, 2, 4, 4}}, [](const all& x) { return max_pool2d(x[0], {2, 2}); });
  compare_gradients(s, "layer_norm", {{3, 4}, {4}, {4}},
                    [](const all& x) { return layer_norm(x[0], {4}, x[1], x[2]); });
  compare_gradients(s, "attention", {{2, 5, 4}, {2, 6, 4}, {2, 6, 3}},
                    [](const all& x) { return scaled_dot_product_attention(x[0], x[1], x[2]); });
  compare_gradients(s, "index_select", {{4, 3}},
                    [](const all& x) { return index_select(x[0], 0, to(tensor({2, 0, 2}), x[0].device())); });
}

void test_training(session& s) {
  const tensor images = arranged(s, {12, 8}, dtype::float32, 0);
  const tensor labels = remainder(arange(12), 3);
  const int steps = s.quick() ? 3 : 20;
  const auto compare_training = [&](const std::string& what, const auto& make) {
    s.part(what, [&] {
      const std::vector<tensor> wanted = trained(cpu, images, labels, steps, make);
      const std::vector<tensor> found = trained(s.where(), images, labels, steps, make);
      constexpr bound after_steps{4, 4096};
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        s.compare("parameter " + std::to_string(i + 1) + " trained by " + what, found[i], wanted[i], after_steps);
      }
    });
  };
  using parameters = std::vector<tensor>;
  using made = std::unique_ptr<optimizer>;
  compare_training("sgd with momentum", [](const parameters& p) -> made {
    return std::make_unique<sgd>(p, sgd_options{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
  });
  compare_training("sgd, maximising with decay", [](const parameters& p) -> made {
    return std::make_unique<sgd>(p, sgd_options{.learning_rate = 0.01, .weight_decay = 0.1, .maximize = true});
  });
  compare_training("adam with decay and amsgrad", [](const parameters& p) -> made {
    return std::make_unique<adam>(p, adam_options{.learning_rate = 0.01, .weight_decay = 0.1, .amsgrad = true});
  });
  compare_training("adamw, counted on the device", [](const parameters& p) -> made {
    return std::make_unique<adamw>(p, adamw_options{.learning_rate = 0.01, .capturable = true});
  });
}

void test_threads(session& s) {
  const int threads = s.quick() ? 2 : 4, rounds = s.quick() ? 10 : 100;
  // Each has numbers of its own, and tensors that it writes to.
  struct work {
    tensor factor, wanted;
  };
  std::vector<work> all_work;
  for (int i = 0; i < threads; ++i) {
    const tensor factor = arranged(s, {64 + i, 32}, dtype::float32, 0);
    all_work.push_back({factor, mm(factor, t(factor)) + i});
  }
  std::vector<::std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&s, &w = all_work[static_cast<std::size_t>(i)], i, rounds] {
      s.part("threads", [&] {
        for (int r = 0; r < rounds; ++r) {
          const tensor factor = s.there(w.factor);
          tensor product = mm(factor, t(factor));
          product += i;
          s.compare("a product while other threads compute", product, w.wanted, summed);
        }
      });
    });
  }
  for (::std::thread& one : all) one.join();
}

}  // namespace topbit::backend_test
