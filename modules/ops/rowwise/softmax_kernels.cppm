// Shape functions and kernel thunks of softmax and cumulative operations.
module topbit.ops:rowwise.softmax_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.elementwise;
import :rowwise.rowwise;
import :rowwise.scan;
import :rowwise.softmax;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

void check_floating(backend_call c, const tensor& t);

result_meta softmax_meta(std::string_view op, const tensor& self, std::int64_t dim, bool half_to_float);
result_meta softmax_backward_meta(std::string_view op, const tensor& grad, const tensor& output, std::int64_t dim,
                                  dtype input);
// out = code(in...), all of one shape, computed in the dtype of the first.
void run_along(backend_call c, rowwise code, std::int64_t dim, std::span<const tensor* const> in, const tensor& out);

template <rowwise Code>
struct softmax_forms_kernel {
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
struct softmax_backward_kernel {
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
struct cumulative_kernel {
  static constexpr auto needs = all_of(Code);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, std::optional<dtype> type) {
    return cumulative_meta(op, self, dim, type);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, std::optional<dtype>, const tensor& out) {
    run_cumulative(c, Code, self, dim, out);
  }
};

struct logcumsumexp_kernel {
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
struct extreme_kernel {
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

inline constexpr auto softmax_forms = forms_list<
    structured_forms<softmax_forms_kernel<rowwise::softmax>, no_abilities, aten::_softmax, aten::_softmax_out>,
    structured_forms<softmax_forms_kernel<rowwise::log_softmax>, no_abilities, aten::_log_softmax,
                     aten::_log_softmax_out>,
    structured_forms<softmax_backward_kernel<rowwise::softmax_backward>, no_abilities, aten::_softmax_backward_data,
                     aten::_softmax_backward_data_out>,
    structured_forms<softmax_backward_kernel<rowwise::log_softmax_backward>, no_abilities,
                     aten::_log_softmax_backward_data, aten::_log_softmax_backward_data_out>>();

inline constexpr auto scan_forms = forms_list<
    structured_forms<cumulative_kernel<rowwise::cumsum>, no_abilities, aten::cumsum, aten::cumsum_, aten::cumsum_out>,
    structured_forms<cumulative_kernel<rowwise::cumprod>, no_abilities, aten::cumprod, aten::cumprod_,
                     aten::cumprod_out>,
    structured_forms<logcumsumexp_kernel, no_abilities, aten::logcumsumexp, aten::logcumsumexp_out>,
    structured_forms<extreme_kernel<rowwise::cummax>, no_abilities, aten::cummax, aten::cummax_out>,
    structured_forms<extreme_kernel<rowwise::cummin>, no_abilities, aten::cummin, aten::cummin_out>>();

}  // namespace topbit::detail
