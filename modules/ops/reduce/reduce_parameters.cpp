module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.advanced_index_kernels;
import :rowwise.rowwise;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(reduction::count) == TB_REDUCTION_COUNT);
static_assert(static_cast<int>(reduction::sum) == TB_SUM && static_cast<int>(reduction::prod) == TB_PROD);
static_assert(static_cast<int>(reduction::max) == TB_MAX && static_cast<int>(reduction::min) == TB_MIN);
static_assert(static_cast<int>(reduction::any) == TB_ANY && static_cast<int>(reduction::all) == TB_ALL);
static_assert(static_cast<int>(reduction::count_nonzero) == TB_COUNT_NONZERO);
static_assert(static_cast<int>(reduction::max_index) == TB_MAX_INDEX);
static_assert(static_cast<int>(reduction::min_index) == TB_MIN_INDEX);
static_assert(static_cast<int>(reduction::argmax) == TB_ARGMAX && static_cast<int>(reduction::argmin) == TB_ARGMIN);
static_assert(static_cast<int>(reduction::var) == TB_VAR && static_cast<int>(reduction::std) == TB_STD);
static_assert(static_cast<int>(reduction::norm) == TB_NORM);
static_assert(static_cast<int>(reduction::logsumexp) == TB_LOGSUMEXP);
static_assert(static_cast<int>(reduction::sum_squares) == TB_SUM_SQUARES);
static_assert(static_cast<int>(reduction::nansum) == TB_NANSUM);

reduced_dims reduced_dims_of(std::string_view op, const tensor& self, const dim_list& dim, bool keepdim) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  reduced_dims out;
  if (dim.has_value() && !dim->empty()) {
    for (std::int64_t d : *dim) {
      const std::size_t i = dim_of(c, d, self);
      if (out.mask[i]) refuse<shape_error>(c, "dimension " + std::to_string(i) + " is given twice");
      out.mask[i] = true;
    }
  } else {
    out.mask.fill(true);
  }
  out.kept = self.sizes();
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (out.mask[i]) out.kept[i] = 1;
    if (keepdim || !out.mask[i]) out.sizes.push_back(out.kept[i]);
  }
  return out;
}

std::int64_t reduced_count(const tensor& self, const reduced_dims& d) noexcept {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) count *= d.mask[i] ? self.sizes()[i] : 1;
  return count;
}

namespace {

void check_floating(std::string_view op, dtype type) {
  if (is_floating(type)) return;
  refuse<dtype_error>({nullptr, op}, "found " + std::string(name_of(type)) + ", wanted a floating dtype");
}

// Throws if an operation without an identity would reduce no elements.
void check_elements(std::string_view op, const tensor& self, const reduced_dims& d) {
  if (reduced_count(self, d) > 0) return;
  refuse<shape_error>({nullptr, op}, "found " + describe(self) + ", wanted at least one element to reduce");
}

}  // namespace

reduction_call sum_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim,
                        std::optional<dtype> type) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  const dtype wanted = type.value_or(to_summed(self.dtype()));
  if (wanted == dtype::boolean) refuse<dtype_error>({nullptr, op}, "found dtype bool, wanted a number");
  return {code, self, d, wanted, wanted, 0, code == reduction::prod ? 1.0 : 0.0};
}

reduction_call order_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  check_elements(op, self, d);
  const bool index = code == reduction::argmax || code == reduction::argmin;
  return {code, self, d, self.dtype(), index ? dtype::int64 : self.dtype()};
}

reduction_call truth_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim, bool keepdim) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  const dtype result = self.dtype() == dtype::uint8 ? dtype::uint8 : dtype::boolean;
  return {code, self, d, dtype::boolean, result, 0, code == reduction::all ? 1.0 : 0.0};
}

reduction_call count_call(std::string_view op, const tensor& self, const dim_list& dim) {
  return {reduction::count_nonzero, self, reduced_dims_of(op, self, dim, false), dtype::boolean, dtype::int64};
}

reduction_call spread_call(std::string_view op, reduction code, const tensor& self, const dim_list& dim,
                           std::optional<std::int64_t> correction, bool keepdim) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  check_floating(op, self.dtype());
  return {code, self, d, self.dtype(), self.dtype(), correction.value_or(1), std::numeric_limits<double>::quiet_NaN()};
}

