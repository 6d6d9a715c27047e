// Permutations, single dimensions, and parts of the elements, each against the definition of its indices, over random
// strides.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
#include "support/views.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::each_index;
using support::tensor_of;
using support::values;
using support::with;
using support::without;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
const tensor counted = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3}, dtype::int64);
const tensor point = tensor_of({7}, {}, dtype::int64);

template <class F>
std::string refused(F f) {
  return text_of<tb::shape_error>(f);
}

// Calls test(tensor, dimension from the front, the same one perhaps from the back).
template <class Test>
void for_dimensions_of_random_views(unsigned seed, Test test) {
  support::numbers source(seed);
  for (int round = 0; round < 200; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() == 0) continue;
    const auto n = x.dim();
    const std::int64_t d = source.whole(0, n - 1);
    INFO(tb::to_string(x.sizes()) << " " << tb::to_string(x.strides()) << " dimension " << d);
    test(source, x, static_cast<std::size_t>(d), source.whole(0, 1) == 0 ? d : d - n);
  }
}

}  // namespace

TEST_CASE("view: permute moves dimension dims[i] to position i", "[ops][view]") {
  support::numbers source(3);
  for (int round = 0; round < 200; ++round) {
    const tensor x = support::random_view(source);
    std::vector<std::int64_t> order;
    for (std::size_t d = 0; d < x.sizes().size(); ++d) order.push_back(static_cast<std::int64_t>(d));
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(i) - 1))]);
    }
    shape given;
    for (std::int64_t d : order) given.push_back(source.whole(0, 1) == 0 ? d : d - x.dim());
    const tensor y = aten::permute(x, given);
    REQUIRE(y.dim() == x.dim());
    for (std::size_t i = 0; i < order.size(); ++i) CHECK(y.sizes()[i] == x.sizes()[static_cast<std::size_t>(order[i])]);
    CHECK(support::views(y, x, [&](const shape& i) {
      shape j = i;
      for (std::size_t k = 0; k < order.size(); ++k) j[static_cast<std::size_t>(order[k])] = i[k];
      return j;
    }));
  }
  CHECK(refused([] { aten::permute(counted, shape{0}); }) ==
        "aten::permute: found the dimensions [0] for a tensor [2, 3], wanted each of its 2 once");
  CHECK(refused([] { aten::permute(counted, shape{0, -2}); }) ==
        "aten::permute: found dimension -2 twice in [0, -2], wanted each of the tensor's once");
  CHECK(refused([] { aten::permute(counted, shape{0, 2}); }) == "aten::permute: found dimension 2, wanted -2 to 1");
}

TEST_CASE("view: unsqueeze inserts a dimension of size 1 at any position", "[ops][view]") {
  support::numbers source(4);
  for (int round = 0; round < 100; ++round) {
    const tensor x = support::random_view(source);
    const auto n = x.dim();
    for (std::int64_t d = -n - 1; d <= n; ++d) {
      const auto at = static_cast<std::size_t>(d < 0 ? d + n + 1 : d);
      const tensor y = aten::unsqueeze(x, d);
      CHECK(y.sizes() == with(x.sizes(), at, 1));
      CHECK(y.strides()[at] == (at == x.sizes().size() ? 1 : x.sizes()[at] * x.strides()[at]));
      CHECK(support::views(y, x, [&](const shape& i) { return without(i, at); }));
    }
  }
  CHECK(refused([] { aten::unsqueeze(counted, 3); }) == "aten::unsqueeze: found dimension 3, wanted -3 to 2");
  CHECK(refused([] { aten::unsqueeze(counted, -4); }) == "aten::unsqueeze: found dimension -4, wanted -3 to 2");
  const shape full(tb::max_dims, 1);
  const std::string limit = std::to_string(tb::max_dims);
  CHECK(refused([&] { aten::unsqueeze(tensor_of({1}, full), 0); }) == "aten::unsqueeze: found " + tb::to_string(full) +
                                                                          ", wanted fewer than " + limit +
                                                                          " dimensions, the most a tensor has");
}

