// Gradient rules of views: the gradient is written through the same view into zeros. Those of the copies in which a
// view is overwritten: what the view selects of the gradient is that of src, and zeros there give that of self.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

using author::kernel_row;
using integer = std::int64_t;
using integers = std::span<const std::int64_t>;
using optional_integer = std::optional<std::int64_t>;

struct transpose_rule {
  std::int64_t dim0, dim1;
  static transpose_rule save(const tensor&, std::int64_t dim0, std::int64_t dim1, const tensor&) {
    return {dim0, dim1};
  }
  grads1 backward(const tensor& g, want1) const { return {aten::transpose_int(g, dim0, dim1)}; }
};

struct permute_rule {
  shape back;
  static permute_rule save(const tensor& self, integers order, const tensor&) {
    shape back(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      back[wrap_dim(aten::permute.name(), order[i], self.dim())] = static_cast<std::int64_t>(i);
    }
    return {back};
  }
  grads1 backward(const tensor& g, want1) const { return {aten::permute(g, back)}; }
};

// The engine sums over repeated elements.
struct expand_rule {
  static expand_rule save(const tensor&, integers, bool, const tensor&) { return {}; }
  grads1 backward(const tensor& g, want1) const { return {g}; }
};

// The same elements in row-major order with other sizes: view, squeeze, unsqueeze, alias.
struct shape_rule {
  shape sizes;
  template <class... Arguments>
  static shape_rule save(const tensor& self, const Arguments&...) {
    return {self.sizes()};
  }
  grads1 backward(const tensor& g, want1) const { return {aten::reshape(g, sizes)}; }
};

struct select_rule {
  kind_of self;
  std::int64_t dim, index;
  static select_rule save(const tensor& self, std::int64_t dim, std::int64_t index, const tensor&) {
    return {self, dim, index};
  }
  grads1 backward(const tensor& g, want1) const {
    return put_back(self, g, [&](const tensor& whole) { return aten::select_int(whole, dim, index); });
  }
};

struct slice_rule {
  kind_of self;
  std::int64_t dim;
  std::optional<std::int64_t> start, end;
  std::int64_t step;
  static slice_rule save(const tensor& self, std::int64_t dim, std::optional<std::int64_t> start,
                         std::optional<std::int64_t> end, std::int64_t step, const tensor&) {
    return {self, dim, start, end, step};
  }
  grads1 backward(const tensor& g, want1) const {
    return put_back(self, g, [&](const tensor& whole) { return aten::slice_Tensor(whole, dim, start, end, step); });
  }
};

struct diagonal_rule {
  kind_of self;
  std::int64_t offset, dim1, dim2;
  static diagonal_rule save(const tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2,
                            const tensor&) {
    return {self, offset, dim1, dim2};
  }
  grads1 backward(const tensor& g, want1) const {
    return put_back(self, g, [&](const tensor& whole) { return aten::diagonal(whole, offset, dim1, dim2); });
  }
};

// The layout of a tensor in its storage.
struct geometry {
  shape sizes, strides;
  std::int64_t offset;
  geometry(const tensor& t) : sizes(t.sizes()), strides(t.strides()), offset(author::record_of(t).offset) {}

  std::int64_t end() const {
    if (numel(sizes) == 0) return 0;
    std::int64_t last = offset;
    for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
    return last + 1;
  }
  // A dimension without which fewer elements share memory; none if all addresses are distinct, that is, if each stride
  // exceeds the reach of all smaller ones.
  std::optional<std::size_t> overlapping() const {
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > 1) order.push_back(d);
    }
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
    std::int64_t reach = 0;
    for (std::size_t d : order) {
      if (strides[d] <= reach) return d;
      reach += (sizes[d] - 1) * strides[d];
    }
    return std::nullopt;
  }
  tensor view(const tensor& line) const { return aten::as_strided(line, sizes, strides, offset); }
};

// Adds g to elements of a line, some of which may have the same address.
void accumulate(const tensor& line, geometry at, const tensor& g) {
  if (numel(at.sizes) == 0) return;
  const std::optional<std::size_t> d = at.overlapping();
  if (!d) {
    tensor part = at.view(line);
    aten::add_Tensor_(part, g);
    return;
  }
  const auto dim = static_cast<std::int64_t>(*d);
  const std::int64_t n = at.sizes[*d], stride = at.strides[*d];
  at.sizes.erase(*d);
  at.strides.erase(*d);
  if (stride == 0) return accumulate(line, at, sum(g, {dim}));
  for (std::int64_t i = 0; i < n; ++i, at.offset += stride) accumulate(line, at, aten::select_int(g, dim, i));
}

