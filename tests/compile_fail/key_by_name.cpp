// expect: error: call to deleted function 'fallback': wanted a key: fallback<&kernel>\(key\)$
// topic: keys
// A key is a constant of namespace topbit::key and not its name; a name is parsed where there is one at run time.
import topbit.core;

void log(const topbit::operator_handle& op, topbit::boxed_stack& s);
#ifndef FIXED
const auto logger = topbit::fallback<&log>("Tracer");
#else
const auto logger = topbit::fallback<&log>(topbit::key::Tracer);
#endif
