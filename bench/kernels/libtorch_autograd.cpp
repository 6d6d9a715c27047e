// libtorch's graph, by what its users write: modules, an optimizer.
#include <malloc.h>
#include <torch/torch.h>

#include <memory>

#include "peer_libtorch.h"
#include "problems.h"

using at::Tensor;

namespace bench {

namespace {

Tensor leaf(const array& a) { return torch_tensor_of(a).clone().requires_grad_(); }

array written(const problem& p, const Tensor& found) {
  at::NoGradGuard guard;
  torch_tensor_of(p.result).copy_(found.reshape(p.result.sizes));
  return p.result;
}

work record(const problem& p) {
  const Tensor w = leaf(p.inputs[0]), x = torch_tensor_of(p.inputs[1]).clone();
  work made;
  made.run = repeat([=] { const Tensor dropped = at::add(w, x); });
  made.result = [=] { return written(p, at::add(w, x)); };
  return made;
}

work one_node(const problem& p) {
  const Tensor w = leaf(p.inputs[0]), x = torch_tensor_of(p.inputs[1]).clone();
  if (p.operation == "one_node_forward") return record(p);
  const auto call = [=] { at::add(w, x).backward(); };
  work made;
  made.run = repeat([=] {
    call();
    w.mutable_grad().reset();
  });
  made.result = [=] {
    call();
    const array found = written(p, w.grad());
    w.mutable_grad().reset();
    return found;
  };
  return made;
}

class chain {
 public:
  explicit chain(const problem& p)
      : w_(leaf(p.inputs[0])),
        other_(p.options[1] != 0 ? w_ : torch_tensor_of(p.inputs[1]).clone()),
        ones_(at::ones_like(other_).detach()),
        nodes_(p.options[0]),
        product_(p.operation.size() > 3 && p.operation.substr(p.operation.size() - 3) == "mul") {}

  Tensor forward() const {
    Tensor y = w_;
    for (std::int64_t i = 0; i < nodes_; ++i) y = product_ ? at::mul(y, other_) : at::add(y, other_);
    return y;
  }
  void run() const {
    forward().backward(ones_);
    w_.mutable_grad().reset();
  }
  Tensor gradient() const {
    forward().backward(ones_);
    const Tensor found = w_.grad();
    w_.mutable_grad().reset();
    return found;
  }
  // It allocates by malloc, which counts what is in use.
  double bytes() const {
    const std::size_t before = mallinfo2().uordblks;
    const Tensor kept = forward();
    return static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(nodes_);
  }

 private:
  Tensor w_, other_, ones_;
  std::int64_t nodes_;
  bool product_;
};

work chained(const problem& p) {
  const auto made = std::make_shared<chain>(p);
  work w;
  w.run = repeat([made] { made->run(); });
  w.result = [p, made] { return written(p, made->gradient()); };
  if (!p.timed()) w.bytes = made->bytes();
  return w;
}

class network {
 public:
  explicit network(const problem& p) : images_(torch_tensor_of(p.inputs[0])), labels_(torch_tensor_of(p.inputs[1])) {
    for (std::size_t i = 2; i < p.inputs.size(); i += 2) {
      torch::nn::Linear layer(p.inputs[i].sizes[1], p.inputs[i].sizes[0]);
      at::NoGradGuard guard;
      layer->weight.copy_(torch_tensor_of(p.inputs[i]));
      layer->bias.copy_(torch_tensor_of(p.inputs[i + 1]));
      layers_->push_back(layer);
    }
    optimizer_ = std::make_unique<torch::optim::SGD>(layers_->parameters(), torch::optim::SGDOptions(learning_rate));
  }

  // The loss before it.
  Tensor step() {
    optimizer_->zero_grad();
    Tensor x = images_;
    for (std::size_t i = 0; i < layers_->size(); ++i) {
      if (i != 0) x = torch::relu(x);
      x = layers_->ptr<torch::nn::LinearImpl>(i)->forward(x);
    }
    const Tensor loss = torch::nn::functional::cross_entropy(x, labels_);
    loss.backward();
    optimizer_->step();
    return loss;
  }

 private:
  Tensor images_, labels_;
  torch::nn::Sequential layers_;
  std::unique_ptr<torch::optim::SGD> optimizer_;
};

work trained(const problem& p) {
  work w;
  w.run = repeat([made = std::make_shared<network>(p)] { made->step(); });
  w.result = [p] {
    network fresh(p);
    for (std::int64_t i = 0; i < p.result.count(); ++i) p.result.as<float>()[i] = fresh.step().item<float>();
    return p.result;
  };
  return w;
}

}  // namespace

std::optional<work> recorded_work_of_libtorch(const problem& p) {
  if (p.family != "autograd") return std::nullopt;
  if (p.operation == "step") return trained(p);
  if (p.operation == "record_add") return record(p);
  return p.operation == "one_node" || p.operation == "one_node_forward" ? one_node(p) : chained(p);
}

}  // namespace bench
