// expect: error: static assertion failed: kernels: found key::Undefined, wanted a key; the one for kernels that serve every key is key::CompositeImplicitAutograd$
// topic: sets
// The kernels of a set are for a key, which may be an alias.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_anywhere(double a, double b);

#ifndef FIXED
inline constexpr auto composites =
    topbit::static_dispatch::kernels<topbit::key::Undefined>(topbit::static_dispatch::bind<add, &add_anywhere>);
#else
inline constexpr auto composites = topbit::static_dispatch::kernels<topbit::key::CompositeImplicitAutograd>(
    topbit::static_dispatch::bind<add, &add_anywhere>);
#endif
