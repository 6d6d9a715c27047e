// Kernel thunks of unique operators.
export module topbit.ops:unique_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :computed;
import :pointwise;
import :pointwise_code;
import :reduction;
import :row_rules;
import :rowwise;
import :structured;
import :unique;

namespace topbit::detail {

// Values, inverse indices and counts; empty if not requested.
using unique_results = std::tuple<tensor, tensor, tensor>;

inline constexpr auto unique_element_kernels =
    all_of(table_entry::copy, pointwise::fill, pointwise::ne, pointwise::sub, rowwise::sort, rowwise::cumsum,
           take_code::take, take_code::put, table_entry::nonzero);
inline constexpr auto unique_slice_kernels =
    all_of(table_entry::copy, table_entry::arange, pointwise::fill, pointwise::ne, pointwise::sub, reduction::any,
           rowwise::sort, rowwise::cumsum, rowwise::gather, take_code::take, take_code::put, table_entry::nonzero);

struct unique_rule {
  static constexpr auto needs = unique_element_kernels;
  static unique_results run(backend_call c, const tensor& self, bool sorted, bool inverse, bool counts);
};
struct unique_pair_rule {
  static constexpr auto needs = unique_element_kernels;
  static std::tuple<tensor, tensor> run(backend_call c, const tensor& self, bool sorted, bool inverse);
};
struct unique_dim_rule {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool sorted, bool inverse,
                            bool counts);
};
struct unique_dim_consecutive_rule {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool inverse, bool counts);
};
struct unique_consecutive_rule {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, bool inverse, bool counts,
                            std::optional<std::int64_t> dim);
};

struct isin_rule {
  static constexpr auto needs =
      all_of(table_entry::copy, pointwise::fill, pointwise::eq, pointwise::ne, pointwise::minimum, rowwise::sort,
             rowwise::searchsorted, take_code::take, table_entry::nonzero);
  static result_meta meta(std::string_view op, const tensor& elements, const tensor& tests, bool unique, bool invert);
  static void run(backend_call c, const tensor& elements, const tensor& tests, bool unique, bool invert,
                  const tensor& out);
};

using unique_forms = forms_list<computed<unique_rule, aten::_unique2>, computed<unique_pair_rule, aten::_unique>,
                                computed<unique_dim_rule, aten::unique_dim>,
                                computed<unique_dim_consecutive_rule, aten::unique_dim_consecutive>,
                                computed<unique_consecutive_rule, aten::unique_consecutive>,
                                ruled<isin_rule, no_abilities, aten::isin_Tensor_Tensor, aten::isin_Tensor_Tensor_out>>;

}  // namespace topbit::detail
