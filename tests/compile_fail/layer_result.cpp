// expect: error: static assertion failed: toy::add: the layer 'silent' returns 'void', the operator 'double'; return what next\(\) returns$
// topic: sets
// A layer hands the result on.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

#ifndef FIXED
struct silent {
  template <class Op, class Next, class... A>
  static void run(Next next, A... a) {
    next(a...);
  }
};
#else
struct silent {
  template <class Op, class Next, class... A>
  static auto run(Next next, A... a) {
    return next(a...);
  }
};
#endif

inline constexpr auto layer = topbit::static_dispatch::layer_kernels<silent, topbit::key::Tracer>(add);
const auto live = topbit::static_dispatch::install(layer);
