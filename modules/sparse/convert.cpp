module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :kernels;
import :patterns;
import :checks;
import :registrations;

namespace topbit::sparse {

namespace {

void check_matrix(std::string_view op, const tensor& t) {
  if (t.dim() != 2) {
    refuse<shape_error>(op, "found sizes " + to_string(t.sizes()) + ", wanted those of a matrix");
  }
}

// The entries of a matrix in the order of the other compressed layout.
tensor across(const tensor& s, layout how) {
  const compressed_payload& p = compressed_parts(s);
  const transposed_parts t =
      transpose_parts(p.compressed, p.plain, values_of(s), s.sizes()[how == layout::sparse_csr ? 0 : 1]);
  return compressed_of(how, t.compressed, t.plain, t.values, s.sizes());
}

tensor coalesce(const tensor& self) {
  check_layout(aten::coalesce.name(), "argument 1 'self'", self, layout::sparse_coo);
  return coalesced(self);
}

tensor new_coalesced(const tensor& self) {
  check_layout(aten::_coalesce.name(), "argument 1 'self'", self, layout::sparse_coo);
  const coo_payload& p = coo_parts(self);
  if (p.coalesced) return coo_of(p.indices, p.values, self.sizes(), true);
  const auto [indices, sums] = sum_places(p.indices, p.values, sparse_sizes(self));
  return coo_of(indices, sums, self.sizes(), true);
}

// From strided

tensor from_strided(const tensor& self, std::int64_t sparse_dims) {
  if (!has_elements(self)) return without_entries(layout::sparse_coo, self.sizes(), sparse_dims, self.dtype(), meta);
  const std::span<const std::int64_t> all(self.sizes());
  const auto split = static_cast<std::size_t>(sparse_dims);
  const shape sparse(all.first(split)), dense(all.subspan(split));
  const tensor flat = reshape(self, joined({numel(sparse)}, dense));
  const tensor places =
      flat.dim() == 1 ? ne(detach(flat), 0) : any(reshape(ne(detach(flat), 0), {numel(sparse), numel(dense)}), 1);
  const tensor linear = select(nonzero(places), 1, 0);
  return coo_of(indices_at(linear, sparse), index_select(flat, 0, linear), self.sizes(), true);
}

tensor to_coo(std::string_view op, const tensor& self, std::optional<std::int64_t> sparse_dims) {
  if (!self.defined()) refuse<error>(op, "found an undefined tensor, wanted one to convert");
  if (is_sparse(self)) {
    if (sparse_dims.has_value() && *sparse_dims != sparse_dims_of(self)) {
      refuse<shape_error>(op, "found a sparse tensor of " + std::to_string(sparse_dims_of(self)) +
                                  " sparse dimensions, wanted " + std::to_string(*sparse_dims) +
                                  " of them; to_sparse(to_dense(x), n) changes it");
    }
    return coalesced(coo_from(self));
  }
  check_layout(op, "argument 1 'self'", self, layout::strided);
  const std::int64_t dims = sparse_dims.value_or(self.dim());
  if (dims < 0 || dims > self.dim()) {
    refuse<shape_error>(op, "found " + std::to_string(dims) + " sparse dimensions for sizes " +
                                to_string(self.sizes()) + ", wanted 0 to " + std::to_string(self.dim()));
  }
  return from_strided(self, dims);
}

tensor to_layout(std::string_view op, const tensor& self, layout how, std::optional<std::int64_t> dense_dim) {
  if (dense_dim.value_or(0) != 0) {
    refuse<shape_error>(
        op, "found dense_dim " + std::to_string(*dense_dim) + ", wanted 0 for " + std::string(name_of(how)));
  }
  const tensor from = self.defined() && is_sparse(self) ? self : to_coo(op, self, std::nullopt);
  check_matrix(op, from);
  return how == layout::sparse_csr ? csr_of(from) : csc_of(from);
}

tensor to_sparse_dims(const tensor& self, std::int64_t sparse_dim) {
  return to_coo(aten::to_sparse_sparse_dim.name(), self, sparse_dim);
}

tensor to_sparse(const tensor& self, std::optional<layout> how, std::optional<std::span<const std::int64_t>> blocksize,
                 std::optional<std::int64_t> dense_dim) {
  constexpr std::string_view op = aten::to_sparse.name();
  const layout wanted = how.value_or(layout::sparse_coo);
  if (blocksize.has_value() || (wanted != layout::sparse_coo && !compressed_payload::has_layout(wanted))) {
    refuse<layout_error>(op, "found layout " + std::string(name_of(wanted)) +
                                 (blocksize.has_value() ? " with blocks" : "") +
                                 ", wanted sparse_coo, sparse_csr or sparse_csc, without blocks");
  }
  if (wanted != layout::sparse_coo) return to_layout(op, self, wanted, dense_dim);
  if (!dense_dim.has_value()) return to_coo(op, self, std::nullopt);
  return to_coo(op, self, self.dim() - *dense_dim);
}

template <const auto& Op, layout How>
tensor to_compressed(const tensor& self, std::optional<std::int64_t> dense_dim) {
  return to_layout(Op.name(), self, How, dense_dim);
}

// To strided

tensor dense_of(const tensor& self, std::optional<dtype> type) {
  // Sums in these types are rounded once, or are none; coalescing does that.
  const bool sums = self.dtype() != dtype::boolean && self.dtype() != dtype::float16 && self.dtype() != dtype::bfloat16;
  const tensor s = sums ? self : coalesced(self);
  const bool distinct = is_compressed(s) || coo_parts(s).coalesced;
  const shape sparse = sparse_sizes(s);
  const tensor linear = linear_indices(coordinates(s), sparse);
  tensor flat = zeros_of(joined({numel(sparse)}, dense_sizes(s)), s.dtype(), s.device());
  if (distinct)
    index_copy_(flat, 0, linear, values_of(s));
  else
    index_add_(flat, 0, linear, values_of(s));
  return to(reshape(flat, self.sizes()), type.value_or(self.dtype()));
}

}  // namespace

struct unmasked_to_dense_function {
  static tensor forward(function_context& c, const tensor& self, std::optional<dtype> type) {
    c.materialize_gradients(false);
    return dense_of(self, type);
  }
  static tensor backward(function_context&, const tensor& g) { return g; }
};

namespace {

tensor to_dense_kernel(const tensor& self, std::optional<dtype> type, std::optional<bool> masked_grad) {
  check_sparse(aten::_to_dense.name(), self);
  return masked_grad.value_or(true) ? dense_of(self, type) : apply<unmasked_to_dense_function>(self, type);
}

tensor drop_zero_entries(const tensor& self) {
  check_sparse(topbit::drop_zeros.name(), self);
  const tensor s = coalesced(self);
  if (!has_elements(s)) return s;
  const tensor held = detach(raw_values(s)), zero_free = ne(held, 0);
  const tensor wanted =
      held.dim() == 1 ? zero_free : any(reshape(zero_free, {entries_of(s), numel(dense_sizes(s))}), 1);
  const tensor kept = select(nonzero(wanted), 1, 0), values = index_select(values_of(s), 0, kept);
  if (!is_compressed(s)) return coo_of(index_select(coo_parts(s).indices, 1, kept), values, s.sizes(), true);
  const compressed_payload& p = compressed_parts(s);
  const tensor lines = index_select(lines_of(p.compressed, entries_of(s)), 0, kept);
  return compressed_of(s.layout(), offsets_of(lines, p.compressed.sizes()[0] - 1, p.plain.dtype()),
                       index_select(p.plain, 0, kept), values, s.sizes());
}

using author::define;
using author::row;
constexpr alias_key composite = key::CompositeImplicitAutograd;

constexpr author::kernel_row rows[] = {
    define(aten::coalesce),
    row<&coalesce>(aten::coalesce, composite),
    define(aten::_coalesce),
    row<&new_coalesced>(aten::_coalesce, key::CompositeExplicitAutograd),
    define(aten::to_sparse),
    row<&to_sparse>(aten::to_sparse, composite),
    define(aten::to_sparse_sparse_dim),
    row<&to_sparse_dims>(aten::to_sparse_sparse_dim, composite),
    define(aten::to_sparse_csr),
    row<&to_compressed<aten::to_sparse_csr, layout::sparse_csr>>(aten::to_sparse_csr, composite),
    define(aten::to_sparse_csc),
    row<&to_compressed<aten::to_sparse_csc, layout::sparse_csc>>(aten::to_sparse_csc, composite),
    define(topbit::drop_zeros),
    row<&drop_zero_entries>(topbit::drop_zeros, composite),
    row<&to_dense_kernel>(aten::_to_dense, key::AnySparse),
    row<&to_dense_kernel>(aten::_to_dense, key::AnySparseCsr),
};

}  // namespace

void register_convert() { author::register_rows(rows); }

tensor csr_of(const tensor& s) {
  if (s.layout() == layout::sparse_csr) return s;
  if (s.layout() == layout::sparse_csc) return across(s, layout::sparse_csr);
  if (sparse_dims_of(s) != 2 || s.dim() != 2) {
    refuse<shape_error>("csr_of", "found a tensor of sizes " + to_string(s.sizes()) + " with " +
                                      std::to_string(sparse_dims_of(s)) +
                                      " sparse dimensions, wanted a matrix with 2 of them");
  }
  const tensor from = coalesced(s), indices = coo_parts(from).indices;
  return compressed_of(layout::sparse_csr, offsets_of(select(indices, 0, 0), s.sizes()[0], dtype::int64),
                       contiguous(select(indices, 0, 1)), values_of(from), s.sizes());
}

tensor csc_of(const tensor& s) { return s.layout() == layout::sparse_csc ? s : across(csr_of(s), layout::sparse_csc); }

tensor coo_from(const tensor& s) {
  if (!is_compressed(s)) return s;
  const tensor by_rows = csr_of(s);
  return coo_of(coordinates(by_rows), values_of(by_rows), s.sizes(), true);
}

}  // namespace topbit::sparse
