// Kernels of the family `join`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :join.join_kernels;
import :registration.composite;
import :view.view_shapes;

namespace topbit::detail {

namespace {

// True for an empty one-dimensional tensor, which cat ignores.
bool is_nothing(const tensor& t) { return t.dim() == 1 && t.sizes()[0] == 0; }

void copy_part(backend_call c, const tensor& to, const tensor& from) {
  tensor target = to;
  copy(c, target, from);
}

}  // namespace

result_meta cat_kernel::meta(std::string_view op, std::span<const tensor> tensors, std::int64_t dim) {
  const backend_call c{nullptr, op};
  if (tensors.empty()) refuse<error>(c, "found no tensors, wanted at least one");
  const tensor* given_shape = nullptr;
  std::vector<const tensor*> operands;
  for (const tensor& t : tensors) {
    check_defined(c, t);
    if (t.dim() == 0) refuse<shape_error>(c, "found a zero-dimensional tensor; unsqueeze() it first");
    operands.push_back(&t);
    if (given_shape == nullptr || is_nothing(*given_shape)) given_shape = &t;
  }
  const std::size_t d = dim_of(c, dim, *given_shape);
  shape sizes = given_shape->sizes();
  sizes[d] = 0;
  for (const tensor& t : tensors) {
    if (is_nothing(t)) continue;
    bool fits = t.sizes().size() == sizes.size();
    for (std::size_t k = 0; fits && k < sizes.size(); ++k) fits = k == d || t.sizes()[k] == sizes[k];
    if (!fits) {
      refuse<shape_error>(c, "found " + to_string(given_shape->sizes()) + " and " + to_string(t.sizes()) +
                                 ", wanted the same sizes except dimension " + std::to_string(d));
    }
    sizes[d] = sum_of(c, "size", sizes[d], t.sizes()[d]);
  }
  return dense_meta(sizes, promoted(operands), *given_shape);
}
void cat_kernel::run(backend_call c, std::span<const tensor> tensors, std::int64_t dim, const tensor& out) {
  const std::size_t d = dim_of(c, dim, out);
  std::int64_t at = 0;
  for (const tensor& t : tensors) {
    if (is_nothing(t)) continue;
    if (t.numel() != 0) copy_part(c, part(out, d, at, t.sizes()[d]), t);
    at += t.sizes()[d];
  }
}

result_meta repeat_kernel::meta(std::string_view op, const tensor& self, integers repeats) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  shape sizes = sizes_of(c, repeats);
  bool good = repeats.size() >= self.sizes().size();
  for (std::int64_t n : repeats) good = good && n >= 0;
  if (!good) {
    refuse<shape_error>(c, "found repeats " + to_string(sizes) + " for " + to_string(self.sizes()) +
                               ", wanted one of at least 0 for each dimension, or more");
  }
  const std::size_t added = sizes.size() - self.dim();
  for (std::size_t k = 0; k < self.sizes().size(); ++k) {
    if (__builtin_mul_overflow(sizes[added + k], self.sizes()[k], &sizes[added + k])) {
      refuse<shape_error>(c, "found repeats " + to_string(sizes_of(c, repeats)) + " for " + to_string(self.sizes()) +
                                 ", more elements than 64 bits can count");
    }
  }
  return dense_meta(sizes, self.dtype(), self);
}
namespace {

// Copies self to a view of the result with two dimensions for each of self's, the outer one of which repeats. False if
// there are too many dimensions, or if rows are so short that the copy would mostly step from one to the next.
bool repeat_at_once(backend_call c, const tensor& self, integers repeats, const tensor& out) {
  constexpr std::int64_t least_row = 16;
  if (self.dim() == 0 || 2 * repeats.size() > max_dims || self.sizes()[self.dim() - 1] < least_row) return false;
  const std::size_t added = repeats.size() - self.dim();
  shape sizes, from_strides, to_strides;
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    const std::int64_t size = d < added ? 1 : self.sizes()[d - added];
    for (const std::int64_t n : {repeats[d], size}) sizes.push_back(n);
    for (const std::int64_t n : {std::int64_t{0}, d < added ? 0 : self.strides()[d - added]}) from_strides.push_back(n);
    for (const std::int64_t n : {size * out.strides()[d], out.strides()[d]}) to_strides.push_back(n);
  }
  copy_part(c, author::make_view(out, sizes, to_strides, author::record_of(out).offset),
            author::make_view(self, sizes, from_strides, author::record_of(self).offset));
  return true;
}

}  // namespace

