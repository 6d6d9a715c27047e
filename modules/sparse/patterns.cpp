module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :kernels;
import :patterns;

namespace topbit::sparse {

namespace {

tensor new_indices(const shape& sizes, const tensor& beside, dtype type = dtype::int64) {
  return author::make_tensor(sizes, type, beside.device());
}

tensor counting(std::int64_t count, const tensor& beside) {
  return arange(count, arg<"dtype"> = dtype::int64, arg<"device"> = beside.device());
}

constexpr std::int64_t int32_most = std::numeric_limits<std::int32_t>::max();

// Entries sorted by the kernels, which read rows of consecutive indices.
class host_sort {
 public:
  host_sort(const tensor& indices, const shape& sizes) : indices_(contiguous(indices)), sizes_(sizes) {
    const std::int64_t entries = indices_.sizes()[1];
    sort_.coo = {.indices = indices_.data_ptr<std::int64_t>(),
                 .step = entries,
                 .sizes = std::span<const std::int64_t>(sizes_).data(),
                 .dims = indices_.sizes()[0],
                 .nnz = entries};
    const auto bytes = static_cast<std::int64_t>(kernels().sort_workspace(&sort_.coo));
    workspace_ = author::make_tensor({bytes}, dtype::uint8, cpu);
    sort_.workspace = workspace_.data();
    kernels().sort_begin(&sort_);
    each_bucket([&](std::int64_t begin, std::int64_t end) { kernels().sort_buckets(&sort_, begin, end); });
    count_ = kernels().sort_end(&sort_);
  }

  // The distinct tuples, and the sums of values [entries, dense...] unless these are undefined.
  std::pair<tensor, tensor> sums_of(const tensor& given) {
    const tensor values = given.defined() ? contiguous(given) : tensor();
    const tensor distinct = new_indices({indices_.sizes()[0], count_}, indices_);
    tensor sums;
    tb_coalesce call{.sort = &sort_,
                     .indices = distinct.data_ptr<std::int64_t>(),
                     .step = count_,
                     .values = nullptr,
                     .sums = nullptr,
                     .inner = 0,
                     .dtype = TB_I64,
                     .reserved = 0};
    if (values.defined()) {
      const std::span<const std::int64_t> dense = std::span<const std::int64_t>(values.sizes()).subspan(1);
      sums = author::make_tensor(joined({count_}, shape(dense)), values.dtype(), cpu);
      call.values = values.data();
      call.sums = sums.data();
      call.inner = numel(shape(dense));
      call.dtype = code_of(values.dtype());
    }
    each_bucket([&](std::int64_t begin, std::int64_t end) { kernels().coalesce(&call, begin, end); });
    return {distinct, sums};
  }
  tensor groups() {
    const tensor out = new_indices({indices_.sizes()[1]}, indices_);
    std::int64_t* const group = out.data_ptr<std::int64_t>();
    each_bucket([&](std::int64_t begin, std::int64_t end) { kernels().sort_groups(&sort_, group, begin, end); });
    return out;
  }

