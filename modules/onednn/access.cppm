// What is known of tensors in oneDNN's formats, and of the library itself.
export module topbit.onednn:access;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit {

inline bool is_mkldnn(const tensor& t) noexcept { return t.layout() == layout::mkldnn; }

namespace onednn {

/// Of the library in use: "2.6.3".
std::string version();

/// The format: the dimensions from the outermost, in upper case where a block of them is inside, and the blocks:
/// "abcd", "aBcd16b". Throws layout_error for another layout.
std::string format_of(const tensor& t);
/// With the padding of the format. Throws layout_error for another layout.
std::int64_t bytes_of(const tensor& t);

/// Of this thread: how often a call found its primitive made already, and how many are kept, 256 at most.
struct primitive_statistics {
  std::uint64_t hits = 0, misses = 0;
  int kept = 0;
};
primitive_statistics primitives() noexcept;

}  // namespace onednn

}  // namespace topbit
