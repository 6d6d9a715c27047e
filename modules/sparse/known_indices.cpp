module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :known_indices;
import :rows;

namespace topbit::sparse {

namespace {

constinit thread_local const known_indices* innermost = nullptr;

bool has_rows_of_memory(const tensor& t) {
  return t.defined() && !author::is_wrapper(t) && t.layout() == layout::strided && t.is_contiguous();
}

void make_fixed(const tensor& t) noexcept {
  // Threads may share it, so that what is read-only is not written again.
  if (t.defined() && !author::is_read_only(t)) author::make_read_only(t);
}

std::int64_t length_of(const tensor& t) { return t.sizes()[0]; }

}  // namespace

std::optional<index_facts> facts_of_places(const tensor& indices, const shape& sparse_sizes, bool ascends) {
  if (!has_rows_of_memory(indices) || indices.dim() != 2) return std::nullopt;
  return index_facts{.kind = index_kind::places,
                     .ascends = ascends,
                     .type = indices.dtype(),
                     .first = indices.data(),
                     .second = nullptr,
                     .first_count = indices.numel(),
                     .second_count = indices.sizes()[1],
                     .bounds = sparse_sizes};
}

std::optional<index_facts> facts_of_matrix(const tensor& compressed, const tensor& plain, std::int64_t columns) {
  if (!has_rows_of_memory(compressed) || !has_rows_of_memory(plain)) return std::nullopt;
  if (compressed.dim() != 1 || plain.dim() != 1 || compressed.dtype() != plain.dtype()) return std::nullopt;
  return index_facts{.kind = index_kind::matrix,
                     .ascends = true,
                     .type = plain.dtype(),
                     .first = compressed.data(),
                     .second = plain.data(),
                     .first_count = length_of(compressed),
                     .second_count = length_of(plain),
                     .bounds = {columns}};
}

std::optional<index_facts> facts_of_lines(const tensor& compressed, std::int64_t entries) {
  if (!has_rows_of_memory(compressed) || compressed.dim() != 1) return std::nullopt;
  return index_facts{.kind = index_kind::lines,
                     .ascends = true,
                     .type = compressed.dtype(),
                     .first = compressed.data(),
                     .second = nullptr,
                     .first_count = length_of(compressed),
                     .second_count = entries,
                     .bounds = {}};
}

bool is_known(const std::optional<index_facts>& facts) noexcept {
  if (!facts.has_value()) return false;
  for (const known_indices* scope = innermost; scope != nullptr; scope = scope->outer_) {
    if (scope->facts_ == facts) return true;
  }
  return false;
}

known_indices::known_indices(const std::optional<index_facts>& facts, const tensor& first, const tensor& second)
    : facts_(facts), first_(first), second_(second), outer_(innermost) {
  make_fixed(first_);
  make_fixed(second_);
  innermost = this;
}
known_indices::~known_indices() { innermost = outer_; }

saved_tensor saved_indices(const tensor& t) {
  if (author::is_read_only(t)) return saved_tensor(t);
  const tensor copy = clone(t, arg<"memory_format"> = memory_format::contiguous);
  make_fixed(copy);
  return saved_tensor(copy);
}

namespace known {

namespace {

using T = const tensor&;

known_indices matrix(T compressed, T plain, std::int64_t columns) {
  return known_indices(facts_of_matrix(compressed, plain, columns), compressed, plain);
}
known_indices lines(T compressed, T values) {
  return known_indices(facts_of_lines(compressed, length_of(values)), compressed);
}

}  // namespace

tensor spmm(T compressed, T plain, T values, T dense) {
  const known_indices valid = matrix(compressed, plain, length_of(dense));
  return spmm_op(compressed, plain, values, dense);
}

tensor sddmm(T compressed, T plain, T left, T right) {
  const known_indices valid = matrix(compressed, plain, length_of(right));
  return sddmm_op(compressed, plain, left, right);
}

tensor spmm_reduce(T compressed, T plain, T values, T dense, std::string_view reduce) {
  const known_indices valid = matrix(compressed, plain, length_of(dense));
  return std::get<0>(spmm_reduce_op(compressed, plain, values, dense, reduce));
}

std::tuple<tensor, tensor, tensor> spgemm(T compressed, T plain, T values, T other_compressed, T other_plain,
                                          T other_values, std::int64_t columns) {
  const known_indices left = matrix(compressed, plain, length_of(other_compressed) - 1),
                      right = matrix(other_compressed, other_plain, columns);
  return spgemm_op(compressed, plain, values, other_compressed, other_plain, other_values, columns);
}

tensor masked_spgemm(T compressed, T plain, T left_compressed, T left_plain, T left, T right_compressed, T right_plain,
                     T right, std::int64_t columns) {
  const known_indices mask = matrix(compressed, plain, length_of(right_compressed) - 1),
                      a = matrix(left_compressed, left_plain, columns),
                      b = matrix(right_compressed, right_plain, columns);
  return masked_spgemm_op(compressed, plain, left_compressed, left_plain, left, right_compressed, right_plain, right,
                          columns);
}

tensor row_sums(T compressed, T values) {
  const known_indices valid = lines(compressed, values);
  return row_sums_op(compressed, values);
}

tensor row_softmax(T compressed, T values, bool log) {
  const known_indices valid = lines(compressed, values);
  return row_softmax_op(compressed, values, log);
}

}  // namespace known

}  // namespace topbit::sparse
