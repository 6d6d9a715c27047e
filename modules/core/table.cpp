module topbit.core;

import topbit.std;

namespace topbit {

std::string_view name_of(row_reason r) noexcept {
  switch (r) {
    case row_reason::kernel: return "kernel";
    case row_reason::default_backend_kernel: return "default backend kernel";
    case row_reason::nested_kernel: return "nested kernel";
    case row_reason::ambiguous: return "ambiguous autogradother";
    case row_reason::composite_kernel: return "composite kernel";
    case row_reason::autograd_kernel: return "autograd kernel";
    case row_reason::batched_kernel: return "batched kernel";
    case row_reason::autocast_kernel: return "autocast kernel";
    case row_reason::backend_fallback: return "backend fallback";
    case row_reason::transparent: return "transparent";
    case row_reason::missing: return "missing";
  }
  return "unknown";
}

}  // namespace topbit
