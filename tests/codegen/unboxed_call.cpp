// What a call costs, as object code. The argument type is laid out like a tensor handle: one pointer, the keys behind
// it. Both functions end in the one indirect jump to the kernel.
import topbit.core;

struct tensor_record {
  topbit::key_set keys;
};
struct tensor {
  const tensor_record* record;
};
inline topbit::key_set keys_of(const tensor& t) noexcept { return t.record->keys; }

inline constexpr topbit::op<"codegen::add", int(const tensor&, const tensor&)> add;

extern "C" int unboxed_call(const tensor& a, const tensor& b) { return add(a, b); }

extern "C" int redispatch(topbit::key_set keys, const tensor& a, const tensor& b) {
  return add.redispatch(keys & topbit::below(topbit::key::Autograd), a, b);
}
