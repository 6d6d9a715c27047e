// The kernel table of a backend from outside, made complete: entries that it lacks run on the host.
module topbit.backend:bridge;

import topbit.std;
import topbit.core;
import :description;

namespace topbit::detail {

// For a private backend, once; `own` may be null. The table and what it refers to stay.
const tb_kernels& complete_table(backend b, std::string_view name, const tb_kernels* own);

}  // namespace topbit::detail
