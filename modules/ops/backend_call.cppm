// A call as kernels' fronts see it: which table computes, and which operator to name in errors.
export module topbit.ops:backend_call;

import topbit.std;
import topbit.core;
import topbit.tensor;

// Defined by kernels/abi/kernel_abi.h, which only source files include.
extern "C++" struct tb_kernels;

namespace topbit {

export namespace author {

/// Where a backend's kernels come from; called on every call, so it must be cheap.
using kernel_source = const tb_kernels* (*)();

}  // namespace author

namespace detail {

// The table of a backend that computes no elements.
inline const tb_kernels* no_kernels() { return nullptr; }

// One call of one operator on one backend. `table` is null where nothing is computed.
struct backend_call {
  const tb_kernels* table;
  std::string_view op;
};

// Throws Error: "operator: why".
template <class Error>
[[noreturn]] void refuse(backend_call c, const std::string& why) {
  throw Error(std::string(c.op) + ": " + why, std::string(c.op));
}

}  // namespace detail

}  // namespace topbit