reduction_call norm_call(std::string_view op, const tensor& self, const std::optional<scalar>& order,
                         const dim_list& dim, bool keepdim, std::optional<dtype> type) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  check_floating(op, self.dtype());
  const dtype wanted = type.value_or(self.dtype());
  check_floating(op, wanted);
  if (promote(self.dtype(), wanted) != wanted) {
    refuse<dtype_error>({nullptr, op}, "found dtype " + std::string(name_of(wanted)) + " for " +
                                           std::string(name_of(self.dtype())) + ", wanted one that holds it");
  }
  const double p = order.value_or(2).to_double();
  if (p < 0 || p == std::numeric_limits<double>::infinity()) check_elements(op, self, d);
  return {reduction::norm, self, d, wanted, wanted, p};
}

reduction_call logsumexp_call(std::string_view op, const tensor& self, const dim_list& dim, bool keepdim) {
  const reduced_dims d = reduced_dims_of(op, self, dim, keepdim);
  const dtype type = to_floating(self.dtype());
  return {reduction::logsumexp, self, d, type, type, 0, -std::numeric_limits<double>::infinity()};
}

void run_reduction(backend_call c, const reduction_call& r, const tensor& out, const tensor* index) {
  if (out.numel() == 0) return;
  if (r.self.numel() == 0) return run_elementwise_in(c, elementwise::fill, out.dtype(), collect(r.of_nothing), out);
  std::array<const tensor*, 3> operands{&out, index, &r.self};
  if (index == nullptr) operands[1] = &r.self;
  const bool place = index != nullptr || r.code == reduction::argmax || r.code == reduction::argmin;
  const tb_reduction call{reduction_plan_of(c, std::span(operands).first(index == nullptr ? 2 : 3), r.dims.mask, place),
                          static_cast<std::int32_t>(r.code),
                          compute_code(r.compute),
                          {to_abi(r.number)}};
  check_status(c, run_kernel(c, r.self, c.table->reduce, &call), r.self);
}

void run_aminmax(backend_call c, const tensor& self, const dim_list& dim, bool keepdim, const tensor& min,
                 const tensor& max) {
  const auto both = [&](const tensor& of, const dim_list& over, bool keeps, const tensor& least, const tensor& most) {
    run_reduction(c, order_call(c.op, reduction::min, of, over, keeps), least);
    run_reduction(c, order_call(c.op, reduction::max, of, over, keeps), most);
  };
  constexpr auto at_once = all_of(rowwise::minmax);
  if (dim.has_value() || !self.is_contiguous() || !offers(c.table, at_once)) {
    return both(self, dim, keepdim, min, max);
  }
  // One row, which is read once; of another dtype than the compute type rows that are converted in the first cache.
  const std::int64_t count = self.numel(), length = static_cast<dtype>(compute_code(self.dtype())) == self.dtype()
                                                        ? count
                                                        : std::min<std::int64_t>(count, 4096);
  const std::int64_t rows = count / length, rest = count % length, parts = rows + (rest != 0 ? 1 : 0);
  const auto pass = [&](std::int64_t first, std::int64_t n, std::int64_t some, const tensor& least, const tensor& most,
                        std::int64_t at) {
    const auto column = [&](const tensor& t) {
      return author::make_view(t, shape{n, 1}, shape{1, 1}, author::record_of(t).offset + at);
    };
    const shape sizes{n, some};
    const tensor in = author::make_view(self, sizes, shape{some, 1}, author::record_of(self).offset + first),
                 low = column(least), high = column(most);
    run_rows(c, {rowwise::minmax, self.dtype(), 1, sizes}, {written(low), written(high), read(in)});
  };
  if (parts == 1) return pass(0, 1, count, min, max, 0);
  const tensor least = author::make_tensor({parts}, self.dtype(), self.device()),
               most = author::make_tensor({parts}, self.dtype(), self.device());
  pass(0, rows, length, least, most, 0);
  if (rest != 0) pass(rows * length, 1, rest, least, most, rows);
  run_reduction(c, order_call(c.op, reduction::min, least, std::nullopt, false), min);
  run_reduction(c, order_call(c.op, reduction::max, most, std::nullopt, false), max);
}

}  // namespace topbit::detail
