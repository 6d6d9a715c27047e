module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :registrations;

namespace topbit::sparse {

namespace {

// The parts have no history, and an alias of one gets none.
tensor part(const tensor& t) { return author::make_alias(t); }

const coo_payload& coo_of_argument(std::string_view op, const tensor& self) {
  check_layout(op, "argument 1 'self'", self, layout::sparse_coo);
  return coo_parts(self);
}

void check_is_coalesced(std::string_view op, const tensor& self) {
  if (self.layout() == layout::sparse_coo && !coo_parts(self).coalesced) {
    refuse<error>(op,
                  "found a tensor that is not coalesced, wanted one that is; coalesce(x) makes it, _indices(x) and "
                  "_values(x) are its entries as they are");
  }
}

bool is_coalesced(const tensor& self) { return coo_of_argument(aten::is_coalesced.name(), self).coalesced; }

std::int64_t nnz_of(const tensor& self) {
  check_sparse(aten::_nnz.name(), self);
  return entries_of(self);
}
std::int64_t sparse_dim(const tensor& self) {
  check_sparse(aten::sparse_dim.name(), self);
  return sparse_dims_of(self);
}
std::int64_t dense_dim(const tensor& self) {
  check_sparse(aten::dense_dim.name(), self);
  return self.dim() - sparse_dims_of(self);
}

tensor indices(const tensor& self) {
  const coo_payload& p = coo_of_argument(aten::indices.name(), self);
  check_is_coalesced(aten::indices.name(), self);
  return part(p.indices);
}
tensor values(const tensor& self) {
  check_sparse(aten::values.name(), self);
  check_is_coalesced(aten::values.name(), self);
  return values_of(self);
}
tensor raw_indices(const tensor& self) { return part(coo_of_argument(aten::_indices.name(), self).indices); }
tensor raw_values(const tensor& self) { return part(coo_of_argument(aten::_values.name(), self).values); }

template <const auto& Op, layout How, tensor compressed_payload::* Part>
tensor compressed_part(const tensor& self) {
  check_layout(Op.name(), "argument 1 'self'", self, How);
  return part(compressed_parts(self).*Part);
}

using author::define;
using author::row;
constexpr alias_key composite = key::CompositeImplicitAutograd;

constexpr author::kernel_row rows[] = {
    define(aten::is_coalesced),
    row<&is_coalesced>(aten::is_coalesced, composite),
    define(aten::_nnz),
    row<&nnz_of>(aten::_nnz, composite),
    define(aten::sparse_dim),
    row<&sparse_dim>(aten::sparse_dim, composite),
    define(aten::dense_dim),
    row<&dense_dim>(aten::dense_dim, composite),
    define(aten::indices),
    row<&indices>(aten::indices, composite),
    define(aten::values),
    row<&values>(aten::values, composite),
    define(aten::_indices),
    row<&raw_indices>(aten::_indices, composite),
    define(aten::_values),
    row<&raw_values>(aten::_values, composite),
    define(aten::crow_indices),
    row<&compressed_part<aten::crow_indices, layout::sparse_csr, &compressed_payload::compressed>>(aten::crow_indices,
                                                                                                   composite),
    define(aten::col_indices),
    row<&compressed_part<aten::col_indices, layout::sparse_csr, &compressed_payload::plain>>(aten::col_indices,
                                                                                             composite),
    define(aten::ccol_indices),
    row<&compressed_part<aten::ccol_indices, layout::sparse_csc, &compressed_payload::compressed>>(aten::ccol_indices,
                                                                                                   composite),
    define(aten::row_indices),
    row<&compressed_part<aten::row_indices, layout::sparse_csc, &compressed_payload::plain>>(aten::row_indices,
                                                                                             composite),
};

}  // namespace

void register_access() { author::register_rows(rows); }

}  // namespace topbit::sparse
