// 030: the schema is the signature. The C++ type is computed from the text, and a mismatched kernel does not compile.
#include <cstdint>
#include <cstdio>

import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

// Schemas know int, float, bool and str. A user's type gets a name and the C++ types of its values and parameters.
template <>
struct topbit::schema_type<"Image"> {
  using value = image;
  using argument = const image&;
};

inline constexpr tb::op<"img::scale(Image self, int factor, *, float gamma=1.0) -> Image"> scale;

image scale_cpu(const image& self, std::int64_t factor, double gamma) {
  std::printf("factor %d, gamma %.1f\n", static_cast<int>(factor), gamma);
  return {self.keys, self.width * static_cast<int>(factor), self.height * static_cast<int>(factor)};
}
const auto kernels = tb::library("img").def(scale).impl<&scale_cpu>(scale, tb::key::CPU);

// A kernel that takes an int for the factor:
//   image narrow(const image& self, int factor, double gamma);
//   tb::implement("img").impl<&narrow>(scale, tb::key::CUDA);
// gives this message in the first error line:
//   kernel for img::scale, argument 2 'factor': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema
//   is std::int64_t
// The same check without an error:
image narrow(const image& self, int factor, double gamma);
static_assert(tb::kernel_for<&scale_cpu, decltype(scale)>);
static_assert(!tb::kernel_for<&narrow, decltype(scale)>);

int main() {
  const image photo{tb::key::CPU, 640, 480};
  scale(photo, 2);                          // gamma comes from the schema
  scale(photo, 2, tb::arg<"gamma"> = 2.2);  // or is passed by name
  scale(tb::arg<"factor"> = 3, tb::arg<"self"> = photo);
}

// prints: factor 2, gamma 1.0
// prints: factor 2, gamma 2.2
// prints: factor 3, gamma 1.0
