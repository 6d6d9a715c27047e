// Kernel thunks of optimizer steps.
module topbit.ops:optimizer.update_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.unstructured;
import :elementwise.elementwise;
import :registration.operands;
import :registration.structured;
import :registration.structured_forms;
import :optimizer.update;

namespace topbit::detail {

using tensors = std::vector<tensor>;

void step_sgd(backend_call c, tensors& self, tensors& grads, tensors& buffers, double decay, double momentum,
              double rate, double dampening, bool nesterov, bool maximize, bool first_step,
              const optional_tensor& scale, const optional_tensor& found_inf);

// decoupled: the weight decay is that of adamw.
void step_adam(backend_call c, bool decoupled, tensors& self, tensors& grads, tensors& averages, tensors& squares,
               tensors& greatest, std::span<const tensor> steps, double rate, double beta1, double beta2, double decay,
               double epsilon, bool amsgrad, bool maximize, const optional_tensor& scale,
               const optional_tensor& found_inf);

template <bool Decoupled>
void step_adam_form(backend_call c, tensors& self, tensors& grads, tensors& averages, tensors& squares,
                    tensors& greatest, std::span<const tensor> steps, double rate, double beta1, double beta2,
                    double decay, double epsilon, bool amsgrad, bool maximize, const optional_tensor& scale,
                    const optional_tensor& found_inf) {
  step_adam(c, Decoupled, self, grads, averages, squares, greatest, steps, rate, beta1, beta2, decay, epsilon, amsgrad,
            maximize, scale, found_inf);
}

// The ABI's operation codes, with the same values.
enum class update_code : std::int32_t { sgd, adam, adamw, count };
template <>
inline constexpr table_entry entry_of<update_code> = table_entry::update;

inline constexpr auto update_forms = forms_list<
    unstructured<function_kernel<&step_sgd, all_of(update_code::sgd), true>, aten::_fused_sgd_>,
    unstructured<function_kernel<&step_adam_form<false>, all_of(update_code::adam), true>, aten::_fused_adam_>,
    unstructured<function_kernel<&step_adam_form<true>, all_of(update_code::adamw), true>, aten::_fused_adamw_>>();

}  // namespace topbit::detail
