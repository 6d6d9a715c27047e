// expect: error: static assertion failed: toy::add: bound for CPU with the signature 'double \(double, double\)' and for CPU with 'int \(int, int\)'; the name of an operator has one signature$
// topic: sets
// Two operators of one name have one signature, as in the registry.
import topbit.core;

inline constexpr topbit::op<"toy::add", double(double, double)> add;

#ifndef FIXED
inline constexpr topbit::op<"toy::add", int(int, int)> add_ints;
#else
inline constexpr topbit::op<"toy::add.of_ints", int(int, int)> add_ints;
#endif

double add_cpu(double a, double b);
int add_ints_cpu(int a, int b);
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<add_ints, &add_ints_cpu>);
