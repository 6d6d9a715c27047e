// Kernels of the family `update`: lists are checked completely before a parameter is written.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :optimizer.update_kernels;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(update_code::sgd) == TB_UPDATE_SGD);
static_assert(static_cast<int>(update_code::adam) == TB_UPDATE_ADAM);
static_assert(static_cast<int>(update_code::adamw) == TB_UPDATE_ADAMW);
static_assert(static_cast<int>(update_code::count) == TB_UPDATE_COUNT);

namespace {

struct named_list {
  std::string_view name;
  std::span<const tensor> all;
  bool is_state;
  bool is_scaled = false;  // gradients, which are divided in place
};

// The kernel thunk checks devices too, but accepts zero-dimensional CPU tensors as numbers.
void check_place(backend_call c, const tensor& t, std::string_view name, const tensor& self, std::size_t i) {
  if (t.device() == self.device()) return;
  refuse<device_error>(c, "found " + std::string(name) + " on " + to_string(t.device()) + " for parameter " +
                              std::to_string(i) + " on " + to_string(self.device()) +
                              ", wanted one device; move one with to()");
}

void check_lists(backend_call c, std::span<const tensor> self, std::span<const named_list> lists) {
  for (const named_list& list : lists) {
    if (list.all.size() == self.size()) continue;
    refuse<error>(c, "found " + std::to_string(list.all.size()) + " " + std::string(list.name) + " for " +
                         std::to_string(self.size()) + " parameters, wanted one for each");
  }
  for (std::size_t i = 0; i < self.size(); ++i) {
    check_defined(c, self[i]);
    check_written(c, self[i]);
    if (!is_floating(self[i].dtype())) {
      refuse<dtype_error>(c,
                          "found parameters of " + std::string(name_of(self[i].dtype())) + ", wanted a floating type");
    }
    for (const named_list& list : lists) {
      const tensor& t = list.all[i];
      check_defined(c, t);
      check_place(c, t, list.name, self[i], i);
      if (list.is_state || list.is_scaled) check_written(c, t);
      const auto found = [&] {
        return "found " + std::string(list.name) + " " + describe(t) + " for parameter " + std::to_string(i) + ", " +
               describe(self[i]);
      };
      if (t.sizes() != self[i].sizes()) refuse<shape_error>(c, found() + ", wanted the same sizes");
      const bool wider = list.is_state && t.dtype() == widened(self[i].dtype());
      if (t.dtype() != self[i].dtype() && !wider) refuse<dtype_error>(c, found() + ", wanted the same dtype");
    }
  }
}

void check_one_element(backend_call c, const tensor& t, std::string_view name) {
  if (t.numel() == 1) return;
  refuse<shape_error>(c, "found " + std::string(name) + " " + to_string(t.sizes()) + ", wanted one element");
}

// A tensor as a kernel updates it: itself, or a dense copy in the compute type, which finish() copies back.
class updated {
 public:
  updated(const tensor& t, dtype type) : given_(&t) {
    if (t.dtype() == type && t.is_contiguous()) return;
    copy_ = author::make_tensor(t.sizes(), type, t.device());
    copy_result(copy_, t);
  }
  void* data() const { return copy_.defined() ? copy_.data() : given_->data(); }
  void finish() const {
    if (copy_.defined()) copy_result(*given_, copy_);
  }

 private:
  const tensor* given_;  // outlives this object; a handle would cost reference counting per parameter and step
  tensor copy_;
};

// A number for the step of parameter i, in a tensor of one element on the CPU or beside the parameter.
void check_number(backend_call c, const tensor& t, std::string_view name, const tensor& self, std::size_t i) {
  check_defined(c, t);
  check_one_element(c, t, name);
  if (t.device().type != backend::CPU) check_place(c, t, name, self, i);
}

// Such a number as the kernel takes it. One on the CPU is read here, others by the kernel, so that the host does not
// wait; what it reads is valid as long as this object.
class step_number {
 public:
  explicit step_number(const tensor& t) : given_(t) {}
  void put(double& here, const double*& there) {
    if (given_.device().type == backend::CPU) {
      here = item(given_);
      there = nullptr;
    } else {
      there_ = to(given_, dtype::float64);
      there = static_cast<const double*>(there_.data());
    }
  }

