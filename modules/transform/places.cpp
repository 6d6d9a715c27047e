module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :places;

namespace topbit::detail {

tensor lifted(const tensor& x, const batch_level* l) {
  if (l == nullptr) return x;
  const batched_view seen = look_into(x, *l);
  const below_level outside(*l);
  const tensor below = lifted(seen.physical, l->outer);
  return make_batched(seen.dim ? below : with_batch_first(below, {}, l->size), seen.dim.value_or(0), *l);
}

tensor plain(const tensor& x, batch_places& at) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr) return x;
  const batch_level* const l = level_numbered(b->level);
  if (l == nullptr) {
    throw error(
        "found a tensor that is batched by a vmap that has ended, or runs on another thread; return it from the "
        "mapped function instead of keeping it");
  }
  at.all.emplace_back(l, b->dim);
  return plain(b->wrapped, at);
}

namespace {

// The tensor without its wrapper of a level, whose batch dimension is then dimension `dim`. Wrappers of levels within
// that level stay. A tensor that is the same for all its examples is expanded.
tensor without_level(const tensor& x, const batch_level& l, std::int64_t dim) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr || b->level < l.number) {
    tensor all = aten::unsqueeze(x, dim);
    shape sizes = all.sizes();
    sizes[static_cast<std::size_t>(dim)] = l.size;
    return aten::expand(all, sizes);
  }
  if (b->level == l.number) return b->dim == dim ? b->wrapped : aten::movedim_int(b->wrapped, b->dim, dim);
  const batch_level& inner = *level_numbered(b->level);
  const bool before = dim <= b->dim;
  return make_batched(without_level(b->wrapped, l, before ? dim : dim + 1), before ? b->dim + 1 : b->dim, inner);
}
// The inverse: hides dimension `dim` behind a wrapper of the level, within those of levels within it.
tensor with_level(const tensor& x, const batch_level& l, std::int64_t dim) {
  const batched_tensor* const b = batched_of(x);
  if (b == nullptr || b->level < l.number) return make_batched(x, dim, l);
  const batch_level& inner = *level_numbered(b->level);
  const bool before = dim < b->dim;
  return make_batched(with_level(b->wrapped, l, before ? dim : dim + 1), before ? b->dim - 1 : b->dim, inner);
}

}  // namespace

tensor wrapped_at(const tensor& x, const batch_places& at) {
  tensor wrapped = x;
  for (std::size_t i = at.all.size(); i-- != 0;) wrapped = with_level(wrapped, *at.all[i].first, at.all[i].second);
  return wrapped;
}
tensor unwrapped_at(const tensor& x, const batch_places& at) {
  tensor unwrapped = x;
  for (const auto& [l, dim] : at.all) unwrapped = without_level(unwrapped, *l, dim);
  return unwrapped;
}

}  // namespace topbit::detail
