// Operation codes and properties of elementwise kernels, from kernels/abi/elementwise.def.
module;

#include <topbit/elementwise_facts.h>

export module topbit.ops:elementwise.operation;

import topbit.std;
import :registration.backend_call;

namespace topbit::detail {

using tb_kernel::elementwise;
using tb_kernel::elementwise_facts;
using tb_kernel::facts_of;
using tb_kernel::result_rule;

template <>
inline constexpr table_entry entry_of<elementwise> = table_entry::elementwise;

}  // namespace topbit::detail
