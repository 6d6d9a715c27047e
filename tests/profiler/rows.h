// Rows of a profile's table, by name.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string_view>

import topbit;
import topbit.profiler;

namespace support {

inline const topbit::profile::row* find_row(const topbit::profile::table& t, std::string_view name,
                                            topbit::observe::kind kind = topbit::observe::kind::call) {
  for (const topbit::profile::row& r : t.rows) {
    if (r.name == name && r.kind == kind) return &r;
  }
  return nullptr;
}
inline topbit::profile::row row_of(const topbit::profile::table& t, std::string_view name,
                                   topbit::observe::kind kind = topbit::observe::kind::call) {
  const topbit::profile::row* const r = find_row(t, name, kind);
  INFO(name);
  REQUIRE(r != nullptr);
  return *r;
}

}  // namespace support
