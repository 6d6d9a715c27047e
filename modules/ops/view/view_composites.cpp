// Views composed of other views.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;
import :view.view_shapes;

namespace topbit::detail {

namespace {

using author::define;
using author::kernel_row;
using integers = std::span<const std::int64_t>;

// Checks the number of dimensions.
void check_dims(std::string_view op, const tensor& self, bool good, std::string_view wanted) {
  if (good) return;
  refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + ", wanted " + std::string(wanted));
}

tensor exchanged(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  return aten::transpose_int(self, dim0, dim1);
}

tensor as_strided_copy(const tensor& self, integers size, integers stride, std::optional<std::int64_t> offset) {
  return aten::clone(aten::as_strided(self, size, stride, offset), memory_format::contiguous);
}

tensor t(const tensor& self) {
  check_dims(aten::t.name(), self, self.dim() <= 2, "at most two dimensions");
  return aten::transpose_int(self, 0, self.dim() < 2 ? 0 : 1);
}

tensor numpy_T(const tensor& self) {
  shape order;
  for (std::int64_t d = self.dim(); d-- > 0;) order.push_back(d);
  return aten::permute(self, order);
}

template <const auto& Op>
tensor transposed_matrices(const tensor& self) {
  check_dims(Op.name(), self, self.dim() >= 2, "a matrix, or several of them");
  return aten::transpose_int(self, -2, -1);
}

tensor matrix_H(const tensor& self) {
  check_dims(aten::matrix_H.name(), self, self.dim() == 2, "a matrix");
  return aten::transpose_int(self, 0, 1);
}

// Wraps the dimensions of a list; throws if one occurs twice.
shape wrapped_dims(std::string_view op, const tensor& self, integers list, std::string_view what) {
  shape found;
  for (std::int64_t dim : list) {
    const auto d = static_cast<std::int64_t>(dim_of({nullptr, op}, dim, self));
    if (std::ranges::find(found, d) != found.end()) {
      refuse<shape_error>({nullptr, op}, "found dimension " + std::to_string(dim) + " twice in the " +
                                             std::string(what) + ", wanted it once");
    }
    found.push_back(d);
  }
  return found;
}

tensor moved(std::string_view op, const tensor& self, integers source, integers destination) {
  if (source.size() != destination.size()) {
    refuse<shape_error>({nullptr, op}, "found " + std::to_string(source.size()) + " source dimensions and " +
                                           std::to_string(destination.size()) +
                                           " destinations, wanted as many of both");
  }
  const shape from = wrapped_dims(op, self, source, "source"), to = wrapped_dims(op, self, destination, "destination");
  if (self.dim() == 0) return aten::alias(self);
  shape order(self.dim(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::int64_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != -1) continue;
    while (std::ranges::find(from, next) != from.end()) ++next;
    order[i] = next++;
  }
  return aten::permute(self, order);
}

tensor movedim(const tensor& self, integers source, integers destination) {
  return moved(aten::movedim_intlist.name(), self, source, destination);
}

tensor movedim_int(const tensor& self, std::int64_t source, std::int64_t destination) {
  return moved(aten::movedim_int.name(), self, integers(&source, 1), integers(&destination, 1));
}

tensor broadcast_to(const tensor& self, integers size) { return aten::expand(self, size); }
// View(self, sizes of other).
template <const auto& Op, const auto& View>
tensor with_sizes_of(const tensor& self, const tensor& other) {
  author::check_one_device(Op, self, other);
  return View(self, other.sizes());
}

tensor atleast_1d(const tensor& self) { return self.dim() == 0 ? aten::unsqueeze(self, 0) : self; }
tensor atleast_2d(const tensor& self) {
  const tensor line = atleast_1d(self);
  return line.dim() == 1 ? aten::unsqueeze(line, 0) : line;
}
tensor atleast_3d(const tensor& self) {
  const tensor matrix = atleast_2d(self);
  return matrix.dim() == 2 ? aten::unsqueeze(matrix, -1) : matrix;
}

tensor contiguous(const tensor& self, memory_format format) {
  if (format != memory_format::contiguous) {
    refuse<error>({nullptr, aten::contiguous.name()}, "found preserve_format, wanted contiguous_format");
  }
  check_layouts(aten::contiguous, self);
  return self.is_contiguous() ? self : aten::clone(self, arg<"memory_format"> = format);
}

tensor reshape(const tensor& self, integers given_shape) {
  const shape sizes = inferred_sizes(aten::reshape.name(), self, given_shape);
  check_layouts(aten::reshape, self);
  const bool viewable = strides_of_view(self.sizes(), self.strides(), sizes).has_value();
  return aten::view(viewable ? self : aten::clone(self, arg<"memory_format"> = memory_format::contiguous), sizes);
}

tensor ravel(const tensor& self) { return aten::reshape(self, shape{self.numel()}); }

tensor flatten(const tensor& self, std::int64_t start_dim, std::int64_t end_dim) {
  constexpr backend_call c{nullptr, aten::flatten_using_ints.name()};
  const std::size_t first = dim_of(c, start_dim, self), last = dim_of(c, end_dim, self);
  if (first > last) {
    refuse<shape_error>(c, "found start_dim " + std::to_string(start_dim) + " behind end_dim " +
                               std::to_string(end_dim) + " of a tensor " + to_string(self.sizes()));
  }
  if (self.dim() == 0) return aten::reshape(self, shape{1});
  if (first == last) return self;
  shape sizes;
  for (std::size_t d = 0; d < self.sizes().size(); ++d) {
    if (d > first && d <= last)
      sizes[first] *= self.sizes()[d];
    else
      sizes.push_back(self.sizes()[d]);
  }
  return aten::reshape(self, sizes);
}

tensor unflatten(const tensor& self, std::int64_t dim, integers sizes) {
  constexpr backend_call c{nullptr, aten::unflatten_int.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const shape parts = sizes_of(c, sizes);
  if (sizes.empty())
    refuse<shape_error>(c, "found no sizes for dimension " + std::to_string(d) + ", wanted one or more");
  if (self.sizes().size() - 1 + parts.size() > max_dims) {
    refuse<shape_error>(c, "found " + to_string(parts) + " for dimension " + std::to_string(d) + " of a tensor " +
                               to_string(self.sizes()) + ", wanted at most " + std::to_string(max_dims) +
                               " dimensions in all");
  }
  std::int64_t known = 1;
  bool good = true, open = false;
  for (std::int64_t s : parts) {
    good = good && (s >= 0 || (s == -1 && !open)) && (s < 0 || !__builtin_mul_overflow(known, s, &known));
    open = open || s == -1;
  }
  const std::int64_t n = self.sizes()[d];
  good = good && (open ? known != 0 && n % known == 0 : known == n);
  if (!good) {
    refuse<shape_error>(c, "found the sizes " + to_string(parts) + " for dimension " + std::to_string(d) +
                               " of a tensor " + to_string(self.sizes()) + ", wanted a product of " +
                               std::to_string(n));
  }
  shape whole;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (i != d) whole.push_back(self.sizes()[i]);
    for (std::size_t k = 0; i == d && k < parts.size(); ++k) whole.push_back(parts[k] == -1 ? n / known : parts[k]);
  }
  return aten::view(self, whole);
}

tensor narrow(const tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
  constexpr backend_call c{nullptr, aten::narrow.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const std::int64_t n = self.sizes()[d], first = start < 0 ? start + n : start;
  if (length < 0 || first < 0 || first > n || length > n - first) {
    refuse<shape_error>(c, "found start " + std::to_string(start) + " and length " + std::to_string(length) +
                               " for dimension " + std::to_string(d) + " of a tensor " + to_string(self.sizes()) +
                               ", wanted a part of its " + std::to_string(n));
  }
  return aten::slice_Tensor(self, static_cast<std::int64_t>(d), first, first + length, 1);
}

tensor narrow_tensor(const tensor& self, std::int64_t dim, const tensor& start, std::int64_t length) {
  constexpr backend_call c{nullptr, aten::narrow_Tensor.name()};
  check_defined(c, start);
  if (!is_integer(start.dtype()) || start.numel() != 1) {
    refuse<error>(c, "found a start " + describe(start) + ", wanted one integer");
  }
  if (start.device().type == backend::Meta) refuse<error>(c, "found a start on meta, which has no element to read");
  return aten::narrow(self, dim, item<std::int64_t>(start), length);
}

constexpr kernel_row rows[] = {
    define(aten::swapaxes),
    caller_row<&exchanged, aten::swapaxes>(),
    define(aten::swapdims),
    caller_row<&exchanged, aten::swapdims>(),
    define(aten::movedim_intlist),
    caller_row<&movedim, aten::movedim_intlist>(),
    define(aten::movedim_int),
    caller_row<&movedim_int, aten::movedim_int>(),
    define(aten::t),
    caller_row<&t, aten::t>(),
    define(aten::numpy_T),
    caller_row<&numpy_T, aten::numpy_T>(),
    define(aten::mT),
    caller_row<&transposed_matrices<aten::mT>, aten::mT>(),
    define(aten::mH),
    caller_row<&transposed_matrices<aten::mH>, aten::mH>(),
    define(aten::adjoint),
    caller_row<&transposed_matrices<aten::adjoint>, aten::adjoint>(),
    define(aten::matrix_H),
    caller_row<&matrix_H, aten::matrix_H>(),
    define(aten::broadcast_to),
    caller_row<&broadcast_to, aten::broadcast_to>(),
    define(aten::expand_as),
    caller_row<&with_sizes_of<aten::expand_as, aten::expand>, aten::expand_as>(),
    define(aten::atleast_1d),
    caller_row<&atleast_1d, aten::atleast_1d>(),
    define(aten::atleast_2d),
    caller_row<&atleast_2d, aten::atleast_2d>(),
    define(aten::atleast_3d),
    caller_row<&atleast_3d, aten::atleast_3d>(),
    define(aten::view_as),
    caller_row<&with_sizes_of<aten::view_as, aten::view>, aten::view_as>(),
    define(aten::reshape),
    caller_row<&reshape, aten::reshape>(),
    define(aten::reshape_as),
    caller_row<&with_sizes_of<aten::reshape_as, aten::reshape>, aten::reshape_as>(),
    define(aten::flatten_using_ints),
    caller_row<&flatten, aten::flatten_using_ints>(),
    define(aten::ravel),
    caller_row<&ravel, aten::ravel>(),
    define(aten::unflatten_int),
    caller_row<&unflatten, aten::unflatten_int>(),
    define(aten::contiguous),
    caller_row<&contiguous, aten::contiguous>(),
    define(aten::as_strided_copy),
    caller_row<&as_strided_copy, aten::as_strided_copy>(),
    define(aten::narrow),
    caller_row<&narrow, aten::narrow>(),
    define(aten::narrow_Tensor),
    caller_row<&narrow_tensor, aten::narrow_Tensor>(),
};

}  // namespace

void register_view_composites() { author::register_rows(rows); }

}  // namespace topbit::detail
