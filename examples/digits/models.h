// The two networks. Every line is operator calls; autograd records them by key.
// Include the standard headers and import topbit before this file.
#pragma once

class model {
 public:
  explicit model(topbit::generator random, topbit::device where) : random_(std::move(random)), where_(where) {}
  virtual ~model() = default;

  // images: [n, 8, 8] -> scores [n, 10]; cross_entropy_loss makes probabilities of them.
  virtual topbit::tensor operator()(const topbit::tensor& images) const = 0;

  // Copies of a tensor share its elements, so what is written to these is written to the model.
  const std::vector<topbit::tensor>& parameters() const { return parameters_; }
  // How many numbers they are.
  std::int64_t size() const {
    std::int64_t numbers = 0;
    for (const topbit::tensor& p : parameters_) numbers += p.numel();
    return numbers;
  }

 protected:
  struct layer {
    topbit::tensor weight, bias;
  };

  // weight: these sizes, the first of them the number of outputs; uniform in +-sqrt(6 / inputs), which keeps the
  // variance of relu layers (He et al. 2015). bias: 0. Drawn on the host: a seed stands for one model on every device.
  layer learned(const topbit::dims& sizes) {
    const double bound = std::sqrt(6.0 * static_cast<double>(sizes[0]) / static_cast<double>(topbit::numel(sizes)));
    topbit::tensor weight = topbit::ops::empty(sizes);
    topbit::ops::uniform_(weight, -bound, bound, topbit::arg<"generator"> = random_);
    const layer made{topbit::to(weight, where_), topbit::to(topbit::ops::zeros(topbit::dims{sizes[0]}), where_)};
    for (const topbit::tensor& p : {made.weight, made.bias}) parameters_.push_back(topbit::require_grad(p));
    return made;
  }

 private:
  topbit::generator random_;
  topbit::device where_;
  std::vector<topbit::tensor> parameters_;
};

// Three linear layers, relu between them.
class mlp final : public model {
 public:
  using model::model;

  topbit::tensor operator()(const topbit::tensor& images) const override {
    namespace ops = topbit::ops;
    topbit::tensor x = ops::flatten(images, 1);  // [n, 64]
    x = ops::relu(ops::linear(x, first_.weight, first_.bias));
    x = ops::relu(ops::linear(x, second_.weight, second_.bias));
    return ops::linear(x, scores_.weight, scores_.bias);
  }

 private:
  layer first_ = learned({128, 64}), second_ = learned({64, 128}), scores_ = learned({10, 64});
};

// Two convolutions that keep the size of the image, a pooling that halves it, one linear layer.
class cnn final : public model {
 public:
  using model::model;

  topbit::tensor operator()(const topbit::tensor& images) const override {
    namespace ops = topbit::ops;
    topbit::tensor x = ops::unsqueeze(images, 1);  // [n, 1, 8, 8]: one channel
    x = ops::conv2d(x, first_.weight, first_.bias, topbit::arg<"padding"> = 1);
    x = ops::relu(x);  // [n, 16, 8, 8]
    x = ops::conv2d(x, second_.weight, second_.bias, topbit::arg<"padding"> = 1);
    x = ops::max_pool2d(ops::relu(x), 2);  // [n, 32, 4, 4]
    return ops::linear(ops::flatten(x, 1), scores_.weight, scores_.bias);
  }

 private:
  layer first_ = learned({16, 1, 3, 3}), second_ = learned({32, 16, 3, 3}), scores_ = learned({10, 512});
};
