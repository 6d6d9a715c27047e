// The basic views: each computes sizes, strides and offset. Copies in which a view is overwritten.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;

namespace topbit::detail {

std::optional<shape> strides_of_view(const shape& sizes, const shape& strides, const shape& wanted) {
  if (numel(sizes) == 0) return sizes == wanted ? strides : dense_strides(wanted);
  shape found(wanted.size(), 1);
  std::size_t open = wanted.size();  // dimensions of the view without a stride so far
  std::int64_t in_run = 1, in_view = 1, innermost = strides.empty() ? 1 : strides[strides.size() - 1];
  // From the last dimension: a run of dimensions with contiguous strides must have as many elements as the dimensions
  // of the view that cover it.
  for (std::size_t d = sizes.size(); d-- > 0;) {
    in_run *= sizes[d];
    if (d != 0 && (sizes[d - 1] == 1 || strides[d - 1] == in_run * innermost)) continue;
    while (open != 0 && (in_view < in_run || wanted[open - 1] == 1)) {
      --open;
      found[open] = in_view * innermost;
      in_view *= wanted[open];
    }
    if (in_view != in_run) return std::nullopt;
    in_run = in_view = 1;
    if (d != 0) innermost = strides[d - 1];
  }
  return found;
}

shape inferred_sizes(std::string_view op, const tensor& self, std::span<const std::int64_t> wanted) {
  shape sizes = sizes_of({nullptr, op}, wanted);
  std::int64_t known = 1, reach = 1;  // 0 counts as 1 in `reach`, since strides are products too
  std::optional<std::size_t> open;
  bool good = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && !open)
      open = i;
    else if (sizes[i] < 0)
      good = false;
    else if (__builtin_mul_overflow(known, sizes[i], &known) ||
             __builtin_mul_overflow(reach, std::max(sizes[i], std::int64_t{1}), &reach))
      good = false;
  }
  if (open && good && known != 0 && self.numel() % known == 0) sizes[*open] = self.numel() / known;
  if (!good || (open && sizes[*open] == -1) || numel(sizes) != self.numel()) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + " (" + std::to_string(self.numel()) +
                                           " elements), which do not have the shape " + to_string(shape(wanted)));
  }
  return sizes;
}

namespace {

using author::define;
using author::kernel_row;
using author::row;

// make_view() checks the sizes; here its error is rethrown in the operator's name.
tensor view_of(std::string_view op, const tensor& self, const shape& sizes, const shape& strides, std::int64_t offset) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  if (self.layout() != layout::strided)
    author::refuse_layout(op, "argument 1 'self'", self.layout(), layout::strided, op);
  try {
    return author::make_view(self, sizes, strides, offset);
  } catch (const shape_error& e) {
    refuse<shape_error>(c, e.what());
  }
}

}  // namespace

std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) noexcept {
  return std::max<std::int64_t>(0, offset < 0 ? std::min(rows + offset, columns) : std::min(rows, columns - offset));
}

tensor diagonal_view(std::string_view op, const tensor& self, std::int64_t offset, std::int64_t dim1,
                     std::int64_t dim2) {
  const std::size_t a = wrap_dim(op, dim1, self.dim()), b = wrap_dim(op, dim2, self.dim());
  if (a == b) {
    refuse<shape_error>({nullptr, op}, "found dimension " + std::to_string(dim1) + " and dimension " +
                                           std::to_string(dim2) + " of a tensor " + to_string(self.sizes()) +
                                           ", wanted two of them");
  }
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  const std::int64_t length = diagonal_length(sizes[a], sizes[b], offset);
  const std::int64_t stride = sum_of({nullptr, op}, "stride", strides[a], strides[b]);
  std::int64_t first = author::record_of(self).offset;
  if (length != 0) first += offset < 0 ? -offset * strides[a] : offset * strides[b];
  for (std::size_t d : {std::max(a, b), std::min(a, b)}) {
    sizes.erase(d);
    strides.erase(d);
  }
  sizes.push_back(length);
  strides.push_back(stride);
  return view_of(op, self, sizes, strides, first);
}

namespace {

shape inserted(const shape& d, std::size_t where, std::int64_t value) {
  shape out = d;
  out.push_back(value);
  for (std::size_t i = d.size(); i > where; --i) std::swap(out[i], out[i - 1]);
  return out;
}

void check_room_for_one(std::string_view op, const tensor& self) {
  if (self.dim() < max_dims) return;
  refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + ", wanted fewer than " +
                                         std::to_string(max_dims) + " dimensions, the most a tensor has");
}

