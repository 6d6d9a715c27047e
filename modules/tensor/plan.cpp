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

iteration_plan make_plan(std::initializer_list<const tensor*> operands) {
  iteration_plan p;
  const dims& shape = (*operands.begin())->sizes();
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

}  // namespace topbit::author
