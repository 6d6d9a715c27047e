// The loops of this program: what the machine can do, by vectors of the widest kind it has. They write into the given
// result, whatever the form of the problem.
#include <cstring>
#include <limits>

#include "peers.h"

#if defined(__x86_64__)
#  include <immintrin.h>
#  define BENCH_AVX2 [[gnu::target("avx2,fma"), gnu::noinline]]
#  define BENCH_AVX512 [[gnu::target("avx512f,avx512dq"), gnu::noinline]]
#endif

namespace bench {

namespace {

using loop = void (*)(const float* a, const float* b, float* out, std::int64_t n);

void add_plain(const float* a, const float* b, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
void mul_plain(const float* a, const float* b, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
void copy_plain(const float* a, const float*, float* out, std::int64_t n) {
  std::memcpy(out, a, static_cast<std::size_t>(n) * sizeof(float));
}

#if defined(__x86_64__)

bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0; }
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }

// Four vectors a round; arrays are aligned to 64 bytes. What is left goes one by one.
BENCH_AVX512 void add_avx512(const float* a, const float* b, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) {
      _mm512_store_ps(out + i + j, _mm512_add_ps(_mm512_load_ps(a + i + j), _mm512_load_ps(b + i + j)));
    }
  }
  for (; i < n; ++i) out[i] = a[i] + b[i];
}
BENCH_AVX512 void add_streaming(const float* a, const float* b, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) {
      _mm512_stream_ps(out + i + j, _mm512_add_ps(_mm512_load_ps(a + i + j), _mm512_load_ps(b + i + j)));
    }
  }
  for (; i < n; ++i) out[i] = a[i] + b[i];
  _mm_sfence();
}
BENCH_AVX512 void mul_avx512(const float* a, const float* b, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) {
      _mm512_store_ps(out + i + j, _mm512_mul_ps(_mm512_load_ps(a + i + j), _mm512_load_ps(b + i + j)));
    }
  }
  for (; i < n; ++i) out[i] = a[i] * b[i];
}
BENCH_AVX512 void mul_streaming(const float* a, const float* b, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) {
      _mm512_stream_ps(out + i + j, _mm512_mul_ps(_mm512_load_ps(a + i + j), _mm512_load_ps(b + i + j)));
    }
  }
  for (; i < n; ++i) out[i] = a[i] * b[i];
  _mm_sfence();
}
BENCH_AVX512 void copy_avx512(const float* a, const float*, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) _mm512_store_ps(out + i + j, _mm512_load_ps(a + i + j));
  }
  for (; i < n; ++i) out[i] = a[i];
}
BENCH_AVX512 void copy_streaming(const float* a, const float*, float* out, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int j = 0; j < 64; j += 16) _mm512_stream_ps(out + i + j, _mm512_load_ps(a + i + j));
  }
  for (; i < n; ++i) out[i] = a[i];
  _mm_sfence();
}
// Eight sums, since one waits for itself. Over ten million elements their rounding stays small beside the check's.
BENCH_AVX512 float total_of(__m512* s) {
  for (int j = 0; j < 4; ++j) s[j] = _mm512_add_ps(s[j], s[j + 4]);
  return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[2]), _mm512_add_ps(s[1], s[3])));
}
BENCH_AVX512 void sum_avx512(const float* a, const float*, float* out, std::int64_t n) {
  __m512 s[8];
  for (__m512& one : s) one = _mm512_setzero_ps();
  std::int64_t i = 0;
  for (; i + 128 <= n; i += 128) {
    for (int j = 0; j < 8; ++j) s[j] = _mm512_add_ps(s[j], _mm512_load_ps(a + i + 16 * j));
  }
  for (; i + 16 <= n; i += 16) s[i / 16 % 8] = _mm512_add_ps(s[i / 16 % 8], _mm512_load_ps(a + i));
  float total = total_of(s);
  for (; i < n; ++i) total += a[i];
  *out = total;
}

