// A program that knows nothing of traces, for trace_environment.test.cpp to run with one.
// usage: trace_program [calls|threads|abort]
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"program::inner", int(const image&)> inner;
inline constexpr tb::op<"program::outer", int(const image&)> outer;

int width(const image& i) { return i.width; }
int outer_kernel(const image& i) { return inner(i) + inner(i); }

const auto kernels =
    tb::library("program").def(inner).impl<&width>(inner, key::CPU).def(outer).impl<&outer_kernel>(outer, key::CPU);

}  // namespace

int main(int argc, char** argv) {
  const image on_cpu{key::CPU, 7, 0};
  const std::string_view what = argc > 1 ? argv[1] : "";
  std::printf("main begins\n");
  std::fflush(stdout);
  if (what == "calls") {
    for (int i = 0; i < 1000; ++i) (void)outer(on_cpu);
  } else if (what == "threads") {
    for (int i = 0; i < 2; ++i) std::thread([&] { (void)outer(on_cpu); }).join();
    (void)inner(on_cpu);
  } else if (what == "abort") {
    for (int i = 0; i < 100; ++i) (void)outer(on_cpu);
    std::abort();
  } else {
    (void)outer(on_cpu);
    (void)inner(on_cpu);
  }
  return 0;
}
