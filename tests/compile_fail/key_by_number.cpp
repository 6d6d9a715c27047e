// expect: error: no matching constructor for initialization of 'const topbit::key_set'$
// topic: keys
// A key is no number: what is behind it may change from version to version.
import topbit.core;

#ifndef FIXED
constexpr topbit::key_set keys(6);
#else
constexpr topbit::key_set keys(topbit::key::XLA);
#endif
