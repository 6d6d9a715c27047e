// Kernel thunks of operators indexed by tensors.
module topbit.ops:index.advanced_index_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.advanced_index;
import :registration.backend_call;
import :registration.unstructured;
import :index.gather_kernels;
import :elementwise.elementwise;
import :elementwise.operation;
import :reduce.reduce_parameters;
import :rowwise.rowwise;
import :registration.operands;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

using index_tensors = std::span<const std::optional<tensor>>;

// A mask; other index tensors hold coordinates.
inline bool is_mask(const tensor& t) { return t.dtype() == dtype::boolean || t.dtype() == dtype::uint8; }

// Masks among the indices are converted to coordinates first.
struct index_kernel {
  static constexpr auto needs = all_of(table_entry::copy, take_code::take, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, index_tensors indices);
};
struct index_put_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::add, take_code::put, take_code::put_add,
                                       take_code::check, table_entry::nonzero);
  static tensor& run(backend_call c, tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};
struct index_put_copy_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::add, take_code::put, take_code::put_add,
                                       take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};

result_meta masked_fill_meta(std::string_view op, const tensor& self, const tensor& mask);
void run_masked_fill(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out);

struct masked_fill_kernel {
  static constexpr auto needs = all_of(elementwise::where);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const scalar&) {
    return masked_fill_meta(op, self, mask);
  }
  static void run(backend_call c, const tensor& self, const tensor& mask, const scalar& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, number_beside(self, value), out);
  }
};
struct masked_fill_tensor_kernel {
  static constexpr auto needs = all_of(elementwise::where);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const tensor& value);
  static void run(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, in_dtype(c, value, self.dtype()), out);
  }
};

struct masked_select_kernel {
  static constexpr auto needs = all_of(take_code::take, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, const tensor& mask);
};
struct masked_scatter_kernel {
  static constexpr auto needs = all_of(table_entry::copy, take_code::put, take_code::check, table_entry::nonzero);
  static tensor& run(backend_call c, tensor& self, const tensor& mask, const tensor& source);
};
struct masked_scatter_copy_kernel {
  static constexpr auto needs = all_of(table_entry::copy, take_code::put, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, const tensor& mask, const tensor& source);
};
struct nonzero_kernel {
  static constexpr auto needs = all_of(table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self) { return nonzero_of(c, self); }
};
struct one_hot_kernel {
  static constexpr auto needs = all_of(elementwise::fill, rowwise::scatter, reduction::max);
  static tensor run(backend_call c, const tensor& self, std::int64_t classes);
};
struct bincount_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill, reduction::max, take_code::put_add);
  static tensor run(backend_call c, const tensor& self, const std::optional<tensor>& weights, std::int64_t least);
};
struct histc_kernel {
  static constexpr auto needs = all_of(elementwise::fill, elementwise::ge, elementwise::le, elementwise::logical_and,
                                       elementwise::sub, elementwise::mul, elementwise::div, elementwise::minimum,
                                       elementwise::where, reduction::min, reduction::max, take_code::put_add);
  static tensor run(backend_call c, const tensor& self, std::int64_t bins, const scalar& min, const scalar& max);
};

inline constexpr auto advanced_index_forms = forms_list<
    unstructured<index_kernel, aten::index_Tensor, aten::index_Tensor_out>,
    unstructured<index_put_kernel, aten::index_put_>, unstructured<index_put_copy_kernel, aten::index_put>,
    structured_forms<masked_fill_kernel, elementwise_abilities, aten::masked_fill_Scalar, aten::masked_fill_Scalar_>,
    structured_forms<masked_fill_tensor_kernel, elementwise_abilities, aten::masked_fill_Tensor,
                     aten::masked_fill_Tensor_>,
    unstructured<masked_select_kernel, aten::masked_select, aten::masked_select_out>,
    unstructured<nonzero_kernel, aten::nonzero, aten::nonzero_out>, unstructured<one_hot_kernel, aten::one_hot>,
    unstructured<masked_scatter_kernel, aten::masked_scatter_>,
    unstructured<masked_scatter_copy_kernel, aten::masked_scatter>, unstructured<bincount_kernel, aten::bincount>,
    unstructured<histc_kernel, aten::histc, aten::histc_out>>();

}  // namespace topbit::detail
