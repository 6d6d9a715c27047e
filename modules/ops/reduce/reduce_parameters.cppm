// The parameters of a reduction: reduced dimensions, compute type, and the result's metadata.
module topbit.ops:reduce.reduce_parameters;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.structured;

namespace topbit::detail {

// In the order of the kernel ABI, kernels/abi/kernel_ops.h.
enum class reduction : std::int32_t {
  sum,
  prod,
  max,
  min,
  any,
  all,
  count_nonzero,
  max_index,
  min_index,
  argmax,
  argmin,
  var,
  std,
  norm,
  logsumexp,
  sum_squares,
  nansum,
  count
};
template <>
inline constexpr table_entry entry_of<reduction> = table_entry::reduce;

// Without value or with an empty list: all dimensions.
using dim_list = std::optional<std::span<const std::int64_t>>;

struct reduced_dims {
  author::dim_mask mask{};
  shape kept;   // the sizes of the result with keepdim
  shape sizes;  // the sizes of the result
};

// Throws shape_error for a dimension out of range or given twice.
reduced_dims reduced_dims_of(std::string_view op, const tensor& self, const dim_list& dim, bool keepdim);
// The number of elements reduced to one.
std::int64_t reduced_count(const tensor& self, const reduced_dims& d) noexcept;

// One reduction of one tensor.
struct reduction_call {
  reduction code;
  const tensor& self;
  reduced_dims dims;
  dtype compute;  // elements are converted to it
  dtype result;
  scalar number = 0;
  double of_nothing = 0;

  result_meta meta() const { return {dims.sizes, result, self.device(), {}}; }
};

// Sums and products: integers in int64, or in `type`.
reduction_call sum_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim,
                        std::optional<dtype> type);
// max, min, and their row-major indices.
reduction_call order_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim);
reduction_call truth_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim);
reduction_call count_call(std::string_view op, const tensor& self, const dim_list& dim);
reduction_call spread_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim,
                           std::optional<std::int64_t> correction, bool keepdim);
reduction_call norm_call(std::string_view op, const tensor& self, const std::optional<scalar>& order,
                         const dim_list& dim, bool keepdim, std::optional<dtype> type);
reduction_call logsumexp_call(std::string_view op, const tensor& self, const dim_list& dim, bool keepdim);

// Writes the result to `out`, and for codes with an index the indices to `index`.
void run_reduction(backend_call c, const reduction_call& r, const tensor& out, const tensor* index = nullptr);
// The minimum and the maximum.
void run_aminmax(backend_call c, const tensor& self, const dim_list& dim, bool keepdim, const tensor& min,
                 const tensor& max);

}  // namespace topbit::detail
