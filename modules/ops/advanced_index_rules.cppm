// Kernel thunks of operators indexed by tensors.
export module topbit.ops:advanced_index_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :advanced_index;
import :backend_call;
import :computed;
import :gather_rules;
import :pointwise;
import :pointwise_code;
import :reduction;
import :rowwise;
import :rules;
import :structured;

namespace topbit::detail {

using index_tensors = std::span<const std::optional<tensor>>;

// A mask; other index tensors hold coordinates.
inline bool is_mask(const tensor& t) { return t.dtype() == dtype::boolean || t.dtype() == dtype::uint8; }

// Masks among the indices are converted to coordinates first.
struct index_rule {
  static constexpr auto needs = all_of(table_entry::copy, take_code::take, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, index_tensors indices);
};
struct index_put_rule {
  static constexpr auto needs = all_of(table_entry::copy, pointwise::add, take_code::put, take_code::put_add,
                                       take_code::check, table_entry::nonzero);
  static tensor& run(backend_call c, tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};
struct index_put_copy_rule {
  static constexpr auto needs = all_of(table_entry::copy, pointwise::add, take_code::put, take_code::put_add,
                                       take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};

result_meta masked_fill_meta(std::string_view op, const tensor& self, const tensor& mask);
void run_masked_fill(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out);

struct masked_fill_rule {
  static constexpr auto needs = all_of(pointwise::where);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const scalar&) {
    return masked_fill_meta(op, self, mask);
  }
  static void run(backend_call c, const tensor& self, const tensor& mask, const scalar& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, number_beside(self, value), out);
  }
};
struct masked_fill_tensor_rule {
  static constexpr auto needs = all_of(pointwise::where);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const tensor& value);
  static void run(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, in_dtype(c, value, self.dtype()), out);
  }
};

struct masked_select_rule {
  static constexpr auto needs = all_of(take_code::take, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, const tensor& mask);
};
struct masked_scatter_rule {
  static constexpr auto needs = all_of(table_entry::copy, take_code::put, take_code::check, table_entry::nonzero);
  static tensor& run(backend_call c, tensor& self, const tensor& mask, const tensor& source);
};
struct masked_scatter_copy_rule {
  static constexpr auto needs = all_of(table_entry::copy, take_code::put, take_code::check, table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self, const tensor& mask, const tensor& source);
};
struct nonzero_rule {
  static constexpr auto needs = all_of(table_entry::nonzero);
  static tensor run(backend_call c, const tensor& self) { return nonzero_of(c, self); }
};
struct one_hot_rule {
  static constexpr auto needs = all_of(pointwise::fill, rowwise::scatter, rowwise::kth_value);
  static tensor run(backend_call c, const tensor& self, std::int64_t classes);
};
struct bincount_rule {
  static constexpr auto needs = all_of(table_entry::copy, pointwise::fill, rowwise::kth_value, take_code::put_add);
  static tensor run(backend_call c, const tensor& self, const std::optional<tensor>& weights, std::int64_t least);
};
struct histc_rule {
  static constexpr auto needs = all_of(pointwise::fill, pointwise::ge, pointwise::le, pointwise::logical_and,
                                       pointwise::sub, pointwise::mul, pointwise::div_floor, pointwise::minimum,
                                       pointwise::where, reduction::min, reduction::max, take_code::put_add);
  static tensor run(backend_call c, const tensor& self, std::int64_t bins, const scalar& min, const scalar& max);
};

using advanced_index_forms =
    forms_list<computed<index_rule, aten::index_Tensor, aten::index_Tensor_out>,
               computed<index_put_rule, aten::index_put_>, computed<index_put_copy_rule, aten::index_put>,
               ruled<masked_fill_rule, pointwise_abilities, aten::masked_fill_Scalar, aten::masked_fill_Scalar_>,
               ruled<masked_fill_tensor_rule, pointwise_abilities, aten::masked_fill_Tensor, aten::masked_fill_Tensor_>,
               computed<masked_select_rule, aten::masked_select, aten::masked_select_out>,
               computed<nonzero_rule, aten::nonzero, aten::nonzero_out>, computed<one_hot_rule, aten::one_hot>,
               computed<masked_scatter_rule, aten::masked_scatter_>,
               computed<masked_scatter_copy_rule, aten::masked_scatter>, computed<bincount_rule, aten::bincount>,
               computed<histc_rule, aten::histc, aten::histc_out>>;

}  // namespace topbit::detail
