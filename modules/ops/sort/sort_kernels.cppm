// Shape functions and kernel thunks of sorting and order statistics.
module topbit.ops:sort.sort_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.elementwise;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :sort.sort;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

using two_metas = std::array<result_meta, 2>;

two_metas sort_meta(std::string_view op, const tensor& self, std::int64_t dim);
void run_sort(backend_call c, const tensor& self, std::int64_t dim, bool descending, const tensor& values,
              const tensor& indices);

struct sort_kernel {
  static constexpr auto needs = all_of(rowwise::sort);
  static two_metas meta(std::string_view op, const tensor& self, std::int64_t dim, bool) {
    return sort_meta(op, self, dim);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, bool descending, const tensor& values,
                  const tensor& indices) {
    run_sort(c, self, dim, descending, values, indices);
  }
};
struct sort_stable_kernel {
  static constexpr auto needs = all_of(rowwise::sort);
  static two_metas meta(std::string_view op, const tensor& self, std::optional<bool>, std::int64_t dim, bool) {
    return sort_meta(op, self, dim);
  }
  static void run(backend_call c, const tensor& self, std::optional<bool>, std::int64_t dim, bool descending,
                  const tensor& values, const tensor& indices) {
    run_sort(c, self, dim, descending, values, indices);
  }
};
struct topk_kernel {
  static constexpr auto needs = all_of(rowwise::topk);
  static two_metas meta(std::string_view op, const tensor& self, std::int64_t k, std::int64_t dim, bool, bool);
  static void run(backend_call c, const tensor& self, std::int64_t k, std::int64_t dim, bool largest, bool sorted,
                  const tensor& values, const tensor& indices);
};

// One element for each row.
two_metas chosen_meta(std::string_view op, const tensor& self, std::int64_t dim, bool keepdim);
void run_chosen(backend_call c, rowwise code, const tensor& self, std::int64_t dim, std::int64_t rank,
                const tensor& values, const tensor& indices);

struct kthvalue_kernel {
  static constexpr auto needs = all_of(rowwise::kth_value);
  static two_metas meta(std::string_view op, const tensor& self, std::int64_t k, std::int64_t dim, bool keepdim);
  static void run(backend_call c, const tensor& self, std::int64_t k, std::int64_t dim, bool, const tensor& values,
                  const tensor& indices) {
    run_chosen(c, rowwise::kth_value, self, dim, k - 1, values, indices);
  }
};
// Rank is a parameter of the kernel of Code: 1 for a median ignoring NaN.
template <rowwise Code, std::int64_t Rank = 0>
struct chosen_kernel {
  static constexpr auto needs = all_of(Code);
  static two_metas meta(std::string_view op, const tensor& self, std::int64_t dim, bool keepdim) {
    return chosen_meta(op, self, dim, keepdim);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, bool, const tensor& values,
                  const tensor& indices) {
    run_chosen(c, Code, self, dim, Rank, values, indices);
  }
};
result_meta median_meta(std::string_view op, const tensor& self);
void run_median(backend_call c, const tensor& self, bool skip_nan, const tensor& out);

template <bool SkipNan>
struct median_kernel {
  static constexpr auto needs = all_of(rowwise::median);
  static result_meta meta(std::string_view op, const tensor& self) { return median_meta(op, self); }
  static void run(backend_call c, const tensor& self, const tensor& out) { run_median(c, self, SkipNan, out); }
};

struct searchsorted_kernel {
  static constexpr auto needs = all_of(rowwise::searchsorted);
  static result_meta meta(std::string_view op, const tensor& sequence, const tensor& values, bool out_int32, bool right,
                          std::optional<std::string_view> side, const std::optional<tensor>& sorter);
  static void run(backend_call c, const tensor& sequence, const tensor& values, bool out_int32, bool right,
                  std::optional<std::string_view> side, const std::optional<tensor>& sorter, const tensor& out);
};

struct bucketize_kernel {
  static constexpr auto needs = all_of(rowwise::searchsorted);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& boundaries, bool out_int32,
                          bool right);
  static void run(backend_call c, const tensor& self, const tensor& boundaries, bool out_int32, bool right,
                  const tensor& out) {
    searchsorted_kernel::run(c, boundaries, self, out_int32, right, std::nullopt, std::nullopt, out);
  }
};

inline constexpr auto sort_forms = forms_list<
    structured_forms<sort_kernel, no_abilities, aten::sort, aten::sort_values>,
    structured_forms<sort_stable_kernel, no_abilities, aten::sort_stable, aten::sort_values_stable>,
    structured_forms<topk_kernel, no_abilities, aten::topk, aten::topk_values>,
    structured_forms<kthvalue_kernel, no_abilities, aten::kthvalue, aten::kthvalue_values>,
    structured_forms<median_kernel<false>, no_abilities, aten::median>,
    structured_forms<median_kernel<true>, no_abilities, aten::nanmedian>,
    structured_forms<chosen_kernel<rowwise::median>, no_abilities, aten::median_dim, aten::median_dim_values>,
    structured_forms<chosen_kernel<rowwise::median, 1>, no_abilities, aten::nanmedian_dim, aten::nanmedian_dim_values>,
    structured_forms<chosen_kernel<rowwise::mode>, no_abilities, aten::mode, aten::mode_values>,
    structured_forms<searchsorted_kernel, no_abilities, aten::searchsorted_Tensor, aten::searchsorted_Tensor_out>,
    structured_forms<bucketize_kernel, no_abilities, aten::bucketize_Tensor, aten::bucketize_Tensor_out>>();

}  // namespace topbit::detail
