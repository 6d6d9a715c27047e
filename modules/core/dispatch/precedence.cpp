module topbit.core;

import topbit.std;

namespace topbit {

std::string_view name_of(inspect::row_reason r) noexcept {
  switch (r) {
    case inspect::row_reason::kernel: return "kernel";
    case inspect::row_reason::default_backend_kernel: return "default backend kernel";
    case inspect::row_reason::nested_kernel: return "nested kernel";
    case inspect::row_reason::ambiguous: return "ambiguous autogradother";
    case inspect::row_reason::composite_kernel: return "composite kernel";
    case inspect::row_reason::autograd_kernel: return "autograd kernel";
    case inspect::row_reason::batched_kernel: return "batched kernel";
    case inspect::row_reason::layout_kernel: return "layout kernel";
    case inspect::row_reason::autocast_kernel: return "autocast kernel";
    case inspect::row_reason::backend_fallback: return "backend fallback";
    case inspect::row_reason::transparent: return "transparent";
    case inspect::row_reason::missing: return "missing";
  }
  return "unknown";
}

}  // namespace topbit
