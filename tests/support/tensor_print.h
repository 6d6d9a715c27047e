// Catch2 string conversions for the types of topbit.tensor. Include this after every other header: it imports.
#pragma once

#include <catch2/catch_tostring.hpp>
#include <string>

import topbit.tensor;

template <>
struct Catch::StringMaker<topbit::shape> {
  static std::string convert(const topbit::shape& d) { return topbit::to_string(d); }
};
template <>
struct Catch::StringMaker<topbit::dtype> {
  static std::string convert(topbit::dtype t) { return std::string(topbit::name_of(t)); }
};
template <>
struct Catch::StringMaker<topbit::device> {
  static std::string convert(topbit::device d) { return topbit::to_string(d); }
};
template <>
struct Catch::StringMaker<topbit::tensor> {
  static std::string convert(const topbit::tensor& t) { return topbit::to_string(t); }
};
