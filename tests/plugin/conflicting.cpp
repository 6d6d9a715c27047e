// All of it would be accepted but for the last line, which defines an operator of the host otherwise.
#include "host_ops.h"

namespace {

int area_cpu(const host::item& i) { return i.n * i.n; }
inline constexpr topbit::op<"host::twice", double(const host::item&)> other_twice;

const auto block = topbit::library("plug")
                       .def(host::area)
                       .impl<&area_cpu>(host::area, topbit::key::CPU)
                       .impl<&area_cpu>(host::area, topbit::key::CUDA);
const auto name = topbit::name_backend(topbit::backend::PrivateUse3, "Npu");
const auto conflict = topbit::fragment("host").def(other_twice);

}  // namespace
