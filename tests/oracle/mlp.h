// An MLP classifier with relu, trained by gradient descent in plain loops over double: the oracle of the same
// program written with operators. Independent of topbit.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace oracle {

class mlp {
 public:
  struct layer {
    std::size_t in, out;
    std::vector<double> weight, bias;  // weight is [in][out]
  };

  explicit mlp(std::vector<layer> layers) : layers_(std::move(layers)) {}
  const std::vector<layer>& layers() const { return layers_; }

  /// One step of gradient descent on the mean negative log-likelihood of a batch; returns that mean.
  double step(const std::vector<double>& images, const std::vector<std::size_t>& labels, double rate) {
    const std::size_t rows = labels.size();
    std::vector<std::vector<double>> x{images};
    for (std::size_t l = 0; l < layers_.size(); ++l)
      x.push_back(forward(layers_[l], x[l], rows, l + 1 < layers_.size()));

    // Gradient of the loss with respect to the logits: (softmax - one_hot(label)) / rows.
    const std::size_t classes = layers_.back().out;
    std::vector<double> gradient(rows * classes);
    double loss = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double* z = &x.back()[r * classes];
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(z[c]);
      loss -= (z[labels[r]] - std::log(sum)) / static_cast<double>(rows);
      for (std::size_t c = 0; c < classes; ++c) {
        gradient[r * classes + c] = (std::exp(z[c]) / sum - (c == labels[r] ? 1 : 0)) / static_cast<double>(rows);
      }
    }
    for (std::size_t l = layers_.size(); l-- > 0;) gradient = backward(layers_[l], x[l], gradient, rows, rate, l != 0);
    return loss;
  }

 private:
  static std::vector<double> forward(const layer& w, const std::vector<double>& x, std::size_t rows, bool relu) {
    std::vector<double> y(rows * w.out);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < w.out; ++o) {
        double sum = w.bias[o];
        for (std::size_t i = 0; i < w.in; ++i) sum += x[r * w.in + i] * w.weight[i * w.out + o];
        y[r * w.out + o] = relu && sum < 0 ? 0 : sum;
      }
    }
    return y;
  }

  // Updates the layer and returns the gradient of its input, zeroed where the preceding relu was inactive.
  static std::vector<double> backward(layer& w, const std::vector<double>& x, const std::vector<double>& gradient,
                                      std::size_t rows, double rate, bool relu_before) {
    std::vector<double> below(rows * w.in, 0.0), weight = w.weight, bias = w.bias;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < w.out; ++o) {
        const double g = gradient[r * w.out + o];
        bias[o] -= rate * g;
        for (std::size_t i = 0; i < w.in; ++i) {
          weight[i * w.out + o] -= rate * g * x[r * w.in + i];
          below[r * w.in + i] += g * w.weight[i * w.out + o];
        }
      }
    }
    for (std::size_t n = 0; relu_before && n < below.size(); ++n) {
      if (x[n] <= 0) below[n] = 0;
    }
    w.weight = std::move(weight);
    w.bias = std::move(bias);
    return below;
  }

  std::vector<layer> layers_;
};

}  // namespace oracle
