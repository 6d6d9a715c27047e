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
using optional_sizes = std::optional<integers>;

struct options {
  std::optional<dtype> type;
  std::optional<layout> how;
  std::optional<device> where;
  std::optional<bool> pinned;
};

void check_options(std::string_view op, const options& o, layout made) {
  if (o.how.value_or(made) != made) {
    refuse<layout_error>(op, "found layout " + std::string(name_of(*o.how)) + ", wanted " + std::string(name_of(made)));
  }
  if (o.pinned.value_or(false)) refuse<error>(op, "pin_memory is not supported, wanted False");
}

// A copy that nobody else has, of consecutive indices: what is checked stays valid.
tensor own_copy(const tensor& t, dtype type) {
  return aten::_to_copy(t, arg<"dtype"> = type, arg<"memory_format"> = memory_format::contiguous);
}

tensor converted_values(const tensor& values, const options& o) {
  return to(to(values, o.type.value_or(values.dtype())), o.where.value_or(values.device()));
}

// The greatest element and 1, in each row of [dims, entries].
shape least_sizes(std::string_view op, const tensor& indices) {
  if (!has_elements(indices)) {
    refuse<error>(op, "found indices on meta, which have no elements to find the sizes from; give the sizes");
  }
  const std::int64_t dims = indices.sizes()[0];
  shape sizes(static_cast<std::size_t>(dims), 0);
  if (indices.sizes()[1] == 0 || dims == 0) return sizes;
  const tensor most = to(amax(indices, {1}), cpu);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t greatest = most.data_ptr<std::int64_t>()[d];
    if (greatest == std::numeric_limits<std::int64_t>::max()) {
      refuse<shape_error>(op, "found index " + std::to_string(greatest) + " in dimension " + std::to_string(d) +
                                  ", more than a size can hold");
    }
    sizes[d] = std::max<std::int64_t>(greatest + 1, 0);
  }
  return sizes;
}

// COO

tensor coo(std::string_view op, const tensor& indices, const tensor& given_values, optional_sizes size,
           const options& o, std::optional<bool> is_coalesced) {
  check_options(op, o, layout::sparse_coo);
  check_part(op, "indices", indices, 2);
  check_layout(op, "values", given_values, layout::strided);
  if (!is_integer(indices.dtype())) {
    refuse<dtype_error>(op, "found indices of dtype " + std::string(name_of(indices.dtype())) +
                                ", wanted integers; to(indices, dtype::int64) converts");
  }
  const tensor values = converted_values(given_values.dim() == 0 ? reshape(given_values, {1}) : given_values, o);
  const tensor own = own_copy(indices, dtype::int64);
  const shape dense(integers(values.sizes()).subspan(1));
  const shape sizes = size.has_value() ? shape(*size) : joined(least_sizes(op, own), dense);
  const bool ascends = check_coo_parts(op, own, values, sizes, is_coalesced.value_or(false));
  return coo_of(to(own, values.device()), values, sizes, ascends || is_coalesced.value_or(false));
}

tensor coo_with_sizes(const tensor& indices, const tensor& values, integers size, std::optional<dtype> type,
                      std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
                      std::optional<bool> is_coalesced) {
  constexpr const auto& op = aten::sparse_coo_tensor_indices_size;
  author::check_one_device(op, indices, values);
  return coo(op.name(), indices, values, size, {type, how, where, pinned}, is_coalesced);
}
tensor coo_without_sizes(const tensor& indices, const tensor& values, std::optional<dtype> type,
                         std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
                         std::optional<bool> is_coalesced) {
  constexpr const auto& op = aten::sparse_coo_tensor_indices;
  author::check_one_device(op, indices, values);
  return coo(op.name(), indices, values, std::nullopt, {type, how, where, pinned}, is_coalesced);
}
tensor coo_of_zeros(integers size, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                    std::optional<bool> pinned) {
  constexpr std::string_view op = aten::sparse_coo_tensor_size.name();
  check_options(op, {type, how, where, pinned}, layout::sparse_coo);
  const shape sizes(size);
  check_sizes(op, sizes);
  return without_entries(layout::sparse_coo, sizes, static_cast<std::int64_t>(sizes.size()),
                         type.value_or(dtype::float32), where.value_or(cpu));
}

// CSR and CSC

