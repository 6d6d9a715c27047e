// 100: introspection. Which kernel would run, why not mine, what is missing, what if: answered as data, without a call.
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

image blur_composite(const image& i, double) { return i; }
image blur_sparse(const image& i, double) { return i; }

const auto kernels = tb::library("img")
                         .def(blur)
                         .impl<&blur_composite>(blur)  // composite: for every key, written with other operators
                         .impl<&blur_sparse>(blur, key::SparseCPU);

int main() {
  const image photo{{key::SparseCPU, key::AutogradCPU}, 4, 3};

  const tb::inspect::explanation plan = tb::explain(blur, photo, 1.5);
  std::printf("the call ends at %s\n", to_string(plan.selected).c_str());

  // The composite also serves AutogradCPU, which has priority, so the sparse kernel is never reached: register one for
  // AutogradCPU, or make the composite explicit.
  const tb::inspect::why_not_answer why = tb::why_not(blur, key::SparseCPU, photo, 1.5);
  std::printf("why not SparseCPU: %s\n", std::string(name_of(why.reason)).c_str());
  for (const tb::inspect::shadowed_kernel& s : tb::coverage().shadowed) {
    std::printf("out of reach: %s at %s, %s\n", s.op.c_str(), to_string(s.key).c_str(),
                std::string(name_of(s.reason)).c_str());
  }

  // A kernel for Autograd changes nothing, since composites come first; one for AutogradCPU does.
  const auto slots = [](tb::inspect::supposition s) { return tb::what_if(blur.handle(), {s}).changed.size(); };
  std::printf("Autograd would change %zu slots, AutogradCPU %zu\n", slots(tb::inspect::adding(key::Autograd)),
              slots(tb::inspect::adding(key::AutogradCPU)));
}

// prints: the call ends at AutogradCPU
// prints: why not SparseCPU: composite
// prints: out of reach: img::blur at SparseCPU, composite
// prints: Autograd would change 0 slots, AutogradCPU 1
