module;

#include <cmath>

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :sparse_gradient;

namespace topbit {

namespace {

// The tensors of elements of all gradients, each element once.
std::vector<tensor> gradients_of(std::span<const tensor> parameters) {
  std::vector<tensor> all;
  for (const tensor& p : parameters) {
    const tensor g = leaf_grad(p);
    if (!g.defined()) continue;
    const tensor once = detail::coalesced(g);
    if (!once.same_as(g)) set_leaf_grad(p, once);
    if (const tensor elements = detail::elements_of(once); elements.numel() != 0) all.push_back(elements);
  }
  return all;
}

void check_most(std::string_view who, double most) {
  if (most >= 0) return;
  throw error(std::string(who) + ": found most=" + to_string(scalar(most)) + ", wanted 0 or more", std::string(who));
}

// Accumulates float16 and bfloat16 in float32.
double norm_of(const tensor& gradient, double p) {
  const dtype type = promote(gradient.dtype(), dtype::float32);
  return item(aten::linalg_vector_norm(gradient, p, arg<"dtype"> = type));
}

}  // namespace

double clip_gradient_norm(std::span<const tensor> parameters, double most, const clip_options& options) {
  constexpr std::string_view who = "clip_gradient_norm";
  check_most(who, most);
  if (!(options.p > 0)) {
    throw error("clip_gradient_norm: found p=" + to_string(scalar(options.p)) + ", wanted a number above 0",
                std::string(who));
  }
  const no_grad guard;
  const std::vector<tensor> gradients = gradients_of(parameters);
  const bool greatest = std::isinf(options.p);
  double total = 0;
  for (const tensor& g : gradients) {
    const double one_norm = norm_of(g, options.p);
    if (!greatest) {
      total += std::pow(one_norm, options.p);
    } else if (!(one_norm <= total)) {
      total = std::isnan(total) ? total : one_norm;
    }
  }
  if (!greatest) total = std::pow(total, 1 / options.p);
  if (options.error_if_non_finite && !std::isfinite(total)) {
    throw error("clip_gradient_norm: found gradients whose norm is " + to_string(scalar(total)) +
                    ", wanted a finite one; clip_options.error_if_non_finite enables this error",
                std::string(who));
  }
  const double factor = most / (total + 1e-6);
  if (factor >= 1) return total;
  for (tensor g : gradients) aten::mul_Scalar_(g, factor);
  return total;
}

void clip_gradient_value(std::span<const tensor> parameters, double most) {
  check_most("clip_gradient_value", most);
  const no_grad guard;
  for (tensor g : gradients_of(parameters)) aten::clamp_(g, -most, most);
}

}  // namespace topbit
