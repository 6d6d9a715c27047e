// Catch2 string conversions for the dispatcher's types.
#pragma once

#include <catch2/catch_tostring.hpp>
#include <string>

import topbit.core;

template <>
struct Catch::StringMaker<topbit::key_set> {
  static std::string convert(topbit::key_set s) { return topbit::to_string(s); }
};
template <>
struct Catch::StringMaker<topbit::dispatch_key> {
  static std::string convert(topbit::dispatch_key k) { return topbit::to_string(k); }
};
template <>
struct Catch::StringMaker<topbit::inspect::source_location> {
  static std::string convert(const topbit::inspect::source_location& p) { return topbit::to_string(p); }
};
template <>
struct Catch::StringMaker<topbit::inspect::table_row> {
  static std::string convert(const topbit::inspect::table_row& r) { return topbit::to_string(r); }
};
template <>
struct Catch::StringMaker<topbit::inspect::registry_dump> {
  static std::string convert(const topbit::inspect::registry_dump& d) { return topbit::to_string(d); }
};
template <>
struct Catch::StringMaker<topbit::inspect::row_reason> {
  static std::string convert(topbit::inspect::row_reason r) { return std::string(topbit::name_of(r)); }
};
