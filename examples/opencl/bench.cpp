// Times of operators on an OpenCL device and on the CPU's kernels, in milliseconds: the shortest of some runs.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

import topbit;

namespace tb = topbit;

namespace {

double milliseconds(const std::function<void()>& run) {
  double least = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

using t = const tb::tensor&;
constexpr std::pair<const char*, tb::tensor (*)(t, t)> problems[] = {
    {"add", [](t a, t b) { return a + b; }},
    {"mul by 2", [](t a, t) { return a * 2; }},
    {"add a row", [](t a, t b) { return a + tb::select(b, 0, 0); }},
    {"add transposed", [](t a, t b) { return a + tb::transpose(b, 0, 1); }},
    {"less", [](t a, t b) { return tb::lt(a, b); }},
    {"relu", [](t a, t) { return tb::relu(a); }},
    {"exp", [](t a, t) { return tb::exp(a); }},
    {"tanh", [](t a, t) { return tb::tanh(a); }},
    {"sigmoid", [](t a, t) { return tb::sigmoid(a); }},
    {"gelu", [](t a, t) { return tb::gelu(a); }},
    {"sum", [](t a, t) { return tb::sum(a); }},
    {"sum of rows", [](t a, t) { return tb::sum(a, {1}); }},
    {"sum of columns", [](t a, t) { return tb::sum(a, {0}); }},
    {"argmax of rows", [](t a, t) { return tb::argmax(a, 1); }},
};

}  // namespace

int main() {
  const tb::device opencl = tb::parse_device("opencl");
  std::printf("%-16s %9s %-9s %10s %10s %8s\n", "operator", "elements", "dtype", "opencl ms", "cpu ms", "cpu / opencl");
  for (const auto& [name, run] : problems) {
    for (const tb::dtype type : {tb::dtype::float32, tb::dtype::float64, tb::dtype::float16}) {
      for (const std::int64_t n : {64, 1000, 2000}) {
        const tb::tensor a = tb::to(tb::randn({n, n}), type), b = tb::to(tb::randn({n, n}), type);
        const tb::tensor x = tb::to(a, opencl), y = tb::to(b, opencl);
        const double cpu = milliseconds([&] { run(a, b); }), there = milliseconds([&] {
                                                               run(x, y);
                                                               tb::synchronize(opencl);
                                                             });
        std::printf("%-16s %9lld %-9s %10.3f %10.3f %8.2f\n", name, static_cast<long long>(n * n),
                    std::string(name_of(type)).c_str(), there, cpu, cpu / there);
      }
    }
  }
}
