// Parts of sparse tensors, and tensors joined: the entries are selected, and their indices computed anew.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kernels;
import :patterns;
import :checks;
import :registrations;

namespace topbit::sparse {

namespace {

using integers = std::span<const std::int64_t>;

shape with_size(const shape& sizes, std::int64_t dim, std::int64_t size) {
  shape changed = sizes;
  changed[static_cast<std::size_t>(dim)] = size;
  return changed;
}

// The positions of the true elements of a mask [entries].
tensor positions_of(const tensor& mask) { return select(nonzero(mask), 1, 0); }

// The indices without row `dim`, and with another one there.
tensor without_row(const tensor& indices, std::int64_t dim) {
  const std::int64_t below = indices.sizes()[0] - dim - 1;
  return cat(std::array{narrow(indices, 0, 0, dim), narrow(indices, 0, dim + 1, below)}, 0);
}
tensor with_row(const tensor& indices, std::int64_t dim, const tensor& row) {
  const std::int64_t below = indices.sizes()[0] - dim - 1;
  return cat(std::array{narrow(indices, 0, 0, dim), topbit::unsqueeze(row, 0), narrow(indices, 0, dim + 1, below)}, 0);
}

// Data decide how many entries a part has; without them it has none.
tensor none_of(const tensor& self, const shape& sizes) {
  return without_entries(layout::sparse_coo, sizes, sparse_dims_of(self), self.dtype(), self.device());
}

tensor sum_of_entries(const tensor& values) {
  return values.dtype() == dtype::boolean ? any(values, 0) : sum(values, 0, false, arg<"dtype"> = values.dtype());
}

std::int64_t wrapped_index(std::string_view op, const tensor& self, std::int64_t dim, std::int64_t index) {
  const std::int64_t size = self.sizes()[static_cast<std::size_t>(dim)];
  if (index < -size || index >= size) {
    refuse<shape_error>(
        op, "found index " + std::to_string(index) + " for dimension " + std::to_string(dim) + " of a tensor " +
                to_string(self.sizes()) + ", wanted " +
                (size == 0 ? "none, it has no elements" : std::to_string(-size) + " to " + std::to_string(size - 1)));
  }
  return index < 0 ? index + size : index;
}

tensor select_coo(const tensor& self, std::int64_t given_dim, std::int64_t given_index) {
  constexpr std::string_view op = aten::select_int.name();
  const std::int64_t dim = wrapped_dim(op, given_dim, self.dim());
  const std::int64_t index = wrapped_index(op, self, dim, given_index);
  const coo_payload& p = coo_parts(self);
  const std::int64_t sparse = p.indices.sizes()[0];
  shape sizes = self.sizes();
  sizes.erase(static_cast<std::size_t>(dim));
  if (dim >= sparse) return coo_of(p.indices, select(values_of(self), dim - sparse + 1, index), sizes, p.coalesced);
  if (!has_elements(self)) {
    if (sparse == 1) return zeros_of(sizes, self.dtype(), self.device());
    return without_entries(layout::sparse_coo, sizes, sparse - 1, self.dtype(), self.device());
  }
  const tensor kept = positions_of(eq(select(p.indices, 0, dim), index));
  const tensor values = index_select(values_of(self), 0, kept);
  if (sparse == 1) return sum_of_entries(values);
  return coo_of(index_select(without_row(p.indices, dim), 1, kept), values, sizes, p.coalesced);
}

tensor select_compressed(const tensor& self, std::int64_t given_dim, std::int64_t given_index) {
  constexpr std::string_view op = aten::select_int.name();
  check_sparse(op, self);
  const std::int64_t dim = wrapped_dim(op, given_dim, self.dim());
  const std::int64_t index = wrapped_index(op, self, dim, given_index);
  if (!has_elements(self) || (dim == 0) != (self.layout() == layout::sparse_csr))
    return select_coo(coo_from(self), dim, index);
  const compressed_payload& p = compressed_parts(self);
  const auto begin = item<std::int64_t>(select(p.compressed, 0, index));
  const std::int64_t count = item<std::int64_t>(select(p.compressed, 0, index + 1)) - begin;
  const tensor across = to(narrow(p.plain, 0, begin, count), dtype::int64);
  return coo_of(contiguous(topbit::unsqueeze(across, 0)), narrow(values_of(self), 0, begin, count),
                {self.sizes()[static_cast<std::size_t>(1 - dim)]}, true);
}

tensor slice(const tensor& self, std::int64_t given_dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end, std::int64_t step) {
  constexpr std::string_view op = aten::slice_Tensor.name();
  const std::int64_t dim = wrapped_dim(op, given_dim, self.dim());
  if (step < 1) refuse<shape_error>(op, "found step " + std::to_string(step) + ", wanted one above 0");
  const std::int64_t size = self.sizes()[static_cast<std::size_t>(dim)];
  const auto clamped = [&](std::int64_t i) { return std::min(std::max<std::int64_t>(i < 0 ? i + size : i, 0), size); };
  const std::int64_t first = clamped(start.value_or(0)), last = std::max(clamped(end.value_or(size)), first);
  const shape sizes = with_size(self.sizes(), dim, last == first ? 0 : (last - first - 1) / step + 1);
  const coo_payload& p = coo_parts(self);
  const std::int64_t sparse = p.indices.sizes()[0];
  if (dim >= sparse) {
    return coo_of(p.indices, aten::slice_Tensor(values_of(self), dim - sparse + 1, first, last, step), sizes,
                  p.coalesced);
  }
  if (!has_elements(self)) return none_of(self, sizes);
  const tensor from_first = select(p.indices, 0, dim) - first;
  tensor inside = ge(from_first, 0) & lt(from_first, last - first);
  if (step != 1) inside = inside & eq(remainder(from_first, step), 0);
  const tensor kept = positions_of(inside);
  const tensor moved = floor_divide(index_select(from_first, 0, kept), step);
  return coo_of(with_row(index_select(p.indices, 1, kept), dim, moved), index_select(values_of(self), 0, kept), sizes,
                p.coalesced);
}

tensor counting(std::int64_t count, const tensor& beside) {
  return arange(count, arg<"dtype"> = dtype::int64, arg<"device"> = beside.device());
}

// What index_select asks for and what entries have, along one dimension.
struct positions {
  tensor wanted, present;  // [count] and [entries], below size
  std::int64_t size = 0;
};
positions positions_along(std::string_view op, const tensor& indices, std::int64_t dim, std::int64_t size,
                          const tensor& index) {
  const std::int64_t count = numel(index.sizes());
  const tensor present = select(indices, 0, dim);
  // index_select checks the index as that of a strided tensor.
  if (!has_elements(index) || !is_hypersparse(size, indices.sizes()[1] + count)) {
    return {index_select(counting(size, indices), 0, index), present, size};
  }
  (void)index_select(counting(1, indices), 0, zeros_like(index));
  const tensor places = to(reshape(index, {1, count}), dtype::int64);
  check_coo(op, places, {size});
  // The positions among the places that are wanted. Those of the other entries are not.
  const sorted_places distinct = sort_places(places, {size});
  bool all_found = false;
  const tensor found = positions_in(select(distinct.indices, 0, 0), present, all_found);
  return {distinct.groups, found, distinct.indices.sizes()[1] + 1};
}

tensor index_select_coo(const tensor& self, std::int64_t given_dim, const tensor& index) {
  constexpr const auto& op = aten::index_select;
  author::check_one_device(op, self, given_dim, index);
  check_layout(op.name(), "argument 3 'index'", index, layout::strided);
  check_layout(op.name(), "argument 1 'self'", self, layout::sparse_coo);
  const std::int64_t dim = wrapped_dim(op.name(), given_dim, self.dim());
  const coo_payload& p = coo_parts(self);
  const std::int64_t sparse = p.indices.sizes()[0], size = self.sizes()[static_cast<std::size_t>(dim)];
  if (dim >= sparse) {
    const tensor values = index_select(values_of(self), dim - sparse + 1, index);
    return coo_of(p.indices, values, with_size(self.sizes(), dim, numel(index.sizes())), p.coalesced);
  }
  const std::int64_t count = numel(index.sizes());
  const shape sizes = with_size(self.sizes(), dim, count);
  const positions at = positions_along(op.name(), p.indices, dim, size, index);
  if (!has_elements(self)) return none_of(self, sizes);
  // Each entry is repeated for each place of `index` that asks for it.
  const tensor order = argsort(at.wanted, arg<"stable"> = true, arg<"dim"> = 0, arg<"descending"> = false);
  const tensor none = zeros_of({at.size}, dtype::int64, self.device());
  const tensor times = scatter_add(none, 0, at.wanted, ones_like(at.wanted)), begin = cumsum(times, 0) - times;
  const tensor along = at.present, repeats = index_select(times, 0, along);
  const tensor entry = repeat_interleave(counting(entries_of(self), self), repeats);
  const tensor rank = counting(entry.sizes()[0], self) - index_select(cumsum(repeats, 0) - repeats, 0, entry);
  const tensor moved = index_select(order, 0, index_select(begin, 0, index_select(along, 0, entry)) + rank);
  const tensor indices = with_row(index_select(p.indices, 1, entry), dim, moved);
  const bool ascends = on_host(self) && p.coalesced &&
                       check_coo(op.name(), indices, shape(integers(sizes).first(static_cast<std::size_t>(sparse))));
  return coo_of(indices, index_select(values_of(self), 0, entry), sizes, ascends);
}

// Checks the tensors of cat, and returns the sizes of the result.
shape joined_sizes(std::span<const tensor> tensors, std::int64_t dim) {
  constexpr std::string_view op = aten::cat.name();
  shape sizes = tensors[0].sizes();
  sizes[static_cast<std::size_t>(dim)] = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const shape& found = tensors[i].sizes();
    const std::string which = "tensors[" + std::to_string(i) + "]";
    if (found.size() != sizes.size() || with_size(found, dim, 0) != with_size(sizes, dim, 0)) {
      refuse<shape_error>(op, "found " + which + " of sizes " + to_string(found) + ", wanted those of tensors[0], " +
                                  to_string(tensors[0].sizes()) + ", except in dimension " + std::to_string(dim));
    }
    if (sparse_dims_of(tensors[i]) != sparse_dims_of(tensors[0])) {
      refuse<shape_error>(op, "found " + which + " with " + std::to_string(sparse_dims_of(tensors[i])) +
                                  " sparse dimensions, wanted " + std::to_string(sparse_dims_of(tensors[0])) +
                                  " as tensors[0] has");
    }
    sizes[static_cast<std::size_t>(dim)] += found[static_cast<std::size_t>(dim)];
  }
  return sizes;
}

tensor cat_coo(std::span<const tensor> tensors, std::int64_t given_dim) {
  constexpr const auto& op = aten::cat;
  author::check_one_device(op, tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i)
    check_layout(op.name(), "tensors[" + std::to_string(i) + "]", tensors[i], layout::sparse_coo);
  const std::int64_t dim = wrapped_dim(op.name(), given_dim, tensors[0].dim());
  const shape sizes = joined_sizes(tensors, dim);
  const std::int64_t sparse = sparse_dims_of(tensors[0]);
  dtype type = tensors[0].dtype();
  for (const tensor& t : tensors) type = promote(type, t.dtype());
  std::vector<tensor> indices, values;
  bool all_coalesced = true;
  std::int64_t before = 0;
  for (const tensor& given : tensors) {
    const tensor t = convertible(given, type);
    const coo_payload& p = coo_parts(t);
    const std::int64_t size = t.sizes()[static_cast<std::size_t>(dim)];
    all_coalesced = all_coalesced && p.coalesced;
    if (dim < sparse) {
      indices.push_back(with_row(p.indices, dim, select(p.indices, 0, dim) + before));
      values.push_back(values_of(t));
    } else {
      // The values at a place, beside zeros.
      const auto none = [&](std::int64_t count) {
        const shape block = with_size(p.values.sizes(), dim - sparse + 1, count);
        return zeros_of(block, t.dtype(), t.device());
      };
      const std::int64_t behind = sizes[static_cast<std::size_t>(dim)] - before - size;
      indices.push_back(p.indices);
      values.push_back(cat(std::array{none(before), values_of(t), none(behind)}, dim - sparse + 1));
    }
    before += size;
  }
  return coo_of(cat(indices, 1), cat(values, 0), sizes,
                all_coalesced && (tensors.size() == 1 || (dim == 0 && sparse > 0)));
}

using author::row;

constexpr author::kernel_row rows[] = {
    row<&select_coo>(aten::select_int, key::AnySparse), row<&select_compressed>(aten::select_int, key::AnySparseCsr),
    row<&slice>(aten::slice_Tensor, key::AnySparse),    row<&index_select_coo>(aten::index_select, key::AnySparse),
    row<&cat_coo>(aten::cat, key::AnySparse),
};

}  // namespace

void register_selections() { author::register_rows(rows); }

}  // namespace topbit::sparse
