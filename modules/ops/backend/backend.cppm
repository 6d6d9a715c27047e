// Registers a backend's kernel table: every strided backend gets all its operators from one list.
//
// The registered kernel thunks run the shape function, allocate the result, make the plan, and call the table of their
// key. Without a table nothing is computed: this is the meta backend, the same path without the last step.
export module topbit.ops:backend.backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.operation;

namespace topbit {

namespace detail {

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
             std::optional<memory_format> format);
tensor& fill(backend_call c, tensor& self, const scalar& value);
tensor& copy(backend_call c, tensor& self, const tensor& src, bool non_blocking = false);

// Kernels of operators that create, fill and copy tensors.
void register_base_rows(dispatch_key k, std::source_location where);
// Installs the kernel table of this key.
void serve(dispatch_key k, const tb_kernels* kernels) noexcept;

}  // namespace detail

export namespace author {

/// Registers every operator that a table of kernels serves, for the life of the process, during which the table must
/// stay valid: an operator is registered if the table has every entry that it calls and, if tb_kernels::runs is given,
/// supports every operation that it uses. A table without entries registers nothing. Throws bad_registration if another
/// table serves the key already. Call it from an interface partition of your module, or at namespace scope of a
/// program. `where` is the source location that explain() and errors show: the caller's.
void register_strided_backend(const tb_kernels& kernels, dispatch_key k,
                              std::source_location where = std::source_location::current());

/// One kernel of a table, as <topbit/kernel_abi.h> numbers them: a tb_entry, and the code of an operation in an entry
/// that has codes, -1 otherwise.
struct table_kernel {
  std::int32_t entry, code;
  friend bool operator==(const table_kernel&, const table_kernel&) = default;
};
/// Whether a table has this kernel. Calls tb_kernels::runs.
bool offers(const tb_kernels& table, table_kernel k) noexcept;
/// The kernels of a table that an operator of topbit.ops calls for ordinary arguments; copies that only convert an
/// operand, or make it dense, do not count. Empty for composites, views, and names that are not known. Cost: a look-up
/// by name, after the first call made the table.
std::vector<table_kernel> kernels_used_by(std::string_view op);

}  // namespace author

}  // namespace topbit
