module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;

namespace topbit::onednn {

library::element element_of(dtype t) noexcept {
  switch (t) {
    case dtype::bfloat16: return library::element::bf16;
    case dtype::int8: return library::element::s8;
    case dtype::uint8: return library::element::u8;
    default: return library::element::f32;
  }
}
dtype dtype_of_element(library::element e) noexcept {
  constexpr std::array types{dtype::float32, dtype::bfloat16, dtype::int8, dtype::uint8};
  return types[static_cast<std::size_t>(e)];
}

library::sizes sizes_for(const shape& s) noexcept {
  library::sizes all;
  for (const std::int64_t n : s) all.of[all.count++] = n;
  return all;
}

tensor wrapped(array_ptr a, const shape& sizes) {
  const dtype type = dtype_of_element(library::element_of(*a));
  return author::make_opaque(sizes, type, cpu, keys_of(layout::mkldnn, cpu, type),
                             intrusive_ptr<tensor_extension>(new payload(std::move(a))), layout::mkldnn);
}
tensor wrapped(array_ptr a) {
  const library::sizes& s = library::sizes_of(*a);
  const shape sizes(std::span(s.of, static_cast<std::size_t>(s.count)));
  return wrapped(std::move(a), sizes);
}

tensor strided_copy(const tensor& t) {
  const library::array& from = array_of(t);
  const tensor copy = author::make_tensor(t.sizes(), t.dtype(), cpu);
  if (t.numel() != 0) {
    library::reorder(from, *library::borrow(copy.data(), library::element_of(from), library::sizes_of(from)));
  }
  return copy;
}

void write(const tensor& to, const tensor& from) {
  library::array& written = array_of(to);
  if (to.numel() == 0) return;
  if (is_blocked(from)) {
    const library::array& read = array_of(from);
    if (library::sizes_of(read) == library::sizes_of(written)) return library::reorder(read, written);
    return write(to, strided_copy(from));
  }
  const author::below_autograd guard;
  tensor elements = contiguous(from);
  if (!has_element(from.dtype())) elements = topbit::to(elements, to.dtype());
  library::reorder(*library::borrow(elements.data(), element_of(elements.dtype()), library::sizes_of(written)),
                   written);
}

operand::operand(const tensor& t) {
  if (is_blocked(t)) {
    kept_ = t;
    used_ = &array_of(t);
    return;
  }
  const author::below_autograd guard;
  kept_ = contiguous(t);
  borrowed_ = library::borrow(kept_.data(), element_of(t.dtype()), sizes_for(t.sizes()));
  used_ = borrowed_.get();
}
operand::operand(const tensor& t, const shape& seen_as) {
  const author::below_autograd guard;
  kept_ = contiguous(t);
  borrowed_ = library::borrow(kept_.data(), element_of(t.dtype()), sizes_for(seen_as));
  used_ = borrowed_.get();
}

weight_operand::weight_operand(const tensor& t) : own_(t) {
  if (!is_blocked(t) || !library::is_row_major(array_of(t))) return;
  // Writes to a tensor of inference mode are not counted, so what was packed could be older than its elements.
  if (author::record_of(t).inference) return;
  kept_ = t;
  version_ = t.version();
  payload& p = t.payload<payload>();
  const std::lock_guard hold(p.lock);
  if (p.packed != nullptr && p.packed_version == version_) slot_.ready = p.packed;
}
void weight_operand::keep() {
  if (slot_.made == nullptr) return;
  payload& p = kept_.payload<payload>();
  const std::lock_guard hold(p.lock);
  p.packed = std::move(slot_.made);
  p.packed_version = version_;
}

bool is_simple(const tensor& t, dtype type) {
  return t.defined() && t.dtype() == type && t.device() == cpu && t.numel() > 0 && t.dim() >= 1 &&
         t.dim() <= most_dims && (t.layout() == layout::mkldnn || t.layout() == layout::strided);
}

}  // namespace topbit::onednn