tensor compressed(std::string_view op, const tensor& lines_begin, const tensor& plain, const tensor& given_values,
                  optional_sizes size, layout how, const options& o) {
  check_options(op, o, how);
  const line_words words = words_of(how);
  check_index_tensors(op, words, lines_begin, plain);
  check_entries(op, words, plain, "values", given_values);
  const tensor values = converted_values(given_values, o);
  const dtype type = plain.dtype();
  const tensor own_lines = own_copy(lines_begin, type), own = own_copy(plain, type);
  const std::size_t along_lines = line_dim(how);
  shape sizes;
  if (size.has_value()) {
    sizes = shape(*size);
  } else {
    sizes = {lines_begin.sizes()[0] - 1, lines_begin.sizes()[0] - 1};
    sizes[1 - along_lines] = least_sizes(op, unsqueeze(to(own, dtype::int64), 0))[0];
  }
  check_matrix_sizes(op, how, own_lines, sizes);
  check_indices(op, words, own_lines, own, sizes[1 - along_lines]);
  return compressed_of(how, to(own_lines, values.device()), to(own, values.device()), values, sizes);
}

template <const auto& Op, layout How>
tensor with_sizes(const tensor& lines, const tensor& plain, const tensor& values, integers size,
                  std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                  std::optional<bool> pinned) {
  author::check_one_device(Op, lines, plain, values);
  return compressed(Op.name(), lines, plain, values, size, How, {type, how, where, pinned});
}
template <const auto& Op, layout How>
tensor without_sizes(const tensor& lines, const tensor& plain, const tensor& values, std::optional<dtype> type,
                     std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  author::check_one_device(Op, lines, plain, values);
  return compressed(Op.name(), lines, plain, values, std::nullopt, How, {type, how, where, pinned});
}

layout given_layout(std::string_view op, std::optional<layout> how) {
  if (how.has_value() && compressed_payload::has_layout(*how)) return *how;
  refuse<layout_error>(op, "found " + (how.has_value() ? "layout " + std::string(name_of(*how)) : "no layout") +
                               ", wanted sparse_csr or sparse_csc");
}
tensor any_with_sizes(const tensor& lines, const tensor& plain, const tensor& values, integers size,
                      std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                      std::optional<bool> pinned) {
  constexpr const auto& op = aten::sparse_compressed_tensor_comp_plain_value_size;
  author::check_one_device(op, lines, plain, values);
  return compressed(op.name(), lines, plain, values, size, given_layout(op.name(), how), {type, how, where, pinned});
}
tensor any_without_sizes(const tensor& lines, const tensor& plain, const tensor& values, std::optional<dtype> type,
                         std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  constexpr const auto& op = aten::sparse_compressed_tensor_comp_plain_value;
  author::check_one_device(op, lines, plain, values);
  return compressed(op.name(), lines, plain, values, std::nullopt, given_layout(op.name(), how),
                    {type, how, where, pinned});
}

using author::define;
using author::row;
constexpr alias_key composite = key::CompositeImplicitAutograd;

constexpr author::kernel_row rows[] = {
    define(aten::sparse_coo_tensor_indices_size),
    row<&coo_with_sizes>(aten::sparse_coo_tensor_indices_size, composite),
    define(aten::sparse_coo_tensor_indices),
    row<&coo_without_sizes>(aten::sparse_coo_tensor_indices, composite),
    define(aten::sparse_coo_tensor_size),
    row<&coo_of_zeros>(aten::sparse_coo_tensor_size, composite),
    define(aten::sparse_csr_tensor_crow_col_value_size),
    row<&with_sizes<aten::sparse_csr_tensor_crow_col_value_size, layout::sparse_csr>>(
        aten::sparse_csr_tensor_crow_col_value_size, composite),
    define(aten::sparse_csr_tensor_crow_col_value),
    row<&without_sizes<aten::sparse_csr_tensor_crow_col_value, layout::sparse_csr>>(
        aten::sparse_csr_tensor_crow_col_value, composite),
    define(aten::sparse_csc_tensor_ccol_row_value_size),
    row<&with_sizes<aten::sparse_csc_tensor_ccol_row_value_size, layout::sparse_csc>>(
        aten::sparse_csc_tensor_ccol_row_value_size, composite),
    define(aten::sparse_csc_tensor_ccol_row_value),
    row<&without_sizes<aten::sparse_csc_tensor_ccol_row_value, layout::sparse_csc>>(
        aten::sparse_csc_tensor_ccol_row_value, composite),
    define(aten::sparse_compressed_tensor_comp_plain_value_size),
    row<&any_with_sizes>(aten::sparse_compressed_tensor_comp_plain_value_size, composite),
    define(aten::sparse_compressed_tensor_comp_plain_value),
    row<&any_without_sizes>(aten::sparse_compressed_tensor_comp_plain_value, composite),
};

}  // namespace

void register_construct() { author::register_rows(rows); }

}  // namespace topbit::sparse
