// What shape rules and kernel fronts share: refusing, describing, and making operands what a kernel takes. Internal.
export module topbit.ops:rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;

namespace topbit::detail {

// "float32 [2, 3]"
std::string describe(const tensor& t);

// A kernel of the call's table, which may lack some; the caller runs it next.
template <class F>
F* present(backend_call c, F* kernel) {
  if (kernel == nullptr) refuse<error>(c, "found no kernel for it in the table of this backend");
  if (tables_ask.load(std::memory_order_relaxed)) announce(c);
  return kernel;
}

// What the seam calls the type that kernels compute in for elements of this one: bool, int64, float32 or float64.
std::int32_t compute_code(dtype t) noexcept;

// A kernel's status as an error about operand t; returns if all is well.
void check_status(backend_call c, int status, const tensor& t);

using optional_tensor = std::optional<tensor>;

// Whether an optional argument is there: an undefined tensor stands for none.
inline bool is_given(const optional_tensor& t) noexcept { return t.has_value() && t->defined(); }
// What sums and products of a floating type are computed in: float64 itself, float32 for the others.
constexpr dtype widened(dtype floating) noexcept { return floating == dtype::float64 ? floating : dtype::float32; }

// The greatest number of a floating type.
double greatest_of(dtype floating) noexcept;

void check_defined(backend_call c, const tensor& t);
// Throws for a tensor whose elements are not where its record says, which no kernel of a table may see.
void check_storage(backend_call c, const tensor& t);
// The index of a dimension; a tensor without dimensions takes 0 and -1, as if it had one.
std::size_t dim_of(backend_call c, std::int64_t dim, const tensor& t);
// Sums and products of numbers that callers gave. Throw shape_error, which names them and `what` they are for, where 64
// bits cannot hold the result.
std::int64_t sum_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b);
std::int64_t product_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b);
// "[2, 3]", of any length.
std::string list_text(std::span<const std::int64_t> numbers);
// Sizes as a caller gave them, which may be too many.
dims sizes_of(backend_call c, std::span<const std::int64_t> sizes);
// Throws for a sparse layout or pinned memory, which no factory makes.
void check_options(backend_call c, std::optional<layout> how, std::optional<bool> pinned);
// An in-place or out operand must have a place of its own for each element.
void check_written(backend_call c, const tensor& out);

// The dtype operands are computed in. Those without dimensions raise the others' only into another category, as a
// number would.
dtype promoted(std::span<const tensor* const> operands);
// A number as a tensor without dimensions beside `self`, of a dtype that raises self's only into another category.
tensor wrapped(const tensor& self, const scalar& s);
// A number as a tensor without dimensions, of the dtype of `like` and beside it.
tensor number_beside(const tensor& like, const scalar& s);

// A view of `count` slices of a dimension, from `first` on.
tensor part(const tensor& t, std::size_t dim, std::int64_t first, std::int64_t count);

tensor dense_copy(backend_call c, const tensor& t, dtype type);
// The tensor itself where it will do, else a dense copy.
tensor in_dtype(backend_call c, const tensor& t, dtype type);
tensor dense(backend_call c, const tensor& t);

}  // namespace topbit::detail