 private:
  const tensor& given_;
  tensor there_;
};

// What a loss scaler adds to a step: the scale of the gradients, and whether one of them is not finite.
class scaling {
 public:
  scaling(backend_call c, std::span<const tensor> self, const optional_tensor& scale,
          const optional_tensor& found_inf) {
    for (std::size_t i = 0; i < self.size(); ++i) {
      if (is_given(scale)) check_number(c, *scale, "grad_scale", self[i], i);
      if (is_given(found_inf)) check_number(c, *found_inf, "found_inf", self[i], i);
    }
    if (is_given(scale)) scale_.emplace(*scale);
    if (is_given(found_inf)) found_inf_.emplace(*found_inf);
  }
  // False if the step is skipped, and that is known here.
  bool put(tb_update& u) {
    double found = 0;
    if (found_inf_) found_inf_->put(found, u.skip_there);
    if (scale_) scale_->put(u.gradient_scale, u.scale_there);
    return found == 0;
  }

 private:
  std::optional<step_number> scale_, found_inf_;
};

// One step of one parameter with the settings in `u`.
void step(backend_call c, tb_update u, const tensor& self, const tensor& grad,
          std::initializer_list<const tensor*> states) {
  if (self.numel() == 0) return;
  const dtype type = widened(self.dtype()) == dtype::float64 ? dtype::float64 : dtype::float32;
  const updated parameter(self, type), gradient(grad, type);
  std::vector<updated> kept;
  for (const tensor* state : states) kept.emplace_back(*state, type);
  u.parameter = parameter.data();
  u.gradient = gradient.data();
  for (std::size_t k = 0; k < kept.size(); ++k) u.state[k] = kept[k].data();
  u.count = self.numel();
  u.dtype = static_cast<std::int32_t>(type);
  check_status(c, run_kernel(c, self, c.table->update, &u), self);
  parameter.finish();
  if (u.gradient_scale != 0 || u.scale_there != nullptr) gradient.finish();
  for (const updated& state : kept) state.finish();
}

}  // namespace

void step_sgd(backend_call c, tensors& self, tensors& grads, tensors& buffers, double decay, double momentum,
              double rate, double dampening, bool nesterov, bool maximize, bool first_step,
              const optional_tensor& scale, const optional_tensor& found_inf) {
  std::vector<named_list> lists{{"grads", grads, false, is_given(scale)}};
  if (momentum != 0) lists.push_back({"momentum_buffer_list", buffers, true});
  check_lists(c, self, lists);
  scaling scaled(c, self, scale, found_inf);
  tb_update u{};
  if (c.table == nullptr || !scaled.put(u)) return;
  u.op = TB_UPDATE_SGD;
  u.rate = rate;
  u.decay = decay;
  u.first = momentum;
  u.second = dampening;
  u.nesterov = nesterov ? 1 : 0;
  u.maximize = maximize ? 1 : 0;
  u.first_step = first_step ? 1 : 0;
  for (std::size_t i = 0; i < self.size(); ++i) {
    if (momentum != 0) {
      step(c, u, self[i], grads[i], {&buffers[i]});
    } else {
      step(c, u, self[i], grads[i], {});
    }
  }
}

void step_adam(backend_call c, bool decoupled, tensors& self, tensors& grads, tensors& averages, tensors& squares,
               tensors& greatest, std::span<const tensor> steps, double rate, double beta1, double beta2, double decay,
               double epsilon, bool amsgrad, bool maximize, const optional_tensor& scale,
               const optional_tensor& found_inf) {
  std::vector<named_list> lists{
      {"grads", grads, false, is_given(scale)}, {"exp_avgs", averages, true}, {"exp_avg_sqs", squares, true}};
  if (amsgrad) lists.push_back({"max_exp_avg_sqs", greatest, true});
  check_lists(c, self, lists);
  if (steps.size() != self.size()) {
    refuse<error>(c, "found " + std::to_string(steps.size()) + " state_steps for " + std::to_string(self.size()) +
                         " parameters, wanted one for each");
  }
  for (std::size_t i = 0; i < self.size(); ++i) check_number(c, steps[i], "state_steps", self[i], i);
  scaling scaled(c, self, scale, found_inf);
  tb_update u{};
  if (c.table == nullptr || !scaled.put(u)) return;
  u.op = decoupled ? TB_UPDATE_ADAMW : TB_UPDATE_ADAM;
  u.rate = rate;
  u.decay = decay;
  u.first = beta1;
  u.second = beta2;
  u.epsilon = epsilon;
  u.maximize = maximize ? 1 : 0;
  for (std::size_t i = 0; i < self.size(); ++i) {
    step_number number(steps[i]);
    number.put(u.step, u.step_there);
    if (amsgrad) {
      step(c, u, self[i], grads[i], {&averages[i], &squares[i], &greatest[i]});
    } else {
      step(c, u, self[i], grads[i], {&averages[i], &squares[i]});
    }
  }
}

void register_update() { register_forms(update_forms); }

}  // namespace topbit::detail
