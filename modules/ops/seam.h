// What source files that include kernel_abi.h share: functions that make its structs. Include it after the imports of a
// unit of topbit.ops; backend.cpp has the definitions.
#pragma once

namespace topbit::detail {

tb_scalar to_abi(const scalar& s);
// The plan of a pass over these, the first of which is written. Throws for tensors without storage.
tb_plan plan_of(backend_call c, std::span<const tensor* const> operands);
// The plan of a reduction: see make_reduction_plan.
tb_plan reduction_plan_of(backend_call c, std::span<const tensor* const> operands, const author::dim_mask& mask,
                          bool row_major);

}  // namespace topbit::detail
