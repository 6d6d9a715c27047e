// Fronts of operators whose index is tensors.
export module topbit.ops:advanced_index_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :advanced_index;
import :backend_call;
import :computed;
import :gather_rules;
import :pointwise;
import :rowwise;
import :rules;
import :structured;

namespace topbit::detail {

using index_tensors = std::span<const std::optional<tensor>>;

// Chooses where it is True; other tensors among indices name places.
inline bool is_mask(const tensor& t) { return t.dtype() == dtype::boolean || t.dtype() == dtype::uint8; }

struct index_rule {
  static constexpr table_entries needs{.take = true};
  static tensor run(backend_call c, const tensor& self, index_tensors indices);
};
struct index_put_rule {
  static constexpr table_entries needs{.take = true};
  static tensor& run(backend_call c, tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};
struct index_put_copy_rule {
  static constexpr table_entries needs{.take = true};
  static tensor run(backend_call c, const tensor& self, index_tensors indices, const tensor& values, bool accumulate);
};

result_meta masked_fill_meta(std::string_view op, const tensor& self, const tensor& mask);
void run_masked_fill(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out);

struct masked_fill_rule {
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const scalar&) {
    return masked_fill_meta(op, self, mask);
  }
  static void run(backend_call c, const tensor& self, const tensor& mask, const scalar& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, one_number(c, self, value), out);
  }
};
struct masked_fill_tensor_rule {
  static result_meta meta(std::string_view op, const tensor& self, const tensor& mask, const tensor& value);
  static void run(backend_call c, const tensor& self, const tensor& mask, const tensor& value, const tensor& out) {
    if (out.numel() != 0) run_masked_fill(c, self, mask, in_dtype(c, value, self.dtype()), out);
  }
};

struct masked_select_rule {
  static constexpr table_entries needs{.take = true, .nonzero = true};
  static tensor run(backend_call c, const tensor& self, const tensor& mask);
};
struct masked_scatter_rule {
  static constexpr table_entries needs{.take = true, .nonzero = true};
  static tensor& run(backend_call c, tensor& self, const tensor& mask, const tensor& source);
};
struct masked_scatter_copy_rule {
  static constexpr table_entries needs{.take = true, .nonzero = true};
  static tensor run(backend_call c, const tensor& self, const tensor& mask, const tensor& source);
};
struct nonzero_rule {
  static constexpr table_entries needs{.nonzero = true};
  static tensor run(backend_call c, const tensor& self) { return nonzero_of(c, self); }
};
struct one_hot_rule {
  static constexpr table_entries needs{.rowwise = true};
  static tensor run(backend_call c, const tensor& self, std::int64_t classes);
};
struct bincount_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true};
  static tensor run(backend_call c, const tensor& self, const std::optional<tensor>& weights, std::int64_t least);
};
struct histc_rule {
  static constexpr table_entries needs{.rowwise = true};
  static tensor run(backend_call c, const tensor& self, std::int64_t bins, const scalar& min, const scalar& max);
};

using advanced_index_forms =
    forms_list<computed<index_rule, ops::index, ops::index_out>, computed<index_put_rule, ops::index_put_>,
               computed<index_put_copy_rule, ops::index_put>,
               ruled<masked_fill_rule, pointwise_abilities, ops::masked_fill, ops::masked_fill_>,
               ruled<masked_fill_tensor_rule, pointwise_abilities, ops::masked_fill_tensor, ops::masked_fill_tensor_>,
               computed<masked_select_rule, ops::masked_select, ops::masked_select_out>,
               computed<nonzero_rule, ops::nonzero, ops::nonzero_out>, computed<one_hot_rule, ops::one_hot>,
               computed<masked_scatter_rule, ops::masked_scatter_>,
               computed<masked_scatter_copy_rule, ops::masked_scatter>, computed<bincount_rule, ops::bincount>,
               computed<histc_rule, ops::histc, ops::histc_out>>;

}  // namespace topbit::detail
