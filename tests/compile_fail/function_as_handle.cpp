// expect: error: static assertion failed: kernel: needs an operator, found the function aten::relu, which stands for several; give the handle of one$
// topic: functions
// A function that stands for several operators cannot be implemented; a handle can.
import topbit;

topbit::tensor relu_kernel(const topbit::tensor& x) { return x; }
#ifndef FIXED
const auto kernels = topbit::implement("aten", topbit::key::PrivateUse1).impl<&relu_kernel>(topbit::relu);
#else
const auto kernels = topbit::implement("aten", topbit::key::PrivateUse1).impl<&relu_kernel>(topbit::aten::relu);
#endif
