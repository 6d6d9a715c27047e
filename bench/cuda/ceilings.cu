#include "ceilings.h"

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

struct device_array {
  void* data = nullptr;
  explicit device_array(std::int64_t bytes) { check(cudaMalloc(&data, static_cast<std::size_t>(bytes))); }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data); }
};

// Seconds of the device for one run, the least of several after one to warm up.
template <class Run>
double seconds_of(Run run, int rounds = 10) {
  cudaEvent_t from, to;
  check(cudaEventCreate(&from));
  check(cudaEventCreate(&to));
  run();
  double least = 1e9;
  for (int i = 0; i < rounds; ++i) {
    check(cudaEventRecord(from));
    run();
    check(cudaEventRecord(to));
    check(cudaEventSynchronize(to));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, from, to));
    least = std::min(least, double(milliseconds) / 1e3);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  return least;
}

__global__ void copy_kernel(const float4* from, float4* to, std::int64_t n) {
  const std::int64_t i = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * 2;
  if (i + 1 >= n) return;
  const float4 a = from[i], b = from[i + 1];
  to[i] = a;
  to[i + 1] = b;
}

__global__ void read_kernel(const float4* from, float* to, std::int64_t n) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  float sum = 0;
#pragma unroll 8
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    const float4 x = from[i];
    sum += x.x + x.y + x.z + x.w;
  }
  if (sum == 12345.678f) *to = sum;  // never, but the compiler does not know
}

__global__ void nothing() {}

__global__ void fill_random(__nv_bfloat16* to, std::int64_t n, unsigned seed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = unsigned(i) * 2654435761u + seed;
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  to[i] = __float2bfloat16(float(x) / 4294967296.0f * 2 - 1);
}

}  // namespace

double copy_rate(std::int64_t bytes) {
  const device_array from(bytes), to(bytes);
  check(cudaMemset(from.data, 1, std::size_t(bytes)));
  const double engine =
      seconds_of([&] { check(cudaMemcpyAsync(to.data, from.data, std::size_t(bytes), cudaMemcpyDeviceToDevice)); });
  const std::int64_t n = bytes / 16;
  const double kernel = seconds_of([&] {
    copy_kernel<<<unsigned((n / 2 + 255) / 256), 256>>>(static_cast<const float4*>(from.data),
                                                        static_cast<float4*>(to.data), n);
  });
  return 2 * double(bytes) / std::min(engine, kernel);
}

double read_rate(std::int64_t bytes) {
  const device_array from(bytes), to(16);
  check(cudaMemset(from.data, 1, std::size_t(bytes)));
  double least = 1e9;
  for (const unsigned blocks : {132u * 4, 132u * 8, 132u * 16, 132u * 32}) {
    least = std::min(least, seconds_of([&] {
                       read_kernel<<<blocks, 512>>>(static_cast<const float4*>(from.data), static_cast<float*>(to.data),
                                                    bytes / 16);
                     }));
  }
  return double(bytes) / least;
}

double launch_seconds() {
  using clock = std::chrono::steady_clock;
  constexpr int calls = 500;
  std::vector<double> rounds;
  for (int r = 0; r < 30; ++r) {
    check(cudaDeviceSynchronize());
    const auto from = clock::now();
    for (int i = 0; i < calls; ++i) nothing<<<1, 32>>>();
    rounds.push_back(std::chrono::duration<double>(clock::now() - from).count() / calls);
  }
  check(cudaDeviceSynchronize());
  std::nth_element(rounds.begin(), rounds.begin() + 15, rounds.end());
  return rounds[15];
}

double library_product_rate(std::int64_t n) {
  void* const library = dlopen("libcublasLt.so.13", RTLD_NOW);
  if (library == nullptr) return 0;
  const auto find = [&]<class F>(F*, const char* name) { return reinterpret_cast<F*>(dlsym(library, name)); };
#define FIND(name) const auto name##_ = find(&name, #name)
  FIND(cublasLtCreate);
  FIND(cublasLtMatmulDescCreate);
  FIND(cublasLtMatrixLayoutCreate);
  FIND(cublasLtMatmulPreferenceCreate);
  FIND(cublasLtMatmulPreferenceSetAttribute);
  FIND(cublasLtMatmulAlgoGetHeuristic);
  FIND(cublasLtMatmul);
#undef FIND
  const std::int64_t bytes = n * n * 2;
  const device_array a(bytes), b(bytes), c(bytes), space(std::int64_t(64) << 20);
  for (const auto* array : {&a, &b}) {
    fill_random<<<unsigned((n * n + 255) / 256), 256>>>(static_cast<__nv_bfloat16*>(array->data), n * n,
                                                        array == &a ? 1u : 2u);
  }
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t layout;
  cublasLtMatmulPreference_t preference;
  const std::size_t most = std::size_t(64) << 20;
  constexpr int proposed = 16;
  cublasLtMatmulHeuristicResult_t found[proposed];
  int count = 0;
  if (cublasLtCreate_(&handle) != CUBLAS_STATUS_SUCCESS) return 0;
  cublasLtMatmulDescCreate_(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate_(&layout, CUDA_R_16BF, std::uint64_t(n), std::uint64_t(n), n);
  cublasLtMatmulPreferenceCreate_(&preference);
  cublasLtMatmulPreferenceSetAttribute_(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
  cublasLtMatmulAlgoGetHeuristic_(handle, product, layout, layout, layout, layout, preference, proposed, found, &count);
  const float one = 1, zero = 0;
  double least = 1e9;
  for (int i = 0; i < count; ++i) {
    least = std::min(least, seconds_of(
                                [&] {
                                  cublasLtMatmul_(handle, product, &one, b.data, layout, a.data, layout, &zero, c.data,
                                                  layout, c.data, layout, &found[i].algo, space.data, most, nullptr);
                                },
                                5));
  }
  return count == 0 ? 0 : 2.0 * double(n) * double(n) * double(n) / least;
}
