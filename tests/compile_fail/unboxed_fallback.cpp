// expect: error: static assertion failed: boxed kernel: needs 'void\(const operator_handle&, key_set, stack&\)' or without the key set, found 'int \(\*\)\(int\)'$
// rule: R21
// A fallback serves every operator, so it must be boxed.
import topbit.core;

int once(int x);
const auto tracer = topbit::fallback<&once>(topbit::key::UserTop1);
