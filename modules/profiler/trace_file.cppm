// A profile as a file for trace viewers. Internal.
module topbit.profiler:trace_file;

import topbit.std;
import :memory;
import :recorder;

namespace topbit {

namespace detail {

// `memory` may be null. Throws error.
void write_trace(const std::string& path, const profile_recorder& recorder, const profile_memory* memory);

}  // namespace detail

}  // namespace topbit
