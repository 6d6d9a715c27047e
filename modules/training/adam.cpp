module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit {

void detail::adam_family::add_checked(std::vector<tensor> parameters, const adam_options& o) {
  require(o.beta1 >= 0 && o.beta1 < 1, "beta1", o.beta1, "a number from 0 to below 1");
  require(o.beta2 >= 0 && o.beta2 < 1, "beta2", o.beta2, "a number from 0 to below 1");
  require(o.epsilon >= 0 && std::isfinite(o.epsilon), "epsilon", o.epsilon, "a number from 0 up");
  require(o.weight_decay >= 0 && std::isfinite(o.weight_decay), "weight_decay", o.weight_decay, "a number from 0 up");
  std::vector<std::string_view> names{"exp_avg", "exp_avg_sq"};
  if (o.amsgrad) names.push_back("max_exp_avg_sq");
  options_.reserve(options_.size() + 1);
  add(std::move(parameters), o.learning_rate, std::move(names), o.capturable);
  options_.push_back(o);
}

void detail::adam_family::update(std::size_t group, batch& b) {
  const adam_options& o = options_[group];
  if (b.steps_there.empty()) {
    b.steps_there.assign(b.parameters.size(), from_values<double>({static_cast<double>(b.step)}, {}));
  }
  std::vector<tensor> not_kept;
  std::vector<tensor>& greatest = o.amsgrad ? b.state[2] : not_kept;
  const auto run = [&](const auto& fused) {
    fused(b.parameters, b.gradients, b.state[0], b.state[1], greatest, b.steps_there, arg<"lr"> = b.learning_rate,
          arg<"beta1"> = o.beta1, arg<"beta2"> = o.beta2, arg<"weight_decay"> = o.weight_decay, arg<"eps"> = o.epsilon,
          arg<"amsgrad"> = o.amsgrad, arg<"maximize"> = o.maximize, arg<"grad_scale"> = b.gradient_scale,
          arg<"found_inf"> = b.found_inf);
  };
  decoupled_ ? run(aten::_fused_adamw_) : run(aten::_fused_adam_);
}

adam::adam(std::vector<tensor> parameters, const adam_options& options) : adam_family("adam", false) {
  add_group(std::move(parameters), options);
}
void adam::add_group(std::vector<tensor> parameters, const adam_options& options) {
  add_checked(std::move(parameters), options);
}

adamw::adamw(std::vector<tensor> parameters, const adamw_options& options) : adam_family("adamw", true) {
  add_group(std::move(parameters), options);
}
void adamw::add_group(std::vector<tensor> parameters, const adamw_options& o) {
  add_checked(std::move(parameters),
              {o.learning_rate, o.beta1, o.beta2, o.epsilon, o.weight_decay, o.amsgrad, o.maximize, o.capturable});
}

sparse_adam::sparse_adam(std::vector<tensor> parameters, const sparse_adam_options& options)
    : adam_family("sparse_adam", false) {
  add_group(std::move(parameters), options);
}
void sparse_adam::add_group(std::vector<tensor> parameters, const sparse_adam_options& o) {
  add_checked(std::move(parameters), {.learning_rate = o.learning_rate,
                                      .beta1 = o.beta1,
                                      .beta2 = o.beta2,
                                      .epsilon = o.epsilon,
                                      .maximize = o.maximize});
}
std::string sparse_adam::refuses_sparse(std::size_t) const { return {}; }

}  // namespace topbit
