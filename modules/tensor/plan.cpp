module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit::author {

namespace {

// True if the inner dimension of every operand continues in the outer one.
bool collapses(const iteration_plan& p, std::size_t inner, std::size_t outer) {
  for (std::size_t k = 0; k < p.operands; ++k) {
    const auto& strides = p.operand[k].strides;
    if (strides[outer] != strides[inner] * p.sizes[inner]) return false;
  }
  return true;
}

void swap_dims(iteration_plan& p, std::size_t a, std::size_t b) {
  std::swap(p.sizes[a], p.sizes[b]);
  for (std::size_t k = 0; k < p.operands; ++k) std::swap(p.operand[k].strides[a], p.operand[k].strides[b]);
}

// Smallest result stride innermost, so that a transposed result is written in the order of its memory.
void order(iteration_plan& p) {
  const auto stride = [&](std::size_t d) { return std::abs(p.operand[0].strides[d]); };
  for (std::size_t i = 1; i < p.ndim; ++i) {
    for (std::size_t j = i; j > 0 && stride(j) < stride(j - 1); --j) swap_dims(p, j, j - 1);
  }
}

void collapse(iteration_plan& p) {
  std::size_t kept = 0;
  for (std::size_t d = 1; d < p.ndim; ++d) {
    if (collapses(p, kept, d)) {
      p.sizes[kept] *= p.sizes[d];
      continue;
    }
    ++kept;
    if (kept != d) swap_dims(p, kept, d);
  }
  p.ndim = kept + 1;
}

}  // namespace

iteration_plan make_plan(std::span<const tensor* const> operands) {
  iteration_plan p;
  const dims& shape = operands[0]->sizes();
  p.operands = operands.size();
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    std::size_t k = 0;
    for (const tensor* t : operands) {
      const std::size_t missing = shape.size() - t->dim();
      const bool repeats = i < missing || t->sizes()[i - missing] == 1;
      p.operand[k++].strides[p.ndim] = repeats ? 0 : t->strides()[i - missing];
    }
    p.sizes[p.ndim++] = shape[i];
  }
  if (p.ndim == 0) p.sizes[p.ndim++] = 1;
  std::size_t k = 0;
  for (const tensor* t : operands) {
    p.operand[k].data = t->data();
    p.operand[k++].type = t->dtype();
  }
  order(p);
  collapse(p);
  return p;
}

namespace {

// Whether dimension a belongs outside b, by the first operand that can tell: above 0 if so, below 0 if not.
int outside(const dims& sizes, std::span<const tensor* const> operands, std::size_t a, std::size_t b) {
  for (const tensor* t : operands) {
    const std::size_t missing = sizes.size() - t->dim();
    const auto stride = [&](std::size_t d) {
      return d < missing || t->sizes()[d - missing] == 1 ? 0 : t->strides()[d - missing];
    };
    const std::int64_t x = stride(a), y = stride(b);
    if (x == 0 || y == 0) continue;
    if (x != y) return x > y ? 1 : -1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

dims result_strides(const dims& sizes, std::span<const tensor* const> operands) {
  if (std::ranges::all_of(operands, [&](const tensor* t) { return t->dim() < 2 || t->is_contiguous(); })) return {};
  const std::size_t n = sizes.size();
  std::array<std::size_t, max_dims> order{};  // innermost first
  for (std::size_t i = 0; i < n; ++i) order[i] = n - 1 - i;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t at = i, below = i; below-- > 0;) {
      const int found = outside(sizes, operands, order[below], order[at]);
      if (found < 0) break;
      if (found == 0) continue;
      std::swap(order[below], order[at]);
      at = below;
    }
  }
  dims strides(n, 1);
  std::int64_t next = 1;
  for (std::size_t i = 0; i < n; ++i) {
    strides[order[i]] = next;
    next *= std::max<std::int64_t>(sizes[order[i]], 1);
  }
  return is_dense(sizes, strides) ? dims() : strides;
}

}  // namespace topbit::author
