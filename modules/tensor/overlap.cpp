module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit::author {

namespace {

// The byte range [first, last) that a non-empty tensor spans in its storage.
std::pair<std::int64_t, std::int64_t> reach(const tensor& t) noexcept {
  const auto bytes = static_cast<std::int64_t>(size_of(t.dtype()));
  std::int64_t first = author::record_of(t).offset, last = first;
  for (std::size_t d = 0; d < t.sizes().size(); ++d)
    (author::record_of(t).strides[d] < 0 ? first : last) += (t.sizes()[d] - 1) * author::record_of(t).strides[d];
  return {first * bytes, (last + 1) * bytes};
}

// Searches for two indices with the same address, without enumerating elements: their difference d satisfies
// sum(d[i] * stride[i]) = 0 and |d[i]| < size[i]. Dimensions are ordered by ascending stride; the reach of the inner
// ones bounds d[i], so few values are tried.
class equal_places {
 public:
  equal_places(const shape& sizes, const shape& strides) : sizes_(sizes), strides_(strides) {
    std::int64_t reach = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      reach += (sizes[i] - 1) * strides[i];
      reach_[i] = reach;
    }
  }
  // Also true if the search was abandoned after `steps_` steps.
  bool found() { return find(sizes_.size(), 0, false); }

 private:
  // True if the first n dimensions can cancel `sum`. `differs`: d is nonzero in an outer dimension.
  bool find(std::size_t n, std::int64_t sum, bool differs) {
    if (n == 0) return sum == 0 && differs;
    const std::size_t i = n - 1;
    const std::int64_t inner = i == 0 ? 0 : reach_[i - 1], stride = strides_[i], most = sizes_[i] - 1;
    // |sum + d * stride| <= inner. While all outer d are 0, d >= 0 suffices by symmetry.
    const auto steps_up_to = [&](std::int64_t x) { return x >= 0 ? x / stride : -((stride - 1 - x) / stride); };
    const std::int64_t low = std::max(differs ? -most : 0, -steps_up_to(inner + sum));
    const std::int64_t high = std::min(most, steps_up_to(inner - sum));
    for (std::int64_t d = low; d <= high; ++d) {
      if (--steps_ == 0) return true;
      if (find(i, sum + d * stride, differs || d != 0) || steps_ <= 0) return true;
    }
    return false;
  }

  const shape &sizes_, &strides_;
  std::array<std::int64_t, max_dims> reach_{};
  std::int64_t steps_ = std::int64_t{1} << 22;
};

}  // namespace

bool same_view(const tensor& a, const tensor& b) noexcept {
  const auto &x = author::record_of(a), &y = author::record_of(b);
  return x.data.get() == y.data.get() && x.offset == y.offset && x.sizes == y.sizes && x.strides == y.strides &&
         x.type == y.type;
}

bool share_memory(const tensor& a, const tensor& b) noexcept {
  if (author::record_of(a).data.get() != author::record_of(b).data.get() || !author::record_of(a).data) return false;
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto [first, last] = reach(a);
  const auto [other_first, other_last] = reach(b);
  return first < other_last && other_first < last;
}

bool has_distinct_elements(const tensor& t) {
  if (author::record_of(t).dense) return true;
  shape sizes, strides;  // of dimensions with size > 1, by ascending stride
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.sizes()[d] == 1) continue;
    if (author::record_of(t).strides[d] == 0) return false;
    sizes.push_back(t.sizes()[d]);
    strides.push_back(std::abs(author::record_of(t).strides[d]));
    for (std::size_t i = sizes.size() - 1; i > 0 && strides[i] < strides[i - 1]; --i) {
      std::swap(sizes[i], sizes[i - 1]);
      std::swap(strides[i], strides[i - 1]);
    }
  }
  std::int64_t inner = 0;  // reach of the inner dimensions
  bool nested = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    nested = nested && strides[i] > inner;
    inner += (sizes[i] - 1) * strides[i];
  }
  // Pigeonhole: more elements than addresses.
  if (!nested && numel(sizes) > inner + 1) return false;
  return nested || !equal_places(sizes, strides).found();
}

}  // namespace topbit::author
