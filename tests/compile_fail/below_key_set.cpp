// expect: error: no matching function for call to 'below'$
// topic: keys
// A layer calls on below its own key, and not below a set.
import topbit.core;

constexpr topbit::key_set keys(topbit::key::Tracer);
#ifndef FIXED
constexpr topbit::key_set lower = topbit::below(keys);
#else
constexpr topbit::key_set lower = keys & topbit::below(topbit::key::Tracer);
#endif