TEST_CASE("view: squeeze removes all dimensions of size 1, or one", "[ops][view]") {
  for_dimensions_of_random_views(5, [](support::numbers&, const tensor& x, std::size_t d, std::int64_t given) {
    shape kept, sizes;
    for (std::size_t i = 0; i < x.sizes().size(); ++i) {
      if (x.sizes()[i] != 1) {
        kept.push_back(static_cast<std::int64_t>(i));
        sizes.push_back(x.sizes()[i]);
      }
    }
    const tensor all = aten::squeeze(x);
    CHECK(all.sizes() == sizes);
    CHECK(support::views(all, x, [&](const shape& i) {
      shape j(x.dim(), 0);
      for (std::size_t k = 0; k < i.size(); ++k) j[static_cast<std::size_t>(kept[k])] = i[k];
      return j;
    }));
    const tensor one = aten::squeeze_dim(x, given);
    const bool gone = x.sizes()[d] == 1;
    CHECK(one.sizes() == (gone ? without(x.sizes(), d) : x.sizes()));
    CHECK(support::views(one, x, [&](const shape& i) { return gone ? with(i, d, 0) : i; }));
  });
  CHECK(aten::squeeze_dim(point, -1).sizes() == shape{});
  CHECK(refused([] { aten::squeeze_dim(point, 1); }) == "aten::squeeze.dim: found dimension 1, wanted -1 to 0");
}

TEST_CASE("view: select selects one index of a dimension, from either end", "[ops][view]") {
  for_dimensions_of_random_views(6, [](support::numbers&, const tensor& x, std::size_t d, std::int64_t given) {
    const std::int64_t n = x.sizes()[d];
    for (std::int64_t k = -n; k < n; ++k) {
      const tensor y = aten::select_int(x, given, k);
      CHECK(y.sizes() == without(x.sizes(), d));
      CHECK(support::views(y, x, [&](const shape& i) { return with(i, d, k < 0 ? k + n : k); }));
    }
  });
  CHECK(refused([] { aten::select_int(counted, -1, 3); }) ==
        "aten::select.int: found index 3 for dimension 1 of a tensor [2, 3], wanted -3 to 2");
  CHECK(refused([] { aten::select_int(counted, 0, -3); }) ==
        "aten::select.int: found index -3 for dimension 0 of a tensor [2, 3], wanted -2 to 1");
  CHECK(refused([] { aten::select_int(tensor_of({}, {0}), 0, 0); }) ==
        "aten::select.int: found index 0 for dimension 0 of a tensor [0], wanted none, it has no elements");
  CHECK(refused([] { aten::select_int(point, 0, 0); }) ==
        "aten::select.int: found dimension 0, wanted none, the tensor is a scalar");
}

TEST_CASE("view: slice and narrow select a range of a dimension with any strides", "[ops][view]") {
  for_dimensions_of_random_views(8, [](support::numbers& source, const tensor& x, std::size_t d, std::int64_t given) {
    const std::int64_t n = x.sizes()[d], first = source.whole(0, n), length = source.whole(0, n - first);
    const std::int64_t step = source.whole(1, 3);
    const auto from = [&](std::int64_t apart) {
      return [d, first, apart](const shape& i) {
        shape j = i;
        j[d] = first + i[d] * apart;
        return j;
      };
    };
    const tensor part = aten::narrow(x, given, first, length);
    CHECK(part.sizes()[d] == length);
    CHECK(support::views(part, x, from(1)));
    if (n != 0 && first < n) CHECK(values(aten::narrow(x, given, first - n, length)) == values(part));
    const tensor steps = aten::slice_Tensor(x, given, first, first + length, step);
    CHECK(steps.sizes()[d] == (length + step - 1) / step);
    CHECK(support::views(steps, x, from(step)));
  });
  const auto text = [](std::int64_t start, std::int64_t length) {
    return refused([&] { aten::narrow(counted, 1, start, length); });
  };
  const auto wanted = [](std::int64_t start, std::int64_t length) {
    return "aten::narrow: found start " + std::to_string(start) + " and length " + std::to_string(length) +
           " for dimension 1 of a tensor [2, 3], wanted a part of its 3";
  };
  const std::vector<std::pair<std::int64_t, std::int64_t>> parts{{0, 4}, {1, -1}, {4, 0}, {-4, 1}, {2, 2}, {1, most}};
  for (const auto& [start, length] : parts) {
    CHECK(text(start, length) == wanted(start, length));
  }
  CHECK(refused([] { aten::narrow(point, 0, 0, 1); }) ==
        "aten::narrow: found dimension 0, wanted none, the tensor is a scalar");
}

