// Making tensors without an operator: fresh memory, views, and copies of host data. Operators are built on these.
export module topbit.tensor:make;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :handle;
import :shape;
import :storage;

namespace topbit {

export namespace author {

/// Uninitialised, dense, row-major. Throws shape_error for a negative size, and what the device's memory hook throws.
tensor make_tensor(const dims& sizes, dtype type, device where);
/// The same in memory of another kind than the device's tensors have, such as pinned memory of the host. The hook is
/// copied. Throws shape_error, and what the hook throws.
tensor make_tensor(const dims& sizes, dtype type, device where, const memory_hook& memory);

/// A tensor over the storage of `base`; strides and offset in elements. Throws shape_error if it would leave the
/// storage.
tensor make_view(const tensor& base, const dims& sizes, const dims& strides, std::int64_t offset);

/// A tensor of its own over the same elements, with the same sizes and strides, that no layer knows. Defined ones only.
tensor make_alias(const tensor& t);

/// A tensor that has these keys and no storage, for a backend that hangs its own data on it.
tensor make_opaque(const dims& sizes, dtype type, device where, key_set keys);

}  // namespace author

/// A host tensor that owns a copy of `values`, which must be as many as `sizes` says. Throws shape_error.
export template <class T>
tensor from_values(std::span<const T> values, const dims& sizes);
export template <class T>
tensor from_values(const std::vector<T>& values, const dims& sizes) {
  return from_values(std::span<const T>(values), sizes);
}
export template <class T>
tensor from_values(std::initializer_list<T> values, const dims& sizes) {
  return from_values(std::span<const T>(values.begin(), values.size()), sizes);
}

namespace detail {
void check_count(std::size_t found, const dims& sizes);
}

template <class T>
tensor from_values(std::span<const T> values, const dims& sizes) {
  detail::check_count(values.size(), sizes);
  tensor t = author::make_tensor(sizes, dtype_of<T>, cpu);
  if (!values.empty()) std::memcpy(t.data(), values.data(), values.size_bytes());
  return t;
}

}  // namespace topbit
