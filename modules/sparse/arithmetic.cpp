// Sums, products and quotients with sparse tensors, and their forms that write.
module;

#include "sparse_kernels.h"

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :checks;
import :forms;
import :kernels;
import :patterns;
import :registrations;
import :rows;

namespace topbit::sparse {

namespace {

bool is_number(const tensor& t) noexcept { return t.layout() == layout::strided && t.dim() == 0; }

// A number on the host is one for every device.
template <const auto& Op>
void check_devices(const tensor& a, const tensor& b) {
  const bool has_number = (is_number(a) && on_host(a)) || (is_number(b) && on_host(b));
  if (!has_number) author::check_one_device(Op, a, b);
}

// Two sparse tensors have one layout, the same sizes and, as COO tensors, the same sparse dimensions.
void check_pair(std::string_view op, const tensor& a, const tensor& b) {
  if (a.layout() != b.layout()) {
    refuse<layout_error>(op, "found layouts " + std::string(name_of(a.layout())) + " and " +
                                 std::string(name_of(b.layout())) +
                                 ", wanted one; to_sparse(x), to_sparse_csr(x) and to_sparse_csc(x) convert");
  }
  if (a.sizes() != b.sizes() || sparse_dims_of(a) != sparse_dims_of(b)) {
    refuse<shape_error>(op, "found sparse tensors of sizes " + to_string(a.sizes()) + " and " + to_string(b.sizes()) +
                                " with " + std::to_string(sparse_dims_of(a)) + " and " +
                                std::to_string(sparse_dims_of(b)) +
                                " sparse dimensions, wanted equal ones: sparse tensors do not broadcast");
  }
}

// A matrix as the kernels see it: lines, and positions along them.
struct lines_view {
  tensor compressed, plain, values;
  std::int64_t columns;

