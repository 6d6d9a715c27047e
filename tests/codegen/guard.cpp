// What a guard does to the thread's words, beside the calls that read them.
#include <cstdint>

import topbit.core;

struct tensor_record {
  topbit::key_set keys;
};
struct tensor {
  const tensor_record* record;
};
inline topbit::key_set keys_of(const tensor& t) noexcept { return t.record->keys; }

inline constexpr topbit::op<"codegen::add", int(const tensor&, const tensor&)> add;

extern "C" int call_below(const tensor& a, const tensor& b) {
  const topbit::exclude_guard below(topbit::autograd_keys);
  return add(a, b);
}

extern "C" int call_with(const tensor& a, const tensor& b) {
  const topbit::include_guard with(topbit::key::Tracer);
  return add(a, b);
}

extern "C" std::uint64_t state_in_guard() {
  const topbit::exclude_guard below(topbit::autograd_keys);
  return topbit::current_thread_keys().exclude.raw();
}
