// expect: error: no matching constructor for initialization of 'const topbit::key_set'$
// rule: K8
// topic: keys
// An alias key stands for several slots at registration; it is never a member of a set.
import topbit.core;

#ifndef FIXED
constexpr topbit::key_set keys(topbit::key::CompositeImplicitAutograd);
#else
constexpr topbit::key_set keys(topbit::key::CPU);
#endif
