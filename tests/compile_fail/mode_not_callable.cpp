// expect: error: static assertion failed: modes::scope: wanted an object that can be called with a 'modes::call&'$
// topic: calls
// A mode is called with the call.
import topbit.core;
import topbit.modes;
namespace modes = topbit::modes;

#ifndef FIXED
const auto pass = [](topbit::boxed_stack&) {};
#else
const auto pass = [](modes::call& c) { c.proceed(); };
#endif
void use() { const modes::scope on(pass, modes::above); }
