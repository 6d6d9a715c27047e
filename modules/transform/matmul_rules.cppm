// Batching rules of products and distances. Internal.
module topbit.transform:matmul_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

void need_rank(const tensor& t, batch_dim d, std::int64_t rank) {
  if (rank_of(t, d) != rank) throw shape_error("found another number of dimensions");
}

// One product of all rows if the second factor is the same for all examples, else one for each.
batched_result batch_mm(const tensor& a, batch_dim da, const tensor& b, batch_dim db) {
  need_rank(a, da, 2);
  need_rank(b, db, 2);
  return {aten::matmul(in_front(a, da), in_front(b, db)), 0};
}
batched_result batch_bmm(const tensor& a, batch_dim da, const tensor& b, batch_dim db) {
  need_rank(a, da, 3);
  need_rank(b, db, 3);
  const std::size_t at_a = da ? 1 : 0, at_b = db ? 1 : 0;
  if (in_front(a, da).sizes()[at_a] != in_front(b, db).sizes()[at_b]) throw shape_error("found other batches");
  return {aten::matmul(in_front(a, da), in_front(b, db)), 0};
}
batched_result batch_addmm(const tensor& self, batch_dim d, const tensor& a, batch_dim da, const tensor& b,
                           batch_dim db, const scalar& beta, const scalar& alpha) {
  need_rank(a, da, 2);
  need_rank(b, db, 2);
  if (rank_of(self, d) > 2) throw shape_error("found more than two dimensions");
  // A row that is added to all rows of all examples.
  if (!d && !db && self.dim() < 2) {
    const tensor rows = in_front(a, da);
    const std::int64_t size = rows.size(0), n = rows.size(1);
    return {aten::reshape(aten::addmm(self, aten::reshape(rows, shape{size * n, rows.size(2)}), b, beta, alpha),
                          shape{size, n, b.size(1)}),
            0};
  }
  const std::int64_t size = batch_size({{&self, d}, {&a, da}, {&b, db}});
  return {aten::baddbmm(of_rank(with_batch_first(self, d, size), 2), with_batch_first(a, da, size),
                        with_batch_first(b, db, size), beta, alpha),
          0};
}
batched_result batch_addmm_activation(const tensor& self, batch_dim d, const tensor& a, batch_dim da, const tensor& b,
                                      batch_dim db, const scalar& beta, const scalar& alpha, bool use_gelu) {
  const tensor sum = std::get<0>(batch_addmm(self, d, a, da, b, db, beta, alpha));
  return {use_gelu ? aten::gelu(sum) : aten::relu(sum), 0};
}
batched_result batch_baddbmm(const tensor& self, batch_dim d, const tensor& a, batch_dim da, const tensor& b,
                             batch_dim db, const scalar& beta, const scalar& alpha) {
  need_rank(a, da, 3);
  need_rank(b, db, 3);
  if (rank_of(self, d) > 3) throw shape_error("found more than three dimensions");
  const std::int64_t size = batch_size({{&self, d}, {&a, da}, {&b, db}});
  const tensor x = with_batch_first(a, da, size), y = with_batch_first(b, db, size);
  if (x.size(1) != y.size(1)) throw shape_error("found other batches");
  const std::int64_t products = size * x.size(1);
  const shape wanted{size, x.size(1), x.size(2), y.size(3)};
  const tensor added = aten::reshape(aten::expand(of_rank(with_batch_first(self, d, size), 3), wanted),
                                     shape{products, x.size(2), y.size(3)});
  return {aten::reshape(aten::baddbmm(added, aten::reshape(x, shape{products, x.size(2), x.size(3)}),
                                      aten::reshape(y, shape{products, y.size(2), y.size(3)}), beta, alpha),
                        wanted),
          0};
}
batched_result batch_linear(const tensor& input, batch_dim di, const tensor& weight, batch_dim dw,
                            const std::optional<tensor>& bias, batch_dim db) {
  // A weight of one dimension makes one output, without a dimension.
  if (rank_of(weight, dw) == 1) {
    if (bias && rank_of(*bias, db) > 1) throw shape_error("found more than one dimension");
    const tensor w = aten::unsqueeze(in_front(weight, dw), dw ? 1 : 0);
    const tensor sum = std::get<0>(batch_linear(input, di, w, dw ? batch_dim(0) : dw, bias, db));
    return {aten::squeeze_dim(sum, -1), 0};
  }
  need_rank(weight, dw, 2);
  if (!dw && !db) {
    if (rank_of(input, di) == 0) throw shape_error("found no dimension");
    return {aten::linear(in_front(input, di), weight, bias), 0};
  }
  const std::int64_t size = batch_size({{&input, di}, {&weight, dw}, {if_present(bias), db}});
  const tensor x = with_batch_first(input, di, size), w = with_batch_first(weight, dw, size);
  if (x.dim() < 2) throw shape_error("found no dimension");
  shape sizes = x.sizes();
  sizes[sizes.size() - 1] = w.size(1);
  std::int64_t count = 1;
  for (std::int64_t i = 1; i + 1 < x.dim(); ++i) count *= x.size(i);
  const tensor rows = aten::reshape(x, shape{size, count, x.size(-1)});
  const tensor columns = aten::transpose_int(w, 1, 2);
  if (!bias) return {aten::reshape(aten::bmm(rows, columns), sizes), 0};
  if (rank_of(*bias, db) > 1) throw shape_error("found more than one dimension");
  const tensor added = of_rank(with_batch_first(*bias, db, size), 2);
  return {aten::reshape(aten::baddbmm(added, rows, columns, scalar(1), scalar(1)), sizes), 0};
}

batched_result batch_cdist(const tensor& x1, batch_dim d1, const tensor& x2, batch_dim d2, double p,
                           std::optional<std::int64_t> compute_mode) {
  const std::int64_t rank = std::max(rank_of(x1, d1), rank_of(x2, d2));
  if (std::min(rank_of(x1, d1), rank_of(x2, d2)) < 2) throw shape_error("found fewer than two dimensions");
  return {aten::cdist(beside_examples(x1, d1, rank), beside_examples(x2, d2, rank), p, compute_mode), 0};
}

inline constexpr auto matmul_rules = batching::rules(
    batching::by<aten::mm, &batch_mm>{}, batching::by<aten::bmm, &batch_bmm>{},
    batching::by<aten::addmm, &batch_addmm>{}, batching::by<aten::_addmm_activation, &batch_addmm_activation>{},
    batching::by<aten::baddbmm, &batch_baddbmm>{}, batching::by<aten::linear, &batch_linear>{},
    batching::by<aten::cdist, &batch_cdist>{});

}  // namespace topbit::detail