  // A COO tensor of any number of dimensions is one line of linear indices, too.
  lines_view(const tensor& s, const tensor& held, bool as_one_line) : values(contiguous(held)) {
    if (as_one_line) {
      const shape sizes = sparse_sizes(s);
      columns = numel(sizes);
      compressed = from_values<std::int64_t>(std::array{std::int64_t{0}, entries_of(s)}, {2});
      plain = contiguous(linear_indices(coo_parts(s).indices, sizes));
      return;
    }
    columns = s.sizes()[s.layout() == layout::sparse_csc ? 0 : 1];
    const line_parts parts = line_parts_of(s);
    compressed = contiguous(parts.compressed);
    plain = contiguous(parts.plain);
  }
  tb_csr csr() const { return csr_view(compressed, plain, columns); }
  void convert_indices(dtype type) {
    compressed = to(compressed, type);
    plain = to(plain, type);
  }
};

// Whether there is nothing to gain from lines: there are none, or far more than entries.
bool fit_one_line(const tensor& a, const tensor& b) {
  if (is_compressed(a)) return false;
  return sparse_dims_of(a) != 2 || is_hypersparse(a.sizes()[0], entries_of(a) + entries_of(b));
}

enum class merge : bool { sum, product };

// a + alpha * b, or a * b, of two tensors whose places are in order, by the kernels: one pass that counts, one that
// writes.
tensor merged(merge how, const tensor& a, const tensor& b, const scalar& alpha, dtype type) {
  const bool as_one_line = fit_one_line(a, b);
  lines_view left(a, to(values_of(a), type), as_one_line), right(b, to(values_of(b), type), as_one_line);
  const std::int64_t lines = left.compressed.sizes()[0] - 1;
  const tensor counts = author::make_tensor({lines}, dtype::int64, cpu);
  tb_merge call{.a = left.csr(),
                .b = right.csr(),
                .a_values = left.values.data(),
                .b_values = right.values.data(),
                .counts = counts.data_ptr<std::int64_t>(),
                .compressed = nullptr,
                .plain = nullptr,
                .values = nullptr,
                .inner = numel(dense_sizes(a)),
                .alpha = {},
                .dtype = code_of(type),
                .reserved = 0};
  if (is_floating(type))
    call.alpha.f = alpha.to_double();
  else
    call.alpha.i = alpha.to<std::int64_t>();
  const std::int64_t parts = parts_for(call.a.nnz + call.b.nnz);
  const auto count = how == merge::sum ? kernels().union_count : kernels().intersect_count;
  const auto fill = how == merge::sum ? kernels().union_fill : kernels().intersect_fill;
  in_parts(parts, lines, [&](std::int64_t begin, std::int64_t end) { count(&call, begin, end); });
  const tensor compressed = offsets_from_counts(counts, left.plain.dtype());
  const dtype index = compressed.dtype();
  left.convert_indices(index);
  right.convert_indices(index);
  call.a = left.csr();
  call.b = right.csr();
  const std::int64_t entries = lines == 0 ? 0 : item<std::int64_t>(select(compressed, 0, lines));
  const tensor plain = author::make_tensor({entries}, index, cpu);
  const tensor values = author::make_tensor(joined({entries}, dense_sizes(a)), type, cpu);
  call.compressed = compressed.data();
  call.plain = plain.data();
  call.values = values.data();
  in_parts(parts, lines, [&](std::int64_t begin, std::int64_t end) { fill(&call, begin, end); });
  if (is_compressed(a)) return compressed_of(a.layout(), compressed, plain, values, a.sizes());
  const tensor indices =
      as_one_line ? indices_at(plain, sparse_sizes(a)) : stack(std::array{lines_of(compressed, entries), plain}, 0);
  return coo_of(indices, values, a.sizes(), true);
}

// Whether merged() takes both.
bool can_merge(const tensor& a, const tensor& b) {
  const bool one_index = !is_compressed(a) || compressed_parts(a).plain.dtype() == compressed_parts(b).plain.dtype();
  return one_index && on_host(a) && !recorded(a, b);
}

bool in_order(const tensor& s) { return is_compressed(s) || coo_parts(s).coalesced; }

// All entries of both, one tensor's after the other's.
tensor joined_entries(const tensor& a, const tensor& b, const scalar& alpha, dtype type) {
  const tensor values = cat(std::array{to(values_of(a), type), scaled(to(values_of(b), type), alpha)}, 0);
  return coo_of(cat(std::array{coordinates(a), coordinates(b)}, 1), values, a.sizes(), false);
}

tensor add_sparse(std::string_view op, const tensor& self, const tensor& other, const scalar& alpha) {
  check_pair(op, self, other);
  const dtype type = promote(self.dtype(), other.dtype());
  const tensor a = convertible(self, type), b = convertible(other, type);
  if (same_pattern(a, b)) return with_values(a, topbit::add(values_of(a), values_of(b), arg<"alpha"> = alpha));
  const bool ordered = in_order(a) && in_order(b);
  if (ordered && can_merge(a, b)) return merged(merge::sum, a, b, alpha, type);
  // Products with alpha are rounded with the sums that they are part of.
  const bool rounds = is_half(type) && alpha.to_double() != 1;
  const tensor all = joined_entries(a, b, alpha, rounds ? sum_type(type) : type);
  if (!is_compressed(a)) return ordered || rounds ? to(coalesced(all), type) : all;
  const tensor sum = to(coalesced(all), type);
  return a.layout() == layout::sparse_csr ? csr_of(sum) : csc_of(sum);
}

// Whether index_add gives the sums that coalescing gives.
bool adds_one_by_one(dtype type) noexcept { return type != dtype::boolean && !is_half(type); }

// The positions of the entries of s in a strided tensor with its sizes.
tensor positions_of(const tensor& s) { return linear_indices(coordinates(s), sparse_sizes(s)); }

[[noreturn]] void refuse_dense(std::string_view op, const std::string& found) {
  refuse<layout_error>(op,
                       "found " + found +
                           ", whose result would be dense, wanted two tensors of the same sizes; to_dense(x) makes a "
                           "strided tensor");
}

// of_d * d + of_s * s: strided.
tensor add_to_strided(std::string_view op, const tensor& d, const tensor& given, const scalar& of_d,
                      const scalar& of_s) {
  if (is_number(d) && given.dim() != 0) refuse_dense(op, "a number and a sparse tensor");
  if (d.sizes() != given.sizes()) {
    refuse<shape_error>(op, "found sizes " + to_string(d.sizes()) + " and, sparse, " + to_string(given.sizes()) +
                                ", wanted equal ones: a sparse tensor does not broadcast");
  }
  const dtype type = promote(d.dtype(), given.dtype()), wide = sum_type(type);
  const tensor s = adds_one_by_one(type) ? convertible(given, type) : coalesced(given);
  const shape sizes = joined({numel(sparse_sizes(s))}, dense_sizes(s));
  const tensor flat = reshape(to(d, type), sizes), places = positions_of(s);
  const tensor start = scaled(flat, of_d), values = scaled(to(values_of(s), wide), of_s);
  if (adds_one_by_one(type)) return reshape(index_add(start, 0, places, values), d.sizes());
  const tensor met = scaled(to(index_select(flat, 0, places), wide), of_d);
  const tensor sums = type == dtype::boolean ? logical_or(met, values) : to(met + values, type);
  return reshape(index_copy(start, 0, places, sums), d.sizes());
}

void check_factor(std::string_view op, const tensor& a, const tensor& b, const scalar& alpha) {
  if (is_floating(alpha.type()) && !is_floating(promote(a.dtype(), b.dtype()))) {
    refuse<dtype_error>(op,
                        "found the factor " + std::to_string(alpha.to_double()) + " of integers, wanted an integer");
  }
}

tensor sum_of(std::string_view op, const tensor& self, const tensor& other, const scalar& alpha) {
  check_factor(op, self, other, alpha);
  if (is_sparse(self) && is_sparse(other)) return add_sparse(op, self, other, alpha);
  if (is_sparse(other)) {
    check_layout(op, "argument 1 'self'", self, layout::strided);
    return add_to_strided(op, self, other, 1, alpha);
  }
  check_layout(op, "argument 2 'other'", other, layout::strided);
  return add_to_strided(op, other, self, alpha, 1);
}

tensor add(const tensor& self, const tensor& other, const scalar& alpha) {
  check_devices<aten::add_Tensor>(self, other);
  return sum_of(aten::add_Tensor.name(), self, other, alpha);
}

scalar negative(const scalar& x) {
  return is_floating(x.type()) ? scalar(-x.to_double()) : scalar(-x.to<std::int64_t>());
}

tensor sub(const tensor& self, const tensor& other, const scalar& alpha) {
  constexpr std::string_view op = aten::sub_Tensor.name();
  check_devices<aten::sub_Tensor>(self, other);
  if (self.dtype() == dtype::boolean && other.dtype() == dtype::boolean) {
    refuse<dtype_error>(op, "found two tensors of bool, which has no difference, wanted numbers; use logical_xor");
  }
  return sum_of(op, self, other, negative(alpha));
}

// A strided self is written where s has entries, without a pass over the others.
tensor& add_to_self(std::string_view op, tensor& self, const tensor& other, const scalar& alpha) {
  const bool in_place = !is_sparse(self) && is_sparse(other) && self.device() == other.device() &&
                        self.sizes() == other.sizes() && self.is_contiguous() &&
                        promote(self.dtype(), other.dtype()) == self.dtype() && adds_one_by_one(self.dtype());
  if (!in_place) return write_result(op, sum_of(op, self, other, alpha), self);
  check_factor(op, self, other, alpha);
  const tensor s = convertible(other, self.dtype());
  const tensor values = scaled(to(values_of(s), self.dtype()), alpha);
  tensor flat = view(self, joined({numel(sparse_sizes(s))}, dense_sizes(s)));
  index_add_(flat, 0, positions_of(s), values);
  return self;
}
tensor& add_in_place(tensor& self, const tensor& other, const scalar& alpha) {
  check_devices<aten::add_Tensor_>(self, other);
  return add_to_self(aten::add_Tensor_.name(), self, other, alpha);
}
tensor& sub_in_place(tensor& self, const tensor& other, const scalar& alpha) {
  check_devices<aten::sub_Tensor_>(self, other);
  return add_to_self(aten::sub_Tensor_.name(), self, other, negative(alpha));
}

// The elements of a strided tensor, which broadcasts, at the places of s: [entries, dense sizes...], or with sizes
// of 1. Never as many elements as s has.
tensor elements_at(std::string_view op, const tensor& d, const tensor& s) {
  if (is_number(d)) return d;
  const shape& wanted = s.sizes();
  bool fits = d.dim() <= s.dim();
  const std::size_t missing = fits ? wanted.size() - d.sizes().size() : 0;
  shape sizes(missing, 1);
  for (std::size_t i = 0; fits && i < d.sizes().size(); ++i) {
    fits = d.sizes()[i] == 1 || d.sizes()[i] == wanted[missing + i];
    sizes.push_back(d.sizes()[i]);
  }
  if (!fits) {
    refuse<shape_error>(op, "found a sparse tensor of sizes " + to_string(wanted) + " and a strided one of " +
                                to_string(d.sizes()) + ", wanted one that broadcasts to the sparse one");
  }
  const tensor places = coordinates(s);
  const auto sparse = static_cast<std::size_t>(places.sizes()[0]);
  tensor linear = zeros_of({places.sizes()[1]}, dtype::int64, s.device());
  std::int64_t rows = 1;
  bool repeat = !in_order(s);
  for (std::size_t i = 0; i < sparse; ++i) {
    if (sizes[i] == 1 && wanted[i] != 1) {
      repeat = true;
      continue;
    }
    linear = linear * sizes[i] + select(places, 0, static_cast<std::int64_t>(i));
    rows *= sizes[i];
  }
  const shape dense(std::span<const std::int64_t>(sizes).subspan(sparse));
  const tensor flat = reshape(d, joined({rows}, dense));
  return repeat ? rows_at_op(flat, linear) : index_select(flat, 0, linear);
}

// The product of two sparse tensors, at the places that both have.
tensor mul_sparse(std::string_view op, const tensor& left, const tensor& right) {
  check_pair(op, left, right);
  const tensor a = coalesced(left), b = coalesced(right);
  if (same_pattern(a, b)) return with_values(a, values_of(a) * values_of(b));
  if (!has_elements(a)) {
    return without_entries(a.layout(), a.sizes(), sparse_dims_of(a), promote(a.dtype(), b.dtype()), meta);
  }
  if (can_merge(a, b)) return merged(merge::product, a, b, 1, promote(a.dtype(), b.dtype()));
  const shape sizes = sparse_sizes(a);
  const bool by_columns = a.layout() == layout::sparse_csc;
  const auto ascending = [&](const tensor& s) {
    if (!by_columns) return positions_of(s);
    const compressed_payload& p = compressed_parts(s);
    return lines_of(p.compressed, p.plain.sizes()[0]) * sizes[0] + p.plain;
  };
  const tensor wanted = ascending(a), present = ascending(b);
  bool all_found = false;
  const tensor found = positions_in(present, wanted, all_found);
  const tensor kept = all_found ? arange(wanted.sizes()[0], arg<"device"> = wanted.device())
                                : select(nonzero(lt(found, present.sizes()[0])), 1, 0);
  const tensor values =
      index_select(values_of(a), 0, kept) * index_select(values_of(b), 0, index_select(found, 0, kept));
  if (!is_compressed(a)) return coo_of(index_select(coo_parts(a).indices, 1, kept), values, a.sizes(), true);
  const compressed_payload& p = compressed_parts(a);
  const tensor lines = index_select(lines_of(p.compressed, p.plain.sizes()[0]), 0, kept);
  return compressed_of(a.layout(), offsets_of(lines, p.compressed.sizes()[0] - 1, p.plain.dtype()),
                       index_select(p.plain, 0, kept), values, a.sizes());
}

// The entries of s by f(s): all values. Those at one place are added before they are converted.
template <class F>
tensor of_entries(const tensor& s, F f) {
  const tensor values = f(s);
  if (in_order(s) || values.dtype() == s.dtype()) return with_values(s, values);
  const tensor sums = coalesced(s);
  return with_values(sums, f(sums));
}

tensor mul(const tensor& self, const tensor& other) {
  check_devices<aten::mul_Tensor>(self, other);
  const std::string_view op = aten::mul_Tensor.name();
  if (is_sparse(self) && is_sparse(other)) return mul_sparse(op, self, other);
  const tensor &s = is_sparse(self) ? self : other, &d = is_sparse(self) ? other : self;
  check_layout(op, is_sparse(self) ? "argument 2 'other'" : "argument 1 'self'", d, layout::strided);
  return of_entries(s, [&](const tensor& x) { return values_of(x) * elements_at(op, d, x); });
}

void check_divisor(std::string_view op, const tensor& other) {
  if (!is_sparse(other)) return;
  refuse<layout_error>(
      op, "found a sparse divisor, most of whose elements are 0; wanted a strided one; to_dense(x) makes one");
}

tensor div(const tensor& self, const tensor& other) {
  check_devices<aten::div_Tensor>(self, other);
  constexpr std::string_view op = aten::div_Tensor.name();
  check_divisor(op, other);
  return of_entries(self, [&](const tensor& x) { return values_of(x) / elements_at(op, other, x); });
}

tensor div_rounded(const tensor& self, const tensor& other, std::optional<std::string_view> mode) {
  check_devices<aten::div_Tensor_mode>(self, other);
  constexpr std::string_view op = aten::div_Tensor_mode.name();
  check_divisor(op, other);
  const tensor s = coalesced(self);
  return with_values(s, aten::div_Tensor_mode(values_of(s), elements_at(op, other, s), mode));
}

constexpr auto rows =
    joined_rows(rows_of<&add, aten::add_Tensor>(), rows_of<&sub, aten::sub_Tensor>(), rows_of<&mul, aten::mul_Tensor>(),
                rows_of<&div, aten::div_Tensor>(), rows_of<&add_in_place, aten::add_Tensor_>(),
                rows_of<&sub_in_place, aten::sub_Tensor_>(), writing_rows<aten::mul_Tensor, aten::mul_Tensor_>(),
                writing_rows<aten::div_Tensor, aten::div_Tensor_>(), writing_rows<aten::add_Tensor, aten::add_out>(),
                writing_rows<aten::sub_Tensor, aten::sub_out>(), writing_rows<aten::mul_Tensor, aten::mul_out>(),
                writing_rows<aten::div_Tensor, aten::div_out>(), rows_of<&div_rounded, aten::div_Tensor_mode>(),
                writing_rows<aten::div_Tensor_mode, aten::div_Tensor_mode_>(),
                writing_rows<aten::div_Tensor_mode, aten::div_out_mode>());

}  // namespace

void register_arithmetic() { author::register_rows(rows); }

}  // namespace topbit::sparse
