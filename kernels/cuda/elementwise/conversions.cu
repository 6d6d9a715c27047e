// Dtype conversions of contiguous elements, vectorized. A vector is 16 bytes of the wider of the two types.
#include "elementwise/copy.cuh"
#include "elementwise/pack.cuh"

namespace tb_cuda {
namespace {

constexpr int vectors_of_thread = 4;

constexpr int width_of(int64_t to_bytes, int64_t from_bytes) {
  return int(16 / (to_bytes > from_bytes ? to_bytes : from_bytes));
}

template <typename To, typename From>
__global__ void __launch_bounds__(block_threads) convert_vectors(dense_call call) {
  constexpr int V = width_of(sizeof(To), sizeof(From)), U = vectors_of_thread;
  const int64_t first = int64_t(blockIdx.x) * (block_threads * U) + threadIdx.x;
  pack<From, V> from[U];
  int some[U];
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const int64_t i = (first + u * block_threads) * V, rest = call.count - i;
    some[u] = rest >= V ? V : rest > 0 ? int(rest) : 0;
    if (some[u] != 0) load(from[u], call.from, i, 1, some[u]);
  }
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (some[u] == 0) continue;
    pack<To, V> to;
#pragma unroll
    for (int j = 0; j < V; ++j) to.of[j] = from_compute<To>(to_compute<compute_of<From>>(from[u].of[j]));
    store(call.to, (first + u * block_threads) * V, to, some[u]);
  }
}

template <typename From>
convert_kernel conversion_from(int32_t to) {
  switch (to) {
    case TB_BOOL: return convert_vectors<boolean, From>;
    case TB_U8: return convert_vectors<uint8_t, From>;
    case TB_I8: return convert_vectors<int8_t, From>;
    case TB_I16: return convert_vectors<int16_t, From>;
    case TB_I32: return convert_vectors<int32_t, From>;
    case TB_I64: return convert_vectors<int64_t, From>;
    case TB_F16: return convert_vectors<half, From>;
    case TB_BF16: return convert_vectors<bfloat16, From>;
    case TB_F32: return convert_vectors<float, From>;
    default: return convert_vectors<double, From>;
  }
}

}  // namespace

convert_kernel dense_conversion(int32_t to_dtype, int32_t from_dtype, const void* to, const void* from) {
  const int64_t width = width_of(bytes_of[to_dtype], bytes_of[from_dtype]);
  const auto misaligned = [width](const void* data, int32_t dtype) {
    return reinterpret_cast<uintptr_t>(data) % uint64_t(width * bytes_of[dtype]) != 0;
  };
  if (misaligned(to, to_dtype) || misaligned(from, from_dtype)) return nullptr;
  switch (from_dtype) {
    case TB_BOOL: return conversion_from<boolean>(to_dtype);
    case TB_U8: return conversion_from<uint8_t>(to_dtype);
    case TB_I8: return conversion_from<int8_t>(to_dtype);
    case TB_I16: return conversion_from<int16_t>(to_dtype);
    case TB_I32: return conversion_from<int32_t>(to_dtype);
    case TB_I64: return conversion_from<int64_t>(to_dtype);
    case TB_F16: return conversion_from<half>(to_dtype);
    case TB_BF16: return conversion_from<bfloat16>(to_dtype);
    case TB_F32: return conversion_from<float>(to_dtype);
    default: return conversion_from<double>(to_dtype);
  }
}

unsigned conversion_blocks(int32_t to_dtype, int32_t from_dtype, int64_t count) {
  const int64_t of_block =
      int64_t(block_threads) * vectors_of_thread * width_of(bytes_of[to_dtype], bytes_of[from_dtype]);
  return static_cast<unsigned>((count + of_block - 1) / of_block);
}

}  // namespace tb_cuda
