// expect: error: static assertion failed: boxed kernel: needs 'void\(const operator_handle&, key_set, boxed_stack&\)' or without the key set, found a lambda$
// rule: R21
// topic: boxed
// The stack of a boxed kernel is taken by reference, as its results go there.
import topbit.core;

#ifndef FIXED
const auto tracer = topbit::fallback<[](const topbit::operator_handle&, topbit::boxed_stack) {}>(topbit::key::UserTop1);
#else
const auto tracer =
    topbit::fallback<[](const topbit::operator_handle&, topbit::boxed_stack&) {}>(topbit::key::UserTop1);
#endif
