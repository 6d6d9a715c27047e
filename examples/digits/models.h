// The two networks. Every line is operator calls; autograd records them by key.
// Include the standard headers and import topbit before this file.
#pragma once

// Input: images [n, 8, 8]. Output: logits [n, 10] for cross_entropy_loss.

// Three linear layers, relu between them.
struct mlp {
  topbit::nn::linear first, second, scores;

  explicit mlp(const topbit::generator& random)
      : first(64, 128, random), second(128, 64, random), scores(64, 10, random) {}

  topbit::tensor operator()(const topbit::tensor& images) const {
    return scores(topbit::relu(second(topbit::relu(first(topbit::flatten(images, 1))))));
  }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
    visit("scores", self.scores);
  }
};

// Two convolutions that keep the size of the image, a pooling that halves it, one linear layer.
struct cnn {
  topbit::nn::conv2d first, second;
  topbit::nn::linear scores;

  explicit cnn(const topbit::generator& random)
      : first(1, 16, 3, random, {.padding = 1}), second(16, 32, 3, random, {.padding = 1}), scores(512, 10, random) {}

  topbit::tensor operator()(const topbit::tensor& images) const {
    topbit::tensor x = topbit::relu(first(topbit::unsqueeze(images, 1)));  // [n, 16, 8, 8]; one input channel
    x = topbit::max_pool2d(topbit::relu(second(x)), 2);                    // [n, 32, 4, 4]
    return scores(topbit::flatten(x, 1));
  }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
    visit("scores", self.scores);
  }
};
