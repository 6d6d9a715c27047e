// 110: the trace. Every call and redispatch in a scope, with the selected kernel, the reason and the duration. It can
// be enabled without changing a program: TOPBIT_TRACE=1, or TOPBIT_TRACE=json:FILE for a viewer.
#include <cstdio>
#include <string>

import topbit.core;
namespace tb = topbit;
namespace key = topbit::key;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr tb::op<"img::blur", image(const image&, double)> blur;
inline constexpr tb::op<"img::soften", image(const image&)> soften;

image blur_cpu(const image& i, double) { return i; }
image blur_autograd(tb::key_set keys, const image& i, double sigma) {
  return blur.redispatch(keys & tb::below(key::Autograd), i, sigma);
}
image soften_composite(const image& i) { return blur(blur(i, 1.0), 2.0); }

const auto kernels = tb::library("img")
                         .def(blur)
                         .impl<&blur_cpu>(blur, key::CPU)
                         .impl<&blur_autograd>(blur, key::Autograd)
                         .def(soften)
                         .impl<&soften_composite>(soften);

int main() {
  const image photo{{key::CPU, key::AutogradCPU}, 4, 3};

  tb::trace_session trace = tb::trace_session::this_thread();  // or of all threads: tb::trace_session::process()
  soften(photo);
  try {
    blur(image{key::CUDA, 4, 3}, 1.0);
  } catch (const tb::no_kernel&) {
  }
  trace.stop();  // from here on tracing costs nothing

  // trace.text() also has the source location of each kernel and the durations.
  for (const tb::inspect::trace_event& e : trace.events()) {
    std::printf("%*s%s %s at %s, %s%s\n", static_cast<int>(2 * e.depth), "", e.op.c_str(),
                e.redispatch ? "redispatch" : "call", to_string(e.selected_kernel.key).c_str(),
                std::string(name_of(e.selected_kernel.why)).c_str(), e.threw ? ", threw" : "");
  }
  std::printf("%d dropped\n", static_cast<int>(trace.dropped()));
}

// prints: img::soften call at AutogradCPU, composite kernel
// prints:   img::blur call at AutogradCPU, autograd kernel
// prints:     img::blur redispatch at CPU, kernel
// prints:   img::blur call at AutogradCPU, autograd kernel
// prints:     img::blur redispatch at CPU, kernel
// prints: img::blur call at CUDA, missing, threw
// prints: 0 dropped
