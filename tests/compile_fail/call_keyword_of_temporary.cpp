// expect: error: temporary whose address is used as value of local variable 'by' will be destroyed at the end of the full-expression \[-Werror,-Wdangling\]$
// topic: calls
// A variable that is a keyword argument would refer to a number that is gone. (A warning, here an error.)
#include <utility>
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

double result() {
#ifndef FIXED
  auto by = topbit::arg<"by"> = 3.0;
  return scale(1.0, std::move(by));
#else
  return scale(1.0, topbit::arg<"by"> = 3.0);
#endif
}
