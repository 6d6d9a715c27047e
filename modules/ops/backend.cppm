// From a backend's kernel table to rows: every strided backend gets all its operators from one list.
//
// The functions behind the rows turn tensors into shape rule, result and plan, and call the table of the key they were
// called for. Without a table nothing is computed: that is the meta backend, the very same path without the last step.
export module topbit.ops:backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :pointwise_code;

namespace topbit {

namespace detail {

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
             std::optional<memory_format> format);
tensor& fill(backend_call c, tensor& self, const scalar& value);
tensor& copy(backend_call c, tensor& self, const tensor& src, bool non_blocking = false);

// Rows of what makes, fills and copies tensors.
void register_base_rows(dispatch_key k, std::source_location where);
// From now on these kernels serve the row of this key.
void serve(dispatch_key k, const tb_kernels* kernels) noexcept;

}  // namespace detail

export namespace author {

/// Registers every operator that a table of kernels serves, for the life of the process, for which the table must stay
/// too: an operator gets a row where the table has every entry that it calls and, where tb_kernels::runs is given,
/// runs every operation that it may ask of it. A table without entries registers nothing. Throws bad_registration where
/// another table serves the key already. Call it from an interface partition of your module, or at namespace scope of a
/// program. `where` is the place that explain() and errors show: the caller's.
void register_strided_backend(const tb_kernels& kernels, dispatch_key k,
                              std::source_location where = std::source_location::current());

}  // namespace author

}  // namespace topbit
