// Conversions between layouts, copies and writes.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;

namespace topbit::onednn {

namespace {

template <class Error>
[[noreturn]] void refuse(std::string_view op, const std::string& what) {
  throw Error(std::string(op) + ": " + what, std::string(op));
}

void check_conversion(const tensor& self, dtype wanted) {
  constexpr std::string_view op = aten::to_mkldnn.name();
  if (!has_element(wanted)) {
    refuse<dtype_error>(op, "found " + std::string(name_of(wanted)) +
                                ", wanted float32, bfloat16, int8 or uint8; to_mkldnn(x, dtype=float32) converts");
  }
  if (wanted != self.dtype() && !(is_floating(self.dtype()) && is_floating(wanted))) {
    refuse<dtype_error>(op, "found " + std::string(name_of(self.dtype())) + " to convert to " +
                                std::string(name_of(wanted)) + ", wanted two floating-point types; to(x, dtype) first");
  }
  if (self.dim() < 1 || self.dim() > most_dims) {
    refuse<shape_error>(
        op, "found " + to_string(self.sizes()) + ", wanted 1 to " + std::to_string(most_dims) + " dimensions");
  }
}

tensor from_strided(const tensor& self, std::optional<dtype> type) {
  const dtype wanted = type.value_or(self.dtype());
  check_conversion(self, wanted);
  const author::below_autograd guard;
  tensor elements = contiguous(self);
  if (!has_element(self.dtype())) elements = to(elements, wanted);
  array_ptr a = library::make(element_of(wanted), sizes_for(self.sizes()));
  if (self.numel() != 0) library::reorder(operand(elements).get(), *a);
  return wrapped(std::move(a));
}

gradient_function passed_on() {
  return [](std::span<const tensor>, const tensor&, const tensor& g) { return std::vector<tensor>{g}; };
}

// A copy of one tensor, or a conversion: the gradient passes, and the engine converts it.
template <class F>
tensor copy_by(const tensor& self, F copy) {
  if (!records(self)) return copy(self);
  return recorded({self}, keeps::nothing, [&](std::span<const tensor> in) { return copy(in[0]); }, passed_on());
}

tensor as_type(const tensor& self, dtype type) {
  // oneDNN rounds and saturates where a conversion truncates and wraps.
  if (!is_floating(type)) return copy_by(self, [&](const tensor& x) { return blocked(to(dense(x), type)); });
  return copy_by(
      self, [&](const tensor& x) { return wrapped(library::converted(array_of(x), element_of(type)), x.sizes()); });
}

tensor to_format(const tensor& self, std::optional<dtype> type) {
  const dtype wanted = type.value_or(self.dtype());
  check_conversion(self, wanted);
  return wanted == self.dtype() ? self : as_type(self, wanted);
}

tensor to_strided(const tensor& self, std::optional<dtype> type, std::optional<bool>) {
  const tensor copy = copy_by(self, [](const tensor& x) { return strided_copy(x); });
  return to(copy, type.value_or(self.dtype()));
}

struct to_mkldnn_rule {
  static to_mkldnn_rule save(const tensor&, std::optional<dtype>, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& gradient, std::array<bool, 1>) const { return {dense(gradient)}; }
};

tensor copied(const tensor& self, std::optional<memory_format>) {
  return copy_by(self, [](const tensor& x) { return wrapped(library::copied(array_of(x)), x.sizes()); });
}

tensor converted(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                 std::optional<bool> pinned, bool non_blocking, std::optional<memory_format>) {
  const dtype wanted = type.value_or(self.dtype());
  const bool stays = how.value_or(layout::mkldnn) == layout::mkldnn && where.value_or(cpu) == cpu &&
                     has_element(wanted) && !pinned.value_or(false);
  if (!stays) {
    return aten::_to_copy(to_dense(self), arg<"dtype"> = type, arg<"layout"> = how.value_or(layout::strided),
                          arg<"device"> = where, arg<"pin_memory"> = pinned, arg<"non_blocking"> = non_blocking);
  }
  return wanted == self.dtype() ? copied(self, {}) : as_type(self, wanted);
}

tensor shared(const tensor& self) {
  return copy_by(self, [](const tensor& x) { return author::make_alias(x); });
}
tensor detached(const tensor& self) { return author::make_alias(self); }
tensor itself(const tensor& self, memory_format) { return self; }

tensor empty(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout>,
             std::optional<device> where, std::optional<bool> pinned, std::optional<memory_format> format) {
  announce_dense_call(aten::empty_memory_format.name());
  return blocked(aten::empty_memory_format(size, type, layout::strided, where, pinned, format));
}

tensor& copy_into(tensor& self, const tensor& src, bool non_blocking) {
  if (!is_blocked(self)) return write_dense<aten::copy_>(self, src, non_blocking);
  if (broadcast(aten::copy_.name(), src.sizes(), self.sizes()) != self.sizes()) {
    refuse<shape_error>(aten::copy_.name(), "found " + to_string(src.sizes()) + ", wanted sizes that broadcast to " +
                                                to_string(self.sizes()));
  }
  if (!records(self, src)) {
    const author::below_autograd guard;
    if (src.sizes() == self.sizes() && src.device() == cpu) {
      write(self, src);
    } else {
      write(self, expand(to(dense(src), cpu), self.sizes()));
    }
    return self;
  }
  const tensor elements = to(to(dense(src), cpu), self.dtype());
  const tensor all = elements.sizes() == self.sizes() ? elements : expand(elements, self.sizes());
  write(self, detach(all));
  if (requires_grad(all)) author::rebase(self, author::gradient_edge(all));
  return self;
}

tensor& clear(tensor& self) {
  if (records(self)) {
    // What was there has no gradient any more.
    const tensor history = recorded(
        {self}, keeps::nothing, [](std::span<const tensor> in) { return copied(in[0], {}); },
        [](std::span<const tensor>, const tensor&, const tensor&) { return std::vector<tensor>(1); });
    author::rebase(self, author::gradient_edge(history));
  }
  library::fill_zero(array_of(self));
  return self;
}

constexpr author::kernel_row rows[] = {
    author::define(aten::to_mkldnn),
    author::row<&from_strided>(aten::to_mkldnn, key::CPU),
    author::row<&author::autograd_kernel<aten::to_mkldnn, to_mkldnn_rule>::run>(aten::to_mkldnn, key::Autograd),
    blocked_row<&to_format, aten::to_mkldnn>(),
    blocked_row<&to_strided, aten::_to_dense>(),
    blocked_row<&empty, aten::empty_memory_format>(),
    blocked_row<&copied, aten::clone>(),
    blocked_row<&converted, aten::_to_copy>(),
    blocked_row<&shared, aten::alias>(),
    blocked_row<&detached, aten::detach>(),
    blocked_row<&itself, aten::contiguous>(),
    reached<aten::contiguous>(),
    blocked_row<&copy_into, aten::copy_>(),
    blocked_row<&clear, aten::zero_>(),
};

}  // namespace

std::span<const author::kernel_row> convert_rows() { return rows; }

}  // namespace topbit::onednn