// Treats the storage as a line that spans both tensors. Elements of the argument that share memory share the gradient.
struct as_strided_rule {
  kind_of self;
  geometry from, to;
  static as_strided_rule save(const tensor& self, integers, integers, std::optional<std::int64_t>,
                              const tensor& result) {
    as_strided_rule rule{self, self, result};
    const std::int64_t first = std::min(rule.from.offset, rule.to.offset);
    rule.from.offset -= first;
    rule.to.offset -= first;
    return rule;
  }
  grads1 backward(const tensor& g, want1) const {
    const auto line_of_zeros = [&] {
      const shape length{std::max(from.end(), to.end())};
      return aten::new_zeros(g, length, arg<"dtype"> = self.type);
    };
    tensor line = line_of_zeros();
    accumulate(line, to, g);
    if (from.overlapping()) {
      const tensor sharing = line_of_zeros();
      accumulate(sharing, from, aten::ones(self.sizes, arg<"dtype"> = self.type, arg<"device"> = g.device()));
      line = line / aten::clamp(sharing, 1, std::nullopt);  // avoids dividing by 0 where no element is
    }
    return {from.view(line)};
  }
};

// Windows may overlap, but their first elements are distinct, and so are the second ones, and so on.
struct unfold_rule {
  kind_of self;
  std::int64_t dim, size, step;
  static unfold_rule save(const tensor& self, std::int64_t dim, std::int64_t size, std::int64_t step, const tensor&) {
    return {self, dim, size, step};
  }
  grads1 backward(const tensor& g, want1) const {
    const tensor whole = self.zeros_beside(g);
    const tensor line = whole.dim() == 0 ? aten::unsqueeze(whole, 0) : whole;
    for (std::int64_t i = 0; i < size; ++i) {
      tensor part = aten::slice_Tensor(line, dim, i, line.size(dim) - size + i + 1, step);
      aten::add_Tensor_(part, self.sizes.empty() ? aten::slice_Tensor(g, 0, i, i + 1, 1) : aten::select_int(g, -1, i));
    }
    return {whole};
  }
};

template <const auto& Scatter, const auto& View, class... Options>
struct scatter_formulas {
  static tensor of_self(T g, Options... options) {
    return Scatter(g, aten::zeros_like(View(g, options...)), options...);
  }
  static tensor of_src(T g, Options... options) { return View(g, options...); }
  using rule = derivative<Scatter, keep<>, &of_self, &of_src>;
};
using select_scatter_formulas = scatter_formulas<aten::select_scatter, aten::select_int, integer, integer>;
using slice_scatter_formulas =
    scatter_formulas<aten::slice_scatter, aten::slice_Tensor, integer, optional_integer, optional_integer, integer>;
using diagonal_scatter_formulas = scatter_formulas<aten::diagonal_scatter, aten::diagonal, integer, integer, integer>;

// A line that spans self and the view.
struct as_strided_scatter_rule {
  geometry self, view;
  static as_strided_scatter_rule save(const tensor&, const tensor&, integers size, integers stride,
                                      optional_integer offset, const tensor& result) {
    as_strided_scatter_rule rule{result, result};
    rule.view.sizes = size;
    rule.view.strides = stride;
    rule.view.offset = offset.value_or(rule.self.offset);
    const integer first = std::min(rule.self.offset, rule.view.offset);
    rule.self.offset -= first;
    rule.view.offset -= first;
    return rule;
  }
  grads2 backward(const tensor& g, wants2 wanted) const {
    const tensor line = aten::new_zeros(g, shape{std::max(self.end(), view.end())});
    tensor of_self = self.view(line), of_src = view.view(line);
    aten::copy_(of_self, g);
    grads2 both;
    if (wanted[1]) both[1] = aten::clone(of_src);
    if (!wanted[0]) return both;
    aten::zero_(of_src);
    both[0] = of_self;
    return both;
  }
};

constexpr kernel_row rows[] = {
    gradient_row<aten::transpose_int, transpose_rule>(),
    gradient_row<aten::permute, permute_rule>(),
    gradient_row<aten::expand, expand_rule>(),
    gradient_row<aten::view, shape_rule>(),
    gradient_row<aten::squeeze, shape_rule>(),
    gradient_row<aten::squeeze_dim, shape_rule>(),
    gradient_row<aten::unsqueeze, shape_rule>(),
    gradient_row<aten::alias, shape_rule>(),
    gradient_row<aten::select_int, select_rule>(),
    gradient_row<aten::slice_Tensor, slice_rule>(),
    gradient_row<aten::diagonal, diagonal_rule>(),
    gradient_row<aten::unfold, unfold_rule>(),
    gradient_row<aten::as_strided, as_strided_rule>(),
    author::fallthrough_row(aten::detach, key::Autograd),
    gradient_row<aten::select_scatter, select_scatter_formulas::rule>(),
    gradient_row<aten::slice_scatter, slice_scatter_formulas::rule>(),
    gradient_row<aten::diagonal_scatter, diagonal_scatter_formulas::rule>(),
    gradient_row<aten::as_strided_scatter, as_strided_scatter_rule>(),
};

}  // namespace

std::span<const author::kernel_row> view_gradients() { return rows; }

}  // namespace topbit::detail
