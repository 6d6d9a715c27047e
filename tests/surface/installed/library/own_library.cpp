import topbit.core;

#include "own_library.h"

inline constexpr topbit::op<"own::brighter", pixel(const pixel&)> brighter_op;
static pixel brighter_cpu(const pixel& p) { return {p.keys, p.brightness + 1}; }
static const auto kernels = topbit::library("own").def(brighter_op).impl<&brighter_cpu>(brighter_op, topbit::key::CPU);

pixel brighter(const pixel& p) { return brighter_op(p); }
