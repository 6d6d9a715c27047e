// 020: layers. A key of higher priority runs first; its kernel does its part and redispatches to the keys below it.
#include <cstdio>

import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr tb::op<"img::crop", image(const image&, int)> crop;

image crop_cpu(const image& i, int border) {
  std::puts("    CPU: crop");
  return {i.keys, i.width - 2 * border, i.height - 2 * border};
}

// A kernel may take the key set of the call as its first parameter. The kernel's own key is the highest one; the call
// goes on with the keys below it.
image crop_autograd(tb::key_set keys, const image& i, int border) {
  std::puts("  Autograd: remember how to undo the crop");
  return crop.redispatch(keys & tb::below(tb::key::Autograd), i, border);
}
image crop_tracer(tb::key_set keys, const image& i, int border) {
  std::printf("Tracer: crop(image, %d)\n", border);
  return crop.redispatch(keys & tb::below(tb::key::Tracer), i, border);
}

const auto kernels = tb::library("img")
                         .def(crop)
                         .impl<&crop_cpu>(crop, tb::key::CPU)
                         .impl<&crop_autograd>(crop, tb::key::Autograd)  // an alias: the autograd key of every backend
                         .impl<&crop_tracer>(crop, tb::key::Tracer);

int main() {
  const image photo{{tb::key::CPU, tb::key::AutogradCPU}, 640, 480};

  std::puts("the argument brings Autograd:");
  crop(photo, 10);

  std::puts("this thread adds Tracer:");
  {
    tb::include_guard tracing(tb::key::Tracer);
    crop(photo, 10);
  }

  std::puts("this thread leaves Autograd out:");
  {
    tb::exclude_guard no_autograd(tb::autograd_keys);
    crop(photo, 10);
  }
}

// prints: the argument brings Autograd:
// prints:   Autograd: remember how to undo the crop
// prints:     CPU: crop
// prints: this thread adds Tracer:
// prints: Tracer: crop(image, 10)
// prints:   Autograd: remember how to undo the crop
// prints:     CPU: crop
// prints: this thread leaves Autograd out:
// prints:     CPU: crop
