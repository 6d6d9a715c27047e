module topbit.core;

import topbit.std;
import :keys.slot_relations;

namespace topbit {

namespace {

using remark_function = author::kernel_remark (*)(std::string_view op, const inspect::source_location& place);
constinit std::array<std::atomic<remark_function>, author::row_count> remarks{};

}  // namespace

void author::remark_on_kernels(dispatch_key k, remark_function of) {
  remarks[topbit::detail::slot_index(k)].store(of, std::memory_order_release);
}

author::kernel_remark detail::remark_of(dispatch_key k, std::string_view op, const inspect::source_location& place) {
  const remark_function of = remarks[slot_index(k)].load(std::memory_order_acquire);
  return of == nullptr ? author::kernel_remark{} : of(op, place);
}

}  // namespace topbit