TEST_CASE("view: diagonal selects the diagonal of two dimensions", "[ops][view]") {
  support::numbers source(9);
  for (int round = 0; round < 300; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() < 2) continue;
    const auto n = x.dim();
    const std::int64_t a = source.whole(0, n - 1), b = (a + source.whole(1, n - 1)) % n, offset = source.whole(-4, 4);
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    INFO(tb::to_string(x.sizes()) << " " << offset << " " << a << " " << b);
    const tensor y = aten::diagonal(x, offset, source.whole(0, 1) == 0 ? a : a - n, b);
    std::int64_t length = 0;  // by counting
    for (std::int64_t i = 0; i < x.sizes()[first]; ++i) {
      if (i + offset >= 0 && i + offset < x.sizes()[second]) ++length;
    }
    CHECK(y.sizes() ==
          with(without(without(x.sizes(), std::max(first, second)), std::min(first, second)), x.dim() - 2, length));
    CHECK(support::views(y, x, [&](const shape& i) {
      const std::int64_t k = i[i.size() - 1] - std::min<std::int64_t>(offset, 0);
      shape j = without(i, i.size() - 1);
      j = with(j, std::min(first, second), first < second ? k : k + offset);
      return with(j, std::max(first, second), first < second ? k + offset : k);
    }));
  }
  CHECK(values(aten::diagonal(counted)) == list{0, 4});
  CHECK(aten::diagonal(counted, most).sizes() == shape{0});
  CHECK(aten::diagonal(counted, std::numeric_limits<std::int64_t>::min()).sizes() == shape{0});
  CHECK(refused([] { aten::diagonal(counted, 0, 1, -1); }) ==
        "aten::diagonal: found dimension 1 and dimension -1 of a tensor [2, 3], wanted two of them");
  CHECK(refused([] { aten::diagonal(tensor_of({1}, {1})); }) == "aten::diagonal: found dimension 1, wanted -1 to 0");
}

TEST_CASE("view: unfold shows windows of a dimension", "[ops][view]") {
  for_dimensions_of_random_views(10, [](support::numbers& source, const tensor& x, std::size_t d, std::int64_t given) {
    const std::int64_t n = x.sizes()[d], size = source.whole(0, n), step = source.whole(1, 4);
    const tensor y = aten::unfold(x, given, size, step);
    std::int64_t windows = 0;  // by counting
    for (std::int64_t first = 0; first + size <= n; first += step) ++windows;
    shape wanted = with(x.sizes(), x.dim(), size);
    wanted[d] = windows;
    CHECK(y.sizes() == wanted);
    CHECK(support::views(y, x, [&](const shape& i) {
      shape j = without(i, i.size() - 1);
      j[d] = i[d] * step + i[i.size() - 1];
      return j;
    }));
  });
  CHECK(aten::unfold(counted, 1, 0, most).sizes() == shape{2, 1, 0});
  CHECK(values(aten::unfold(counted, 1, 2, most)) == list{0, 1, 3, 4});
  CHECK(aten::unfold(point, -1, 1, 2).sizes() == shape{1});
  CHECK(aten::unfold(point, 0, 0, 2).sizes() == shape{0});
  const auto text = [](const tensor& x, std::int64_t size, std::int64_t step) {
    return refused([&] { aten::unfold(x, 0, size, step); });
  };
  CHECK(text(counted, 3, 1) == "aten::unfold: found windows of 3 for dimension 0 of a tensor [2, 3], wanted 0 to 2");
  CHECK(text(counted, -1, 1) == "aten::unfold: found windows of -1 for dimension 0 of a tensor [2, 3], wanted 0 to 2");
  CHECK(text(point, 2, 1) == "aten::unfold: found windows of 2 for dimension 0 of a tensor [], wanted 0 to 1");
  CHECK(text(counted, 1, 0) == "aten::unfold: found step 0, wanted 1 or more");
  const shape full(tb::max_dims, 1);
  CHECK(text(tensor_of({1}, full), 1, 1) == "aten::unfold: found " + tb::to_string(full) + ", wanted fewer than " +
                                                std::to_string(tb::max_dims) + " dimensions, the most a tensor has");
}

