// expect: error: static assertion failed: item is a function: write item<T>\(x\)$
// topic: functions
// What is a method in PyTorch is a function here.
import topbit;

#ifndef FIXED
float loss(const topbit::tensor& x) { return topbit::mean(x).item<float>(); }
#else
float loss(const topbit::tensor& x) { return topbit::item<float>(topbit::mean(x)); }
#endif
