// 240: modes. An object that sees every call of a thread: one that counts, and one that finds where a NaN was made.
#include <cstdio>
#include <string>

import topbit;
import topbit.modes;
namespace tb = topbit;
namespace modes = topbit::modes;

// The first operator whose result has a NaN, although no argument has one.
class nan_finder {
 public:
  void operator()(modes::call& c) {
    bool brought = false;
    for (const tb::value& v : c.arguments()) brought = brought || has_nan(v);
    c.proceed();
    for (const tb::value& v : c.results()) {
      if (found.empty() && !brought && has_nan(v)) found = c.op().name();
    }
  }
  std::string found;

 private:
  // What a mode calls is not seen by the mode.
  static bool has_nan(const tb::value& v) {
    bool any = false;
    tb::author::each_tensor(v, [&](const tb::tensor& t) {
      any = any || (t.defined() && tb::is_floating(t.dtype()) && tb::item<bool>(tb::any(tb::isnan(t))));
    });
    return any;
  }
};

tb::tensor distance(const tb::tensor& a, const tb::tensor& b) { return tb::sqrt(tb::sum((a - b) * (a - b))); }

int main() {
  const tb::tensor a = tb::tensor({1.f, 2, 3});
  int calls = 0;
  {
    const modes::scope counting(
        [&](modes::call& c) {
          ++calls;
          c.proceed();
        },
        modes::above);
    distance(a, a * 2.0);
  }
  std::printf("%d calls\n", calls);

  // The square root has no slope at zero: the distance is right, and its gradient is not.
  const tb::tensor x = tb::require_grad(tb::clone(a));
  nan_finder finder;
  const modes::scope looking(finder, modes::below);  // sees the calls of backward() too
  tb::backward(distance(x, a));
  std::printf("gradient %s\n", tb::to_string(tb::leaf_grad(x)).c_str());
  std::printf("made by %s\n", finder.found.c_str());
}

// prints: 6 calls
// prints: gradient [nan, nan, nan] (float32 [3])
// prints: made by aten::mul.Tensor
