// Shape functions and kernel thunks of softmax and cumulative operations.
export module topbit.ops:row_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :pointwise;
import :rowwise;
import :scan;
import :softmax;
import :structured;

namespace topbit::detail {

void check_floating(backend_call c, const tensor& t);

result_meta softmax_meta(std::string_view op, const tensor& self, std::int64_t dim, bool half_to_float);
result_meta softmax_backward_meta(std::string_view op, const tensor& grad, const tensor& output, std::int64_t dim,
                                  dtype input);
// out = code(in...), all of one shape, computed in the dtype of the first.
void run_along(backend_call c, rowwise code, std::int64_t dim, std::span<const tensor* const> in, const tensor& out);

template <rowwise Code>
struct softmax_forms_rule {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, bool half_to_float) {
    return softmax_meta(op, self, dim, half_to_float);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, bool, const tensor& out) {
    const std::array<const tensor*, 1> in{&self};
    run_along(c, Code, dim, in, out);
  }
};

template <rowwise Code>
struct softmax_backward_rule {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& grad, const tensor& output, std::int64_t dim,
                          dtype input) {
    return softmax_backward_meta(op, grad, output, dim, input);
  }
  static void run(backend_call c, const tensor& grad, const tensor& output, std::int64_t dim, dtype,
                  const tensor& out) {
    const std::array<const tensor*, 2> in{&grad, &output};
    run_along(c, Code, dim, in, out);
  }
};

result_meta cumulative_meta(std::string_view op, const tensor& self, std::int64_t dim, std::optional<dtype> type);
void run_cumulative(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& out);

template <rowwise Code>
struct cumulative_rule {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, std::optional<dtype> type) {
    return cumulative_meta(op, self, dim, type);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, std::optional<dtype>, const tensor& out) {
    run_cumulative(c, Code, self, dim, out);
  }
};

struct logcumsumexp_rule {
  static constexpr auto needs = all_of(rowwise::logcumsumexp);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& out) {
    run_cumulative(c, rowwise::logcumsumexp, self, dim, out);
  }
};

std::array<result_meta, 2> extreme_meta(std::string_view op, const tensor& self, std::int64_t dim);
void run_extreme(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& values,
                 const tensor& indices);

template <rowwise Code>
struct extreme_rule {
  static constexpr auto needs = all_of(Code);
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self, std::int64_t dim) {
    return extreme_meta(op, self, dim);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& values, const tensor& indices) {
    run_extreme(c, Code, self, dim, values, indices);
  }
};

// Rows are written after they were read, so in-place needs no support of these kernels.
inline constexpr author::kernel_abilities no_abilities{};

using softmax_forms = forms_list<
    ruled<softmax_forms_rule<rowwise::softmax>, no_abilities, aten::_softmax, aten::_softmax_out>,
    ruled<softmax_forms_rule<rowwise::log_softmax>, no_abilities, aten::_log_softmax, aten::_log_softmax_out>,
    ruled<softmax_backward_rule<rowwise::softmax_backward>, no_abilities, aten::_softmax_backward_data,
          aten::_softmax_backward_data_out>,
    ruled<softmax_backward_rule<rowwise::log_softmax_backward>, no_abilities, aten::_log_softmax_backward_data,
          aten::_log_softmax_backward_data_out>>;

using scan_forms =
    forms_list<ruled<cumulative_rule<rowwise::cumsum>, no_abilities, aten::cumsum, aten::cumsum_, aten::cumsum_out>,
               ruled<cumulative_rule<rowwise::cumprod>, no_abilities, aten::cumprod, aten::cumprod_, aten::cumprod_out>,
               ruled<logcumsumexp_rule, no_abilities, aten::logcumsumexp, aten::logcumsumexp_out>,
               ruled<extreme_rule<rowwise::cummax>, no_abilities, aten::cummax, aten::cummax_out>,
               ruled<extreme_rule<rowwise::cummin>, no_abilities, aten::cummin, aten::cummin_out>>;

}  // namespace topbit::detail
