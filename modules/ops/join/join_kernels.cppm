// Shape functions and kernel thunks of concatenation, repetition, flips and rotations.
module topbit.ops:join.join_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :join.join;
import :elementwise.elementwise;
import :elementwise.operation;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

using integers = std::span<const std::int64_t>;

struct cat_kernel {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, std::span<const tensor> tensors, std::int64_t dim);
  static void run(backend_call c, std::span<const tensor> tensors, std::int64_t dim, const tensor& out);
};
struct repeat_kernel {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, const tensor& self, integers repeats);
  static void run(backend_call c, const tensor& self, integers repeats, const tensor& out);
};
struct flip_kernel {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, const tensor& self, integers over);
  static void run(backend_call c, const tensor& self, integers over, const tensor& out);
};

result_meta triangle_meta(std::string_view op, const tensor& self);
// Keeps element [.., i, j] where code(j - i, diagonal) holds.
void run_triangle(backend_call c, elementwise code, const tensor& self, std::int64_t diagonal, const tensor& out);

template <elementwise Code>
struct triangle_kernel {
  static constexpr auto needs = all_of(table_entry::arange, Code, elementwise::where);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t) { return triangle_meta(op, self); }
  static void run(backend_call c, const tensor& self, std::int64_t diagonal, const tensor& out) {
    run_triangle(c, Code, self, diagonal, out);
  }
};

struct diag_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t diagonal);
  static void run(backend_call c, const tensor& self, std::int64_t diagonal, const tensor& out);
};

inline constexpr auto join_forms = forms_list<
    structured_forms<cat_kernel, author::kernel_abilities{.converts = true}, aten::cat, aten::cat_out>,
    structured_forms<repeat_kernel, no_abilities, aten::repeat>,
    structured_forms<flip_kernel, no_abilities, aten::flip>,
    structured_forms<triangle_kernel<elementwise::le>, elementwise_abilities, aten::tril, aten::tril_, aten::tril_out>,
    structured_forms<triangle_kernel<elementwise::ge>, elementwise_abilities, aten::triu, aten::triu_, aten::triu_out>,
    structured_forms<diag_kernel, no_abilities, aten::diag, aten::diag_out>>();

}  // namespace topbit::detail
