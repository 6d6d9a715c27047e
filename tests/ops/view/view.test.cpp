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
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using sizes = std::vector<std::int64_t>;
using list = std::vector<double>;

namespace {
using support::shares;
const tensor counted = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3}, dtype::int64);
}  // namespace

TEST_CASE("view: transpose swaps two dimensions of the same storage", "[ops][view]") {
  support::numbers source(1);
  for (arrangement how : support::arrangements) {
    const tensor x = source.tensor({2, 3, 4}, dtype::float32, how);
    for (std::int64_t a = -3; a < 3; ++a) {
      for (std::int64_t b = -3; b < 3; ++b) {
        const tensor y = aten::transpose_int(x, a, b);
        CHECK(shares(x, y));
        const auto wrap = [](std::int64_t d) { return static_cast<std::size_t>(d < 0 ? d + 3 : d); };
        support::each_index(y.sizes(), [&](const tb::shape& i) {
          tb::shape j = i;
          std::swap(j[wrap(a)], j[wrap(b)]);
          CHECK(support::address(x, j) == support::address(y, i));
        });
      }
    }
  }
  CHECK(text_of<tb::shape_error>([&] { aten::transpose_int(counted, 0, 2); }) ==
        "aten::transpose.int: found dimension 2, wanted -2 to 1");
  const tensor point = tensor_of({7}, {});
  for (std::int64_t d : {-1, 0}) CHECK(values(aten::transpose_int(point, d, 0)) == list{7});
  CHECK(text_of<tb::shape_error>([&] { aten::transpose_int(point, 0, 1); }) ==
        "aten::transpose.int: found dimension 1, wanted -1 to 0");
}

TEST_CASE("view: t transposes matrices, and is an alias of tensors with fewer dimensions", "[ops][view]") {
  CHECK(values(aten::t(counted)) == list{0, 3, 1, 4, 2, 5});
  const tensor line = tensor_of({1, 2}, {2}), point = tensor_of({1}, {});
  for (const tensor& x : {line, point}) {
    CHECK(aten::t(x).data() == x.data());
    CHECK(aten::t(x).sizes() == x.sizes());
  }
  CHECK(text_of<tb::shape_error>([] { aten::t(tb::author::make_tensor({1, 2, 3}, dtype::float32, tb::cpu)); }) ==
        "aten::t: found [1, 2, 3], wanted at most two dimensions");
}

TEST_CASE("view: expand repeats dimensions of size 1 without copying", "[ops][view]") {
  support::numbers source(2);
  for (arrangement how : support::arrangements) {
    const tensor x = source.tensor({3, 1}, dtype::float32, how);
    const tensor y = aten::expand(x, sizes{2, -1, 4});
    CHECK(y.sizes() == tb::shape{2, 3, 4});
    CHECK(shares(x, y));
    support::each_index(y.sizes(),
                        [&](const tb::shape& i) { CHECK(support::address(y, i) == support::address(x, {i[1], 0})); });
  }
  CHECK(aten::expand(tensor_of({1}, {1, 1}), sizes{0, 5}).sizes() == tb::shape{0, 5});
  CHECK(values(aten::expand(tensor_of({7}, {}), sizes{2})) == list{7, 7});
  const auto refused = [](const tb::shape& from, const sizes& to) {
    return text_of<tb::shape_error>([&] { aten::expand(tb::author::make_tensor(from, dtype::float32, tb::cpu), to); });
  };
  const std::string end = "; only sizes of 1 can grow, and -1 keeps a size";
  CHECK(refused({2, 3}, {2, 4}) == "aten::expand: found [2, 3] and the wanted sizes [2, 4]" + end);
  CHECK(refused({2, 3}, {3}) == "aten::expand: found [2, 3] and the wanted sizes [3]" + end);
  CHECK(refused({3}, {-1, 3}) == "aten::expand: found [3] and the wanted sizes [-1, 3]" + end);
  CHECK(refused({1}, {-2}) == "aten::expand: found [1] and the wanted sizes [-2]" + end);
  CHECK(refused({3}, {0}) == "aten::expand: found [3] and the wanted sizes [0]" + end);
  const std::string too_many =
      ": found " + std::to_string(tb::max_dims + 1) + " dimensions, wanted at most " + std::to_string(tb::max_dims);
  CHECK(refused({1}, sizes(tb::max_dims + 1, 1)) == "aten::expand" + too_many);
  CHECK(text_of<tb::shape_error>([] { aten::view(tensor_of({1}, {1}), sizes(tb::max_dims + 1, 1)); }) ==
        "aten::view" + too_many);
}

