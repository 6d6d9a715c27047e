// Random sparse tensors, and naive images of them, for the tests of this folder. Included after the imports.
#pragma once

namespace sparse_test {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const topbit::error& e) {
    return e.what();
  }
  return "no error";
}
template <class E, class F>
bool throws(F f) {
  try {
    f();
  } catch (const topbit::error& e) {
    return dynamic_cast<const E*>(&e) != nullptr;
  }
  return false;
}

inline std::vector<std::int64_t> integers(const topbit::tensor& t) {
  const topbit::tensor host = topbit::contiguous(topbit::to(topbit::to(t, topbit::cpu), topbit::dtype::int64));
  const auto* const first = host.data_ptr<std::int64_t>();
  return {first, first + host.numel()};
}
inline std::vector<double> doubles(const topbit::tensor& t) {
  const topbit::tensor host = topbit::contiguous(topbit::to(topbit::to(t, topbit::cpu), topbit::dtype::float64));
  const auto* const first = host.data_ptr<double>();
  return {first, first + host.numel()};
}
inline bool same(const topbit::tensor& a, const topbit::tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && topbit::equal(a, b);
}
// In the order of their meaning, with NaN equal to NaN.
inline bool same_values(const topbit::tensor& a, const topbit::tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && std::ranges::equal(doubles(a), doubles(b));
}

// The elements of a sparse tensor, entry by entry.
inline topbit::tensor image(const topbit::tensor& s) {
  const topbit::tensor places =
      s.layout() == topbit::layout::sparse_coo ? topbit::_indices(s) : topbit::_indices(topbit::sparse::coo_from(s));
  const topbit::tensor held =
      s.layout() == topbit::layout::sparse_coo ? topbit::_values(s) : topbit::_values(topbit::sparse::coo_from(s));
  const std::vector<std::int64_t> index = integers(places);
  const std::vector<double> value = doubles(topbit::detach(held));
  const auto dims = static_cast<std::size_t>(places.sizes()[0]), entries = static_cast<std::size_t>(places.sizes()[1]);
  std::int64_t inner = 1;
  for (std::size_t d = dims; d < s.sizes().size(); ++d) inner *= s.sizes()[d];
  std::vector<double> all(static_cast<std::size_t>(topbit::numel(s.sizes())), 0.0);
  for (std::size_t e = 0; e < entries; ++e) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dims; ++d) at = at * s.sizes()[d] + index[d * entries + e];
    for (std::int64_t i = 0; i < inner; ++i) {
      double& element = all[static_cast<std::size_t>(at * inner + i)];
      const double added = value[e * static_cast<std::size_t>(inner) + static_cast<std::size_t>(i)];
      element = s.dtype() == topbit::dtype::boolean ? double(element != 0 || added != 0) : element + added;
    }
  }
  return topbit::to(topbit::from_values(all, s.sizes()), s.dtype());
}

// Small integers as values, so that sums are exact in every dtype; a tenth of them 0.
class random_tensors {
 public:
  explicit random_tensors(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(engine_); }

  topbit::shape sizes(std::int64_t dims, std::int64_t most = 5) {
    topbit::shape s;
    for (std::int64_t d = 0; d < dims; ++d) s.push_back(below(most) + 1);
    return s;
  }
  topbit::tensor values(const topbit::shape& s, topbit::dtype type) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(topbit::numel(s)));
    for (std::int64_t& v : all) v = below(10) == 0 ? 0 : below(7) + (topbit::is_floating(type) ? -3 : 1);
    return topbit::to(topbit::from_values(all, s), type);
  }
  topbit::tensor indices(const topbit::shape& s, std::int64_t dims, std::int64_t entries) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = 0; d < dims; ++d) {
      for (std::int64_t e = 0; e < entries; ++e) all.push_back(below(s[d]));
    }
    return topbit::from_values(all, {dims, entries});
  }
  topbit::tensor coo(const topbit::shape& s, std::int64_t sparse_dims, topbit::dtype type, std::int64_t entries) {
    topbit::shape value_sizes{entries};
    for (std::size_t d = static_cast<std::size_t>(sparse_dims); d < s.size(); ++d) value_sizes.push_back(s[d]);
    return topbit::sparse_coo_tensor(indices(s, sparse_dims, entries), values(value_sizes, type), s);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sparse_test
