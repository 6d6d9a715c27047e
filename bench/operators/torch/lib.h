// PyTorch under the names that the cells use: those of at::, and functions for what it has as methods alone.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/headeronly/version.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lib {

using namespace at;

using tensor = at::Tensor;
using element = at::ScalarType;
inline constexpr element f32 = at::kFloat, f64 = at::kDouble, bf16 = at::kBFloat16, f16 = at::kHalf, i64 = at::kLong,
                         boolean = at::kBool;
inline const std::optional<tensor> nothing;

inline double alpha(double value) { return value; }
inline const char* approximate(const char* value) { return value; }

inline tensor to(const tensor& x, element type) { return x.to(type); }
inline tensor contiguous(const tensor& x) { return x.contiguous(); }
inline tensor view(const tensor& x, at::IntArrayRef sizes) { return x.view(sizes); }
inline tensor expand(const tensor& x, at::IntArrayRef sizes) { return x.expand(sizes); }
inline tensor repeat(const tensor& x, at::IntArrayRef times) { return x.repeat(times); }
inline tensor stddev(const tensor& x) { return at::std(x, true); }
inline tensor stddev(const tensor& x, at::IntArrayRef dims) { return at::std(x, dims, true); }

inline tensor rows_at(const tensor& x, const tensor& i) { return x.index({i}); }
inline tensor elements_at(const tensor& x, const tensor& i, const tensor& j) { return x.index({i, j}); }
inline tensor put_rows(const tensor& x, const tensor& i, const tensor& values, bool accumulate) {
  return x.index_put({i}, values, accumulate);
}
inline tensor every_other(const tensor& x) { return at::slice(x, 1, 0, std::nullopt, 2); }

inline tensor leaf(const tensor& x) { return x.detach().set_requires_grad(true); }
inline std::vector<tensor> gradients(const tensor& y, const std::vector<tensor>& leaves, const tensor& gradient) {
  return torch::autograd::grad({y}, leaves, {gradient});
}
inline void* data(const tensor& x) { return x.data_ptr(); }
inline element type_of(const tensor& x) { return x.scalar_type(); }
inline tensor zeros_of(const std::vector<std::int64_t>& sizes, element type) { return at::zeros(sizes, type); }

using inference_mode = c10::InferenceMode;

inline constexpr const char* name = "PyTorch";
inline std::string version_text() { return TORCH_VERSION; }
inline std::string setting_text() { return at::get_cpu_capability(); }

}  // namespace lib
