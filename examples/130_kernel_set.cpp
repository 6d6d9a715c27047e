// 130: kernel sets. Kernels known at compile time are checked for completeness, called without a table, and optionally
// installed in the dispatch table: the same kernels, and the same code around them.
#include <cstdio>

import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr tb::op<"img::crop", image(const image&, int)> crop;
inline constexpr tb::op<"img::area", int(const image&)> area;
inline constexpr tb::op<"img::brighten(float gain=2) -> float"> brighten;

image crop_cpu(const image& i, int border) { return {i.keys, i.width - 2 * border, i.height - 2 * border}; }
int area_cpu(const image& i) { return i.width * i.height; }
constexpr double brighten_cpu(double gain) { return 10 * gain; }
image crop_cuda(const image& i, int) { return i; }

// One kernel for each operator: a second one, or one with other arguments, does not compile.
inline constexpr auto cpu = tb::static_dispatch::kernels<tb::key::CPU>(
    tb::static_dispatch::bind<crop, &crop_cpu>, tb::static_dispatch::bind<area, &area_cpu>,
    tb::static_dispatch::bind<brighten, &brighten_cpu>);
inline constexpr auto cuda = tb::static_dispatch::kernels<tb::key::CUDA>(tb::static_dispatch::bind<crop, &crop_cuda>);

// A missing kernel is a compile error that names the operator and the key; so is a declared hole that does not exist.
static_assert(tb::static_dispatch::covers<cpu, crop, area, brighten>);
static_assert(
    tb::static_dispatch::covers_all<
        tb::static_dispatch::operators<crop, area, brighten>, tb::static_dispatch::keys<tb::key::CPU, tb::key::CUDA>,
        cpu, cuda, tb::static_dispatch::hole<area, tb::key::CUDA>, tb::static_dispatch::hole<brighten, tb::key::CUDA>>);

// A dispatch layer: inlined in front of a kernel set, or installed as a kernel of the dispatch table.
struct announced {
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    std::printf("  %.*s\n", static_cast<int>(Op::name().size()), Op::name().data());
    return next(static_cast<A&&>(a)...);
  }
};

// Generic code for anything that can call these two operators.
template <tb::static_dispatch::can_call<crop, area> How>
int area_inside(const How& how, const image& i) {
  return tb::static_dispatch::call<area>(how, tb::static_dispatch::call<crop>(how, i, 10));
}

int main() {
  const image photo{tb::key::CPU, 640, 480};

  static_assert(cpu.call<brighten>() == 20 && cpu.call<brighten>(tb::arg<"gain"> = 3) == 30);
  std::printf("the set: %d\n", area_inside(cpu, photo));
  std::puts("the set, announced:");
  std::printf("%d\n", area_inside(tb::static_dispatch::layered<cpu, announced>, photo));

  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<crop, area, brighten>{});
  const auto live = tb::static_dispatch::install(cpu | cuda);
  std::printf("the table: %d\n", area_inside(tb::static_dispatch::dispatched, photo));
  const auto layer =
      tb::static_dispatch::install(tb::static_dispatch::layer_kernels<announced, tb::key::Tracer>(crop, area));
  std::puts("the table, announced:");
  tb::include_guard on(tb::key::Tracer);
  std::printf("%d\n", area_inside(tb::static_dispatch::dispatched, photo));
}

// prints: the set: 285200
// prints: the set, announced:
// prints:   img::crop
// prints:   img::area
// prints: 285200
// prints: the table: 285200
// prints: the table, announced:
// prints:   img::crop
// prints:   img::area
// prints: 285200
