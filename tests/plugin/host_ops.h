// The operators that host and plugins both declare. Include this after every other header: it imports.
#pragma once

import topbit.core;

namespace host {

struct item {
  topbit::key_set keys;
  int n = 0;
};
constexpr topbit::key_set keys_of(const item& i) noexcept { return i.keys; }

inline constexpr topbit::op<"host::twice", int(const item&)> twice;
inline constexpr topbit::op<"host::shared", int(const item&)> shared;
inline constexpr topbit::op<"plug::area", int(const item&)> area;
inline constexpr topbit::op<"plug::never", int(const item&)> never;

}  // namespace host
