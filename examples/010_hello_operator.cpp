// 010: one operator, two kernels. Any type with a keys_of() takes part in dispatch.
#include <cstdio>

import topbit.core;
namespace tb = topbit;

// keys_of, found by argument-dependent lookup, tells the dispatcher where an image's pixels are.
struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

// The operator: a name and a signature. It is a stateless value, so it can be in a header.
inline constexpr tb::op<"img::half", image(const image&)> half;

// Two kernels. They are ordinary functions with exactly the operator's signature.
image half_cpu(const image& i) {
  std::puts("half on the CPU");
  return {i.keys, i.width / 2, i.height / 2};
}
image half_cuda(const image& i) {
  std::puts("half on the GPU");
  return {i.keys, i.width / 2, i.height / 2};
}

// Registered for the lifetime of this object, here the whole program.
const auto kernels =
    tb::library("img").def(half).impl<&half_cpu>(half, tb::key::CPU).impl<&half_cuda>(half, tb::key::CUDA);

int main() {
  const image photo{tb::key::CPU, 640, 480};
  const image texture{tb::key::CUDA, 1024, 1024};

  const image small = half(photo);  // the argument's keys pick the kernel
  std::printf("%d x %d\n", small.width, small.height);
  half(half(texture));

  try {
    half(image{tb::key::XLA, 1, 1});
  } catch (const tb::no_kernel& e) {
    std::printf("no kernel for %s\n", to_string(e.keys()).c_str());
  }
}

// prints: half on the CPU
// prints: 320 x 240
// prints: half on the GPU
// prints: half on the GPU
// prints: no kernel for {XLA}
