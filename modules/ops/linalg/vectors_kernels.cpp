// Kernels of the family `vectors`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :linalg.vectors_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

std::size_t cross_dim(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim) {
  check_defined(c, self);
  check_defined(c, other);
  if (self.dim() != other.dim()) {
    refuse<shape_error>(
        c, "found " + to_string(self.sizes()) + " and " + to_string(other.sizes()) + ", wanted as many dimensions");
  }
  if (dim) {
    const std::size_t d = dim_of(c, *dim, self);
    if (self.dim() != 0 && self.sizes()[d] == 3 && other.sizes()[d] == 3) return d;
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and " + to_string(other.sizes()) +
                               ", wanted 3 elements in dimension " + std::to_string(d) + " of both");
  }
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (self.sizes()[d] == 3) return cross_dim(c, self, other, d);
  }
  refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted a dimension of 3 elements");
}

// Index `i` of a dimension, which is kept with size 1.
tensor element(const tensor& t, std::size_t d, std::int64_t i) {
  shape sizes = t.sizes();
  sizes[d] = 1;
  return author::make_view(t, sizes, t.strides(), author::record_of(t).offset + i * t.strides()[d]);
}

void check_vectors(std::string_view op, const tensor& x1, const tensor& x2) {
  check_defined({nullptr, op}, x1);
  check_defined({nullptr, op}, x2);
  for (const tensor* t : {&x1, &x2}) {
    if (is_floating(t->dtype())) continue;
    refuse<dtype_error>({nullptr, op}, "found " + std::string(name_of(t->dtype())) + ", wanted a floating dtype");
  }
}

}  // namespace

result_meta cross_meta(std::string_view op, const tensor& self, const tensor& other, std::optional<std::int64_t> dim) {
  cross_dim({nullptr, op}, self, other, dim);
  const dtype type = elementwise_type(op, elementwise::sub, collect(self, other));
  return dense_meta(broadcast(op, self.sizes(), other.sizes()), type, self);
}
void run_cross(backend_call c, const tensor& self, const tensor& other, std::optional<std::int64_t> dim,
               const tensor& out) {
  if (out.numel() == 0) return;
  const std::size_t d = cross_dim(c, self, other, dim);
  const dtype type = is_floating(out.dtype()) ? widened(out.dtype()) : dtype::int64;
  shape sizes = out.sizes();
  sizes[d] = 1;
  const tensor plus = author::make_tensor(sizes, type, out.device()),
               minus = author::make_tensor(sizes, type, out.device());
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    run_elementwise_in(c, elementwise::mul, type, collect(element(self, d, j), element(other, d, k)), plus);
    run_elementwise_in(c, elementwise::mul, type, collect(element(self, d, k), element(other, d, j)), minus);
    run_elementwise_in(c, elementwise::sub, type, collect(plus, minus, scalar(1)), element(out, d, i));
  }
}

result_meta cdist_kernel::meta(std::string_view op, const tensor& x1, const tensor& x2, double p,
                               std::optional<std::int64_t>) {
  const backend_call c{nullptr, op};
  check_vectors(op, x1, x2);
  if (x1.dim() < 2 || x2.dim() < 2 || x1.size(-1) != x2.size(-1)) {
    refuse<shape_error>(c, "found " + to_string(x1.sizes()) + " and " + to_string(x2.sizes()) +
                               ", wanted matrices, or batches of them, with as many columns");
  }
  if (!(p >= 0)) refuse<error>(c, "found p " + std::to_string(p) + ", wanted at least 0");
  shape rows = x1.sizes(), columns = x2.sizes();
  rows[rows.size() - 1] = 1;
  columns[columns.size() - 1] = columns[columns.size() - 2];
  columns[columns.size() - 2] = 1;
  return dense_meta(broadcast(op, rows, columns), promoted(collect(x1, x2).operands()), x1);
}
void cdist_kernel::run(backend_call c, const tensor& x1, const tensor& x2, double p, std::optional<std::int64_t>,
                       const tensor& out) {
  if (out.numel() == 0) return;
  const tensor points = dense(c, x2);
  const std::size_t last = out.sizes().size() - 1;
  // With the batch of the result; its dimension `last - 1` repeats the rows of `points`.
  const auto placed = [&](const tensor& t, std::size_t until, std::int64_t length, std::int64_t step) {
    shape sizes = out.sizes(), strides(sizes.size(), 0);
    const std::size_t lead = sizes.size() - t.sizes().size();
    for (std::size_t d = lead; d < until; ++d) {
      if (t.sizes()[d - lead] != 1) strides[d] = t.strides()[d - lead];
    }
    sizes[last] = length;
    strides[last] = step;
    return author::make_view(t, sizes, strides, author::record_of(t).offset);
  };
  const tensor rows = placed(x1, last, x1.size(-1), x1.strides()[x1.sizes().size() - 1]),
               all = placed(points, last - 1, points.size(-2) * points.size(-1), 1);
  run_rows(c, {rowwise::distance, out.dtype(), last, out.sizes()}, {written(out), read(rows), read(all)}, {p});
}

namespace {

tensor length_of(const tensor& t, double p, std::int64_t dim, bool keepdim) {
  return aten::linalg_vector_norm(t, p, std::optional(std::span<const std::int64_t>(&dim, 1)), keepdim);
}

tensor cosine_similarity(const tensor& x1, const tensor& x2, std::int64_t dim, double eps) {
  constexpr std::string_view op = aten::cosine_similarity.name();
  author::check_one_device(aten::cosine_similarity, x1, x2);
  check_vectors(op, x1, x2);
  const shape common = broadcast(op, x1.sizes(), x2.sizes());
  const dtype type = promoted(collect(x1, x2).operands());
  const auto unit = [&](const tensor& t) {
    const tensor wide = aten::expand(to(t, widened(type)), common);
    return wide / aten::clamp_min(length_of(wide, 2, dim, true), eps);
  };
  dim_of({nullptr, op}, dim, aten::expand(x1, common));
  return to(sum(unit(x1) * unit(x2), {dim}), type);
}

tensor pairwise_distance(const tensor& x1, const tensor& x2, double p, double eps, bool keepdim) {
  author::check_one_device(aten::pairwise_distance, x1, x2);
  constexpr backend_call c{nullptr, aten::pairwise_distance.name()};
  check_defined(c, x1);
  check_defined(c, x2);
  broadcast(c.op, x1.sizes(), x2.sizes());
  return length_of(x1 - x2 + eps, p, -1, keepdim);
}

// Where the backend has no kernel: by all differences.
tensor composed_cdist(const tensor& x1, const tensor& x2, double p, std::optional<std::int64_t>) {
  author::check_one_device(aten::cdist, x1, x2);
  const result_meta made = cdist_kernel::meta(aten::cdist.name(), x1, x2, p);
  if (x1.size(-1) == 0) return aten::zeros(made.sizes, arg<"dtype"> = made.type, arg<"device"> = x1.device());
  return length_of(aten::unsqueeze(x1, -2) - aten::unsqueeze(x2, -3), p, -1, false);
}

}  // namespace

void register_vectors() {
  register_forms(vector_forms);
  register_composite<&cosine_similarity, aten::cosine_similarity>();
  register_composite<&pairwise_distance, aten::pairwise_distance>();
  static constexpr author::kernel_row composed[] = {
      caller_row<&composed_cdist, aten::cdist>(key::CompositeExplicitAutograd)};
  author::register_rows(composed);
}

}  // namespace topbit::detail
