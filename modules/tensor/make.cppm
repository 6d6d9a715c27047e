// Creating tensors without an operator: new memory, views, and copies of host data. Operators are built on these.
export module topbit.tensor:make;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :handle;
import :layer_facts;
import :shape;
import :storage;

namespace topbit {

export namespace author {

/// Uninitialised, dense, row-major. Throws shape_error for a negative size, and what the device's memory hook throws.
tensor make_tensor(const shape& sizes, dtype type, device where);
/// The same in other memory than the device's default, such as pinned host memory. The hook is copied. Throws
/// shape_error, and what the hook throws.
tensor make_tensor(const shape& sizes, dtype type, device where, const memory_hook& memory);

/// A tensor over the storage of `base`; strides and offset in elements. Throws shape_error if it would leave the
/// storage.
tensor make_view(const tensor& base, const shape& sizes, const shape& strides, std::int64_t offset);

/// A host tensor with the elements of `t`, a strided one of a device with memory, in the same memory layout. Copies
/// through the memory hook, which synchronises; no kernel runs. Throws what the hook throws.
tensor make_host_copy(const tensor& t);

/// A new tensor over the same elements, with the same sizes and strides, without the layers' extension. Requires a
/// defined tensor.
tensor make_alias(const tensor& t);

/// A tensor without elements that stands for another one, which `e` holds: what a layer returns that does not compute
/// on the tensors it is given. The layer's key must be among `keys`, so that all calls reach it. data() throws
/// what `e` says; printing shows what it says.
tensor make_wrapper(const shape& sizes, const shape& strides, dtype type, device where, key_set keys,
                    intrusive_ptr<wrapper_extension> e);

/// A tensor that is not strided: it has these keys, and instead of elements `payload`, an object of a class of the
/// backend's, which tensor::payload() returns and which is destroyed with the last tensor that shares it.
///   struct image : tensor_extension { gpu_image on_device; };
///   make_opaque(sizes, type, where, keys, intrusive_ptr<tensor_extension>(new image(...)));
/// Aliases share it; there are no views of it, and data(), strides() and is_contiguous() throw layout_error. Writes are
/// counted as those to any tensor. `how` is its layout. Throws shape_error for invalid sizes, layout_error for
/// layout::strided.
tensor make_opaque(const shape& sizes, dtype type, device where, key_set keys,
                   intrusive_ptr<tensor_extension> payload = {}, layout how = layout::opaque);

}  // namespace author

/// A host tensor that owns a copy of `values`, which must be as many as `sizes` says. Throws shape_error.
export template <class T>
tensor from_values(std::span<const T> values, const shape& sizes);
export template <class T>
tensor from_values(const std::vector<T>& values, const shape& sizes) {
  return from_values(std::span<const T>(values), sizes);
}
export template <class T>
tensor from_values(std::initializer_list<T> values, const shape& sizes) {
  return from_values(std::span<const T>(values.begin(), values.size()), sizes);
}

/// A dense host tensor over caller-owned elements, which are not copied: `data` points to numel(sizes) of them, aligned
/// as T, and operators may write to them. `release(data)` is called when the last tensor that shares them is dropped,
/// on that thread; it must not throw. Throws shape_error for a negative size and for a null pointer to elements, and
/// does not call `release` then.
export template <class T>
  requires(!std::is_const_v<T>)
tensor from_blob(T* data, const shape& sizes, std::function<void(void*)> release = {});

/// The same over elements that must not change: operators throw an error instead of writing to them, or to views of
/// them. clone() makes a copy that can be written.
export template <class T>
tensor from_blob(const T* data, const shape& sizes, std::function<void(const void*)> release = {});

namespace detail {
void check_count(std::size_t found, const shape& sizes);
tensor borrow(void* data, const shape& sizes, dtype type, std::function<void(void*)> release);
}  // namespace detail

template <class T>
  requires(!std::is_const_v<T>)
tensor from_blob(T* data, const shape& sizes, std::function<void(void*)> release) {
  return detail::borrow(data, sizes, dtype_of<T>, std::move(release));
}
template <class T>
tensor from_blob(const T* data, const shape& sizes, std::function<void(const void*)> release) {
  tensor t = detail::borrow(const_cast<T*>(data), sizes, dtype_of<T>, std::move(release));
  author::make_read_only(t);
  return t;
}

template <class T>
tensor from_values(std::span<const T> values, const shape& sizes) {
  detail::check_count(values.size(), sizes);
  tensor t = author::make_tensor(sizes, dtype_of<T>, cpu);
  if (!values.empty()) std::memcpy(t.data(), values.data(), values.size_bytes());
  return t;
}

}  // namespace topbit
