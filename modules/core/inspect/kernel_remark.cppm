// What kernels do, told by who registered them rather than by themselves: for many kernels that one piece of data
// describes, such as those of a backend's kernel table.
export module topbit.core:inspect.kernel_remark;

import topbit.std;
import :inspect.inspect;
import :keys.key;

namespace topbit {

export namespace author {

/// For people: `word` stands in a table of coverage instead of "kernel", `text` is what explain() and dump() say of the
/// kernel. Both are empty where there is nothing to say. The word is a literal.
struct kernel_remark {
  std::string_view word{};
  std::string text{};
};

/// From now on, `of` is asked about each kernel that is registered for exactly this key and has no kernel_note: by its
/// operator, and by the place of its registration, which tells the author's own kernels from those that others register
/// for the key. A later function replaces it. It is asked by inspection alone, never by calls, and must not inspect.
void remark_on_kernels(dispatch_key k, kernel_remark (*of)(std::string_view op, const inspect::source_location& place));

}  // namespace author

namespace detail {

author::kernel_remark remark_of(dispatch_key k, std::string_view op, const inspect::source_location& place);

}  // namespace detail

}  // namespace topbit
