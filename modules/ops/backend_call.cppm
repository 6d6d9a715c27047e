// A call as kernels' fronts see it: which table computes, and which operator to name in errors.
export module topbit.ops:backend_call;

import topbit.std;
import topbit.core;
import topbit.tensor;

// Defined by kernels/abi/kernel_abi.h, which only source files include.
extern "C++" struct tb_kernels;

namespace topbit {

namespace detail {

// The kernels that serve each row: null where nobody computes, as on meta. Tables stay for the life of the process, so
// one kernel of an operator is enough for all backends; which table it takes, the keys of the call say.
extern std::atomic<const tb_kernels*> strided_tables[row_count];

// The entries of a kernel table that are there for some operators alone; a table may lack them.
struct table_entries {
  bool reduce = false, rowwise = false, matmul = false, take = false, random = false, nonzero = false, pool = false;
  bool update = false, attention = false;
};
// Whether a table has all of them; true where nothing is computed.
bool offers(const tb_kernels* table, table_entries wanted) noexcept;

// What the kernel of a rule calls: Rule::needs, if there is one.
template <class Rule>
constexpr table_entries needs_of() noexcept {
  if constexpr (requires { Rule::needs; }) return Rule::needs;
  return {};
}

// One call of one operator on one backend. `table` is null where nothing is computed.
struct backend_call {
  const tb_kernels* table;
  std::string_view op;
};

inline const tb_kernels* table_of(key_set keys) noexcept {
  return strided_tables[keys.row()].load(std::memory_order_acquire);
}
inline backend_call call_on(key_set keys, std::string_view op) noexcept { return {table_of(keys), op}; }

// Whether a table wants to know which operators its kernels are called for, and telling it.
extern std::atomic<bool> tables_ask;
void announce(backend_call c) noexcept;

// Throws Error: "operator: why".
template <class Error>
[[noreturn]] void refuse(backend_call c, const std::string& why) {
  throw Error(std::string(c.op) + ": " + why, std::string(c.op));
}

}  // namespace detail

}  // namespace topbit
