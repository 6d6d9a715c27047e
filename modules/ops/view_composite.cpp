// Views written with other views.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

using author::define;
using author::kernel_row;
using integers = std::span<const std::int64_t>;

// For what takes at least, or exactly, so many dimensions.
void check_dims(std::string_view op, const tensor& self, bool good, std::string_view wanted) {
  if (good) return;
  refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + ", wanted " + std::string(wanted));
}

tensor exchanged(const tensor& self, std::int64_t dim0, std::int64_t dim1) { return ops::transpose(self, dim0, dim1); }

tensor t(const tensor& self) {
  check_dims(ops::t.name(), self, self.dim() <= 2, "at most two dimensions");
  return ops::transpose(self, 0, self.dim() < 2 ? 0 : 1);
}

tensor numpy_T(const tensor& self) {
  dims order;
  for (std::size_t d = self.dim(); d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
  return ops::permute(self, order);
}

template <const auto& Op>
tensor matrices_turned(const tensor& self) {
  check_dims(Op.name(), self, self.dim() >= 2, "a matrix, or several of them");
  return ops::transpose(self, -2, -1);
}

tensor matrix_H(const tensor& self) {
  check_dims(ops::matrix_H.name(), self, self.dim() == 2, "a matrix");
  return ops::transpose(self, 0, 1);
}

// The dimensions of a list counted from the front, each of them once.
dims places(std::string_view op, const tensor& self, integers list, std::string_view what) {
  dims found;
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
  const dims from = places(op, self, source, "source"), to = places(op, self, destination, "destination");
  if (self.dim() == 0) return ops::alias(self);
  dims order(self.dim(), -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::int64_t next = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != -1) continue;
    while (std::ranges::find(from, next) != from.end()) ++next;
    order[i] = next++;
  }
  return ops::permute(self, order);
}

tensor movedim(const tensor& self, integers source, integers destination) {
  return moved(ops::movedim.name(), self, source, destination);
}

tensor movedim_int(const tensor& self, std::int64_t source, std::int64_t destination) {
  return moved(ops::movedim_int.name(), self, integers(&source, 1), integers(&destination, 1));
}

tensor broadcast_to(const tensor& self, integers size) { return ops::expand(self, size); }
// As the View of the same kind, with the sizes of other.
template <const auto& Op, const auto& View>
tensor with_sizes_of(const tensor& self, const tensor& other) {
  author::check_one_device(Op, self, other);
  return View(self, other.sizes());
}

tensor atleast_1d(const tensor& self) { return self.dim() == 0 ? ops::unsqueeze(self, 0) : self; }
tensor atleast_2d(const tensor& self) {
  const tensor line = atleast_1d(self);
  return line.dim() == 1 ? ops::unsqueeze(line, 0) : line;
}
tensor atleast_3d(const tensor& self) {
  const tensor matrix = atleast_2d(self);
  return matrix.dim() == 2 ? ops::unsqueeze(matrix, -1) : matrix;
}

tensor contiguous(const tensor& self, memory_format format) {
  if (format != memory_format::contiguous) {
    refuse<error>({nullptr, ops::contiguous.name()}, "found preserve_format, wanted contiguous_format");
  }
  check_layouts(ops::contiguous, self);
  return self.is_contiguous() ? self : ops::clone(self, arg<"memory_format"> = format);
}

tensor reshape(const tensor& self, integers shape) {
  const dims sizes = inferred_sizes(ops::reshape.name(), self, shape);
  check_layouts(ops::reshape, self);
  const bool viewable = strides_of_view(self.sizes(), self.strides(), sizes).has_value();
  return ops::view(viewable ? self : ops::clone(self, arg<"memory_format"> = memory_format::contiguous), sizes);
}

tensor ravel(const tensor& self) { return ops::reshape(self, dims{self.numel()}); }

tensor flatten(const tensor& self, std::int64_t start_dim, std::int64_t end_dim) {
  constexpr backend_call c{nullptr, ops::flatten.name()};
  const std::size_t first = dim_of(c, start_dim, self), last = dim_of(c, end_dim, self);
  if (first > last) {
    refuse<shape_error>(c, "found start_dim " + std::to_string(start_dim) + " behind end_dim " +
                               std::to_string(end_dim) + " of a tensor " + to_string(self.sizes()));
  }
  if (self.dim() == 0) return ops::reshape(self, dims{1});
  if (first == last) return self;
  dims sizes;
  for (std::size_t d = 0; d < self.dim(); ++d) {
    if (d > first && d <= last)
      sizes[first] *= self.sizes()[d];
    else
      sizes.push_back(self.sizes()[d]);
  }
  return ops::reshape(self, sizes);
}

