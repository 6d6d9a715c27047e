// Tensors as lists of double, and random tensors in every memory arrangement. Calls no operator, since operators are
// compared with it. Include this after every other header: it imports.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

import topbit;

namespace support {

namespace tb = topbit;

/// Calls visit(index) for every index of a shape, in row-major order.
template <class Visit>
void each_index(const tb::shape& sizes, Visit visit) {
  const std::int64_t count = tb::numel(sizes);
  tb::shape index(sizes.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    visit(static_cast<const tb::shape&>(index));
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

/// The address of an element, computed from the strides.
inline std::byte* address(const tb::tensor& t, const tb::shape& index) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
  return static_cast<std::byte*>(t.data()) + offset * static_cast<std::int64_t>(tb::size_of(t.dtype()));
}

/// The index in a tensor of `sizes` that is broadcast to an index of the result.
inline tb::shape broadcast_index(const tb::shape& index, const tb::shape& sizes) {
  tb::shape out(sizes.size(), 0);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    out[d] = sizes[d] == 1 ? 0 : index[index.size() - sizes.size() + d];
  }
  return out;
}

inline double get(const tb::tensor& t, const tb::shape& index) {
  const std::byte* at = address(t, index);
  // Uninitialised memory may hold an invalid bool.
  if (t.dtype() == tb::dtype::boolean) return *at != std::byte{0} ? 1 : 0;
  return tb::with_element_type(t.dtype(), [at]<class T>(T x) {
    std::memcpy(&x, at, sizeof x);
    return static_cast<double>(x);
  });
}

inline void set(const tb::tensor& t, const tb::shape& index, double value) {
  std::byte* at = address(t, index);
  tb::with_element_type(t.dtype(), [&]<class T>(T x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = value != 0;
    } else if constexpr (std::is_same_v<T, tb::half> || std::is_same_v<T, tb::bfloat16>) {
      x = T(static_cast<float>(value));
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(static_cast<std::int64_t>(value));  // wraps
    } else {
      x = static_cast<T>(value);
    }
    std::memcpy(at, &x, sizeof x);
  });
}

/// All elements in row-major order.
inline std::vector<double> values(const tb::tensor& t) {
  std::vector<double> out;
  each_index(t.sizes(), [&](const tb::shape& index) { out.push_back(get(t, index)); });
  return out;
}

/// A host tensor with the same strides over a copy of the whole storage; host tensors are returned unchanged.
inline tb::tensor on_host(const tb::tensor& t) {
  if (!t.defined() || t.data() == nullptr || t.device() == tb::cpu) return t;
  const tb::storage& from = *tb::author::record_of(t).data;
  const tb::tensor whole = tb::author::make_tensor({static_cast<std::int64_t>(from.bytes)}, tb::dtype::uint8, tb::cpu);
  from.hook->copy_out(t.device(), whole.data(), from.data, from.bytes);
  tb::tensor twin = tb::author::make_tensor({}, t.dtype(), tb::cpu);
  tb::author::record_of(twin).data = tb::author::record_of(whole).data;
  return tb::author::make_view(twin, t.sizes(), t.strides(), tb::author::record_of(t).offset);
}
/// A copy of the whole storage on a device, with the same strides.
inline tb::tensor on_device(const tb::tensor& t, tb::device where) {
  if (!t.defined() || where == tb::cpu) return t;
  const tb::storage& from = *tb::author::record_of(t).data;
  const auto elements = static_cast<std::int64_t>(from.bytes / tb::size_of(t.dtype()));
  const tb::tensor whole = tb::author::make_tensor({elements}, t.dtype(), where);
  if (whole.data() != nullptr && from.data != nullptr) {
    tb::memory_of(where).copy_in(where, whole.data(), from.data, tb::author::record_of(whole).data->bytes);
  }
  return tb::author::make_view(whole, t.sizes(), t.strides(), tb::author::record_of(t).offset);
}

/// All bytes of the tensor's storage, including those that are not elements of the tensor.
inline std::vector<std::byte> bytes(const tb::tensor& found) {
  const tb::tensor t = on_host(found);
  const auto& data = tb::author::record_of(t).data;
  if (!data || data->data == nullptr) return {};
  const auto* first = static_cast<const std::byte*>(data->data);
  return {first, first + data->bytes};
}

/// A dense tensor with these elements.
inline tb::tensor tensor_of(const std::vector<double>& elements, const tb::shape& sizes,
                            tb::dtype type = tb::dtype::float64) {
  const tb::tensor t = tb::author::make_tensor(sizes, type, tb::cpu);
  std::size_t n = 0;
  each_index(sizes, [&](const tb::shape& index) { set(t, index, elements[n++]); });
  return t;
}

enum class arrangement { dense, transposed, sliced, expanded };
inline constexpr arrangement arrangements[] = {arrangement::dense, arrangement::transposed, arrangement::sliced,
                                               arrangement::expanded};
inline constexpr auto& dtypes = tb::all_dtypes;

