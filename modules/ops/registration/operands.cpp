// Helpers of the kernel thunks, and the only place where status codes become errors.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;

namespace topbit::detail {

std::string describe(const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); }

void check_status(backend_call c, int status, const tensor& t) {
  switch (status) {
    case TB_OK: return;
    case TB_UNSUPPORTED_DTYPE:
      refuse<dtype_error>(c,
                          "no kernel of " + std::string(c.table->name) + " takes " + std::string(name_of(t.dtype())));
    case TB_DIVISION_BY_ZERO: refuse<error>(c, "found a divisor of 0 for integers " + describe(t));
    case TB_BAD_INDEX: refuse<shape_error>(c, "an index is out of range for " + describe(t));
    case TB_OUT_OF_MEMORY:
      if (c.table->last_error == nullptr) {
        author::raise(
            out_of_memory(std::string(c.op) + ": " + c.table->name + " found no host memory for " + describe(t), 0,
                          std::string(c.op)));
      }
      refuse<out_of_device_memory>(
          c, std::string(c.table->name) + ": " + c.table->last_error() + author::memory_notes(t.device()));
    case TB_BAD_VALUE: refuse<error>(c, "an element is invalid: " + describe(t));
    case TB_DEVICE_ERROR:
    case TB_NO_DEVICE:
    case TB_NOT_BUILT: break;
  }
  refuse<device_error>(
      c, std::string(c.table->name) + ": " +
             (c.table->last_error != nullptr ? c.table->last_error() : "failed with status " + std::to_string(status)));
}

double greatest_of(dtype floating) noexcept {
  switch (floating) {
    case dtype::float16: return 65504;
    case dtype::bfloat16: return 0x1.fep127;
    case dtype::float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

void check_defined(backend_call c, const tensor& t) {
  if (!t.defined()) refuse<error>(c, "found an undefined tensor");
}

void check_storage(backend_call c, const tensor& t) {
  if (t.layout() != layout::strided) {
    author::refuse_layout(c.op, "a tensor " + describe(t), t.layout(), layout::strided, c.op);
  }
  if (t.data() != nullptr || t.numel() == 0) return;
  refuse<error>(c, "a tensor " + describe(t) + " on " + to_string(t.device()) + " has no elements in memory");
}

std::size_t dim_of(backend_call c, std::int64_t dim, const tensor& t) {
  return wrap_dim(c.op, dim, std::max(t.dim(), std::int64_t{1}));
}

namespace {

[[noreturn]] void refuse_overflow(backend_call c, std::string_view what, std::int64_t a, std::string_view sign,
                                  std::int64_t b) {
  refuse<shape_error>(c, "found " + std::to_string(a) + std::string(sign) + std::to_string(b) + " for the " +
                             std::string(what) + ", wanted a result within 64 bits");
}

}  // namespace

std::int64_t sum_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) refuse_overflow(c, what, a, " + ", b);
  return sum;
}
std::int64_t product_of(backend_call c, std::string_view what, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) refuse_overflow(c, what, a, " * ", b);
  return product;
}

