// What shape rules and kernel fronts share: refusing, describing, and making operands what a kernel takes. Internal.
export module topbit.ops:rules;

import topbit.std;
import topbit.core;
import topbit.tensor;

// Defined by kernels/abi/kernel_abi.h, which only source files include.
extern "C++" struct tb_kernels;

namespace topbit::detail {

// One call of one operator on one backend. `table` is null on the meta backend, which computes no elements.
struct backend_call {
  const tb_kernels* table;
  std::string_view op;
};

// Throws Error: "operator: why".
template <class Error>
[[noreturn]] void refuse(backend_call c, const std::string& why) {
  throw Error(std::string(c.op) + ": " + why, std::string(c.op));
}

// "float32 [2, 3]"
std::string describe(const tensor& t);

// A kernel's status as an error about operand t; returns if all is well.
void check_status(backend_call c, int status, const tensor& t);

void check_defined(backend_call c, const tensor& t);
// Throws for a tensor whose elements are not where its record says, which no kernel of a table may see.
void check_storage(backend_call c, const tensor& t);
// The index of a dimension; a tensor without dimensions takes 0 and -1, as if it had one.
std::size_t dim_of(backend_call c, std::int64_t dim, const tensor& t);
// Sizes as a caller gave them, which may be too many.
dims sizes_of(backend_call c, std::span<const std::int64_t> sizes);
// Throws for a sparse layout or pinned memory, which no factory makes.
void check_options(backend_call c, std::optional<layout> how, std::optional<bool> pinned);
// An in-place or out operand must have a place of its own for each element.
void check_written(backend_call c, const tensor& out);

// The dtype two operands are computed in. One without dimensions raises the other's only into another category, as a
// number would.
dtype promoted(const tensor& a, const tensor& b);

tensor dense_copy(backend_call c, const tensor& t, dtype type);
// The tensor itself where it will do, else a dense copy.
tensor in_dtype(backend_call c, const tensor& t, dtype type);
tensor dense(backend_call c, const tensor& t);

// True if writing `out` element by element could overwrite elements of `in` that are still to be read.
bool overlaps_partly(const tensor& out, const tensor& in);

}  // namespace topbit::detail
