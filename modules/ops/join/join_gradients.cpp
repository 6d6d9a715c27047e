// Gradient rules of cat, repeat, flip, roll, tril, triu and diag.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

struct cat_gradient {
  std::int64_t dim;
  std::vector<std::int64_t> lengths;  // along the dimension; -1 for an empty one-dimensional tensor, which cat ignores

  static cat_gradient save(std::span<const tensor> tensors, std::int64_t dim, const tensor& result) {
    cat_gradient rule{wrap_dim(aten::cat.name(), dim, result.dim()), {}};
    for (const tensor& t : tensors) rule.lengths.push_back(t.dim() == result.dim() ? t.sizes()[rule.dim] : -1);
    return rule;
  }
  std::vector<tensor> backward(T g, std::span<const bool> wanted) const {
    std::vector<tensor> all(lengths.size());
    std::int64_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < 0) continue;
      if (wanted[i]) all[i] = aten::slice_Tensor(g, dim, at, at + lengths[i]);
      at += lengths[i];
    }
    return all;
  }
};

// Sums over the repetitions, one dimension at a time as [outer, repeats, inner], which respects the maximum rank. The
// engine sums over new dimensions.
struct repeat_gradient {
  shape sizes, times;  // with size 1 for a new dimension
  static repeat_gradient save(T self, std::span<const std::int64_t> repeats, T) {
    repeat_gradient rule{shape(repeats.size(), 1), repeats};
    const std::size_t front = repeats.size() - self.dim();
    for (std::size_t d = 0; d < self.sizes().size(); ++d) rule.sizes[front + d] = self.sizes()[d];
    return rule;
  }
  grads1 backward(T g, std::array<bool, 1>) const {
    tensor left = g;
    std::int64_t behind = 1;
    for (std::size_t d = times.size(); d-- > 0; behind *= sizes[d]) {
      if (times[d] == 1) continue;
      std::int64_t before = 1;
      for (std::size_t k = 0; k < d; ++k) before *= times[k] * sizes[k];
      left = sum(aten::reshape(left, shape{before, times[d], sizes[d] * behind}), {1});
    }
    return {aten::reshape(left, sizes)};
  }
};

using flip_gradient =
    derivative<aten::flip, keep<>, [](T g, const std::vector<std::int64_t>& over) { return aten::flip(g, over); }>;

using roll_gradient =
    derivative<aten::roll, keep<>,
               [](T g, const std::vector<std::int64_t>& shifts, const std::vector<std::int64_t>& over) {
                 // Modulo the number of elements, which every size divides, since the least number has no opposite.
                 std::vector<std::int64_t> back;
                 for (const std::int64_t shift : shifts)
                   back.push_back(-(shift % std::max<std::int64_t>(g.numel(), 1)));
                 return aten::roll(g, back, over);
               }>;

template <const auto& Op>
using triangle_gradient = derivative<Op, keep<>, [](T g, std::int64_t diagonal) { return Op(g, diagonal); }>;

// A vector gives a matrix with that diagonal, a matrix its diagonal.
struct diag_gradient {
  kind_of self;
  std::int64_t offset;
  static diag_gradient save(const tensor& self, std::int64_t offset, const tensor&) { return {self, offset}; }
  grads1 backward(const tensor& g, want1) const {
    if (self.sizes.size() == 1) return {aten::diagonal(g, offset)};
    return put_back(self, g, [&](const tensor& whole) { return aten::diagonal(whole, offset); });
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::cat, cat_gradient>(),
    gradient_row<aten::repeat, repeat_gradient>(),
    gradient_row<aten::flip, flip_gradient>(),
    gradient_row<aten::roll, roll_gradient>(),
    gradient_row<aten::tril, triangle_gradient<aten::tril>>(),
    gradient_row<aten::tril_, triangle_gradient<aten::tril>>(),
    gradient_row<aten::triu, triangle_gradient<aten::triu>>(),
    gradient_row<aten::triu_, triangle_gradient<aten::triu>>(),
    gradient_row<aten::diag, diag_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> join_gradients() { return rows; }

}  // namespace topbit::detail