 private:
  template <class F>
  void each_bucket(const F& f) const noexcept {
    in_parts(parts_for(indices_.sizes()[1]), TB_SORT_BUCKETS, f);
  }
  tensor indices_, workspace_;
  shape sizes_;
  tb_sort sort_{};
  std::int64_t count_ = 0;
};

tb_csr one_row(const std::int64_t* offsets, const std::int64_t* keys, std::int64_t count) {
  return {.compressed = offsets,
          .plain = keys,
          .rows = 1,
          .columns = std::numeric_limits<std::int64_t>::max(),
          .nnz = count,
          .index = TB_I64,
          .reserved = 0};
}

// Keys that ascend, as those of a pattern do, are found by merging.
bool ascend(const tensor& keys) {
  const std::int64_t entries = keys.sizes()[0];
  const std::int64_t most[] = {std::numeric_limits<std::int64_t>::max()};
  const tb_coo line{
      .indices = keys.data_ptr<std::int64_t>(), .step = entries, .sizes = most, .dims = 1, .nnz = entries};
  return kernels().check_coo(&line, 0, entries).coalesced != 0;
}

}  // namespace

shape sparse_sizes(const tensor& s) {
  const auto n = static_cast<std::size_t>(sparse_dims_of(s));
  return shape(std::span<const std::int64_t>(s.sizes()).first(n));
}
shape dense_sizes(const tensor& s) {
  const auto n = static_cast<std::size_t>(sparse_dims_of(s));
  return shape(std::span<const std::int64_t>(s.sizes()).subspan(n));
}
shape joined(const shape& a, const shape& b) {
  shape all = a;
  for (std::int64_t size : b) all.push_back(size);
  return all;
}

tensor zeros_of(const shape& sizes, dtype type, device where) {
  return aten::zeros(sizes, type, std::nullopt, where, std::nullopt);
}

tensor scaled(const tensor& values, const scalar& alpha) { return alpha.to_double() == 1 ? values : values * alpha; }

tensor convertible(const tensor& s, dtype type) { return s.dtype() == type ? s : coalesced(s); }

tensor sums_at(const tensor& positions, const tensor& values, std::int64_t count) {
  const dtype type = values.dtype(), wide = is_floating(type) ? dtype::float64 : type;
  shape sizes = values.sizes();
  sizes[0] = count;
  return to(index_add(zeros_of(sizes, wide, values.device()), 0, positions, to(values, wide)), type);
}

bool recorded(const tensor& a, const tensor& b) noexcept {
  return grad_enabled() && (requires_grad(a) || requires_grad(b));
}

tensor linear_indices(const tensor& indices, const shape& sizes) {
  if (sizes.empty()) return zeros_of({indices.sizes()[1]}, dtype::int64, indices.device());
  tensor linear = select(indices, 0, 0);
  for (std::size_t d = 1; d < sizes.size(); ++d)
    linear = linear * sizes[d] + select(indices, 0, static_cast<std::int64_t>(d));
  return linear;
}

tensor indices_at(const tensor& linear, const shape& sizes) {
  if (sizes.empty()) return new_indices({0, linear.sizes()[0]}, linear);
  std::vector<tensor> rows(sizes.size());
  tensor rest = linear;
  for (std::size_t d = sizes.size(); d-- > 1;) {
    const std::int64_t size = std::max<std::int64_t>(sizes[d], 1);
    const tensor above = floor_divide(rest, size);
    rows[d] = rest - above * size;
    rest = above;
  }
  rows[0] = rest;
  return stack(rows, 0);
}

tensor without_entries(layout how, const shape& sizes, std::int64_t sparse_dims, dtype type, device where) {
  const auto new_zeros = [&](const shape& s, dtype t) { return zeros_of(s, t, where); };
  if (how == layout::sparse_coo) {
    const auto dense = std::span<const std::int64_t>(sizes).subspan(static_cast<std::size_t>(sparse_dims));
    return coo_of(new_zeros({sparse_dims, 0}, dtype::int64), new_zeros(joined({0}, shape(dense)), type), sizes, true);
  }
  const std::int64_t lines = sizes[how == layout::sparse_csr ? 0 : 1];
  return compressed_of(how, new_zeros({lines + 1}, dtype::int64), new_zeros({0}, dtype::int64), new_zeros({0}, type),
                       sizes);
}

tensor coordinates(const tensor& s) {
  if (!is_compressed(s)) return coo_parts(s).indices;
  const compressed_payload& p = compressed_parts(s);
  const tensor lines = lines_of(p.compressed, p.plain.sizes()[0]), plain = to(p.plain, dtype::int64);
  if (s.layout() == layout::sparse_csr) return stack(std::array{lines, plain}, 0);
  return stack(std::array{plain, lines}, 0);
}

tensor lines_of(const tensor& compressed, std::int64_t entries) {
  const std::int64_t lines = compressed.sizes()[0] - 1;
  const tensor out = new_indices({entries}, compressed);
  if (!has_elements(compressed)) return out;
  if (on_host(compressed)) {
    const tensor offsets = contiguous(compressed);
    in_parts(parts_for(entries), lines, [&](std::int64_t begin, std::int64_t end) {
      kernels().offsets_to_rows(offsets.data(), code_of(offsets.dtype()), out.data_ptr<std::int64_t>(), begin, end);
    });
    return out;
  }
  const tensor counts = narrow(compressed, 0, 1, lines) - narrow(compressed, 0, 0, lines);
  return repeat_interleave(counting(lines, compressed), to(counts, dtype::int64), std::nullopt,
                           arg<"output_size"> = entries);
}

tensor offsets_of(const tensor& lines, std::int64_t count, dtype type) {
  if (!has_elements(lines)) return new_indices({count + 1}, lines, type);
  if (on_host(lines)) {
    const tensor sorted = contiguous(lines), out = new_indices({count + 1}, lines, type);
    const std::int64_t entries = lines.sizes()[0];
    in_parts(parts_for(entries), count, [&](std::int64_t begin, std::int64_t end) {
      kernels().rows_to_offsets(sorted.data_ptr<std::int64_t>(), entries, count, code_of(type), out.data(), begin, end);
    });
    // No part has a row.
    if (count == 0) zero_(tensor(out));
    return out;
  }
  const tensor ones_each = zeros_of({lines.sizes()[0]}, dtype::int64, lines.device()) + 1;
  const tensor counts = scatter_add(zeros_of({count + 1}, dtype::int64, lines.device()), 0, lines + 1, ones_each);
  return to(cumsum(counts, 0), type);
}

tensor offsets_from_counts(const tensor& counts, dtype type) {
  const tensor offsets = cat(std::array{zeros_of({1}, dtype::int64, cpu), cumsum(counts, 0)}, 0);
  const std::int64_t lines = counts.sizes()[0];
  const bool fits = type != dtype::int32 || offsets.data_ptr<std::int64_t>()[lines] <= int32_most;
  return fits ? to(offsets, type) : offsets;
}

line_parts line_parts_of(const tensor& s) {
  if (is_compressed(s)) return {compressed_parts(s).compressed, compressed_parts(s).plain};
  const tensor& indices = coo_parts(s).indices;
  return {offsets_of(select(indices, 0, 0), s.sizes()[0], dtype::int64), select(indices, 0, 1)};
}

sorted_places sort_places(const tensor& indices, const shape& sizes) {
  if (on_host(indices)) {
    host_sort sorted(indices, sizes);
    return {sorted.sums_of({}).first, sorted.groups()};
  }
  if (!has_elements(indices)) return {indices, new_indices({indices.sizes()[1]}, indices)};
  const auto [distinct, groups, counts] = aten::_unique2(linear_indices(indices, sizes), true, true, false);
  return {indices_at(distinct, sizes), groups};
}

std::pair<tensor, tensor> sum_places(const tensor& indices, const tensor& values, const shape& sizes) {
  if (on_host(indices)) return host_sort(indices, sizes).sums_of(values);
  const sorted_places places = sort_places(indices, sizes);
  const dtype type = values.dtype();
  // bool has no sums.
  const dtype summed = type == dtype::boolean ? dtype::int64 : sum_type(type);
  shape sum_sizes = values.sizes();
  sum_sizes[0] = places.indices.sizes()[1];
  const tensor none = zeros_of(sum_sizes, summed, values.device());
  return {places.indices, to(index_add(none, 0, places.groups, to(values, summed)), type)};
}

tensor first_of_groups(const tensor& groups, std::int64_t count) {
  const std::int64_t entries = groups.sizes()[0];
  const tensor last = zeros_of({count}, dtype::int64, groups.device()) + entries;
  return scatter_reduce(last, 0, groups, counting(entries, groups), "amin");
}

transposed_parts transpose_parts(const tensor& compressed, const tensor& plain, const tensor& values,
                                 std::int64_t columns) {
  const dtype type = plain.dtype();
  const std::int64_t entries = plain.sizes()[0];
  const auto new_index = [&](std::int64_t count) { return new_indices({count}, plain, type); };
  if (!has_elements(plain)) return {new_index(columns + 1), new_index(entries), values};
  if (on_host(plain)) {
    const tensor offsets = contiguous(compressed), along = contiguous(plain), workspace = new_index(columns);
    // The kernel moves the values, or says where they were, for an operator that is recorded.
    const bool recorded = grad_enabled() && requires_grad(values);
    const tensor order = recorded ? new_indices({entries}, plain) : tensor();
    const tensor held = recorded ? tensor() : contiguous(values);
    transposed_parts out{new_index(columns + 1), new_index(entries), {}};
    if (!recorded) out.values = author::make_tensor({entries}, values.dtype(), cpu);
    const tb_transpose call{.a = csr_view(offsets, along, columns),
                            .compressed = out.compressed.data(),
                            .plain = out.plain.data(),
                            .order = recorded ? order.data_ptr<std::int64_t>() : nullptr,
                            .values = recorded ? nullptr : held.data(),
                            .moved = recorded ? nullptr : out.values.data(),
                            .workspace = workspace.data(),
                            .element_size = static_cast<std::int64_t>(size_of(values.dtype()))};
    kernels().transpose(&call, 0, columns);
    if (recorded) out.values = index_select(values, 0, order);
    return out;
  }
  const tensor lines = lines_of(compressed, entries);
  // A stable sort by column keeps the lines of a column in order.
  const tensor order = argsort(plain, arg<"stable"> = true, arg<"dim"> = 0, arg<"descending"> = false);
  return {offsets_of(to(index_select(plain, 0, order), dtype::int64), columns, type),
          to(index_select(lines, 0, order), type), index_select(values, 0, order)};
}

tensor positions_in(const tensor& present, const tensor& wanted, bool& all_found) {
  const std::int64_t count = present.sizes()[0], asked = wanted.sizes()[0];
  all_found = false;
  if (!has_elements(present)) return new_indices({asked}, present);
  if (on_host(present)) {
    const tensor table = contiguous(present), keys = contiguous(wanted), out = new_indices({asked}, wanted);
    const std::span<const std::int64_t> sorted(table.data_ptr<std::int64_t>(), static_cast<std::size_t>(count));
    const std::int64_t* const key = keys.data_ptr<std::int64_t>();
    std::int64_t* const position = out.data_ptr<std::int64_t>();
    if (ascend(keys)) {
      const std::int64_t here[] = {0, asked}, there[] = {0, count};
      const tb_csr a = one_row(here, key, asked), b = one_row(there, sorted.data(), count);
      kernels().locate(&a, &b, position, 0, 1);
      const tensor found = ge(out, 0);
      all_found = item<bool>(all(found));
      return all_found ? out : where(found, out, zeros_of({}, dtype::int64, cpu) + count);
    }
    std::atomic<bool> missing = false;
    in_parts(parts_for(asked), asked, [&](std::int64_t begin, std::int64_t end) {
      bool none = false;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto found = std::ranges::lower_bound(sorted, key[i]);
        const bool here = found != sorted.end() && *found == key[i];
        position[i] = here ? found - sorted.begin() : count;
        none = none || !here;
      }
      if (none) missing.store(true, std::memory_order_relaxed);
    });
    all_found = !missing.load();
    return out;
  }
  const auto [distinct, inverse, counts] = aten::_unique2(cat(std::array{present, wanted}, 0), true, true, false);
  const tensor nowhere = zeros_of({distinct.sizes()[0]}, dtype::int64, present.device()) + count;
  const tensor table = index_copy(nowhere, 0, narrow(inverse, 0, 0, count), counting(count, present));
  return index_select(table, 0, narrow(inverse, 0, count, asked));
}

}  // namespace topbit::sparse
