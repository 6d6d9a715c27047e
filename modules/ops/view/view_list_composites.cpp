// Views in lists: parts of one tensor, and several tensors with one shape.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;

namespace topbit::detail {

namespace {

using author::define;
using author::kernel_row;
using integers = std::span<const std::int64_t>;
using tensors = std::vector<tensor>;

// Collects consecutive parts of the given lengths.
class parts_of {
 public:
  parts_of(const tensor& self, std::size_t dim) : self_(self), dim_(static_cast<std::int64_t>(dim)) {}
  void add(std::int64_t length) {
    out_.push_back(aten::slice_Tensor(self_, dim_, next_, next_ + length, 1));
    next_ += length;
  }
  tensors take() && { return std::move(out_); }

 private:
  const tensor& self_;
  std::int64_t dim_, next_ = 0;
  tensors out_;
};

std::string place(std::size_t dim, const tensor& self) {
  return " for dimension " + std::to_string(dim) + " of a tensor " + to_string(self.sizes());
}

// Limits the number of parts, most of which may be empty.
void check_count(backend_call c, std::string_view what, std::int64_t count, std::size_t dim, const tensor& self) {
  constexpr std::int64_t most_empty = 1 << 20;
  const std::int64_t most = std::max(most_empty, self.sizes()[dim]);
  if (count >= 1 && count <= most) return;
  refuse<shape_error>(c, "found " + std::to_string(count) + " " + std::string(what) + place(dim, self) +
                             (count < 1 ? ", wanted 1 or more" : ", wanted at most " + std::to_string(most)));
}

tensors split(const tensor& self, std::int64_t split_size, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::split_Tensor.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  std::int64_t left = self.sizes()[d];
  if (split_size < 0 || (split_size == 0 && left != 0)) {
    refuse<shape_error>(c, "found parts of " + std::to_string(split_size) + place(d, self) + ", wanted 1 or more");
  }
  parts_of parts(self, d);
  do {
    parts.add(std::min(split_size, left));
    left -= std::min(split_size, left);
  } while (left != 0);
  return std::move(parts).take();
}

tensors split_in(std::string_view op, const tensor& self, integers sizes, std::int64_t dim) {
  const std::size_t d = wrap_dim(op, dim, self.dim());
  const std::int64_t n = self.sizes()[d];
  std::int64_t sum = 0;
  bool good = true;
  std::string text;
  for (std::int64_t s : sizes) {
    good = good && s >= 0 && !__builtin_add_overflow(sum, s, &sum);
    text += (text.empty() ? "" : ", ") + std::to_string(s);
  }
  if (!good || sum != n) {
    refuse<shape_error>({nullptr, op},
                        "found parts of [" + text + "]" + place(d, self) + ", wanted a sum of " + std::to_string(n));
  }
  parts_of parts(self, d);
  for (std::int64_t s : sizes) parts.add(s);
  return std::move(parts).take();
}

tensors split_with_sizes(const tensor& self, integers sizes, std::int64_t dim) {
  return split_in(aten::split_with_sizes.name(), self, sizes, dim);
}
tensors split_sizes(const tensor& self, integers sizes, std::int64_t dim) {
  return split_in(aten::split_sizes.name(), self, sizes, dim);
}

tensors chunk(const tensor& self, std::int64_t chunks, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::chunk.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  const std::int64_t n = self.sizes()[d];
  // There are never more chunks than elements.
  check_count(c, "chunks", n != 0 ? std::min(chunks, n) : chunks, d, self);
  if (n != 0) return aten::split_Tensor(self, n / chunks + (n % chunks != 0 ? 1 : 0), dim);
  // An empty dimension gives as many empty parts as requested.
  parts_of parts(self, d);
  for (std::int64_t i = 0; i < chunks; ++i) parts.add(0);
  return std::move(parts).take();
}

tensors tensor_split(const tensor& self, std::int64_t sections, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::tensor_split_sections.name()};
  const std::size_t d = wrap_dim(c.op, dim, self.dim());
  check_count(c, "sections", sections, d, self);
  const std::int64_t n = self.sizes()[d];
  parts_of parts(self, d);
  for (std::int64_t i = 0; i < sections; ++i) parts.add(n / sections + (i < n % sections ? 1 : 0));
  return std::move(parts).take();
}

tensors tensor_split_indices(const tensor& self, integers indices, std::int64_t dim) {
  wrap_dim(aten::tensor_split_indices.name(), dim, self.dim());
  tensors out;
  std::optional<std::int64_t> start;
  for (std::int64_t i : indices) out.push_back(aten::slice_Tensor(self, dim, std::exchange(start, i), i, 1));
  out.push_back(aten::slice_Tensor(self, dim, start, std::nullopt, 1));
  return out;
}

tensors unbind(const tensor& self, std::int64_t dim) {
  const std::size_t d = wrap_dim(aten::unbind_int.name(), dim, self.dim());
  tensors out;
  for (std::int64_t i = 0; i < self.sizes()[d]; ++i) out.push_back(aten::select_int(self, dim, i));
  return out;
}

tensors broadcast_tensors(std::span<const tensor> list) {
  shape given_shape;
  for (const tensor& x : list) given_shape = broadcast(aten::broadcast_tensors.name(), given_shape, x.sizes());
  tensors out;
  for (const tensor& x : list) out.push_back(aten::expand(x, given_shape));
  return out;
}

tensors grid(backend_call c, std::span<const tensor> list) {
  if (list.empty() || list.size() > max_dims) {
    refuse<shape_error>(c,
                        "found " + std::to_string(list.size()) + " tensors, wanted 1 to " + std::to_string(max_dims));
  }
  shape given_shape;
  for (const tensor& x : list) {
    if (x.dim() > 1) refuse<shape_error>(c, "found " + to_string(x.sizes()) + ", wanted at most one dimension");
    if (x.dtype() != list[0].dtype()) {
      refuse<dtype_error>(c, "found " + std::string(name_of(list[0].dtype())) + " and " +
                                 std::string(name_of(x.dtype())) + ", wanted one dtype");
    }
    given_shape.push_back(x.numel());
  }
  tensors out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    shape along(list.size(), 1);
    along[i] = given_shape[i];
    out.push_back(aten::expand(aten::view(list[i], along), given_shape));
  }
  return out;
}

