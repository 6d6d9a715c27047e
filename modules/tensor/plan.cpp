module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit::author {

namespace {

// True if the dimensions can be merged: outer stride = inner stride * inner size for every operand.
bool collapses(const iteration_plan& p, std::int32_t inner, std::int32_t outer) {
  for (std::int32_t k = 0; k < p.operands; ++k) {
    const auto& strides = p.operand[k].strides;
    if (strides[outer] != strides[inner] * p.sizes[inner]) return false;
  }
  return true;
}

void swap_dims(iteration_plan& p, std::int32_t a, std::int32_t b) {
  std::swap(p.sizes[a], p.sizes[b]);
  for (std::int32_t k = 0; k < p.operands; ++k) std::swap(p.operand[k].strides[a], p.operand[k].strides[b]);
}

// Sorts dimensions from `first` on by one operand's strides, smallest innermost, so that its memory is read in order.
void order(iteration_plan& p, std::size_t operand, std::int32_t first = 0) {
  const auto stride = [&](std::int32_t d) { return std::abs(p.operand[operand].strides[d]); };
  for (std::int32_t i = first + 1; i < p.ndim; ++i) {
    for (std::int32_t j = i; j > first && stride(j) < stride(j - 1); --j) swap_dims(p, j, j - 1);
  }
}

void collapse(iteration_plan& p, std::int32_t first = 0) {
  if (p.ndim == first) return;
  std::int32_t kept = first;
  for (std::int32_t d = first + 1; d < p.ndim; ++d) {
    if (collapses(p, kept, d)) {
      p.sizes[kept] *= p.sizes[d];
      continue;
    }
    ++kept;
    if (kept != d) swap_dims(p, kept, d);
  }
  p.ndim = kept + 1;
}

// Adds a dimension of size 1, for plans that would have none.
void add_unit_dim(iteration_plan& p) {
  p.sizes[p.ndim] = 1;
  for (std::int32_t k = 0; k < p.operands; ++k) p.operand[k].strides[p.ndim] = 0;
  ++p.ndim;
}

// Starts a plan without dimensions. Sizes and strides stay uninitialised: a plan has 400 bytes, of which a call uses
// few.
void begin(iteration_plan& p, std::span<const tensor* const> operands) {
  p.ndim = p.reduced = p.reserved = 0;
  p.operands = static_cast<std::int32_t>(operands.size());
  for (std::size_t k = 0; k < operands.size(); ++k) {
    p.operand[k].data = operands[k]->data();
    p.operand[k].dtype = static_cast<std::int32_t>(operands[k]->dtype());
    p.operand[k].on_host = 0;
  }
}

}  // namespace

iteration_plan make_plan(std::span<const tensor* const> operands) {
  iteration_plan p;
  begin(p, operands);
  const shape& given_shape = operands[0]->sizes();
  for (std::size_t i = given_shape.size(); i-- > 0;) {
    if (given_shape[i] == 1) continue;
    std::size_t k = 0;
    for (const tensor* t : operands) {
      const std::size_t missing = given_shape.size() - t->sizes().size();
      const bool repeats = i < missing || t->sizes()[i - missing] == 1;
      p.operand[k++].strides[p.ndim] = repeats ? 0 : author::record_of(*t).strides[i - missing];
    }
    p.sizes[p.ndim++] = given_shape[i];
  }
  if (p.ndim == 0) add_unit_dim(p);
  order(p, 0);
  collapse(p);
  return p;
}

iteration_plan make_reduction_plan(std::span<const tensor* const> operands, const dim_mask& mask, bool row_major) {
  iteration_plan p;
  begin(p, operands);
  const std::size_t input = operands.size() - 1;
  const tensor& in = *operands[input];
  // Index of a kept dimension in results without the reduced dimensions.
  std::array<std::size_t, max_dims> place{};
  for (std::size_t i = 0, next = 0; i < in.sizes().size(); ++i) place[i] = mask[i] ? next : next++;
  const auto add = [&](bool reduced) {
    for (std::size_t i = in.sizes().size(); i-- > 0;) {
      if (mask[i] != reduced || in.sizes()[i] == 1) continue;
      for (std::size_t k = 0; k < input; ++k) {
        const tensor& out = *operands[k];
        p.operand[k].strides[p.ndim] =
            reduced ? 0 : author::record_of(out).strides[out.dim() == in.dim() ? i : place[i]];
      }
      p.operand[input].strides[p.ndim] = author::record_of(in).strides[i];
      p.sizes[p.ndim++] = in.sizes()[i];
    }
  };
  add(true);
  if (p.ndim == 0) add_unit_dim(p);
  if (!row_major) order(p, input);
  collapse(p);
  p.reduced = p.ndim;
  add(false);
  order(p, input, p.reduced);
  collapse(p, p.reduced);
  return p;
}

namespace {

// Compares dimensions by the first operand whose strides differ: > 0 if a belongs outside b, < 0 if inside, 0 if
// undecided.
int outside(const shape& sizes, std::span<const tensor* const> operands, std::size_t a, std::size_t b) {
  for (const tensor* t : operands) {
    const std::size_t missing = sizes.size() - t->sizes().size();
    const auto stride = [&](std::size_t d) {
      return d < missing || t->sizes()[d - missing] == 1 ? 0 : author::record_of(*t).strides[d - missing];
    };
    const std::int64_t x = stride(a), y = stride(b);
    if (x == 0 || y == 0) continue;
    if (x != y) return x > y ? 1 : -1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

shape result_strides(const shape& sizes, std::span<const tensor* const> operands) {
  if (std::ranges::all_of(operands, [&](const tensor* t) { return t->dim() < 2 || author::record_of(*t).dense; }))
    return {};
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
  shape strides(n, 1);
  std::int64_t next = 1;
  for (std::size_t i = 0; i < n; ++i) {
    strides[order[i]] = next;
    // Overflow: make_tensor() throws for these sizes.
    if (__builtin_mul_overflow(next, std::max<std::int64_t>(sizes[order[i]], 1), &next)) return {};
  }
  return is_dense(sizes, strides) ? shape() : strides;
}

}  // namespace topbit::author
