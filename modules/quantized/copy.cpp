// Copies, conversions and writes of quantized tensors.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

tensor values(const tensor& self, std::optional<dtype> type, std::optional<bool>) {
  check_no_gradient(aten::_to_dense.name(), self);
  const payload& p = self.payload<payload>();
  const tensor stored = values_of(p, sizes_of_parts(self), self.dtype());
  const tensor seen = p.transposed ? t(stored) : stored;
  return to(seen, type.value_or(self.dtype()));
}

// f of each part that is there.
template <class F>
tensor with_each_part(const tensor& self, dtype type, device where, F f) {
  const payload& p = self.payload<payload>();
  const tensor parts[] = {f(p.codes), f(p.scales), p.offsets.defined() ? f(p.offsets) : tensor()};
  return author::with_parts(self, parts, type, where);
}

tensor copied(const tensor& self, std::optional<memory_format>) {
  return with_each_part(self, self.dtype(), self.device(), [](const tensor& part) { return clone(part); });
}

tensor converted(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                 std::optional<bool> pinned, bool non_blocking, std::optional<memory_format>) {
  constexpr std::string_view name = aten::_to_copy.name();
  const dtype wanted = type.value_or(self.dtype());
  const device there = where.value_or(self.device());
  if (how == layout::strided) {
    return to(to(dequantize(self), wanted), there);
  }
  if (how.value_or(layout::quantized) != layout::quantized) {
    refuse<layout_error>(name, "found a conversion of layout quantized to " + std::string(name_of(*how)) +
                                   ", wanted strided or quantized; convert dequantize(x)");
  }
  if (!is_floating(wanted)) {
    refuse<dtype_error>(name,
                        "found " + std::string(name_of(wanted)) +
                            " for the values of a quantized tensor, wanted a floating-point type; int_repr(x) has "
                            "the codes, dequantize(x) the values");
  }
  return with_each_part(self, wanted, there, [&](const tensor& part) {
    return aten::_to_copy(part, arg<"device"> = there, arg<"pin_memory"> = pinned, arg<"non_blocking"> = non_blocking);
  });
}

tensor shared(const tensor& self) { return author::make_alias(self); }

void write(const tensor& part, const tensor& from) {
  tensor written = part;
  copy_(written, from);
}

bool copies_parts(const payload& to, const payload& from) {
  return to.how == from.how && to.transposed == from.transposed && to.codes.dtype() == from.codes.dtype() &&
         to.scales.dtype() == from.scales.dtype() && to.offsets.defined() == from.offsets.defined() &&
         (!to.offsets.defined() || to.offsets.dtype() == from.offsets.dtype());
}

// Whether other tensors may have the same scales: a part of the rows of a tensor shares those of all rows, unless each
// row has its own.
bool shares_parameters(const payload& p) {
  return p.how.scales != granularity::per_group &&
         author::record_of(p.codes).data->bytes != static_cast<std::size_t>(p.codes.numel());
}

// Into a quantized tensor: all parts of one of the same kind, else values, rounded to the codes of its own scales.
tensor& copy_into(tensor& self, const tensor& src, bool non_blocking) {
  constexpr std::string_view name = aten::copy_.name();
  const no_grad guard;
  if (!is_quantized(self)) return aten::copy_(self, dequantize(src), non_blocking);
  const payload& p = self.payload<payload>();
  if (is_quantized(src) && src.sizes() == self.sizes() && copies_parts(p, src.payload<payload>())) {
    const payload& from = src.payload<payload>();
    const bool equal_parameters = same_parameter(p.scales, from.scales) && same_parameter(p.offsets, from.offsets);
    if (equal_parameters || !shares_parameters(p)) {
      write(p.codes, from.codes);
      if (equal_parameters) return self;
      write(p.scales, from.scales);
      if (p.offsets.defined()) write(p.offsets, from.offsets);
      return self;
    }
  }
  if (broadcast(name, src.sizes(), self.sizes()) != self.sizes()) {
    refuse<shape_error>(
        name, "found " + to_string(src.sizes()) + ", wanted sizes that broadcast to " + to_string(self.sizes()));
  }
  tensor x = to(to(dequantize(src), self.device()), self.dtype());
  if (x.sizes() != self.sizes()) x = expand(x, self.sizes());
  if (p.transposed) x = t(x);
  write(p.codes, codes_of(x, p.how, p.scales, p.offsets, p.codes.dtype() == dtype::int8));
  return self;
}

// All values are 0 exactly: the zero points, or, where the offsets are numbers, codes and offsets of 0; the nearest
// values where those offsets belong to other tensors too.
tensor& clear(tensor& self) {
  const no_grad guard;
  const payload& p = self.payload<payload>();
  if (!has_zero_points(p.offsets) && !shares_parameters(p)) {
    tensor codes = p.codes, offsets = p.offsets;
    zero_(codes);
    zero_(offsets);
    return self;
  }
  const shape sizes = sizes_of_parts(self);
  const tensor zeros_of_self = zeros(sizes, arg<"dtype"> = self.dtype(), arg<"device"> = self.device());
  write(p.codes, codes_of(zeros_of_self, p.how, p.scales, p.offsets, p.codes.dtype() == dtype::int8));
  return self;
}

constexpr author::kernel_row rows[] = {
    author::row<&values>(aten::_to_dense, key::AnyQuantized),   author::row<&copied>(aten::clone, key::AnyQuantized),
    author::row<&converted>(aten::_to_copy, key::AnyQuantized), author::row<&shared>(aten::alias, key::AnyQuantized),
    author::row<&shared>(aten::detach, key::AnyQuantized),      author::row<&copy_into>(aten::copy_, key::AnyQuantized),
    author::row<&clear>(aten::zero_, key::AnyQuantized),
};

}  // namespace

std::span<const author::kernel_row> copy_rows() { return rows; }

}  // namespace topbit::quantized
