// A program that knows nothing of traces, for trace_environment.test.cpp to run with one.
// usage: trace_program [calls|threads|abort|many|wait|child|fork]
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
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
inline constexpr tb::op<"program::many", int(const image&)> many;
inline constexpr tb::op<"program::wait", void(const image&)> wait_50_ms;
inline constexpr tb::op<"program::fork", void(const image&)> forks;

int width(const image& i) { return i.width; }
int outer_kernel(const image& i) { return inner(i) + inner(i); }
int many_kernel(const image& i) {
  int sum = 0;
  for (int n = 0; n < 5000; ++n) sum += inner(i);
  return sum;
}
void wait_kernel(const image&) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (std::chrono::steady_clock::now() < end) {
  }
}
void fork_kernel(const image& i) {
  (void)inner(i);
  const pid_t child = fork();
  if (child == 0) {
    (void)outer(i);
    std::thread([&] { (void)outer(i); }).join();
    std::exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) std::abort();
}

const auto kernels = tb::library("program")
                         .def(inner)
                         .impl<&width>(inner, key::CPU)
                         .def(outer)
                         .impl<&outer_kernel>(outer, key::CPU)
                         .def(many)
                         .impl<&many_kernel>(many, key::CPU)
                         .def(wait_50_ms)
                         .impl<&wait_kernel>(wait_50_ms, key::CPU)
                         .def(forks)
                         .impl<&fork_kernel>(forks, key::CPU);

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
  } else if (what == "many") {
    (void)many(on_cpu);
    (void)inner(on_cpu);
  } else if (what == "wait") {
    wait_50_ms(on_cpu);
  } else if (what == "child") {
    (void)outer(on_cpu);
    const std::string itself = argv[0];
    const int status = std::system(("'" + itself + "'").c_str());
    (void)inner(on_cpu);
    return status == 0 ? 0 : 1;
  } else if (what == "fork") {
    forks(on_cpu);
  } else {
    (void)outer(on_cpu);
    (void)inner(on_cpu);
  }
  return 0;
}
