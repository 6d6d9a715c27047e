// Shape functions and kernel thunks of losses that have kernels.
module topbit.ops:loss.loss_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :loss.loss;
import :elementwise.elementwise;
import :elementwise.operation;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :registration.operands;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

inline constexpr std::int64_t by_none = 0, by_mean = 1, by_sum = 2;

// A logarithm, at least -100 as in PyTorch.
tensor bounded_below(const tensor& logarithm);
// The loss of each element, without weights.
tensor binary_cross_entropies(const tensor& self, const tensor& target);

// The loss of rows given their labels: of log-probabilities, or of scores.
std::array<result_meta, 2> label_loss_meta(std::string_view op, const tensor& self, const tensor& target,
                                           const optional_tensor& weight, std::int64_t reduction);
void run_label_loss(backend_call c, rowwise code, const tensor& self, const tensor& target,
                    const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored, const tensor& output,
                    const tensor& total);
result_meta label_gradient_meta(std::string_view op, const tensor& grad, const tensor& self, const tensor& target,
                                const optional_tensor& weight, std::int64_t reduction, const tensor& total);
void run_label_gradient(backend_call c, rowwise code, const tensor& grad, const tensor& self, const tensor& target,
                        const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored,
                        const tensor& total, const tensor& out);

template <rowwise Code>
struct label_loss_kernel {
  static constexpr auto needs = all_of(Code, rowwise::nll_total, elementwise::fill);
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self, const tensor& target,
                                         const optional_tensor& weight, std::int64_t reduction, std::int64_t) {
    return label_loss_meta(op, self, target, weight, reduction);
  }
  static void run(backend_call c, const tensor& self, const tensor& target, const optional_tensor& weight,
                  std::int64_t reduction, std::int64_t ignored, const tensor& output, const tensor& total) {
    run_label_loss(c, Code, self, target, weight, reduction, ignored, output, total);
  }
};

template <rowwise Code>
struct label_gradient_kernel {
  static constexpr auto needs = all_of(Code, elementwise::div);
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& self, const tensor& target,
                          const optional_tensor& weight, std::int64_t reduction, std::int64_t, const tensor& total) {
    return label_gradient_meta(op, grad, self, target, weight, reduction, total);
  }
  static void run(backend_call c, const tensor& grad, const tensor& self, const tensor& target,
                  const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored, const tensor& total,
                  const tensor& out) {
    run_label_gradient(c, Code, grad, self, target, weight, reduction, ignored, total, out);
  }
};

using nll_rule = label_loss_kernel<rowwise::nll>;

inline constexpr auto loss_forms =
    forms_list<structured_forms<nll_rule, no_abilities, aten::nll_loss_forward, aten::nll_loss_forward_output>,
               structured_forms<label_gradient_kernel<rowwise::nll_backward>, no_abilities, aten::nll_loss_backward,
                                aten::nll_loss_backward_grad_input>,
               structured_forms<label_loss_kernel<rowwise::cross_entropy>, no_abilities, native::cross_entropy>,
               structured_forms<label_gradient_kernel<rowwise::cross_entropy_backward>, no_abilities,
                                native::cross_entropy_backward>>();

inline constexpr auto element_loss_forms =
    forms_list<elementwise_forms<elementwise::squared_difference, native::squared_difference>,
               elementwise_forms<elementwise::squared_difference_backward, native::squared_difference_backward>,
               elementwise_forms<elementwise::smooth_l1, native::smooth_l1>,
               elementwise_forms<elementwise::smooth_l1_backward, native::smooth_l1_backward>,
               elementwise_forms<elementwise::huber, native::huber>,
               elementwise_forms<elementwise::huber_backward, native::huber_backward>>();

}  // namespace topbit::detail
