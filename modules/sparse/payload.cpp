module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse {

namespace {

// Threads may share index tensors, so one that is read-only is not written again.
tensor read_only(tensor indices) noexcept {
  if (!author::is_read_only(indices)) author::make_read_only(indices);
  return indices;
}

}  // namespace

coo_payload::coo_payload(tensor indices_, tensor values_, bool coalesced_) noexcept
    : indices(read_only(std::move(indices_))), values(std::move(values_)), coalesced(coalesced_) {}

compressed_payload::compressed_payload(layout how_, tensor compressed_, tensor plain_, tensor values_) noexcept
    : compressed(read_only(std::move(compressed_))),
      plain(read_only(std::move(plain_))),
      values(std::move(values_)),
      how(how_) {}

std::vector<coo_payload::part> coo_payload::parts() const { return {{"indices", indices}, {"values", values}}; }
intrusive_ptr<tensor_extension> coo_payload::with_parts(std::span<const tensor> parts) const {
  return intrusive_ptr<tensor_extension>(new coo_payload(parts[0], parts[1], coalesced));
}

std::vector<compressed_payload::part> compressed_payload::parts() const {
  if (how == layout::sparse_csr) return {{"crow_indices", compressed}, {"col_indices", plain}, {"values", values}};
  return {{"ccol_indices", compressed}, {"row_indices", plain}, {"values", values}};
}
intrusive_ptr<tensor_extension> compressed_payload::with_parts(std::span<const tensor> parts) const {
  return intrusive_ptr<tensor_extension>(new compressed_payload(how, parts[0], parts[1], parts[2]));
}

bool is_compressed(const tensor& t) noexcept { return compressed_payload::has_layout(t.layout()); }
bool is_sparse(const tensor& t) noexcept { return t.layout() == layout::sparse_coo || is_compressed(t); }

coo_payload& coo_parts(const tensor& t) { return t.payload<coo_payload>(); }
compressed_payload& compressed_parts(const tensor& t) { return t.payload<compressed_payload>(); }

tensor raw_values(const tensor& t) { return is_compressed(t) ? compressed_parts(t).values : coo_parts(t).values; }
std::int64_t entries_of(const tensor& t) { return raw_values(t).sizes()[0]; }
std::int64_t sparse_dims_of(const tensor& t) { return is_compressed(t) ? 2 : coo_parts(t).indices.sizes()[0]; }

}  // namespace topbit::sparse