// Otherwise copies the filled part, which doubles each time.
void repeat_kernel::run(backend_call c, const tensor& self, integers repeats, const tensor& out) {
  if (out.numel() == 0 || repeat_at_once(c, self, repeats, out)) return;
  const std::size_t added = out.dim() - self.dim();
  shape filled(out.dim(), 1);
  for (std::size_t k = 0; k < self.sizes().size(); ++k) filled[added + k] = self.sizes()[k];
  const auto front = [&] { return author::make_view(out, filled, out.strides(), author::record_of(out).offset); };
  copy_part(c, front(), self);
  for (std::size_t d = 0; d < out.sizes().size(); ++d) {
    while (filled[d] < out.sizes()[d]) {
      const std::int64_t there = filled[d], more = std::min(there, out.sizes()[d] - there);
      const tensor from = part(front(), d, 0, more);
      copy_part(c,
                author::make_view(from, from.sizes(), from.strides(),
                                  author::record_of(from).offset + there * out.strides()[d]),
                from);
      filled[d] += more;
    }
  }
}

result_meta flip_kernel::meta(std::string_view op, const tensor& self, integers over) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  std::array<bool, max_dims> given{};
  for (std::int64_t dim : over) {
    const std::size_t d = dim_of(c, dim, self);
    if (given[d]) refuse<shape_error>(c, "dimension " + std::to_string(d) + " is given twice");
    given[d] = true;
  }
  return dense_meta(self.sizes(), self.dtype(), self);
}
void flip_kernel::run(backend_call c, const tensor& self, integers over, const tensor& out) {
  if (out.numel() == 0) return;
  std::array<bool, max_dims> flipped{};
  for (std::int64_t dim : over) flipped[dim_of(c, dim, self)] = true;
  copy_flipped(c, out, self, flipped);
}

result_meta triangle_meta(std::string_view op, const tensor& self) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  if (self.dim() < 2) refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted a matrix, or several");
  return dense_meta(self.sizes(), self.dtype(), self);
}
void run_triangle(backend_call c, elementwise code, const tensor& self, std::int64_t diagonal, const tensor& out) {
  if (out.numel() == 0) return;
  const std::int64_t rows = self.sizes()[self.dim() - 2], columns = self.sizes()[self.dim() - 1];
  const std::int64_t bound = rows + columns, diagonals = bound - 1;
  // Whether each diagonal is kept, from that of the last row's first element on.
  const tensor kept = author::make_tensor({diagonals}, dtype::boolean, self.device());
  const bool lower = code == elementwise::le;
  const std::int64_t first = std::max(-bound, std::min(diagonal, bound)) + rows - (lower ? 0 : 1);
  const std::int64_t cut = std::max<std::int64_t>(0, std::min(first, diagonals));
  const auto mark = [&](std::int64_t from, std::int64_t to, bool is_kept) {
    tensor part = author::make_view(kept, shape{to - from}, shape{1}, from);
    fill(c, part, is_kept ? 1 : 0);
  };
  mark(0, cut, lower);
  mark(cut, diagonals, !lower);
  // The rows of the mask are parts of it, each one element before the row above.
  const tensor mask = author::make_tensor({rows, columns}, dtype::boolean, self.device());
  std::array<bool, max_dims> from_below{true};
  copy_flipped(c, mask, author::make_view(kept, shape{rows, columns}, shape{1, 1}, 0), from_below);
  run_elementwise_in(c, elementwise::where, self.dtype(), collect(mask, self, number_beside(self, 0)), out);
}