std::string list_text(std::span<const std::int64_t> numbers) {
  std::string text = "[";
  for (std::int64_t n : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

shape sizes_of(backend_call c, std::span<const std::int64_t> sizes) {
  if (sizes.size() <= max_dims) return sizes;
  refuse<shape_error>(
      c, "found " + std::to_string(sizes.size()) + " dimensions, wanted at most " + std::to_string(max_dims));
}

dtype promoted(std::span<const tensor* const> operands) {
  // The promoted dtype of operands with dimensions, and of zero-dimensional ones.
  std::array<std::optional<dtype>, 2> type;
  for (const tensor* t : operands) {
    std::optional<dtype>& of = type[t->dim() == 0 ? 1 : 0];
    of = of ? promote(*of, t->dtype()) : t->dtype();
  }
  const auto [shaped, number] = type;
  if (!shaped || !number) return shaped ? *shaped : number.value_or(dtype::float32);
  return can_cast(*number, *shaped) ? *shaped : promote(*shaped, *number);
}

namespace {

// True if elementwise operators of this device accept zero-dimensional CPU tensors: those with a kernel table do, whose
// thunks pass them to the kernels.
bool takes_host_numbers(device d) {
  if (d.type == backend::CPU || d.type == backend::Meta) return true;
  const tb_kernels* const table = table_of(key_of(d.type));
  return table != nullptr && table->elementwise != nullptr;
}

template <class T>
T number_as(const scalar& s) {
  if constexpr (std::same_as<T, bool>) {
    return s.to_double() != 0;
  } else if constexpr (std::integral<T>) {
    return static_cast<T>(s.to_int64());
  } else {
    using computed = std::conditional_t<std::same_as<T, double>, double, float>;
    return T(is_floating(s.type()) ? static_cast<computed>(s.to_double()) : static_cast<computed>(s.to_int64()));
  }
}

// A zero-dimensional tensor beside `like` for elementwise operators: on the CPU, where it costs neither a call nor
// device memory, unless the device does not accept one.
tensor number_tensor(const tensor& like, const scalar& s, dtype type) {
  if (!takes_host_numbers(like.device())) {
    return aten::full(std::span<const std::int64_t>(), s, arg<"dtype"> = type, arg<"device"> = like.device());
  }
  tensor number = author::make_tensor({}, type, cpu);
  with_element_type(type, [&]<class T>(T) {
    const T x = number_as<T>(s);
    std::memcpy(number.data(), &x, sizeof x);
  });
  return number;
}

}  // namespace

// The dtype is the compute type of self: it promotes as self's dtype, represents the number and needs no conversion. A
// number of a higher category raises the dtype, as a Python number does.
tensor wrapped(const tensor& self, const scalar& s) {
  dtype type = is_floating(s.type()) ? dtype::float32 : s.type();
  if (can_cast(type, self.dtype())) {
    type = self.dim() == 0 ? self.dtype() : static_cast<dtype>(compute_code(self.dtype()));
  }
  return number_tensor(self, s, type);
}
tensor number_beside(const tensor& like, const scalar& s) { return number_tensor(like, s, like.dtype()); }

tensor part(const tensor& t, std::size_t dim, std::int64_t first, std::int64_t count) {
  shape sizes = t.sizes();
  sizes[dim] = count;
  return author::make_view(t, sizes, t.strides(), author::record_of(t).offset + first * t.strides()[dim]);
}

tensor dense_copy(backend_call c, const tensor& t, dtype type) {
  tensor fresh = author::make_tensor(t.sizes(), type, t.device());
  return copy(c, fresh, t);
}
tensor in_dtype(backend_call c, const tensor& t, dtype type) { return t.dtype() == type ? t : dense_copy(c, t, type); }
tensor dense(backend_call c, const tensor& t) { return t.is_contiguous() ? t : dense_copy(c, t, t.dtype()); }

void check_options(backend_call c, std::optional<layout> how, std::optional<bool> pinned) {
  if (how.value_or(layout::strided) != layout::strided) {
    refuse<layout_error>(c, "found layout " + std::string(name_of(*how)) +
                                ", wanted strided; the module of a layout makes tensors of it");
  }
  if (pinned.value_or(false)) refuse<error>(c, "pin_memory is not supported, wanted False");
}

void check_written(backend_call c, const tensor& out) {
  if (author::is_read_only(out)) {
    refuse<error>(c, "writes to a tensor " + describe(out) + " in read-only memory; clone() it first");
  }
  if (author::has_distinct_elements(out)) return;
  refuse<shape_error>(c, "writes to a tensor " + describe(out) + " whose elements share memory, with strides " +
                             to_string(out.strides()) + "; clone() it first");
}

}  // namespace topbit::detail