// Twelve chains, more than latency times pipes. The clobbers keep each chain in its register.
constexpr int chains = 12, rounds = 1024;
BENCH_AVX512 void peak_avx512(const float* a, const float*, float* out, std::int64_t) {
  __m512 s[chains];
  const __m512 x = _mm512_set1_ps(*a * 0 + 0.5F), y = _mm512_set1_ps(1.0F);
  for (__m512& one : s) one = y;
  for (int i = 0; i < rounds; ++i) {
    for (__m512& one : s) {
      one = _mm512_fmadd_ps(one, x, y);
      asm volatile("" : "+v"(one));
    }
  }
  for (int j = 1; j < chains; ++j) s[0] = _mm512_add_ps(s[0], s[j]);
  *out = _mm512_reduce_add_ps(s[0]);
}
BENCH_AVX2 void peak_avx2(const float* a, const float*, float* out, std::int64_t) {
  __m256 s[chains];
  const __m256 x = _mm256_set1_ps(*a * 0 + 0.5F), y = _mm256_set1_ps(1.0F);
  for (__m256& one : s) one = y;
  for (int i = 0; i < rounds; ++i) {
    for (__m256& one : s) {
      one = _mm256_fmadd_ps(one, x, y);
      asm volatile("" : "+x"(one));
    }
  }
  for (int j = 1; j < chains; ++j) s[0] = _mm256_add_ps(s[0], s[j]);
  *out = _mm256_cvtss_f32(s[0]);
}

#endif

work of(const problem& p, loop body) {
  const float* a = p.inputs[0].as<float>();
  const float* b = p.inputs.size() > 1 ? p.inputs[1].as<float>() : nullptr;
  float* out = p.result.as<float>();
  const std::int64_t n = p.inputs[0].count();
  work w;
  w.run = repeat([=] { body(a, b, out, n); });
  w.result = [=, to = p.result] {
    body(a, b, out, n);
    return to;
  };
  return w;
}

bool on_rows(const problem& p) {
  return p.family == "limits" || p.family == "elementwise" || p.family == "reductions" || p.family == "threads";
}

std::optional<work> plain(const problem& p) {
  if (!on_rows(p)) return std::nullopt;
  const std::string& o = p.operation;
  loop add = add_plain, mul = mul_plain, copy = copy_plain, sum = nullptr;
#if defined(__x86_64__)
  if (has_avx512()) add = add_avx512, mul = mul_avx512, copy = copy_avx512, sum = sum_avx512;
#endif
  if (o == "add" || o == "triad") return of(p, add);
  if (o == "mul") return of(p, mul);
  if (o == "copy") return of(p, copy);
  if ((o == "sum" || o == "read") && sum != nullptr) return of(p, sum);
  return std::nullopt;
}

#if defined(__x86_64__)

// Only where it may help: what fits the caches is better left there.
std::optional<work> streaming(const problem& p) {
  if (!on_rows(p) || p.inputs.empty() || p.inputs[0].count() < 1'000'000 || !has_avx512()) return std::nullopt;
  const std::string& o = p.operation;
  if (o == "add" || o == "triad") return of(p, add_streaming);
  if (o == "mul") return of(p, mul_streaming);
  if (o == "copy") return of(p, copy_streaming);
  return std::nullopt;
}

std::optional<work> peak(const problem& p, loop body, int lanes) {
  const bool product = p.family == "matmul" && p.result.type == element::float32;
  if (!product && p.operation != "fma") return std::nullopt;
  static float one = 1, sum = 0;
  work w;
  w.run = repeat([body] { body(&one, nullptr, &sum, 0); });
  w.flops = 2.0 * chains * rounds * lanes;
  return w;
}

#endif

}  // namespace

std::vector<peer> yardsticks() {
  const auto make = [](const char* name, std::function<std::optional<work>(const problem&)> prepare) {
    peer p{.name = name, .yardstick = true};
    p.prepare = std::move(prepare);
    return p;
  };
  std::vector<peer> all{make("loop", plain)};
#if defined(__x86_64__)
  all.push_back(make("streaming loop", streaming));
  if (has_avx512()) all.push_back(make("AVX-512 peak", [](const problem& p) { return peak(p, peak_avx512, 16); }));
  if (has_avx2()) all.push_back(make("AVX2 peak", [](const problem& p) { return peak(p, peak_avx2, 8); }));
#endif
  return all;
}

}  // namespace bench
