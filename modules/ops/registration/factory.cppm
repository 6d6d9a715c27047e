// Helpers of factory operators: options, checks, and registration. Internal.
module topbit.ops:registration.factory;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.backend_call;
import :registration.caller;

namespace topbit::detail {

// The options of every factory operator, in the order of their arguments.
struct tensor_options {
  std::optional<dtype> type;
  std::optional<layout> how;
  std::optional<device> where;
  std::optional<bool> pinned;
};

using sizes_argument = std::span<const std::int64_t>;

// Checks the sizes of a new tensor: not negative, and a byte size within 64 bits.
shape new_sizes(backend_call c, sizes_argument sizes);
// Uninitialised and row-major, from aten::empty; float32 if no dtype is given.
tensor new_tensor(backend_call c, sizes_argument sizes, const tensor_options& o);
// Uninitialised and like `self`, except for the options.
tensor new_like(backend_call c, const tensor& self, const tensor_options& o, std::optional<memory_format> format = {});
// Throws unless a tensor that is given as `out` has the sizes of the result.
void check_out(backend_call c, const tensor& out, const shape& sizes);
void check_floating(backend_call c, dtype type);

// Registers operators whose result depends on no gradient, with a kernel for every backend.
template <auto Kernel, const auto& Op>
void register_factory(std::source_location where = std::source_location::current()) {
  const author::kernel_row rows[] = {author::define(Op, where),
                                     caller_row<Kernel, Op>(key::CompositeExplicitAutograd, where)};
  author::register_rows(rows);
}
// The same for operators with a tensor argument.
template <auto Kernel, const auto& Op>
void register_like(std::source_location where = std::source_location::current()) {
  register_factory<Kernel, Op>(where);
  const author::kernel_row rows[] = {author::fallthrough_row(Op, key::Autograd, where)};
  author::register_rows(rows);
}

}  // namespace topbit::detail
