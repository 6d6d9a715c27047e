#include <string>

#include "local_types.h"
import topbit.core;

namespace {

struct state {
  long numbers[4] = {1, 2, 3, 4};
};
inline constexpr topbit::op<"local::look", int(const state&)> look;
const auto kernels = topbit::library("local").def(look).impl<[](const state& s) { return int(s.numbers[0]); }>(look);

}  // namespace

topbit::value local_types::made_elsewhere() { return topbit::value(state()); }
topbit::operator_handle local_types::declared_elsewhere() { return look.handle(); }
