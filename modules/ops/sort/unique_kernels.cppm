// Kernel thunks of unique operators.
module topbit.ops:sort.unique_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.unstructured;
import :elementwise.elementwise;
import :elementwise.operation;
import :reduce.reduce_parameters;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :registration.structured;
import :registration.structured_forms;
import :sort.unique;

namespace topbit::detail {

// Values, inverse indices and counts; empty if not requested.
using unique_results = std::tuple<tensor, tensor, tensor>;

inline constexpr auto unique_element_kernels =
    all_of(table_entry::copy, elementwise::fill, elementwise::ne, elementwise::sub, rowwise::sort, rowwise::cumsum,
           take_code::take, take_code::put, table_entry::nonzero);
inline constexpr auto unique_slice_kernels =
    all_of(table_entry::copy, table_entry::arange, elementwise::fill, elementwise::ne, elementwise::sub, reduction::any,
           rowwise::sort, rowwise::cumsum, rowwise::gather, take_code::take, take_code::put, table_entry::nonzero);

struct unique_kernel {
  static constexpr auto needs = unique_element_kernels;
  static unique_results run(backend_call c, const tensor& self, bool sorted, bool inverse, bool counts);
};
struct unique_pair_kernel {
  static constexpr auto needs = unique_element_kernels;
  static std::tuple<tensor, tensor> run(backend_call c, const tensor& self, bool sorted, bool inverse);
};
struct unique_dim_kernel {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool sorted, bool inverse,
                            bool counts);
};
struct unique_dim_consecutive_kernel {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool inverse, bool counts);
};
struct unique_consecutive_kernel {
  static constexpr auto needs = unique_slice_kernels;
  static unique_results run(backend_call c, const tensor& self, bool inverse, bool counts,
                            std::optional<std::int64_t> dim);
};

struct isin_kernel {
  static constexpr auto needs =
      all_of(table_entry::copy, elementwise::fill, elementwise::eq, elementwise::ne, elementwise::minimum,
             rowwise::sort, rowwise::searchsorted, take_code::take, table_entry::nonzero);
  static result_meta meta(std::string_view op, const tensor& elements, const tensor& tests, bool unique, bool invert);
  static void run(backend_call c, const tensor& elements, const tensor& tests, bool unique, bool invert,
                  const tensor& out);
};

inline constexpr auto unique_forms =
    forms_list<unstructured<unique_kernel, aten::_unique2>, unstructured<unique_pair_kernel, aten::_unique>,
               unstructured<unique_dim_kernel, aten::unique_dim>,
               unstructured<unique_dim_consecutive_kernel, aten::unique_dim_consecutive>,
               unstructured<unique_consecutive_kernel, aten::unique_consecutive>,
               structured_forms<isin_kernel, no_abilities, aten::isin_Tensor_Tensor, aten::isin_Tensor_Tensor_out>>();

}  // namespace topbit::detail
