module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit::author {

namespace {

// First and last byte + 1 that a tensor with elements reaches, from the beginning of its storage.
std::pair<std::int64_t, std::int64_t> reach(const tensor& t) noexcept {
  const auto bytes = static_cast<std::int64_t>(size_of(t.dtype()));
  std::int64_t first = t.record().offset, last = first;
  for (std::size_t d = 0; d < t.dim(); ++d) (t.strides()[d] < 0 ? first : last) += (t.sizes()[d] - 1) * t.strides()[d];
  return {first * bytes, (last + 1) * bytes};
}

// By looking at every element: for strides like those of overlapping windows.
bool distinct_by_count(const dims& sizes, const dims& strides, std::int64_t span) {
  if (numel(sizes) > span) return false;
  std::vector<bool> taken(static_cast<std::size_t>(span));
  dims index(sizes.size(), 0);
  std::int64_t offset = 0;
  for (std::int64_t n = numel(sizes); n-- > 0;) {
    if (taken[static_cast<std::size_t>(offset)]) return false;
    taken[static_cast<std::size_t>(offset)] = true;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < sizes[d]) break;
      offset -= sizes[d] * strides[d];
      index[d] = 0;
    }
  }
  return true;
}

}  // namespace

bool same_view(const tensor& a, const tensor& b) noexcept {
  const auto &x = a.record(), &y = b.record();
  return x.data.get() == y.data.get() && x.offset == y.offset && x.sizes == y.sizes && x.strides == y.strides &&
         x.type == y.type;
}

bool share_memory(const tensor& a, const tensor& b) noexcept {
  if (a.record().data.get() != b.record().data.get() || !a.record().data) return false;
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto [first, last] = reach(a);
  const auto [other_first, other_last] = reach(b);
  return first < other_last && other_first < last;
}

bool has_distinct_elements(const tensor& t) {
  if (t.is_contiguous()) return true;
  dims sizes, strides;  // of more than one element, ordered by stride
  std::int64_t span = 1;
  for (std::size_t d = 0; d < t.dim(); ++d) {
    if (t.sizes()[d] == 1) continue;
    if (t.strides()[d] == 0) return false;
    sizes.push_back(t.sizes()[d]);
    strides.push_back(std::abs(t.strides()[d]));
    span += (t.sizes()[d] - 1) * strides[strides.size() - 1];
    for (std::size_t i = sizes.size() - 1; i > 0 && strides[i] < strides[i - 1]; --i) {
      std::swap(sizes[i], sizes[i - 1]);
      std::swap(strides[i], strides[i - 1]);
    }
  }
  std::int64_t inner = 0;  // how far the dimensions inside reach
  bool nested = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    nested = nested && strides[i] > inner;
    inner += (sizes[i] - 1) * strides[i];
  }
  return nested || distinct_by_count(sizes, strides, span);
}

}  // namespace topbit::author
