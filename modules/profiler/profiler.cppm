// topbit.profiler: where the time and the memory of a program go, by operator, by sizes, by range.
export module topbit.profiler;

export import :cost;
export import :table;
export import :session;

import topbit.core;

// `to_string(table)` and the like find these without a namespace.
export namespace topbit::profile {
using topbit::to_csv;
using topbit::to_json;
using topbit::to_string;
}  // namespace topbit::profile
