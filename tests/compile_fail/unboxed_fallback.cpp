// expect: error: static assertion failed: boxed kernel: needs 'void\(const operator_handle&, key_set, boxed_stack&\)' or without the key set, found 'int \(\*\)\(int\)'$
// rule: R21
// topic: boxed
// A fallback serves every operator, so it must be boxed.
import topbit.core;

#ifndef FIXED
int once(int x);
#else
void once(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s);
#endif
const auto tracer = topbit::fallback<&once>(topbit::key::UserTop1);