// Wraps the dimensions; each must occur once.
shape reordered(std::string_view op, const tensor& self, std::span<const std::int64_t> order) {
  const backend_call c{nullptr, op};
  const auto text = [&] { return to_string(sizes_of(c, order)); };
  if (order.size() != self.sizes().size()) {
    refuse<shape_error>(c, "found the dimensions " + text() + " for a tensor " + to_string(self.sizes()) +
                               ", wanted each of its " + std::to_string(self.dim()) + " once");
  }
  shape out;
  std::array<bool, max_dims> taken{};
  for (std::int64_t dim : order) {
    const std::size_t d = wrap_dim(op, dim, self.dim());
    if (std::exchange(taken[d], true)) {
      refuse<shape_error>(
          c, "found dimension " + std::to_string(dim) + " twice in " + text() + ", wanted each of the tensor's once");
    }
    out.push_back(static_cast<std::int64_t>(d));
  }
  return out;
}

tensor transpose(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr backend_call c{nullptr, aten::transpose_int.name()};
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  const std::size_t a = dim_of(c, dim0, self), b = dim_of(c, dim1, self);
  if (a != b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return view_of(c.op, self, sizes, strides, author::record_of(self).offset);
}

tensor permute(const tensor& self, std::span<const std::int64_t> order) {
  constexpr std::string_view op = aten::permute.name();
  shape sizes, strides;
  for (std::int64_t d : reordered(op, self, order)) {
    sizes.push_back(self.sizes()[static_cast<std::size_t>(d)]);
    strides.push_back(author::record_of(self).strides[static_cast<std::size_t>(d)]);
  }
  return view_of(op, self, sizes, strides, author::record_of(self).offset);
}

tensor unsqueeze(const tensor& self, std::int64_t dim) {
  constexpr std::string_view op = aten::unsqueeze.name();
  const std::size_t d = wrap_dim(op, dim, self.dim() + 1);
  check_room_for_one(op, self);
  const std::int64_t stride =
      d < self.sizes().size() ? product_of({nullptr, op}, "stride", self.sizes()[d], author::record_of(self).strides[d])
                              : 1;
  return view_of(op, self, inserted(self.sizes(), d, 1), inserted(author::record_of(self).strides, d, stride),
                 author::record_of(self).offset);
}

tensor squeeze(const tensor& self) {
  shape sizes, strides;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (self.sizes()[i] == 1) continue;
    sizes.push_back(self.sizes()[i]);
    strides.push_back(author::record_of(self).strides[i]);
  }
  return view_of(aten::squeeze.name(), self, sizes, strides, author::record_of(self).offset);
}

tensor squeeze_dim(const tensor& self, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::squeeze_dim.name()};
  const std::size_t d = dim_of(c, dim, self);
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  if (self.dim() != 0 && sizes[d] == 1) {
    sizes.erase(d);
    strides.erase(d);
  }
  return view_of(c.op, self, sizes, strides, author::record_of(self).offset);
}

tensor expand(const tensor& self, std::span<const std::int64_t> size, bool) {
  constexpr backend_call c{nullptr, aten::expand.name()};
  shape sizes = sizes_of(c, size), strides(size.size(), 0);
  const auto check = [&](bool good) {
    if (good) return;
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and the wanted sizes " + to_string(shape(size)) +
                               "; only sizes of 1 can grow, and -1 keeps a size");
  };
  check(size.size() >= self.sizes().size());
  const std::size_t added = size.size() - self.dim();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t old = i < added ? 1 : self.sizes()[i - added];
    if (sizes[i] == -1 && i >= added) sizes[i] = old;
    check((sizes[i] == old || old == 1) && sizes[i] >= 0);
    if (i >= added && sizes[i] == old) strides[i] = author::record_of(self).strides[i - added];
  }
  return view_of(c.op, self, sizes, strides, author::record_of(self).offset);
}

tensor view(const tensor& self, std::span<const std::int64_t> size) {
  constexpr backend_call c{nullptr, aten::view.name()};
  const shape sizes = inferred_sizes(c.op, self, size);
  const std::optional<shape> strides = strides_of_view(self.sizes(), author::record_of(self).strides, sizes);
  if (!strides) {
    refuse<shape_error>(c, "found strides " + to_string(author::record_of(self).strides) + " for sizes " +
                               to_string(self.sizes()) + ", which have no view of the shape " + to_string(sizes) +
                               "; use reshape");
  }
  return view_of(c.op, self, sizes, *strides, author::record_of(self).offset);
}

