// What quantized weights save, in ratios within one run: products against topbit's float32 product and against reading
// the same bytes, conversions against a copy. One thread.
//
//   bench_quantized [--quick]     small sizes, to see that it works
//
// Every round runs every case once, so that all see the same machine; the least time of each counts. Weights of one
// size fit the last-level cache of most processors, those of the other do not.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import topbit;
import topbit.quantized;

namespace tb = topbit;
namespace q = topbit::quantized;
using tb::tensor;

namespace {

bool failed = false;

// Reads memory once, as fast as loads and additions can.
[[gnu::noinline]] std::uint64_t read_all(const void* memory, std::size_t bytes) {
  typedef std::uint64_t words __attribute__((vector_size(64)));
  words sums[4] = {};
  const char* const from = static_cast<const char*>(memory);
  for (std::size_t i = 0; i + sizeof sums <= bytes; i += sizeof sums) {
    for (std::size_t k = 0; k < 4; ++k) {
      words w;
      std::memcpy(&w, from + i + k * sizeof w, sizeof w);
      sums[k] += w;
    }
  }
  const words sum = sums[0] + sums[1] + sums[2] + sums[3];
  return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

struct bench_case {
  std::string name;
  double bytes;  // of codes that are read, or 0
  std::function<void()> run;
  double seconds = 1e30;
};

// Times of cases: the first is what the others are compared with; reading comes behind the case whose bytes it reads.
void measure(const std::string& title, std::vector<bench_case> cases, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (bench_case& c : cases) {
      const auto start = std::chrono::steady_clock::now();
      c.run();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      c.seconds = std::min(c.seconds, took.count());
    }
  }
  std::printf("\n%s\n%-34s %10s %10s %12s %14s\n", title.c_str(), "", "ms", "speed", "GB/s codes", "of reading");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bench_case& c = cases[i];
    std::printf("%-34s %10.3f %9.2fx", c.name.c_str(), c.seconds * 1e3, cases.front().seconds / c.seconds);
    if (c.bytes > 0) {
      std::printf(" %12.1f", c.bytes / c.seconds * 1e-9);
      if (i + 1 < cases.size() && cases[i + 1].name == "  reading its codes") {
        std::printf(" %14.2f", cases[i + 1].seconds / c.seconds);
      }
    }
    std::printf("\n");
  }
}

// The product is near that of the dequantized weights.
void check(const std::string& name, const tensor& x, const tensor& w, double tolerance) {
  const tensor rows = tb::narrow(tb::dequantize(w), 0, 0, 8), wanted = tb::linear(x, rows);
  const tensor found = tb::narrow(tb::linear(x, w), 1, 0, 8);
  const double error =
      tb::item<double>(tb::amax(tb::abs(found - wanted))) / tb::item<double>(tb::amax(tb::abs(wanted)));
  if (error <= tolerance) return;
  std::printf("ERROR OCCURRED: %s is off by %g\n", name.c_str(), error);
  failed = true;
}

// The cases of a quantized weight: the product, and reading its codes.
void add_weight(std::vector<bench_case>& cases, const std::string& name, const tensor& x, const tensor& w,
                double tolerance = 1e-4) {
  check(name, x, w, tolerance);
  const tensor codes = w.payload<q::payload>().codes;
  const auto bytes = static_cast<double>(codes.numel());
  cases.push_back({name, bytes, [x, w] { tb::linear(x, w); }});
  cases.push_back({"  reading its codes", bytes, [codes] {
                     volatile std::uint64_t sum = read_all(codes.data(), static_cast<std::size_t>(codes.numel()));
                     static_cast<void>(sum);
                   }});
}

void products(std::int64_t m, std::int64_t n, std::int64_t k, int rounds) {
  const tensor x = tb::randn({m, k}), w = tb::randn({n, k});
  std::vector<bench_case> cases;
  cases.push_back({"float32", 0, [=] { tb::linear(x, w); }});
  const tensor half_x = tb::to(x, tb::dtype::bfloat16), half_w = tb::to(w, tb::dtype::bfloat16);
  cases.push_back({"bfloat16", 0, [=] { tb::linear(half_x, half_w); }});
  add_weight(cases, "int8", x, q::quantize(w, q::int8));
  add_weight(cases, "int8, group 32, float16 scales", x, q::quantize_gguf(w, 8));
  add_weight(cases, "int4, group 32", x, q::quantize(w, q::int4));
  add_weight(cases, "int4, group 32, float16 scales", x, q::quantize_gguf(w, 4));
  add_weight(cases, "int4, group 32, offsets", x, q::quantize(w, q::int4, false));
  add_weight(cases, "int4, group 128", x,
             q::quantize(w, {.scales = q::granularity::per_group, .bits = 4, .group = 128}));
  add_weight(cases, "int8 times int8", x, q::quantize(w, q::int8_dynamic), 0.1);
  measure("product " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k), std::move(cases),
          rounds);
}

void conversions(std::int64_t n, int rounds) {
  const tensor x = tb::randn({n, n});
  tensor copy = tb::empty({n, n});
  const tensor eight = q::quantize(x, q::int8), four = q::quantize(x, q::int4);
  const tensor scales = tb::q_scales(eight);
  std::vector<bench_case> cases;
  cases.push_back({"copy of float32", 0, [=]() mutable { tb::copy_(copy, x); }});
  cases.push_back({"copy to a new tensor", 0, [=] { tb::clone(x); }});
  cases.push_back({"dequantize int8", 0, [=] { tb::dequantize(eight); }});
  cases.push_back({"dequantize int4, group 32", 0, [=] { tb::dequantize(four); }});
  cases.push_back({"quantize to int8, given scales", 0, [=] { tb::quantize_per_channel(x, scales, {}, 0); }});
  cases.push_back({"quantize to int8", 0, [=] { q::quantize(x, q::int8); }});
  cases.push_back({"quantize to int4, group 32", 0, [=] { q::quantize(x, q::int4); }});
  measure("conversion of " + std::to_string(n) + " x " + std::to_string(n), std::move(cases), rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  tb::set_num_threads(1);
  tb::manual_seed(1);
  const tb::no_grad guard;
  std::printf("instruction set %s, one thread\n", std::string(tb::cpu_isa()).c_str());
  if (is_quick) {
    products(1, 64, 256, 1);
    conversions(64, 1);
    return failed ? 1 : 0;
  }
  products(1, 4096, 4096, 40);
  products(1, 32768, 4096, 8);
  products(4, 4096, 4096, 20);
  products(1024, 1024, 1024, 15);
  conversions(4096, 15);
  return failed ? 1 : 0;
}