tensors meshgrid(std::span<const tensor> list) {
  author::check_one_device(aten::meshgrid, list);
  return grid({nullptr, aten::meshgrid.name()}, list);
}

tensors meshgrid_indexing(std::span<const tensor> list, std::string_view indexing) {
  constexpr backend_call c{nullptr, aten::meshgrid_indexing.name()};
  author::check_one_device(aten::meshgrid_indexing, list);
  if (indexing != "ij" && indexing != "xy") {
    refuse<error>(c, "found indexing '" + std::string(indexing) + "', wanted 'ij' or 'xy'");
  }
  tensors out = grid(c, list);
  if (indexing == "xy" && out.size() > 1) {
    for (tensor& x : out) x = aten::transpose_int(x, 0, 1);
  }
  return out;
}

tensors tensor_split_tensor(const tensor& self, const tensor& where, std::int64_t dim) {
  constexpr backend_call c{nullptr, aten::tensor_split_tensor_indices_or_sections.name()};
  check_defined(c, where);
  if (where.dtype() != dtype::int64 || where.dim() > 1 || where.device() != cpu) {
    refuse<error>(c, "found " + describe(where) + " on " + to_string(where.device()) +
                         ", wanted one int64 number, or a row of them, on the host");
  }
  if (where.dim() == 0) return aten::tensor_split_sections(self, item<std::int64_t>(where), dim);
  std::vector<std::int64_t> indices;
  for (const tensor& i : aten::unbind_int(where)) indices.push_back(item<std::int64_t>(i));
  return aten::tensor_split_indices(self, indices, dim);
}

template <const auto& One>
tensors each(std::span<const tensor> list) {
  tensors out;
  for (const tensor& x : list) out.push_back(One(x));
  return out;
}

constexpr kernel_row rows[] = {
    define(aten::split_Tensor),
    caller_row<&split, aten::split_Tensor>(),
    define(aten::split_with_sizes),
    caller_row<&split_with_sizes, aten::split_with_sizes>(),
    define(aten::split_sizes),
    caller_row<&split_sizes, aten::split_sizes>(),
    define(aten::chunk),
    caller_row<&chunk, aten::chunk>(),
    define(aten::tensor_split_sections),
    caller_row<&tensor_split, aten::tensor_split_sections>(),
    define(aten::tensor_split_indices),
    caller_row<&tensor_split_indices, aten::tensor_split_indices>(),
    define(aten::tensor_split_tensor_indices_or_sections),
    caller_row<&tensor_split_tensor, aten::tensor_split_tensor_indices_or_sections>(),
    define(aten::atleast_1d_Sequence),
    caller_row<&each<aten::atleast_1d>, aten::atleast_1d_Sequence>(),
    define(aten::atleast_2d_Sequence),
    caller_row<&each<aten::atleast_2d>, aten::atleast_2d_Sequence>(),
    define(aten::atleast_3d_Sequence),
    caller_row<&each<aten::atleast_3d>, aten::atleast_3d_Sequence>(),
    define(aten::unbind_int),
    caller_row<&unbind, aten::unbind_int>(),
    define(aten::broadcast_tensors),
    caller_row<&broadcast_tensors, aten::broadcast_tensors>(),
    define(aten::meshgrid),
    caller_row<&meshgrid, aten::meshgrid>(),
    define(aten::meshgrid_indexing),
    caller_row<&meshgrid_indexing, aten::meshgrid_indexing>(),
};

}  // namespace

void register_view_lists() { author::register_rows(rows); }

}  // namespace topbit::detail
