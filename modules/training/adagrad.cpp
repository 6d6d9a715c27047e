module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :options;

namespace topbit {

adagrad::adagrad(std::vector<tensor> parameters, const adagrad_options& options) : optimizer("adagrad") {
  add_group(std::move(parameters), options);
}

void adagrad::add_group(std::vector<tensor> parameters, const adagrad_options& o) {
  const auto from_zero = [&](std::string_view option, double value) {
    require(value >= 0 && std::isfinite(value), option, value, "a number from 0 up");
  };
  from_zero("learning_rate_decay", o.learning_rate_decay);
  from_zero("weight_decay", o.weight_decay);
  from_zero("epsilon", o.epsilon);
  options_.reserve(options_.size() + 1);
  add(std::move(parameters), o.learning_rate, {"sum"});
  options_.push_back(o);
}

std::string adagrad::refuses_sparse(std::size_t group) const {
  return detail::refused_with("weight_decay", options_[group].weight_decay);
}

void adagrad::update(std::size_t group, batch& b) {
  const adagrad_options& o = options_[group];
  const double rate = b.learning_rate / (1 + static_cast<double>(b.step - 1) * o.learning_rate_decay);
  for (std::size_t i = 0; i < b.parameters.size(); ++i) {
    tensor &parameter = b.parameters[i], &squares = b.state[0][i];
    tensor gradient = o.maximize ? -b.gradients[i] : b.gradients[i];
    if (o.weight_decay != 0) gradient = aten::add_Tensor(gradient, parameter, o.weight_decay);
    aten::addcmul_(squares, gradient, gradient);
    aten::addcdiv_(parameter, gradient, aten::sqrt(squares) + o.epsilon, -rate);
  }
}

}  // namespace topbit
