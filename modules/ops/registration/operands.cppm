// What shape functions and kernel thunks share: errors, descriptions, and conversion of operands. Internal.
module topbit.ops:registration.operands;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;

namespace topbit::detail {

// "float32 [2, 3]"
std::string describe(const tensor& t);

// A kernel of the call's table, or an error if the table lacks it; the caller runs it next.
template <class F>
F* present(backend_call c, F* kernel) {
  if (kernel == nullptr) refuse<error>(c, "found no kernel for it in the table of this backend");
  if (tables_ask.load(std::memory_order_relaxed)) announce(c);
  return kernel;
}

// The kernel ABI's code of the type that kernels compute in for elements of this one: bool, int64, float32 or float64.
std::int32_t compute_code(dtype t) noexcept;

// Throws the error of a kernel's status, about operand t; returns if there is none.
void check_status(backend_call c, int status, const tensor& t);

using optional_tensor = std::optional<tensor>;

// Whether an optional argument is present: an undefined tensor counts as absent.
inline bool is_given(const optional_tensor& t) noexcept { return t.has_value() && t->defined(); }
// The compute type of sums and products of a floating type: float64 itself, float32 for the others.
constexpr dtype widened(dtype floating) noexcept { return floating == dtype::float64 ? floating : dtype::float32; }

// The maximum of a floating type.
double greatest_of(dtype floating) noexcept;

void check_defined(backend_call c, const tensor& t);
// Throws for a tensor that is not strided, which kernels of a table do not support.
void check_storage(backend_call c, const tensor& t);
// The index of a dimension; a zero-dimensional tensor accepts 0 and -1, as if it had one.
std::size_t dim_of(backend_call c, std::int64_t dim, const tensor& t);
// Overflow-checked sums and products of user-provided numbers. Throw shape_error, which names them and `what` they are
// for, on overflow of 64 bits.
std::int64_t sum_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b);
std::int64_t product_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b);
// "[2, 3]", of any length.
std::string list_text(std::span<const std::int64_t> numbers);
// User-provided sizes, which may be too many.
shape sizes_of(backend_call c, std::span<const std::int64_t> sizes);
// Throws for a sparse layout or pinned memory, which factory operators do not support.
void check_options(backend_call c, std::optional<layout> how, std::optional<bool> pinned);
// An in-place or out operand must have distinct elements.
void check_written(backend_call c, const tensor& out);

// The promoted dtype of operands. Zero-dimensional ones promote others by category only, as a number would.
dtype promoted(std::span<const tensor* const> operands);
// A number as a zero-dimensional tensor for an operation with `self`, of a dtype that promotes self's by category only.
tensor wrapped(const tensor& self, const scalar& s);
// A number as a zero-dimensional tensor, of the dtype and for the device of `like`.
tensor number_beside(const tensor& like, const scalar& s);

// A view of `count` slices of a dimension, from `first` on.
tensor part(const tensor& t, std::size_t dim, std::int64_t first, std::int64_t count);

tensor dense_copy(backend_call c, const tensor& t, dtype type);
// The tensor itself if suitable, else a dense copy.
tensor in_dtype(backend_call c, const tensor& t, dtype type);
tensor dense(backend_call c, const tensor& t);

}  // namespace topbit::detail