TEST_CASE("view: as_strided accepts any sizes, strides and offset within the storage", "[ops][view]") {
  support::numbers source(11);
  std::size_t inside = 0, outside = 0;
  for (int round = 0; round < 400; ++round) {
    const tensor x = support::random_view(source);
    const auto elements = static_cast<std::int64_t>(tb::author::record_of(x).data->bytes / tb::size_of(x.dtype()));
    const shape sizes{source.whole(0, 2), source.whole(1, 3)}, strides{source.whole(0, 4), source.whole(0, 3)};
    const std::int64_t offset = source.whole(0, 5);
    const std::int64_t last = offset + (sizes[0] - 1) * strides[0] + (sizes[1] - 1) * strides[1];
    INFO(tb::to_string(sizes) << " " << tb::to_string(strides) << " " << offset << " of " << elements);
    if (sizes[0] != 0 && last >= elements) {
      ++outside;
      CHECK(refused([&] { aten::as_strided(x, sizes, strides, offset); }) ==
            "aten::as_strided: a view of sizes " + tb::to_string(sizes) + ", strides " + tb::to_string(strides) +
                ", offset " + std::to_string(offset) + " leaves the storage of " + std::to_string(elements) +
                " elements");
      continue;
    }
    ++inside;
    const tensor y = aten::as_strided(x, sizes, strides, offset);
    CHECK(support::shares(x, y));
    CHECK(y.strides() == strides);
    each_index(sizes, [&](const shape& i) {
      CHECK(support::get(y, i) == static_cast<double>(offset + i[0] * strides[0] + i[1] * strides[1]));
    });
  }
  CHECK(inside > 50);
  CHECK(outside > 50);
  const tensor row = aten::slice_Tensor(counted, 0, 1);
  CHECK(values(aten::as_strided(row, shape{2}, shape{1})) == list{3, 4});
  CHECK(values(aten::as_strided(row, shape{2}, shape{1}, 0)) == list{0, 1});
  const auto text = [](const shape& sizes, const shape& strides, std::optional<std::int64_t> offset) {
    return refused([&] { aten::as_strided(counted, sizes, strides, offset); });
  };
  CHECK(text({2, 2}, {1}, {}) == "aten::as_strided: found sizes [2, 2] and strides [1], wanted as many of both");
  CHECK(text({2}, {-1}, 1) == "aten::as_strided: found strides [-1] and offset 1, wanted none of them negative");
  CHECK(text({0}, {1}, -1) == "aten::as_strided: found strides [1] and offset -1, wanted none of them negative");
  CHECK(text({-1}, {1}, {}) == "aten::as_strided: a tensor of sizes [-1]: sizes cannot be negative");
  CHECK(text({2, 2}, {most, most}, {}) ==
        "aten::as_strided: a view of sizes [2, 2], strides [9223372036854775807, 9223372036854775807], offset 0 leaves "
        "the storage of 6 elements");
}

TEST_CASE("view: alias shares the elements, detach also leaves the graph", "[ops][view]") {
  support::numbers source(12);
  tensor x = support::random_view(source, 1);
  while (!tb::is_floating(x.dtype())) x = support::random_view(source, 1);
  tb::require_grad(x);
  const auto same = [](const shape& i) { return i; };
  CHECK(support::views(aten::alias(x), x, same));
  CHECK(support::views(aten::detach(x), x, same));
  CHECK(tb::requires_grad(aten::alias(x)));
  CHECK_FALSE(tb::requires_grad(aten::detach(x)));
}

TEST_CASE("view: an opaque tensor is refused by name, but has aliases", "[ops][view][layout]") {
  const tensor opaque = tb::author::make_opaque({2, 3}, dtype::float32, tb::cpu, tb::key_set(tb::key::CPU));
  CHECK(text_of<tb::layout_error>([&] { aten::permute(opaque, shape{1, 0}); }) ==
        "aten::permute: found argument 1 'self' of layout opaque, wanted strided; its backend needs its own kernel for "
        "the operator");
  CHECK(text_of<tb::layout_error>([&] { aten::view(opaque, shape{6}); }).starts_with("aten::view: found argument 1"));
  CHECK(aten::alias(opaque).sizes() == shape{2, 3});
}

TEST_CASE("view: the array API's names are aliases", "[ops][view]") {
  CHECK(&aten::permute == &aten::permute);
  CHECK(&aten::movedim_intlist == &aten::movedim_intlist);
  CHECK(&aten::mT == &aten::mT);
  CHECK(&aten::unsqueeze == &aten::unsqueeze);
  CHECK(&aten::broadcast_tensors == &aten::broadcast_tensors);
  CHECK(&aten::unbind_int == &aten::unbind_int);
  CHECK(aten::permute(counted, shape{1, 0}).sizes() == shape{3, 2});
}
