// Copies, factories and comparisons as a whole. Copies share index tensors, which nobody writes to.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :patterns;
import :checks;
import :forms;
import :registrations;

namespace topbit::sparse {

namespace {

using integers = std::span<const std::int64_t>;
using optional_dtype = std::optional<dtype>;
using optional_layout = std::optional<layout>;
using optional_device = std::optional<device>;
using optional_bool = std::optional<bool>;
using optional_format = std::optional<memory_format>;

// In another layout; `how` is strided or one of this module.
tensor converted(std::string_view op, const tensor& s, layout how) {
  switch (how) {
    case layout::strided: return to_dense(s);
    case layout::sparse_coo: return coo_from(s);
    case layout::sparse_csr: return csr_of(s);
    case layout::sparse_csc: return csc_of(s);
    default: break;
  }
  refuse<layout_error>(
      op, "found layout " + std::string(name_of(how)) + ", wanted strided, sparse_coo, sparse_csr or sparse_csc");
}

// The same indices on another device.
tensor with_values_on(const tensor& s, const tensor& values) {
  const device where = values.device();
  if (is_compressed(s)) {
    const compressed_payload& p = compressed_parts(s);
    return compressed_of(s.layout(), to(p.compressed, where), to(p.plain, where), values, s.sizes());
  }
  const coo_payload& p = coo_parts(s);
  return coo_of(to(p.indices, where), values, s.sizes(), p.coalesced);
}

tensor clone(const tensor& self, optional_format) { return with_values(self, aten::clone(values_of(self))); }

tensor alias(const tensor& self) { return with_values(self, values_of(self)); }

tensor to_copy(const tensor& self, optional_dtype type, optional_layout how, optional_device where,
               optional_bool pinned, bool non_blocking, optional_format) {
  constexpr std::string_view op = aten::_to_copy.name();
  if (pinned.value_or(false)) refuse<error>(op, "pin_memory is not supported, wanted False");
  const tensor s = convertible(self, type.value_or(self.dtype()));
  const tensor values = aten::_to_copy(values_of(s), type, std::nullopt, where.value_or(s.device()), std::nullopt,
                                       non_blocking, std::nullopt);
  return converted(op, with_values_on(s, values), how.value_or(s.layout()));
}

tensor& copy_in_place(tensor& self, const tensor& src, bool non_blocking) {
  constexpr std::string_view op = aten::copy_.name();
  if (self.layout() == layout::strided) return aten::copy_(self, to_dense(src), non_blocking);
  if (!is_sparse(self)) {
    refuse<layout_error>(op, "found argument 2 'src' of layout " + std::string(name_of(src.layout())) +
                                 " for a tensor of layout " + std::string(name_of(self.layout())) +
                                 ", wanted strided; to_dense(src) makes one");
  }
  if (!src.defined() || src.layout() == layout::strided) {
    refuse<layout_error>(op, "found argument 2 'src' of layout strided, wanted " + std::string(name_of(self.layout())) +
                                 " as that of self; " + conversion_to(self.layout(), "src") + " converts");
  }
  check_sparse(op, src);
  if (src.sizes() != self.sizes()) {
    refuse<shape_error>(op,
                        "found sizes " + to_string(src.sizes()) + ", wanted those of self, " + to_string(self.sizes()));
  }
  const tensor from = converted(op, src, self.layout());
  if (sparse_dims_of(from) != sparse_dims_of(self)) {
    refuse<shape_error>(op, "found a tensor with " + std::to_string(sparse_dims_of(from)) +
                                " sparse dimensions, wanted " + std::to_string(sparse_dims_of(self)) + " as self has");
  }
  replace(self,
          aten::_to_copy(from, self.dtype(), std::nullopt, self.device(), std::nullopt, non_blocking, std::nullopt));
  return self;
}

tensor& zero_in_place(tensor& self) {
  if (is_compressed(self))
    replace(self, with_values(self, zeros_like(raw_values(self))));
  else
    replace(self, without_entries(self.layout(), self.sizes(), sparse_dims_of(self), self.dtype(), self.device()));
  return self;
}

// Factories. A tensor of these layouts that is not initialised has no entries.

tensor new_zeros(std::string_view op, integers size, layout how, std::int64_t sparse_dims, optional_dtype type,
                 optional_device where, optional_bool pinned) {
  if (pinned.value_or(false)) refuse<error>(op, "pin_memory is not supported, wanted False");
  const shape sizes(size);
  check_sizes(op, sizes);
  if (how != layout::sparse_coo && !compressed_payload::has_layout(how)) converted(op, {}, how);
  if (how != layout::sparse_coo && sizes.size() != 2) {
    refuse<shape_error>(op, "found sizes " + to_string(sizes) + " for layout " + std::string(name_of(how)) +
                                ", wanted those of a matrix");
  }
  return without_entries(how, sizes, sparse_dims, type.value_or(dtype::float32), where.value_or(cpu));
}

tensor empty(integers size, optional_dtype type, optional_layout how, optional_device where, optional_bool pinned,
             optional_format) {
  return new_zeros(aten::empty_memory_format.name(), size, how.value_or(layout::sparse_coo),
                   static_cast<std::int64_t>(size.size()), type, where, pinned);
}
tensor zeros(integers size, optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_zeros(aten::zeros.name(), size, how.value_or(layout::sparse_coo), static_cast<std::int64_t>(size.size()),
                   type, where, pinned);
}

template <const auto& Op>
tensor zeros_beside(const tensor& self, optional_dtype type, optional_layout given, optional_device where,
                    optional_bool pinned, optional_format) {
  const layout how = given.value_or(self.layout());
  const dtype wanted = type.value_or(self.dtype());
  const device there = where.value_or(self.device());
  if (how == layout::strided) return aten::zeros(self.sizes(), wanted, std::nullopt, there, pinned);
  return new_zeros(Op.name(), self.sizes(), how, sparse_dims_of(self), wanted, there, pinned);
}

bool equal(const tensor& self, const tensor& other) {
  author::check_one_device(aten::equal, self, other);
  if (self.sizes() != other.sizes() || self.dtype() != other.dtype()) return false;
  if (!is_sparse(self) || !is_sparse(other)) return topbit::equal(to_dense(self), to_dense(other));
  if (sparse_dims_of(self) != sparse_dims_of(other)) return topbit::equal(to_dense(self), to_dense(other));
  const tensor a = drop_zeros(coo_from(self)), b = drop_zeros(coo_from(other));
  return topbit::equal(coo_parts(a).indices, coo_parts(b).indices) &&
         topbit::equal(coo_parts(a).values, coo_parts(b).values);
}

constexpr auto rows =
    joined_rows(rows_of<&clone, aten::clone>(), rows_of<&alias, aten::alias>(), rows_of<&to_copy, aten::_to_copy>(),
                rows_of<&copy_in_place, aten::copy_>(), rows_of<&zero_in_place, aten::zero_>(),
                rows_of<&empty, aten::empty_memory_format>(), rows_of<&zeros, aten::zeros>(),
                rows_of<&zeros_beside<aten::empty_like>, aten::empty_like>(),
                rows_of<&zeros_beside<aten::zeros_like>, aten::zeros_like>(), rows_of<&equal, aten::equal>());

}  // namespace

void register_copies() { author::register_rows(rows); }

}  // namespace topbit::sparse
