// Stable sort of key-value pairs by Thrust, which uses a radix sort on the device.
#include "rowwise/sort_pairs.cuh"

#include "runtime/thrust.cuh"

#include <thrust/sort.h>

namespace tb_cuda {
namespace {

template <typename Key, typename Value>
tb_status sort_by_key(const scope& on, Key* keys, Value* values, int64_t count) {
  if (count == 0) return TB_OK;
  return run_thrust(on, "a sort",
                    [=](const auto& policy) { thrust::stable_sort_by_key(policy, keys, keys + count, values); });
}

}  // namespace

tb_status sort_pairs(const scope& on, uint32_t* keys, uint32_t* values, int64_t count) {
  return sort_by_key(on, keys, values, count);
}
tb_status sort_pairs(const scope& on, uint64_t* keys, uint32_t* values, int64_t count) {
  return sort_by_key(on, keys, values, count);
}
tb_status sort_pairs(const scope& on, uint64_t* keys, uint64_t* values, int64_t count) {
  return sort_by_key(on, keys, values, count);
}

}  // namespace tb_cuda
