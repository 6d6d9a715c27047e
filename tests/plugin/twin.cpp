// One source that two plugins are made from: the lines of its registrations are the same in both, the code is not.
#include "host_ops.h"

#ifndef TWIN_ANSWER
#  define TWIN_ANSWER 1
#endif

namespace {

int answer(const host::item&) { return TWIN_ANSWER; }
int by_name(const host::item&) { return 10 * TWIN_ANSWER; }
const auto block = topbit::fragment("host").impl<&answer>(host::shared, topbit::key::CUDA);
const auto named = topbit::fragment("host").def<&by_name>("by_name");

}  // namespace
