module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :options;

namespace topbit {

sgd::sgd(std::vector<tensor> parameters, const sgd_options& options) : optimizer("sgd") {
  add_group(std::move(parameters), options);
}

void sgd::add_group(std::vector<tensor> parameters, const sgd_options& o) {
  require(o.momentum >= 0 && std::isfinite(o.momentum), "momentum", o.momentum, "a number from 0 up");
  require(std::isfinite(o.dampening), "dampening", o.dampening, "a finite number");
  require(o.weight_decay >= 0 && std::isfinite(o.weight_decay), "weight_decay", o.weight_decay, "a number from 0 up");
  if (o.nesterov) {
    require(o.momentum > 0, "momentum", o.momentum, "more than 0 with nesterov");
    require(o.dampening == 0, "dampening", o.dampening, "0 with nesterov");
  }
  options_.reserve(options_.size() + 1);
  if (o.momentum != 0) {
    add(std::move(parameters), o.learning_rate, {"momentum_buffer"});
  } else {
    add(std::move(parameters), o.learning_rate, {});
  }
  options_.push_back(o);
}

std::string sgd::refuses_sparse(std::size_t group) const {
  const sgd_options& o = options_[group];
  const std::string by_momentum = detail::refused_with("momentum", o.momentum);
  return by_momentum.empty() ? detail::refused_with("weight_decay", o.weight_decay) : by_momentum;
}

void sgd::update(std::size_t group, batch& b) {
  const sgd_options& o = options_[group];
  std::vector<tensor> no_buffers;
  aten::_fused_sgd_(b.parameters, b.gradients, b.state.empty() ? no_buffers : b.state[0],
                    arg<"weight_decay"> = o.weight_decay, arg<"momentum"> = o.momentum, arg<"lr"> = b.learning_rate,
                    arg<"dampening"> = o.dampening, arg<"nesterov"> = o.nesterov, arg<"maximize"> = o.maximize,
                    arg<"is_first_step"> = b.step == 1, arg<"grad_scale"> = b.gradient_scale,
                    arg<"found_inf"> = b.found_inf);
}

}  // namespace topbit
