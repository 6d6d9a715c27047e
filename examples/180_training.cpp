// Training: a network that lists its submodules, an optimizer with a schedule, and a checkpoint.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

import topbit;
namespace tb = topbit;
namespace nn = topbit::nn;

// 1. A network is a struct: its submodules, a call operator, and a list of the submodules with names.
struct classifier {
  nn::linear hidden, scores;

  explicit classifier(const tb::generator& random) : hidden(2, 32, random), scores(32, 2, random) {}

  tb::tensor operator()(const tb::tensor& points) const { return scores(tb::relu(hidden(points))); }
  static void each_parameter(auto& self, auto&& visit) {
    visit("hidden", self.hidden);
    visit("scores", self.scores);
  }
};

// 2. Points of a square, and whether they lie within a circle of half its area.
static std::pair<tb::tensor, tb::tensor> draw(std::int64_t count, tb::generator random) {
  tb::tensor points = tb::empty({count, 2});
  tb::uniform_(points, -1, 1, tb::arg<"generator"> = random);
  return {points, tb::to(tb::sum(points * points, {1}) < 0.6366, tb::dtype::int64)};
}

// 3. A step: gradients of the loss, clipped, at the learning rate of the schedule.
static void train(const classifier& net, tb::optimizer& optimizer, const tb::generator& random, int steps) {
  optimizer.set_schedule(tb::schedule::warm_up{.steps = 20, .then = tb::schedule::cosine{.steps = 580}});
  for (int i = 0; i < steps; ++i) {
    const auto [points, inside] = draw(64, random);
    optimizer.zero_grad();
    tb::backward(tb::cross_entropy_loss(net(points), inside));
    tb::clip_gradient_norm(tb::parameters(net), 1.0);
    optimizer.step();
  }
}

static double accuracy(const classifier& net) {
  const tb::no_grad guard;
  const auto [points, inside] = draw(1000, tb::generator(7));
  return tb::item(tb::mean(tb::eq(tb::argmax(net(points), 1), inside), tb::arg<"dtype"> = tb::dtype::float64));
}

// 4. Groups of parameters have options of their own: no decay for the biases.
struct training {
  classifier net;
  tb::generator random;
  tb::adamw optimizer{{net.hidden.weight, net.scores.weight}, {.learning_rate = 0.02}};

  explicit training(std::uint64_t seed) : net(tb::generator(seed)), random(seed) {
    optimizer.add_group({net.hidden.bias, net.scores.bias}, {.learning_rate = 0.02, .weight_decay = 0});
  }
  void steps(int count) { train(net, optimizer, random, count); }
};

int main() {
  training whole(1);
  std::printf("%d numbers\n", static_cast<int>(tb::count_parameters(whole.net)));  // prints: 162 numbers
  // 5. Half of the training, a checkpoint, the other half.
  const std::string path = (std::filesystem::temp_directory_path() / "training.safetensors").string();
  whole.steps(300);
  tb::save_checkpoint(path, whole.net, whole.optimizer, {whole.random});
  whole.steps(300);
  std::puts(accuracy(whole.net) > 0.97 ? "learned" : "not learned");  // prints: learned

  // 6. Another training, with other initial values, resumes from the file.
  training resumed(2);
  tb::load_checkpoint(path, resumed.net, resumed.optimizer, {resumed.random});
  resumed.steps(300);
  std::filesystem::remove(path);
  const bool same = tb::item<bool>(tb::all(tb::eq(resumed.net.hidden.weight, whole.net.hidden.weight)));
  std::puts(same ? "the same bits" : "other bits");  // prints: the same bits
}
