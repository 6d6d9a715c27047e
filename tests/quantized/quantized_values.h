// What tests of quantized tensors share: schemes, devices, and the values of a tensor computed from its parts one by
// one in double. Include this after every other header: it imports.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_values.h"

import topbit;
import topbit.quantized;

namespace quantized_test {

namespace tb = topbit;
namespace q = topbit::quantized;

inline const std::vector<q::scheme>& schemes() {
  using enum q::granularity;
  static const std::vector<q::scheme> all{
      {.scales = per_tensor},
      {.scales = per_tensor, .bits = 4},
      {.scales = per_channel},
      {.scales = per_channel, .bits = 4},
      {.scales = per_channel, .axis = 1},
      {.scales = per_channel, .bits = 4, .axis = 1},
      {.scales = per_group, .group = 32},
      {.scales = per_group, .bits = 4, .group = 32},
      {.scales = per_group, .bits = 4, .group = 6},
  };
  return all;
}

inline const std::vector<tb::dtype>& dtypes() {
  static const std::vector<tb::dtype> all{tb::dtype::float16, tb::dtype::bfloat16, tb::dtype::float32,
                                          tb::dtype::float64};
  return all;
}

// The CPU with its kernels, and a device that has none for quantized tensors.
inline std::vector<tb::device> devices() { return {tb::cpu, tb::parse_device("npu")}; }

inline tb::tensor here(const tb::tensor& t) { return tb::to(t, tb::cpu); }
inline std::vector<double> values(const tb::tensor& t) { return support::values(here(t)); }

// The code of an element, its scale and its offset, by the description of quantized::payload.
struct element {
  double code = 0, scale = 0, zero = 0, offset = 0;
  double value() const { return scale * (code - zero) + offset; }
};

inline element element_at(const tb::tensor& t, tb::shape index) {
  const q::payload& p = t.payload<q::payload>();
  if (p.transposed) std::swap(index[0], index[1]);
  tb::shape of_code = index, of_scale;
  const std::size_t last = index.size() - 1;
  if (p.how.bits == 4) of_code[last] /= 2;
  if (p.how.scales == q::granularity::per_channel) of_scale.push_back(index[p.how.axis]);
  if (p.how.scales == q::granularity::per_group) {
    of_scale = index;
    of_scale[last] /= p.how.group;
  }
  element e{.code = support::get(p.codes, of_code), .scale = support::get(p.scales, of_scale)};
  if (p.how.bits == 4) e.code = index[last] % 2 == 0 ? std::fmod(e.code, 16) : std::floor(e.code / 16);
  e.zero = p.how.bits == 4 ? 8 : (p.codes.dtype() == tb::dtype::uint8 ? 128 : 0);
  if (!p.offsets.defined()) return e;
  if (tb::is_floating(p.offsets.dtype())) {
    e.zero = 0;
    e.offset = support::get(p.offsets, of_scale);
  } else {
    e.zero = support::get(p.offsets, of_scale);
  }
  return e;
}

// The elements of a quantized tensor of the host, in double.
inline std::vector<double> exact_values(const tb::tensor& t) {
  std::vector<double> all;
  support::each_index(t.sizes(), [&](const tb::shape& index) { all.push_back(element_at(t, index).value()); });
  return all;
}

// Half a unit in the last place of 1.
inline double half_ulp(tb::dtype t) {
  switch (t) {
    case tb::dtype::float16: return 0x1p-11;
    case tb::dtype::bfloat16: return 0x1p-8;
    case tb::dtype::float32: return 0x1p-24;
    default: return 0x1p-53;
  }
}

}  // namespace quantized_test
