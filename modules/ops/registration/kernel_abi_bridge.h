// For source files that include kernel_abi.h: functions that build its structs and run its kernels. Include this file
// after the imports of a unit of topbit.ops.
#pragma once

namespace topbit::detail {

// The code of each dtype's compute type. dtype and tb_dtype have equal values.
inline constexpr auto compute_codes = [] {
  std::array<std::int32_t, dtype_count> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const dtype t = static_cast<dtype>(i);
    all[i] = t == dtype::boolean ? TB_BOOL : is_integer(t) ? TB_I64 : t == dtype::float64 ? TB_F64 : TB_F32;
  }
  return all;
}();

inline tb_scalar to_abi(const scalar& s) { return {s.to_double(), s.to_int64()}; }
// The iteration plan of these operands; the first one is written. Throws for tensors without storage.
tb_plan plan_of(backend_call c, std::span<const tensor* const> operands);
// The plan of a reduction: see make_reduction_plan.
tb_plan reduction_plan_of(backend_call c, std::span<const tensor* const> operands, const author::dim_mask& mask,
                          bool row_major);

// Runs a kernel of the call's table on the device of a tensor. Throws if the table lacks it.
template <class Kernel, class... A>
tb_status run_kernel(backend_call c, const tensor& on, Kernel* kernel, A... arguments) {
  const device d = on.device();
  const tb_call call{d.type == backend::CPU ? nullptr : author::current_stream(d), c.table->context, d.index, 0};
  return present(c, kernel)(arguments..., &call);
}

}  // namespace topbit::detail