TEST_CASE("view: a shape whose number of elements overflows 64 bits is refused", "[ops][view]") {
  constexpr std::int64_t big = std::int64_t{1} << 40;
  const tensor one = tensor_of({1}, {1, 1});
  CHECK(text_of<tb::shape_error>([&] { aten::expand(one, sizes{big, big}); }) ==
        "aten::expand: a tensor of sizes [1099511627776, 1099511627776]: more elements than 64 bits can count");
  CHECK_THROWS_AS(aten::view(one, sizes{big, big}), tb::shape_error);
  CHECK_THROWS_AS(aten::reshape(tensor_of({}, {0}), sizes{big, big, 0}), tb::shape_error);
  const tensor a = aten::expand(one, sizes{big, 1}), b = aten::expand(one, sizes{1, big});
  CHECK_THROWS_AS(aten::add_Tensor(a, b), tb::shape_error);
}

TEST_CASE("view: a dense tensor can be viewed in another shape", "[ops][view]") {
  const tensor y = aten::view(counted, sizes{3, 2});
  CHECK(shares(counted, y));
  CHECK(values(y) == values(counted));
  CHECK(y.sizes() == tb::shape{3, 2});
  CHECK(aten::view(counted, sizes{-1}).sizes() == tb::shape{6});
  CHECK(aten::view(counted, sizes{1, -1, 1, 2}).sizes() == tb::shape{1, 3, 1, 2});
  CHECK(aten::view(tensor_of({3}, {1, 1}), sizes{}).sizes() == tb::shape{});
  CHECK(aten::view(tensor_of({}, {0, 3}), sizes{5, 0}).sizes() == tb::shape{5, 0});
  CHECK(aten::view(tensor_of({}, {0, 3}), sizes{-1, 3}).sizes() == tb::shape{0, 3});
}

TEST_CASE("view: a dense part of a storage can be viewed, at its offset", "[ops][view]") {
  const tensor row = aten::slice_Tensor(counted, 0, 1, 2, 1);
  CHECK(values(aten::view(row, sizes{3})) == list{3, 4, 5});
}

TEST_CASE("view: mismatched arguments are refused", "[ops][view]") {
  const auto text = [](const tensor& x, const sizes& wanted) {
    return text_of<tb::shape_error>([&] { aten::view(x, wanted); });
  };
  const std::string found = "aten::view: found [2, 3] (6 elements), which do not have the shape ";
  CHECK(text(counted, {4}) == found + "[4]");
  CHECK(text(counted, {4, -1}) == found + "[4, -1]");
  CHECK(text(counted, {-1, -1}) == found + "[-1, -1]");
  CHECK(text(counted, {-2, 3}) == found + "[-2, 3]");
  CHECK(text(counted, {}) == found + "[]");
  CHECK(text(counted, {-6, -1}) == found + "[-6, -1]");
  CHECK(text(tensor_of({}, {0, 3}), {0, -1}) ==
        "aten::view: found [0, 3] (0 elements), which do not have the shape [0, -1]");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();  // strides that 64 bits cannot count
  CHECK(
      text(tensor_of({}, {0}), {0, most, most}) ==
      "aten::view: found [0] (0 elements), which do not have the shape [0, 9223372036854775807, 9223372036854775807]");
  CHECK(text(aten::transpose_int(counted, 0, 1), {6}) ==
        "aten::view: found strides [1, 3] for sizes [3, 2], which have no view of the shape [6]; use reshape");
}

TEST_CASE("view: a shape can be viewed if and only if strides for it exist", "[ops][view]") {
  support::numbers source(7);
  std::size_t viewed = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    const tensor x = support::random_view(source, 1);
    for (const tb::shape& wanted : support::shapes_of(x.numel(), 4)) {
      INFO(tb::to_string(x.sizes()) << " " << tb::to_string(x.strides()) << " as " << tb::to_string(wanted));
      // By definition: if the elements in row-major order lie at multiples of one stride per dimension.
      std::vector<std::int64_t> places;
      support::each_index(x.sizes(), [&](const tb::shape& i) {
        places.push_back(support::address(x, i) - support::address(x, tb::shape(x.dim(), 0)));
      });
      tb::shape strides(wanted.size(), 0);
      std::size_t inner = 1;
      for (std::size_t d = wanted.size(); d-- > 0; inner *= static_cast<std::size_t>(wanted[d])) {
        if (wanted[d] > 1) strides[d] = places[inner];
      }
      bool exist = true;
      std::size_t n = 0;
      support::each_index(wanted, [&](const tb::shape& i) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < i.size(); ++d) place += i[d] * strides[d];
        exist = exist && places[n++] == place;
      });
      const tensor y = aten::reshape(x, wanted);
      CHECK(values(y) == values(x));
      CHECK(y.sizes() == wanted);
      CHECK(shares(x, y) == exist);
      if (exist)
        CHECK(values(aten::view(x, wanted)) == values(x));
      else
        CHECK_THROWS_AS(aten::view(x, wanted), tb::shape_error);
      ++(exist ? viewed : refused);
    }
  }
  CHECK(viewed > 100);
  CHECK(refused > 100);
}

