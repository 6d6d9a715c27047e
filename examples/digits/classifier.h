// The network: three linear layers, relu between them. Every line is operator calls; autograd records them by key.
// Include the standard headers and import topbit before this file.
#pragma once

class classifier {
 public:
  // Weights uniform in +-sqrt(6 / inputs), which keeps the variance of relu layers (He et al. 2015); no biases.
  classifier(std::uint32_t seed, topbit::device where) {
    std::mt19937 random(seed);
    for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
      const std::int64_t in = widths[layer], out = widths[layer + 1];
      weights_.push_back(uniform(random, {in, out}, std::sqrt(6.0F / static_cast<float>(in)), where));
      biases_.push_back(uniform(random, {out}, 0, where));
    }
  }

  // images: [n, 64] -> log-probabilities [n, 10]
  topbit::tensor operator()(const topbit::tensor& images) const {
    topbit::tensor x = images;
    for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
      x = topbit::ops::matmul(x, weights_[layer]) + biases_[layer];
      if (layer + 1 < weights_.size()) x = topbit::ops::relu(x);
    }
    return topbit::ops::log_softmax(x, 1);
  }

  // One step of gradient descent; returns the loss.
  topbit::tensor step(const topbit::tensor& images, const topbit::tensor& labels, double rate) {
    const topbit::tensor loss = topbit::ops::nll_loss((*this)(images), labels);
    topbit::backward(loss);
    const topbit::no_grad guard;
    for (auto* parameters : {&weights_, &biases_}) {
      for (topbit::tensor& p : *parameters) {
        topbit::ops::add_(p, topbit::grad(p), topbit::arg<"alpha"> = -rate);
        topbit::clear_grad(p);
      }
    }
    return loss;
  }

  const topbit::tensor& weight(std::size_t layer) const { return weights_[layer]; }
  const topbit::tensor& bias(std::size_t layer) const { return biases_[layer]; }

 private:
  static constexpr std::array<std::int64_t, 4> widths{64, 128, 64, 10};

  static topbit::tensor uniform(std::mt19937& random, topbit::dims sizes, float bound, topbit::device where) {
    std::vector<float> values(static_cast<std::size_t>(topbit::numel(sizes)));
    // The distribution of the standard library differs between implementations; this one does not.
    for (float& v : values) v = bound * (2.0F * static_cast<float>(random()) / 4294967296.0F - 1.0F);
    return topbit::require_grad(topbit::to(topbit::from_values(values, sizes), where));
  }

  std::vector<topbit::tensor> weights_, biases_;
};
