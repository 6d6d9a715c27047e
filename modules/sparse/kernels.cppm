// The CPU kernels as the module's source files use them. Internal.
module;

#include "sparse_kernels.h"

module topbit.sparse:kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::sparse {

// For this processor.
const tb_sparse_kernels& kernels() noexcept;

// Whether kernels can read the tensor's elements.
inline bool on_host(const tensor& t) noexcept { return t.device().type == backend::CPU; }
// Whether its elements exist, on any device.
inline bool has_elements(const tensor& t) noexcept { return t.device().type != backend::Meta; }

static_assert(static_cast<int>(dtype::boolean) == TB_BOOL && static_cast<int>(dtype::float64) == TB_F64);
constexpr std::int32_t code_of(dtype type) noexcept { return static_cast<std::int32_t>(type); }

// Host tensors of index dtype. The result points to their elements; `plain` must be contiguous.
tb_csr csr_view(const tensor& compressed, const tensor& plain, std::int64_t columns);

// Whether the entries of so many lines, most of which have none, are not worth an array with an element per line.
constexpr bool is_hypersparse(std::int64_t lines, std::int64_t entries) noexcept {
  return lines > 1024 && (lines - 1024) / 16 > entries;
}

// Parts for author::parallel_for of work on this many elements.
constexpr std::int64_t parts_for(std::int64_t elements) noexcept {
  return std::min<std::int64_t>(std::max<std::int64_t>(elements / (1 << 15), 1), 64);
}
// Calls f(begin, end) over [0, count) in so many parts.
template <class F>
void in_parts(std::int64_t parts, std::int64_t count, const F& f) noexcept {
  author::parallel_for(parts, [&](std::int64_t i) { f(count * i / parts, count * (i + 1) / parts); });
}
// Calls f(begin, end) over ranges of rows with about equal numbers of entries. Rows are computed one by one, so no bit
// depends on the division.
template <class F>
void in_rows(const tb_csr& a, std::int64_t work, const F& f) noexcept {
  const std::int64_t parts = parts_for(work);
  author::parallel_for(parts, [&](std::int64_t i) {
    const std::int64_t begin = kernels().row_of_part(&a, i, parts), end = kernels().row_of_part(&a, i + 1, parts);
    if (begin < end) f(begin, end);
  });
}

}  // namespace topbit::sparse
