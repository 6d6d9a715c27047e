// Shape rules and fronts of losses that have kernels.
export module topbit.ops:loss_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :loss;
import :pointwise;
import :row_rules;
import :rules;
import :structured;

namespace topbit::detail {

struct nll_rule {
  static constexpr table_entries needs{.rowwise = true};
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self, const tensor& target,
                                         const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored);
  static void run(backend_call c, const tensor& self, const tensor& target, const optional_tensor& weight,
                  std::int64_t reduction, std::int64_t ignored, const tensor& output, const tensor& total);
};

struct nll_backward_rule {
  static constexpr table_entries needs{.rowwise = true};
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& self, const tensor& target,
                          const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored,
                          const tensor& total);
  static void run(backend_call c, const tensor& grad, const tensor& self, const tensor& target,
                  const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored, const tensor& total,
                  const tensor& out);
};

using loss_forms =
    forms_list<ruled<nll_rule, no_abilities, ops::nll_loss_forward, ops::nll_loss_forward_out>,
               ruled<nll_backward_rule, no_abilities, ops::nll_loss_backward, ops::nll_loss_backward_out>>;

}  // namespace topbit::detail
