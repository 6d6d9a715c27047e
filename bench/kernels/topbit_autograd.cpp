// topbit's graph, by what its users write.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems.h"
import topbit;
#include "peer_topbit.h"

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::tensor;

namespace bench {

namespace {

tensor leaf(const array& a) { return tb::require_grad(aten::clone(tensor_of(a))); }

array written(const problem& p, const tensor& found) {
  const float* from = found.data_ptr<float>();
  std::copy(from, from + found.numel(), p.result.as<float>());
  return p.result;
}

work record(const problem& p) {
  const tensor w = leaf(p.inputs[0]), x = aten::clone(tensor_of(p.inputs[1]));
  work made;
  made.run = repeat([=] { const tensor dropped = aten::add_Tensor(w, x); });
  made.result = [=] { return written(p, tb::detach(aten::add_Tensor(w, x))); };
  return made;
}

work one_node(const problem& p) {
  const tensor w = leaf(p.inputs[0]), x = aten::clone(tensor_of(p.inputs[1]));
  if (p.operation == "one_node_forward") return record(p);
  const auto call = [=] { tb::backward(aten::add_Tensor(w, x)); };
  work made;
  made.run = repeat([=] {
    call();
    tb::zero_grad(w);
  });
  made.result = [=] {
    call();
    const array found = written(p, tb::leaf_grad(w));
    tb::zero_grad(w);
    return found;
  };
  return made;
}

class chain {
 public:
  explicit chain(const problem& p)
      : w_(leaf(p.inputs[0])),
        other_(p.options[1] != 0 ? w_ : aten::clone(tensor_of(p.inputs[1]))),
        ones_(aten::ones_like(other_)),
        nodes_(p.options[0]),
        product_(p.operation.ends_with("mul")) {}

  tensor forward() const {
    tensor y = w_;
    for (std::int64_t i = 0; i < nodes_; ++i) y = product_ ? aten::mul_Tensor(y, other_) : aten::add_Tensor(y, other_);
    return y;
  }
  void run() const {
    tb::backward(forward(), ones_);
    tb::zero_grad(w_);
  }
  tensor gradient() const {
    tb::backward(forward(), ones_);
    const tensor found = tb::leaf_grad(w_);
    tb::zero_grad(w_);
    return found;
  }
  double bytes() const {
    const std::size_t before = tb::host_memory().bytes_in_use;
    const tensor kept = forward();
    return static_cast<double>(tb::host_memory().bytes_in_use - before) / static_cast<double>(nodes_);
  }

 private:
  tensor w_, other_, ones_;
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
  explicit network(const problem& p) : images_(tensor_of(p.inputs[0])), labels_(tensor_of(p.inputs[1])) {
    for (std::size_t i = 2; i < p.inputs.size(); ++i) parameters_.push_back(leaf(p.inputs[i]));
  }

  // The loss before it.
  tensor step() {
    tensor x = images_;
    for (std::size_t i = 0; i < parameters_.size(); i += 2) {
      if (i != 0) x = aten::relu(x);
      x = aten::linear(x, parameters_[i], parameters_[i + 1]);
    }
    const tensor loss = aten::cross_entropy_loss(x, labels_);
    tb::backward(loss);
    const tb::no_grad guard;
    gradients_.clear();
    for (const tensor& p : parameters_) gradients_.push_back(tb::leaf_grad(p));
    using tb::arg;
    aten::_fused_sgd_(parameters_, gradients_, none_, arg<"weight_decay"> = 0.0, arg<"momentum"> = 0.0,
                      arg<"lr"> = learning_rate, arg<"dampening"> = 0.0, arg<"nesterov"> = false,
                      arg<"maximize"> = false, arg<"is_first_step"> = false);
    for (const tensor& p : parameters_) tb::zero_grad(p);
    return loss;
  }

 private:
  tensor images_, labels_;
  std::vector<tensor> parameters_, gradients_, none_;
};

work trained(const problem& p) {
  work w;
  w.run = repeat([made = std::make_shared<network>(p)] { made->step(); });
  w.result = [p] {
    network fresh(p);
    for (std::int64_t i = 0; i < p.result.count(); ++i)
      p.result.as<float>()[i] = static_cast<float>(tb::item(fresh.step()));
    return p.result;
  };
  return w;
}

}  // namespace

std::optional<work> recorded_work(const problem& p) {
  if (p.family != "autograd") return std::nullopt;
  if (p.operation == "step") return trained(p);
  if (p.operation == "record_add") return record(p);
  return p.operation.starts_with("one_node") ? one_node(p) : chained(p);
}

}  // namespace bench
