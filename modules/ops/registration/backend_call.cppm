// A call as kernel thunks see it: the kernel table, and the operator to name in errors.
export module topbit.ops:registration.backend_call;

import topbit.std;
import topbit.core;
import topbit.tensor;

// Defined by kernels/abi/kernel_abi.h, which only source files include.
extern "C++" struct tb_kernels;

namespace topbit {

namespace detail {

// The kernel table of each slot: null if nothing is computed, as on meta. Tables stay for the life of the process, so
// one kernel of an operator is enough for all backends; the keys of the call select the table.
extern std::atomic<const tb_kernels*> strided_tables[author::row_count];

// The entries of a kernel table, with the kernel ABI's values.
enum class table_entry : std::int32_t {
  copy,
  arange,
  elementwise,
  reduce,
  rowwise,
  matmul,
  take,
  random,
  nonzero,
  pool,
  convolve,
  update,
  attention,
  channel_norm,
  any  // any: operators on memory alone exist for every nonempty table
};

// The entry that runs the operations of a list of codes; specialised next to each list.
template <class Code>
inline constexpr table_entry entry_of = table_entry::any;

// One kernel of a table: an entry, and in an entry for a family the code of the operation.
struct table_kernel {
  table_entry entry;
  std::int32_t code = -1;  // for an entry without codes

  constexpr table_kernel(table_entry e) noexcept : entry(e) {}
  template <class Code>
    requires(entry_of<Code> != table_entry::any)
  constexpr table_kernel(Code c) noexcept : entry(entry_of<Code>), code(static_cast<std::int32_t>(c)) {}
};
// All table kernels that an operator calls for ordinary arguments. Copies that only make an operand dense, or convert
// it, do not count.
template <class... Kernel>
constexpr std::array<table_kernel, sizeof...(Kernel)> all_of(Kernel... k) noexcept {
  return {table_kernel(k)...};
}
// What operators need, by their names.
using needs_by_name = std::map<std::string_view, std::span<const table_kernel>>;
// Whether a table has all of them; true if nothing is computed.
bool offers(const tb_kernels* table, std::span<const table_kernel> wanted) noexcept;

// One call of one operator on one backend. `table` is null if nothing is computed.
struct backend_call {
  const tb_kernels* table;
  std::string_view op;
};

inline const tb_kernels* table_of(key_set keys) noexcept {
  return strided_tables[keys.row()].load(std::memory_order_acquire);
}
inline backend_call call_on(key_set keys, std::string_view op) noexcept { return {table_of(keys), op}; }

// Whether a table has `calling`, and calling it.
extern std::atomic<bool> tables_ask;
void announce(backend_call c) noexcept;

// Throws Error: "operator: why".
template <class Error>
[[noreturn]] void refuse(backend_call c, const std::string& why) {
  throw Error(std::string(c.op) + ": " + why, std::string(c.op));
}

}  // namespace detail

}  // namespace topbit