result_meta diag_kernel::meta(std::string_view op, const tensor& self, std::int64_t diagonal) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  if (self.dim() != 1 && self.dim() != 2) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted a vector or a matrix");
  }
  if (self.dim() == 2) {
    return dense_meta({diagonal_length(self.sizes()[0], self.sizes()[1], diagonal)}, self.dtype(), self);
  }
  const std::int64_t away = diagonal < 0 ? product_of(c, "size", diagonal, -1) : diagonal;
  const std::int64_t n = sum_of(c, "size", self.sizes()[0], away);
  return dense_meta({n, n}, self.dtype(), self);
}
void diag_kernel::run(backend_call c, const tensor& self, std::int64_t diagonal, const tensor& out) {
  if (self.dim() == 2) return copy_part(c, out, diagonal_view(c.op, self, diagonal, 0, 1));
  tensor whole = out;
  fill(c, whole, 0);
  copy_part(c, diagonal_view(c.op, out, diagonal, 0, 1), self);
}

namespace {

// The tensors with a new dimension each.
std::vector<tensor> unsqueezed(std::string_view op, std::span<const tensor> tensors, std::int64_t dim) {
  if (tensors.empty()) refuse<error>({nullptr, op}, "found no tensors, wanted at least one");
  std::vector<tensor> all;
  const std::size_t d = wrap_dim(op, dim, tensors[0].dim() + 1);
  for (const tensor& t : tensors) {
    check_defined({nullptr, op}, t);
    if (t.sizes() != tensors[0].sizes()) {
      refuse<shape_error>({nullptr, op}, "found " + to_string(tensors[0].sizes()) + " and " + to_string(t.sizes()) +
                                             ", wanted equal sizes");
    }
    all.push_back(aten::unsqueeze(t, static_cast<std::int64_t>(d)));
  }
  return all;
}

tensor stack(std::span<const tensor> tensors, std::int64_t dim) {
  author::check_one_device(aten::stack, tensors);
  const std::vector<tensor> all = unsqueezed(aten::stack.name(), tensors, dim);
  return aten::cat(all, dim);
}
tensor& stack_out(std::span<const tensor> tensors, std::int64_t dim, tensor& out) {
  const std::vector<tensor> all = unsqueezed(aten::stack_out.name(), tensors, dim);
  return aten::cat_out(all, dim, out);
}

template <const auto& Op, auto& AtLeast>
std::vector<tensor> with_dims(std::span<const tensor> tensors) {
  if (tensors.empty()) refuse<error>({nullptr, Op.name()}, "found no tensors, wanted at least one");
  std::vector<tensor> all;
  for (const tensor& t : tensors) all.push_back(AtLeast(t));
  return all;
}
tensor hstack(std::span<const tensor> tensors) {
  const std::vector<tensor> all = with_dims<aten::hstack, aten::atleast_1d>(tensors);
  return aten::cat(all, all[0].dim() == 1 ? 0 : 1);
}
tensor vstack(std::span<const tensor> tensors) {
  const std::vector<tensor> all = with_dims<aten::vstack, aten::atleast_2d>(tensors);
  return aten::cat(all, 0);
}

tensor dstack(std::span<const tensor> tensors) {
  const std::vector<tensor> all = with_dims<aten::dstack, aten::atleast_3d>(tensors);
  return aten::cat(all, 2);
}
tensor column_stack(std::span<const tensor> tensors) {
  if (tensors.empty()) refuse<error>({nullptr, aten::column_stack.name()}, "found no tensors, wanted at least one");
  std::vector<tensor> all;
  for (const tensor& t : tensors) all.push_back(t.dim() > 1 ? t : aten::reshape(t, shape{t.numel(), 1}));
  return aten::cat(all, 1);
}

tensor tile(const tensor& self, integers times) {
  shape all;
  for (std::size_t k = times.size(); k < self.sizes().size(); ++k) all.push_back(1);
  for (std::int64_t n : sizes_of({nullptr, aten::tile.name()}, times)) all.push_back(n);
  return aten::repeat(self, all);
}

tensor repeat_interleave(const tensor& self, std::int64_t repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
  const backend_call c{nullptr, aten::repeat_interleave_self_int.name()};
  check_defined(c, self);
  if (repeats < 0) refuse<error>(c, "found repeats " + std::to_string(repeats) + ", wanted 0 or more");
  const tensor in = dim ? aten::atleast_1d(self) : aten::flatten_using_ints(self);
  const std::size_t d = dim_of(c, dim.value_or(0), in);
  shape wide = in.sizes(), sizes = in.sizes();
  if (__builtin_mul_overflow(sizes[d], repeats, &sizes[d])) {
    refuse<shape_error>(c, "found repeats " + std::to_string(repeats) + " for " + to_string(in.sizes()) +
                               ", more elements than 64 bits can count");
  }
  if (output_size && *output_size != sizes[d]) {
    refuse<shape_error>(c,
                        "found output_size " + std::to_string(*output_size) + ", wanted " + std::to_string(sizes[d]));
  }
  // Merges the dimensions before and after `d`, so that the added dimension stays within the maximum rank.
  std::int64_t outer = 1, inner = 1;
  for (std::size_t k = 0; k < d; ++k) outer *= wide[k];
  for (std::size_t k = d + 1; k < wide.size(); ++k) inner *= wide[k];
  const tensor apart = aten::reshape(in, shape{outer, wide[d], 1, inner});
  // Cloned, since reshape would return a view for one repetition.
  const tensor times = aten::expand(apart, shape{outer, wide[d], repeats, inner});
  return aten::view(aten::clone(times, arg<"memory_format"> = memory_format::contiguous), sizes);
}

// The index at position i is the number of cumulative sums of the repeats that are at most i.
tensor repeat_interleave_places(const tensor& repeats, std::optional<std::int64_t> output_size) {
  constexpr backend_call c{nullptr, aten::repeat_interleave_Tensor.name()};
  check_defined(c, repeats);
  if (repeats.dtype() != dtype::int64 && repeats.dtype() != dtype::int32) {
    refuse<dtype_error>(c, "found repeats of " + std::string(name_of(repeats.dtype())) + ", wanted int64 or int32");
  }
  if (repeats.dim() != 1) refuse<shape_error>(c, "found repeats " + to_string(repeats.sizes()) + ", wanted a row");
  if (output_size && *output_size < 0) {
    refuse<error>(c, "found output_size " + std::to_string(*output_size) + ", wanted 0 or more");
  }
  const bool readable = repeats.device().type != backend::Meta;
  if (!readable && !output_size) {
    refuse<error>(c, "a meta tensor has no elements, and the result's size depends on them; give output_size");
  }
  const tensor counts = to(repeats, dtype::int64), sums = aten::cumsum(counts, 0);
  std::int64_t total = output_size.value_or(0);
  if (readable) {
    if (counts.numel() != 0 && item<std::int64_t>(aten::min(counts)) < 0) {
      refuse<error>(c, "found repeats below 0, wanted 0 or more");
    }
    // Overflow makes a cumulative sum negative, since each repeat fits in 64 bits.
    if (counts.numel() != 0 && item<std::int64_t>(aten::min(sums)) < 0) {
      refuse<shape_error>(c, "found repeats whose sum overflows 64 bits");
    }
    total = item<std::int64_t>(aten::sum(counts));
    if (output_size && *output_size != total) {
      refuse<shape_error>(c, "found output_size " + std::to_string(*output_size) + ", wanted the sum of the repeats, " +
                                 std::to_string(total));
    }
  }
  const tensor positions = aten::arange(total, arg<"dtype"> = dtype::int64, arg<"device"> = repeats.device());
  return aten::searchsorted_Tensor(sums, positions, arg<"out_int32"> = repeats.dtype() == dtype::int32,
                                   arg<"right"> = true);
}

tensor repeat_interleave_tensor(const tensor& self, const tensor& repeats, std::optional<std::int64_t> dim,
                                std::optional<std::int64_t> output_size) {
  constexpr backend_call c{nullptr, aten::repeat_interleave_self_Tensor.name()};
  author::check_one_device(aten::repeat_interleave_self_Tensor, self, repeats);
  check_defined(c, self);
  check_defined(c, repeats);
  const tensor in = dim ? aten::atleast_1d(self) : aten::flatten_using_ints(self);
  const std::size_t d = dim_of(c, dim.value_or(0), in);
  const std::int64_t n = in.sizes()[d];
  if (repeats.dim() > 1 || (repeats.numel() != 1 && repeats.numel() != n)) {
    refuse<shape_error>(c, "found repeats " + to_string(repeats.sizes()) + " for " + std::to_string(n) +
                               " elements, wanted one number, or one for each");
  }
  const tensor each = aten::expand(aten::atleast_1d(repeats), shape{n});
  return aten::index_select(in, static_cast<std::int64_t>(d), aten::repeat_interleave_Tensor(each, output_size));
}

tensor roll(const tensor& self, integers shifts, integers over) {
  const backend_call c{nullptr, aten::roll.name()};
  check_defined(c, self);
  if (over.empty() && shifts.size() == 1) {
    const std::int64_t front = 0;
    return aten::reshape(roll(aten::flatten_using_ints(self), shifts, integers(&front, 1)), self.sizes());
  }
  if (shifts.empty() || shifts.size() != over.size()) {
    refuse<error>(c, "found " + std::to_string(shifts.size()) + " shifts and " + std::to_string(over.size()) +
                         " dimensions, wanted as many, and at least one");
  }
  tensor out = self;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const std::size_t d = dim_of(c, over[k], self);
    const std::int64_t size = self.dim() == 0 ? 1 : self.sizes()[d];
    if (size == 0 || self.dim() == 0) continue;
    const std::int64_t front = ((shifts[k] % size) + size) % size, dim = static_cast<std::int64_t>(d);
    const tensor parts[] = {aten::slice_Tensor(out, dim, size - front, size),
                            aten::slice_Tensor(out, dim, 0, size - front)};
    out = aten::cat(parts, dim);
  }
  return out.same_as(self) ? aten::clone(self) : out;
}