tensor unflatten(const tensor& self, std::int64_t dim, integers sizes) {
  constexpr backend_call c{nullptr, ops::unflatten.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const dims parts = sizes_of(c, sizes);
  if (sizes.empty())
    refuse<shape_error>(c, "found no sizes for dimension " + std::to_string(d) + ", wanted one or more");
  if (self.dim() - 1 + parts.size() > max_dims) {
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
  dims whole;
  for (std::size_t i = 0; i < self.dim(); ++i) {
    if (i != d) whole.push_back(self.sizes()[i]);
    for (std::size_t k = 0; i == d && k < parts.size(); ++k) whole.push_back(parts[k] == -1 ? n / known : parts[k]);
  }
  return ops::view(self, whole);
}

tensor narrow(const tensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
  constexpr backend_call c{nullptr, ops::narrow.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const std::int64_t n = self.sizes()[d], first = start < 0 ? start + n : start;
  if (length < 0 || first < 0 || first > n || length > n - first) {
    refuse<shape_error>(c, "found start " + std::to_string(start) + " and length " + std::to_string(length) +
                               " for dimension " + std::to_string(d) + " of a tensor " + to_string(self.sizes()) +
                               ", wanted a part of its " + std::to_string(n));
  }
  return ops::slice(self, static_cast<std::int64_t>(d), first, first + length, 1);
}

tensor narrow_tensor(const tensor& self, std::int64_t dim, const tensor& start, std::int64_t length) {
  constexpr backend_call c{nullptr, ops::narrow_tensor.name()};
  check_defined(c, start);
  if (!is_integer(start.dtype()) || start.numel() != 1) {
    refuse<error>(c, "found a start " + describe(start) + ", wanted one integer");
  }
  if (start.device().type == backend::Meta) refuse<error>(c, "found a start on meta, which has no element to read");
  return ops::narrow(self, dim, item<std::int64_t>(start), length);
}

constexpr kernel_row rows[] = {
    define(ops::swapaxes),
    caller_row<&exchanged, ops::swapaxes>(),
    define(ops::swapdims),
    caller_row<&exchanged, ops::swapdims>(),
    define(ops::movedim),
    caller_row<&movedim, ops::movedim>(),
    define(ops::movedim_int),
    caller_row<&movedim_int, ops::movedim_int>(),
    define(ops::t),
    caller_row<&t, ops::t>(),
    define(ops::numpy_T),
    caller_row<&numpy_T, ops::numpy_T>(),
    define(ops::mT),
    caller_row<&matrices_turned<ops::mT>, ops::mT>(),
    define(ops::mH),
    caller_row<&matrices_turned<ops::mH>, ops::mH>(),
    define(ops::adjoint),
    caller_row<&matrices_turned<ops::adjoint>, ops::adjoint>(),
    define(ops::matrix_H),
    caller_row<&matrix_H, ops::matrix_H>(),
    define(ops::broadcast_to),
    caller_row<&broadcast_to, ops::broadcast_to>(),
    define(ops::expand_as),
    caller_row<&with_sizes_of<ops::expand_as, ops::expand>, ops::expand_as>(),
    define(ops::atleast_1d),
    caller_row<&atleast_1d, ops::atleast_1d>(),
    define(ops::atleast_2d),
    caller_row<&atleast_2d, ops::atleast_2d>(),
    define(ops::atleast_3d),
    caller_row<&atleast_3d, ops::atleast_3d>(),
    define(ops::view_as),
    caller_row<&with_sizes_of<ops::view_as, ops::view>, ops::view_as>(),
    define(ops::reshape),
    caller_row<&reshape, ops::reshape>(),
    define(ops::reshape_as),
    caller_row<&with_sizes_of<ops::reshape_as, ops::reshape>, ops::reshape_as>(),
    define(ops::flatten),
    caller_row<&flatten, ops::flatten>(),
    define(ops::ravel),
    caller_row<&ravel, ops::ravel>(),
    define(ops::unflatten),
    caller_row<&unflatten, ops::unflatten>(),
    define(ops::contiguous),
    caller_row<&contiguous, ops::contiguous>(),
    define(ops::narrow),
    caller_row<&narrow, ops::narrow>(),
    define(ops::narrow_tensor),
    caller_row<&narrow_tensor, ops::narrow_tensor>(),
};

}  // namespace

void register_view_composites() { author::register_rows(rows); }

}  // namespace topbit::detail