TEST_CASE("view: strides of dimensions of size 1, of no elements and of no dimensions are PyTorch's", "[ops][view]") {
  const auto strides = [](const tb::shape& from, const tb::shape& by, const tb::shape& to) {
    return aten::view(tb::author::make_view(tb::author::make_tensor({20}, dtype::float32, tb::cpu), from, by, 0), to)
        .strides();
  };
  CHECK(strides({3, 1}, {1, 7}, {3, 1}) == tb::shape{1, 7});
  CHECK(strides({2, 1, 1}, {5, 9, 4}, {2, 1, 1}) == tb::shape{5, 4, 4});
  CHECK(strides({2, 3}, {3, 1}, {1, 6, 1}) == tb::shape{6, 1, 1});
  CHECK(strides({4, 1}, {2, 1}, {2, 2}) == tb::shape{4, 2});
  CHECK(strides({0, 3}, {7, 5}, {0, 3}) == tb::shape{7, 5});
  CHECK(strides({0, 3}, {7, 5}, {2, 0, 4}) == tb::shape{4, 4, 1});
  CHECK(strides({}, {}, {1, 1}) == tb::shape{1, 1});
}

TEST_CASE("view: reshape views dense tensors and copies others", "[ops][view]") {
  CHECK(shares(aten::reshape(counted, sizes{3, -1}), counted));
  const tensor transposed = aten::transpose_int(counted, 0, 1);
  const tensor y = aten::reshape(transposed, sizes{6});
  CHECK_FALSE(shares(y, counted));
  CHECK(values(y) == list{0, 3, 1, 4, 2, 5});
  CHECK(text_of<tb::shape_error>([&] { aten::reshape(transposed, sizes{5}); }) ==
        "aten::reshape: found [3, 2] (6 elements), which do not have the shape [5]");
}

TEST_CASE("view: slice clamps its bounds and counts negative ones from the end", "[ops][view]") {
  using bound = std::optional<std::int64_t>;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t n = 7;
  const tensor x = aten::arange(n);
  for (bound start :
       {bound(), bound(0), bound(2), bound(-3), bound(-100), bound(100), bound(7), bound(least), bound(most)}) {
    for (bound end : {bound(), bound(0), bound(5), bound(-1), bound(-100), bound(100), bound(least), bound(most)}) {
      for (std::int64_t step : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{100}, most}) {
        const auto place = [&](bound b, std::int64_t otherwise) {
          std::int64_t i = b.value_or(otherwise);
          if (i < 0) i += n;
          return i < 0 ? 0 : i > n ? n : i;
        };
        list wanted;
        for (std::int64_t i = place(start, 0); i < place(end, n); i += step) {
          wanted.push_back(static_cast<double>(i));
          if (step > n) break;
        }
        INFO(start.value_or(-999) << " " << end.value_or(-999) << " " << step);
        const tensor y = aten::slice_Tensor(x, 0, start, end, step);
        CHECK(values(y) == wanted);
        CHECK(shares(x, y));
      }
    }
  }
  CHECK(values(aten::slice_Tensor(counted, -1, 1, 3, 1)) == list{1, 2, 4, 5});
  CHECK(values(aten::slice_Tensor(aten::transpose_int(counted, 0, 1), 0, 0, 3, 2)) == list{0, 3, 2, 5});
  CHECK(text_of<tb::shape_error>([&] { aten::slice_Tensor(x, 0, 0, 3, 0); }) ==
        "aten::slice.Tensor: found step 0, wanted 1 or more");
  CHECK(text_of<tb::shape_error>([&] { aten::slice_Tensor(x, 1); }) ==
        "aten::slice.Tensor: found dimension 1, wanted -1 to 0");
}

TEST_CASE("view: a write to a view is visible in all of them", "[ops][view]") {
  const tensor x = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3});
  tensor column = aten::slice_Tensor(aten::transpose_int(x, 0, 1), 0, 1, 2, 1);
  aten::fill_Scalar_(column, 9);
  CHECK(values(x) == list{0, 9, 2, 3, 9, 5});
  CHECK(x.version() == 1);
}

TEST_CASE("view: keys, dtype and device are preserved", "[ops][view]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({2, 3}, dtype::boolean, where);
    for (const tensor& y : {aten::transpose_int(x, 0, 1), aten::expand(x, sizes{4, 2, 3}), aten::view(x, sizes{6}),
                            aten::slice_Tensor(x, 0, 1)}) {
      CHECK(y.keys() == x.keys());
      CHECK(y.dtype() == dtype::boolean);
      CHECK(y.device() == where);
      CHECK(shares(x, y));
    }
  }
}
