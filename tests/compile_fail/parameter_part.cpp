// expect: error: static assertion failed: each_parameter: found a part of type 'int', wanted a tensor, a struct with a static each_parameter\(self, visit\), or a range of these$
// topic: training
// A network lists tensors, and structs that list theirs.
import topbit.tensor;
import topbit.training;
using topbit::tensor;

struct layer {
  tensor weight;
  int outputs = 10;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
#ifndef FIXED
    visit("outputs", self.outputs);
#else
    // a number is no part
#endif
  }
};
inline const auto parameters = topbit::parameters(layer());
