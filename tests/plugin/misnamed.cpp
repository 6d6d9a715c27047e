// What it asks for is refused before it comes to the registry: twice.
#include "host_ops.h"

namespace {

const auto block = topbit::fragment("plug").def(host::area);
const auto wrong_namespace = topbit::fragment("plug").def(host::twice);
const auto no_namespace = topbit::fragment("not a name");

}  // namespace