// Also accepts a tensor without storage.
template <const auto& Op>
tensor alias(const tensor& self) {
  check_defined({nullptr, Op.name()}, self);
  return author::make_alias(self);
}

tensor select(const tensor& self, std::int64_t dim, std::int64_t index) {
  constexpr backend_call c{nullptr, aten::select_int.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const std::int64_t n = self.sizes()[d];
  if (index < -n || index >= n) {
    refuse<shape_error>(
        c, "found index " + std::to_string(index) + " for dimension " + std::to_string(d) + " of a tensor " +
               to_string(self.sizes()) + ", wanted " +
               (n == 0 ? "none, it has no elements" : std::to_string(-n) + " to " + std::to_string(n - 1)));
  }
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  sizes.erase(d);
  strides.erase(d);
  return view_of(c.op, self, sizes, strides,
                 author::record_of(self).offset + (index < 0 ? index + n : index) * author::record_of(self).strides[d]);
}

tensor slice(const tensor& self, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
             std::int64_t step) {
  constexpr backend_call c{nullptr, aten::slice_Tensor.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  if (step < 1) refuse<shape_error>(c, "found step " + std::to_string(step) + ", wanted 1 or more");
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  const std::int64_t n = sizes[d];
  const auto bound = [&](std::int64_t i) { return std::min(n, std::max<std::int64_t>(0, i < 0 ? i + n : i)); };
  const std::int64_t first = bound(start.value_or(0));
  const std::int64_t last = std::max(first, bound(end.value_or(n)));
  step = std::min(step, std::max<std::int64_t>(n, 1));  // a longer step leaves the dimension as well
  sizes[d] = (last - first + step - 1) / step;
  const std::int64_t offset =
      sum_of(c, "offset", author::record_of(self).offset, product_of(c, "offset", first, strides[d]));
  strides[d] = product_of(c, "stride", strides[d], step);
  return view_of(c.op, self, sizes, strides, offset);
}

tensor diagonal(const tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  return diagonal_view(aten::diagonal.name(), self, offset, dim1, dim2);
}

tensor unfold(const tensor& self, std::int64_t dimension, std::int64_t size, std::int64_t step) {
  constexpr backend_call c{nullptr, aten::unfold.name()};
  const std::size_t d = dim_of(c, dimension, self);
  const bool point = self.dim() == 0;
  const std::int64_t n = point ? 1 : self.sizes()[d];
  if (size < 0 || size > n) {
    refuse<shape_error>(c, "found windows of " + std::to_string(size) + " for dimension " + std::to_string(d) +
                               " of a tensor " + to_string(self.sizes()) + ", wanted 0 to " + std::to_string(n));
  }
  if (step < 1) refuse<shape_error>(c, "found step " + std::to_string(step) + ", wanted 1 or more");
  check_room_for_one(c.op, self);
  shape sizes = self.sizes(), strides = author::record_of(self).strides;
  sizes.push_back(size);
  strides.push_back(point ? 1 : strides[d]);
  if (!point) {
    sizes[d] = (n - size) / step + 1;
    // A longer step has no second window either.
    strides[d] = product_of(c, "stride", strides[d], std::min(step, std::max<std::int64_t>(n, 1)));
  }
  return view_of(c.op, self, sizes, strides, author::record_of(self).offset);
}

tensor as_strided(const tensor& self, std::span<const std::int64_t> size, std::span<const std::int64_t> stride,
                  std::optional<std::int64_t> storage_offset) {
  constexpr backend_call c{nullptr, aten::as_strided.name()};
  const shape sizes = sizes_of(c, size), strides = sizes_of(c, stride);
  const std::int64_t offset = storage_offset.value_or(author::record_of(self).offset);
  if (sizes.size() != strides.size()) {
    refuse<shape_error>(
        c, "found sizes " + to_string(sizes) + " and strides " + to_string(strides) + ", wanted as many of both");
  }
  if (offset < 0 || std::ranges::any_of(strides, [](std::int64_t s) { return s < 0; })) {
    refuse<shape_error>(c, "found strides " + to_string(strides) + " and offset " + std::to_string(offset) +
                               ", wanted none of them negative");
  }
  return view_of(c.op, self, sizes, strides, offset);
}

// Copies in which a view is overwritten. Layers see one call: its parts go to the backend.

tensor copied(const tensor& self, std::optional<memory_format> format = std::nullopt) {
  return aten::clone.redispatch(key_of(self.device().type), self, format);
}

template <const auto& Op>
void check_operands(const tensor& self, const tensor& src) {
  constexpr backend_call c{nullptr, Op.name()};
  check_defined(c, self);
  check_defined(c, src);
  check_devices<false, true>(Op, self, src);
}

void overwrite(std::string_view op, tensor view, const tensor& src) {
  if (src.sizes() != view.sizes()) {
    refuse<shape_error>({nullptr, op}, "found a src " + to_string(src.sizes()) +
                                           ", wanted the sizes of the elements that it overwrites, " +
                                           to_string(view.sizes()));
  }
  aten::copy_.redispatch(key_of(view.device().type), view, src, false);
}

template <const auto& Op, auto View, class... Options>
tensor scatter(const tensor& self, const tensor& src, Options... options) {
  check_operands<Op>(self, src);
  const tensor whole = copied(self);
  overwrite(Op.name(), View(whole, options...), src);
  return whole;
}

// One past the last element, counted from the beginning of the storage.
std::int64_t end_of(const tensor& t) {
  if (t.numel() == 0) return 0;
  std::int64_t last = author::record_of(t).offset;
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    last += (t.sizes()[d] - 1) * std::max<std::int64_t>(0, author::record_of(t).strides[d]);
  }
  return last + 1;
}

// Copies the storage up to the last element that is in self or in the view.
tensor as_strided_scatter(const tensor& self, const tensor& src, std::span<const std::int64_t> size,
                          std::span<const std::int64_t> stride, std::optional<std::int64_t> storage_offset) {
  check_operands<aten::as_strided_scatter>(self, src);
  const tensor from = author::has_distinct_elements(self) ? self : copied(self, memory_format::contiguous);
  const tensor view = as_strided(from, size, stride, storage_offset);
  const tensor line = copied(author::make_view(from, {std::max(end_of(from), end_of(view))}, {1}, 0));
  overwrite(aten::as_strided_scatter.name(),
            author::make_view(line, view.sizes(), view.strides(), author::record_of(view).offset), src);
  return author::make_view(line, from.sizes(), from.strides(), author::record_of(from).offset);
}

constexpr alias_key any_backend = key::CompositeExplicitAutograd;

constexpr kernel_row rows[] = {
    define(aten::transpose_int), row<&transpose>(aten::transpose_int, any_backend),
    define(aten::permute),       row<&permute>(aten::permute, any_backend),
    define(aten::unsqueeze),     row<&unsqueeze>(aten::unsqueeze, any_backend),
    define(aten::squeeze),       row<&squeeze>(aten::squeeze, any_backend),
    define(aten::squeeze_dim),   row<&squeeze_dim>(aten::squeeze_dim, any_backend),
    define(aten::expand),        row<&expand>(aten::expand, any_backend),
    define(aten::view),          row<&view>(aten::view, any_backend),
    define(aten::alias),         row<&alias<aten::alias>>(aten::alias, any_backend),
    define(aten::detach),        row<&alias<aten::detach>>(aten::detach, any_backend),
    define(aten::select_int),    row<&select>(aten::select_int, any_backend),
    define(aten::slice_Tensor),  row<&slice>(aten::slice_Tensor, any_backend),
    define(aten::diagonal),      row<&diagonal>(aten::diagonal, any_backend),
    define(aten::unfold),        row<&unfold>(aten::unfold, any_backend),
    define(aten::as_strided),    row<&as_strided>(aten::as_strided, any_backend),
};

using optional_integer = std::optional<std::int64_t>;

constexpr kernel_row scatter_rows[] = {
    define(aten::select_scatter),
    caller_row<&scatter<aten::select_scatter, &select, std::int64_t, std::int64_t>, aten::select_scatter>(any_backend),
    define(aten::slice_scatter),
    caller_row<&scatter<aten::slice_scatter, &slice, std::int64_t, optional_integer, optional_integer, std::int64_t>,
               aten::slice_scatter>(any_backend),
    define(aten::diagonal_scatter),
    caller_row<&scatter<aten::diagonal_scatter, &diagonal, std::int64_t, std::int64_t, std::int64_t>,
               aten::diagonal_scatter>(any_backend),
    define(aten::as_strided_scatter),
    caller_row<&as_strided_scatter, aten::as_strided_scatter>(any_backend),
};

}  // namespace

void register_view() {
  author::register_rows(rows);
  author::register_rows(scatter_rows);
  register_viewing<aten::transpose_int, aten::permute, aten::unsqueeze, aten::squeeze, aten::squeeze_dim, aten::expand,
                   aten::view, aten::alias, aten::select_int, aten::slice_Tensor, aten::diagonal, aten::unfold,
                   aten::as_strided>();
}

}  // namespace topbit::detail
