// Gradients of joins and of what is repeated, turned and cut off.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

struct cat_gradient {
  std::size_t dim;
  std::vector<std::int64_t> lengths;  // along the dimension; -1 for a tensor without elements, of no dimension there

  static cat_gradient save(std::span<const tensor> tensors, std::int64_t dim, const tensor& result) {
    cat_gradient rule{wrap_dim(ops::cat.name(), dim, result.dim()), {}};
    for (const tensor& t : tensors) rule.lengths.push_back(t.dim() == result.dim() ? t.sizes()[rule.dim] : -1);
    return rule;
  }
  std::vector<tensor> backward(T g, std::span<const bool> wanted) const {
    std::vector<tensor> all(lengths.size());
    std::int64_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < 0) continue;
      if (wanted[i]) all[i] = ops::slice(g, static_cast<std::int64_t>(dim), at, at + lengths[i]);
      at += lengths[i];
    }
    return all;
  }
};

// The sum over what was repeated; the engine sums over dimensions that are new.
struct repeat_gradient {
  dims cut, counts;  // the sizes with each repeated dimension as two, and which of them count
  static repeat_gradient save(T self, std::span<const std::int64_t> repeats, T) {
    repeat_gradient rule;
    const std::size_t front = repeats.size() - self.dim();
    for (std::size_t d = 0; d < repeats.size(); ++d) {
      if (repeats[d] != 1) {
        rule.counts.push_back(static_cast<std::int64_t>(rule.cut.size()));
        rule.cut.push_back(repeats[d]);
      }
      rule.cut.push_back(d < front ? 1 : self.sizes()[d - front]);
    }
    return rule;
  }
  grads1 backward(T g, std::array<bool, 1>) const {
    return {counts.empty() ? g : ops::sum_dim(ops::reshape(g, cut), counts)};
  }
};

using flip_gradient =
    derivative<ops::flip, keep<>, [](T g, const std::vector<std::int64_t>& over) { return ops::flip(g, over); }>;

template <const auto& Op>
using triangle_gradient = derivative<Op, keep<>, [](T g, std::int64_t diagonal) { return Op(g, diagonal); }>;

struct diag_gradient {
  kind_of self;
  std::int64_t offset;
  static diag_gradient save(T self, std::int64_t offset, T) { return {self, offset}; }
  grads1 backward(T g, std::array<bool, 1>) const {
    if (self.sizes.size() == 1) return {ops::diagonal(g, offset)};
    const tensor whole = self.zeros_beside(g);
    tensor part = ops::diagonal(whole, offset);
    ops::copy_(part, g);
    return {whole};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<ops::cat, cat_gradient>(),
    gradient_row<ops::repeat, repeat_gradient>(),
    gradient_row<ops::flip, flip_gradient>(),
    gradient_row<ops::tril, triangle_gradient<ops::tril>>(),
    gradient_row<ops::tril_, triangle_gradient<ops::tril>>(),
    gradient_row<ops::triu, triangle_gradient<ops::triu>>(),
    gradient_row<ops::triu_, triangle_gradient<ops::triu>>(),
    gradient_row<ops::diag, diag_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> join_gradients() { return rows; }

}  // namespace topbit::detail
