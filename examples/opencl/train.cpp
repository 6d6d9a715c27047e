// Fits two networks to the handwritten digits on an OpenCL device, and says what the host still computes.
// usage: train digits.csv, which is examples/data/digits.csv in topbit's folder
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

struct examples {
  tb::tensor images, labels;  // [n, 1, 8, 8] float32, [n] int64
};

// Rows of 64 pixels, each 0 to 16, and the digit.
tb::tensor read(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::int64_t> all;
  for (std::int64_t value = 0; file >> value; file.ignore()) all.push_back(value);
  if (all.empty() || all.size() % 65 != 0)
    throw std::runtime_error(path +
                             ": found no rows of 65 numbers, wanted examples/data/digits.csv of topbit's folder");
  return tb::from_values(all, {static_cast<std::int64_t>(all.size() / 65), 65});
}
examples chosen(const tb::tensor& rows, const tb::tensor& which) {
  const tb::tensor own = tb::index(rows, which), pixels = tb::to(tb::slice(own, 1, 0, 64), tb::dtype::float32);
  return {tb::reshape(pixels / 16, {-1, 1, 8, 8}), tb::contiguous(tb::select(own, 1, 64))};
}

struct mlp {
  tb::nn::linear first{64, 64}, scores{64, 10};
  tb::tensor operator()(const tb::tensor& x) const { return scores(tb::relu(first(tb::flatten(x, 1)))); }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("scores", self.scores);
  }
};
struct cnn {
  tb::nn::conv2d first{1, 16, 3, tb::default_generator(), {.padding = 1}};
  tb::nn::linear scores{256, 10};
  tb::tensor operator()(const tb::tensor& x) const {
    return scores(tb::flatten(tb::max_pool2d(tb::relu(first(x)), 2), 1));
  }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("scores", self.scores);
  }
};

template <class Model>
bool fit(const std::string& name, const examples& train, const examples& test, int epochs) {
  Model model;
  tb::move_to(model, train.images.device());
  tb::adam optimizer(tb::parameters(model), {.learning_rate = 0.01});
  const auto images = tb::split(train.images, 128), labels = tb::split(train.labels, 128);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      optimizer.zero_grad();
      tb::backward(tb::cross_entropy_loss(model(images[i]), labels[i]));
      optimizer.step();
    }
  }
  const tb::no_grad guard;
  const tb::tensor hits = tb::eq(tb::argmax(model(test.images), 1), test.labels);
  const double accuracy = tb::item(tb::mean(hits, tb::arg<"dtype"> = tb::dtype::float64));
  std::cout << name << " on " << to_string(train.images.device()) << ": " << 100 * accuracy << " % of "
            << test.labels.numel() << " test images right\n";
  return accuracy > 0.93;
}

}  // namespace

int main(int count, char** words) try {
  if (count != 2) throw std::runtime_error("usage: train digits.csv");
  const tb::device where = tb::parse_device("opencl");
  tb::manual_seed(1);
  const tb::tensor rows = tb::to(read(words[1]), where);
  const tb::tensor held_out = tb::eq(tb::remainder(tb::arange(rows.size(0), tb::arg<"device"> = where), 5), 4);
  const examples train = chosen(rows, ~held_out), test = chosen(rows, held_out);
  const bool mlp_learned = fit<mlp>("mlp", train, test, 20), cnn_learned = fit<cnn>("cnn", train, test, 10);
  std::cout << tb::backends::to_string(tb::backends::fallback_report());
  return mlp_learned && cnn_learned ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "train: " << e.what() << '\n';
  return 1;
}
