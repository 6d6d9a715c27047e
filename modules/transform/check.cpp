module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :dual;
import :check;

namespace topbit {

namespace {

using tensors = std::vector<tensor>;

tensor drawn_like(const tensor& t, std::uint64_t seed) {
  return randn(t.sizes(), arg<"generator"> = generator(seed), arg<"dtype"> = t.dtype());
}

tensors floating_results(const tensor_function& f, std::span<const tensor> inputs) {
  tensors all = f(inputs);
  std::erase_if(all, [](const tensor& t) { return !t.defined() || !is_floating(t.dtype()); });
  return all;
}

std::vector<double> values_of(const tensor& t) {
  const tensor wide = aten::contiguous(to(aten::detach(t), dtype::float64));
  return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}
double product(const tensor& a, const tensor& b) {
  const std::vector<double> x = values_of(a), y = values_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

check_result jvpcheck(const tensor_function& f, std::span<const tensor> inputs, const check_options& options,
                      std::uint64_t seed) {
  tensors primals(inputs.begin(), inputs.end()), along(inputs.size());
  bool checked = false;
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) continue;
    primals[i] = aten::detach(inputs[i]);
    if (!requires_grad(inputs[i])) continue;
    if (inputs[i].dtype() != dtype::float64) {
      throw dtype_error("jvpcheck: input " + std::to_string(i + 1) + " is " + std::string(name_of(inputs[i].dtype())) +
                        ", wanted float64: finite differences of other dtypes are too inaccurate");
    }
    if (inputs[i].device() != cpu) {
      throw device_error("jvpcheck: input " + std::to_string(i + 1) + " is on " + to_string(inputs[i].device()) +
                         ", wanted it on cpu");
    }
    along[i] = drawn_like(inputs[i], seed + i);
    checked = true;
    elements += inputs[i].numel();
  }
  if (!checked) throw error("jvpcheck: found no input that requires a gradient, wanted one or more");
  if (elements == 0) return {};
  const auto results_beside = [&](double step) {
    tensors moved = primals;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (along[i].defined()) moved[i] = moved[i] + along[i] * step;
    }
    return floating_results(f, moved);
  };
  const tensors high = results_beside(options.step), low = results_beside(-options.step);

  const dual_level level;
  tensors duals = primals, leaves;
  for (std::size_t i = 0; i < duals.size(); ++i) {
    if (!along[i].defined()) continue;
    leaves.push_back(require_grad(aten::detach(primals[i])));
    duals[i] = level.dual(leaves.back(), along[i]);
  }
  const enable_grad recording;
  const tensors results = floating_results(f, duals);
  if (results.size() != high.size() || results.size() != low.size())
    throw error("jvpcheck: found other numbers of results in calls of one function, wanted the same");
  tensors recorded, cotangents;
  double forward = 0;
  const auto agree = [&](double found, double wanted) {
    return std::abs(found - wanted) <= options.absolute + options.relative * std::abs(wanted) ||
           (std::isnan(found) && std::isnan(wanted));
  };
  for (std::size_t r = 0; r < results.size(); ++r) {
    const tensor tangent = level.parts(results[r]).tangent;
    const std::vector<double> above = values_of(high[r]), below = values_of(low[r]),
                              found = tangent.defined() ? values_of(tangent) : std::vector<double>(above.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      const double wanted = (above[e] - below[e]) / (2 * options.step);
      if (agree(found[e], wanted)) continue;
      return {false, "result " + std::to_string(r + 1) + ", element " + std::to_string(e) + ": the tangent is " +
                         to_string(scalar(found[e])) + ", finite differences give " + to_string(scalar(wanted))};
    }
    if (!requires_grad(results[r])) continue;
    recorded.push_back(results[r]);
    cotangents.push_back(drawn_like(results[r], seed + inputs.size() + r));
    if (tangent.defined()) forward += product(cotangents.back(), tangent);
  }
  if (recorded.empty()) return {};
  const tensors gradients = grad(recorded, leaves, {.allow_unused = true, .gradients = cotangents});
  double reverse = 0;
  std::size_t leaf = 0;
  for (const tensor& v : along) {
    if (!v.defined()) continue;
    if (const tensor& g = gradients[leaf++]; g.defined()) reverse += product(g, v);
  }
  if (agree(forward, reverse)) return {};
  return {false, "a product of the results' tangents is " + to_string(scalar(forward)) + ", by the gradients it is " +
                     to_string(scalar(reverse))};
}

}  // namespace topbit
