// topbit under the names that the cells use: its own, which are PyTorch's, and a few for what PyTorch spells otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

import topbit;

namespace lib {

using namespace topbit;
using aten::_unique2;

using element = dtype;
inline constexpr dtype f32 = dtype::float32, f64 = dtype::float64, bf16 = dtype::bfloat16, f16 = dtype::float16,
                       i64 = dtype::int64, boolean = dtype::boolean;
inline constexpr std::nullopt_t nothing = std::nullopt;

// By reference, since a keyword argument refers to its value, which lives as long as the call.
inline auto alpha(const double& value) { return arg<"alpha"> = value; }
inline auto approximate(const char* const& value) { return arg<"approximate"> = value; }

inline tensor rows_at(const tensor& x, const tensor& i) { return topbit::index(x, i); }
inline tensor elements_at(const tensor& x, const tensor& i, const tensor& j) { return topbit::index(x, i, j); }
inline tensor put_rows(const tensor& x, const tensor& i, const tensor& values, bool accumulate) {
  return index_put(x, {i}, values, accumulate);
}
inline tensor every_other(const tensor& x) { return slice(x, 1, 0, none, 2); }

inline tensor leaf(const tensor& x) { return require_grad(x); }
inline std::vector<tensor> gradients(const tensor& y, const std::vector<tensor>& leaves, const tensor& gradient) {
  return grad({y}, leaves, {.gradients = {gradient}});
}
inline void* data(const tensor& x) { return x.data(); }
inline element type_of(const tensor& x) { return x.dtype(); }
inline tensor zeros_of(const std::vector<std::int64_t>& sizes, element type) {
  return zeros(sizes, arg<"dtype"> = type);
}

inline constexpr const char* name = "topbit";
inline std::string version_text() { return std::string(version); }
inline std::string setting_text() { return std::string(cpu_isa()); }

}  // namespace lib