inline std::string name_of(arrangement a) {
  switch (a) {
    case arrangement::dense: return "dense";
    case arrangement::transposed: return "transposed";
    case arrangement::sliced: return "sliced";
    case arrangement::expanded: return "expanded";
  }
  return "";
}

/// Uninitialised elements. Expanded: every second dimension, counted from the last, has stride 0.
inline tb::tensor arranged(const tb::shape& sizes, tb::dtype type, arrangement how, tb::device where = tb::cpu) {
  tb::shape base = sizes, strides(sizes.size(), 0);
  std::int64_t offset = 0;
  if (how == arrangement::sliced) {
    for (std::size_t d = 0; d < sizes.size(); ++d) base[d] = 2 * sizes[d] + 1;
  }
  for (std::size_t d = sizes.size(); how == arrangement::expanded && d > 0; d -= d > 1 ? 2 : 1) base[d - 1] = 1;
  std::int64_t step = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t d = how == arrangement::transposed ? i : sizes.size() - 1 - i;
    strides[d] = how == arrangement::expanded && base[d] == 1 && sizes[d] != 1 ? 0 : step;
    if (how == arrangement::sliced) {
      offset += step;
      strides[d] = 2 * step;
    }
    step *= base[d] == 0 ? 1 : base[d];
  }
  const tb::tensor whole = tb::author::make_tensor(base, type, where);
  if (whole.data() != nullptr) std::memset(whole.data(), 0x55, tb::author::record_of(whole).data->bytes);
  return tb::author::make_view(whole, sizes, strides, tb::numel(sizes) == 0 ? 0 : offset);
}

/// The same strides over a copy of the storage; on the meta device without data.
inline tb::tensor twin(const tb::tensor& t, tb::device where) {
  if (!t.defined()) return t;
  const auto all = static_cast<std::int64_t>(tb::author::record_of(t).data->bytes / tb::size_of(t.dtype()));
  const tb::tensor whole = tb::author::make_tensor({all}, t.dtype(), where);
  if (where.type == tb::backend::CPU && all != 0) {
    std::memcpy(whole.data(), tb::author::record_of(t).data->data, tb::author::record_of(t).data->bytes);
  }
  return tb::author::make_view(whole, t.sizes(), t.strides(), tb::author::record_of(t).offset);
}

/// A deterministic source of test data.
class numbers {
 public:
  explicit numbers(unsigned seed) : engine_(seed) {}
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }

  /// Small numbers that every dtype represents; not zero in floating dtypes.
  tb::tensor tensor(const tb::shape& sizes, tb::dtype type, arrangement how = arrangement::dense) {
    return fill(arranged(sizes, type, how), -3, 3);
  }
  /// Positive numbers.
  tb::tensor positive(const tb::shape& sizes, tb::dtype type, arrangement how = arrangement::dense) {
    return fill(arranged(sizes, type, how), 0.5, 3);
  }
  tb::shape shape(std::size_t most_dims, std::int64_t most) {
    tb::shape out;
    for (std::int64_t n = whole(0, static_cast<std::int64_t>(most_dims)); n > 0; --n) out.push_back(whole(1, most));
    return out;
  }
  /// A shape that broadcasts to `sizes`: some dimensions 1, some leading ones missing.
  tb::shape narrowed(const tb::shape& sizes) {
    tb::shape out;
    for (auto d = static_cast<std::size_t>(whole(0, static_cast<std::int64_t>(sizes.size()))); d < sizes.size(); ++d) {
      out.push_back(whole(0, 2) == 0 ? 1 : sizes[d]);
    }
    return out;
  }

 private:
  tb::tensor fill(const tb::tensor& t, double low, double high) {
    each_index(t.sizes(), [&](const tb::shape& index) {
      double x = real(low, high);
      if (std::abs(x) < 0.05) x = 0.5;
      if (t.dtype() == tb::dtype::boolean) x = whole(0, 1);
      if (t.dtype() == tb::dtype::uint8) x = std::abs(x);
      set(t, index, tb::is_integer(t.dtype()) ? std::round(x) : x);
    });
    return t;
  }
  std::mt19937_64 engine_;
};

/// Compares within tolerance * (1 + |wanted|); NaN equals NaN. Returns an empty string if equal, else a message.
inline std::string difference(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
  if (found.size() != wanted.size()) {
    return "found " + std::to_string(found.size()) + " elements, wanted " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool equal =
        found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i])) ||
        (std::isfinite(wanted[i]) && std::abs(found[i] - wanted[i]) <= tolerance * (1 + std::abs(wanted[i])));
    if (!equal) {
      return "element " + std::to_string(i) + ": found " + std::to_string(found[i]) + ", wanted " +
             std::to_string(wanted[i]);
    }
  }
  return {};
}

/// A few ulp of the dtype.
inline double tolerance_of(tb::dtype t) {
  switch (t) {
    case tb::dtype::float16: return 2e-3;
    case tb::dtype::bfloat16: return 1.6e-2;
    case tb::dtype::float32: return 2e-6;
    case tb::dtype::float64: return 1e-13;
    default: return 0;
  }
}

}  // namespace support
