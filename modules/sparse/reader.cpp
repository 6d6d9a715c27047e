// Sparse tensors from named parts, as files have them.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :registrations;

namespace topbit::sparse {

namespace {

using parts = std::span<const author::layout_payload::part>;

const tensor& part(std::string_view reading, parts given, std::string_view name) {
  const auto found = std::ranges::find(given, name, &author::layout_payload::part::name);
  if (found == given.end() || !found->value.defined()) {
    refuse<error>(reading, "found no part '" + std::string(name) + "', wanted it");
  }
  return found->value;
}

void check_parts(std::string_view reading, parts given, std::size_t wanted, dtype type, const tensor& values,
                 std::string_view attributes) {
  if (given.size() != wanted) {
    refuse<error>(reading, "found " + std::to_string(given.size()) + " parts, wanted " + std::to_string(wanted));
  }
  if (values.dtype() != type) {
    refuse<dtype_error>(reading, "found values of dtype " + std::string(name_of(values.dtype())) + ", wanted " +
                                     std::string(name_of(type)));
  }
  if (!attributes.empty()) {
    refuse<error>(reading, "found attributes '" + std::string(attributes) + "', wanted none");
  }
}

tensor read_coo(const shape& sizes, dtype type, parts given, std::string_view attributes) {
  constexpr std::string_view reading = "reading a sparse_coo tensor";
  const tensor& values = part(reading, given, "values");
  check_parts(reading, given, 2, type, values, attributes);
  return sparse_coo_tensor(part(reading, given, "indices"), values, sizes);
}
tensor read_csr(const shape& sizes, dtype type, parts given, std::string_view attributes) {
  constexpr std::string_view reading = "reading a sparse_csr tensor";
  const tensor& values = part(reading, given, "values");
  check_parts(reading, given, 3, type, values, attributes);
  return sparse_csr_tensor(part(reading, given, "crow_indices"), part(reading, given, "col_indices"), values, sizes);
}
tensor read_csc(const shape& sizes, dtype type, parts given, std::string_view attributes) {
  constexpr std::string_view reading = "reading a sparse_csc tensor";
  const tensor& values = part(reading, given, "values");
  check_parts(reading, given, 3, type, values, attributes);
  return sparse_csc_tensor(part(reading, given, "ccol_indices"), part(reading, given, "row_indices"), values, sizes);
}

}  // namespace

void register_reader() {
  author::register_layout(layout::sparse_coo, &read_coo);
  author::register_layout(layout::sparse_csr, &read_csr);
  author::register_layout(layout::sparse_csc, &read_csc);
}

}  // namespace topbit::sparse
