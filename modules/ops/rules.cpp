// Helpers of the kernel fronts, and the one place where a status code becomes an error.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

std::string describe(const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); }

void check_status(backend_call c, int status, const tensor& t) {
  switch (status) {
    case TB_OK: return;
    case TB_UNSUPPORTED_DTYPE:
      refuse<dtype_error>(c,
                          "no kernel of " + std::string(c.table->name) + " takes " + std::string(name_of(t.dtype())));
    case TB_BAD_INDEX: refuse<shape_error>(c, "an index is out of range for " + describe(t));
    case TB_OUT_OF_MEMORY:
      if (c.table->last_error == nullptr) throw std::bad_alloc();  // the host's memory
      break;
    case TB_DEVICE_ERROR:
    case TB_NO_DEVICE:
    case TB_NOT_BUILT: break;
  }
  refuse<device_error>(
      c, std::string(c.table->name) + ": " +
             (c.table->last_error != nullptr ? c.table->last_error() : "failed with status " + std::to_string(status)));
}

void check_defined(backend_call c, const tensor& t) {
  if (!t.defined()) refuse<error>(c, "found an undefined tensor");
}

void check_storage(backend_call c, const tensor& t) {
  if (t.data() != nullptr || t.numel() == 0) return;
  refuse<error>(
      c, "a tensor " + describe(t) + " on " + to_string(t.device()) +
             " has no storage, wanted elements in memory; a backend with data of its own needs kernels of its own");
}

std::size_t dim_of(backend_call c, std::int64_t dim, const tensor& t) {
  return wrap_dim(c.op, dim, std::max<std::size_t>(t.dim(), 1));
}

dims sizes_of(backend_call c, std::span<const std::int64_t> sizes) {
  if (sizes.size() <= max_dims) return sizes;
  refuse<shape_error>(
      c, "found " + std::to_string(sizes.size()) + " dimensions, wanted at most " + std::to_string(max_dims));
}

dtype promoted(const tensor& a, const tensor& b) {
  if ((a.dim() == 0) == (b.dim() == 0)) return promote(a.dtype(), b.dtype());
  const dtype shaped = a.dim() == 0 ? b.dtype() : a.dtype();
  const dtype number = a.dim() == 0 ? a.dtype() : b.dtype();
  return is_floating(shaped) ? shaped : promote(shaped, number);
}

tensor dense_copy(backend_call c, const tensor& t, dtype type) {
  tensor fresh = author::make_tensor(t.sizes(), type, t.device());
  return copy(c, fresh, t);
}
tensor in_dtype(backend_call c, const tensor& t, dtype type) { return t.dtype() == type ? t : dense_copy(c, t, type); }
tensor dense(backend_call c, const tensor& t) { return t.is_contiguous() ? t : dense_copy(c, t, t.dtype()); }

void check_options(backend_call c, std::optional<layout> how, std::optional<bool> pinned) {
  if (how.value_or(layout::strided) != layout::strided) {
    refuse<error>(c, "found a sparse layout, wanted strided");
  }
  if (pinned.value_or(false)) refuse<error>(c, "pin_memory is not supported, wanted False");
}

void check_written(backend_call c, const tensor& out) {
  for (std::size_t i = 0; i < out.dim(); ++i) {
    if (out.sizes()[i] > 1 && out.strides()[i] == 0) {
      refuse<shape_error>(c, "writes to a tensor whose elements share memory (expanded); clone() it first");
    }
  }
}

bool overlaps_partly(const tensor& out, const tensor& in) {
  if (out.record().data.get() != in.record().data.get() || !out.record().data) return false;
  const bool same_view = out.record().offset == in.record().offset && out.sizes() == in.sizes() &&
                         out.strides() == in.strides() && out.dtype() == in.dtype();
  return !same_view;
}

}  // namespace topbit::detail