// With a gradient rule: the gradients of its parts would be added, though no element has two.
void register_roll() {
  static constexpr author::kernel_row rows[] = {author::define(aten::roll),
                                                caller_row<&roll, aten::roll>(key::CompositeExplicitAutograd),
                                                caller_row<&roll, aten::roll>(key::FuncTorchBatchedDecomposition)};
  author::register_rows(rows);
}

tensor rot90(const tensor& self, std::int64_t k, integers plane) {
  const backend_call c{nullptr, aten::rot90.name()};
  check_defined(c, self);
  if (plane.size() != 2 || self.dim() < 2 || dim_of(c, plane[0], self) == dim_of(c, plane[1], self)) {
    refuse<shape_error>(
        c, "found dimensions " + list_text(plane) + " of " + to_string(self.sizes()) + ", wanted two different ones");
  }
  switch (((k % 4) + 4) % 4) {
    case 1: return aten::transpose_int(aten::flip(self, plane.subspan(1)), plane[0], plane[1]);
    case 2: return aten::flip(self, plane);
    case 3: return aten::transpose_int(aten::flip(self, plane.first(1)), plane[0], plane[1]);
    default: return aten::clone(self);
  }
}

}  // namespace

void register_join() {
  register_forms(join_forms);
  register_composite<&stack, aten::stack>();
  register_composite<&stack_out, aten::stack_out>();
  register_composite<&hstack, aten::hstack>();
  register_composite<&vstack, aten::vstack>();
  register_composite<&dstack, aten::dstack>();
  register_composite<&column_stack, aten::column_stack>();
  register_out_variants<aten::hstack, aten::hstack_out>();
  register_out_variants<aten::vstack, aten::vstack_out>();
  register_out_variants<aten::dstack, aten::dstack_out>();
  register_out_variants<aten::column_stack, aten::column_stack_out>();
  register_composite<&repeat_interleave_places, aten::repeat_interleave_Tensor>();
  register_composite<&repeat_interleave_tensor, aten::repeat_interleave_self_Tensor>();
  register_composite<&tile, aten::tile>();
  register_composite<&repeat_interleave, aten::repeat_interleave_self_int>();
  register_roll();
  register_composite<&rot90, aten::rot90>();
}

}  // namespace topbit::detail
