// Views in lists: the parts lie one after the other in the dimension, and nothing is left out.
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
#include "support/views.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;
using tensors = std::vector<tensor>;

namespace {

const tensor counted = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3}, dtype::int64);
const tensor point = tensor_of({7}, {}, dtype::int64);

template <class F>
std::string refused(F f) {
  return text_of<tb::shape_error>(f);
}

integers lengths(const tensors& parts, std::size_t dim) {
  integers all;
  for (const tensor& t : parts) all.push_back(t.sizes()[dim]);
  return all;
}

tensor of_length(std::int64_t n) { return tb::author::make_tensor({2, n}, dtype::float32, tb::cpu); }

// Each part is a view of x that begins where the one before it ended, and the last one ends with x.
void check_parts(const tensor& x, const tensors& parts, std::size_t dim) {
  std::int64_t first = 0;
  for (const tensor& part : parts) {
    CHECK(support::views(part, x, [&](const shape& i) {
      shape j = i;
      j[dim] += first;
      return j;
    }));
    first += part.sizes()[dim];
  }
  CHECK(first == x.sizes()[dim]);
}

}  // namespace

TEST_CASE("view_list: every split covers a dimension of any strides, in order", "[ops][view]") {
  support::numbers source(31);
  for (int round = 0; round < 200; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() == 0) continue;
    const auto d = static_cast<std::size_t>(source.whole(0, x.dim() - 1));
    const auto dim = static_cast<std::int64_t>(d) - (round % 2 == 0 ? x.dim() : 0);
    const std::int64_t n = x.sizes()[d], k = source.whole(1, 4);
    INFO(tb::to_string(x.sizes()) << " " << dim << " " << k);
    check_parts(x, aten::split_Tensor(x, k, dim), d);
    check_parts(x, aten::chunk(x, k, dim), d);
    check_parts(x, aten::tensor_split_sections(x, k, dim), d);
    const std::int64_t cut = source.whole(0, n);
    check_parts(x, aten::split_with_sizes(x, integers{cut, 0, n - cut}, dim), d);
    check_parts(x, aten::split_sizes(x, integers{cut, n - cut}, dim), d);
    check_parts(x, aten::tensor_split_indices(x, integers{cut}, dim), d);
  }
}

TEST_CASE("view_list: the sizes of the parts", "[ops][view]") {
  const auto split = [](std::int64_t n, std::int64_t size) {
    return lengths(aten::split_Tensor(of_length(n), size, 1), 1);
  };
  CHECK(split(7, 3) == integers{3, 3, 1});
  CHECK(split(6, 3) == integers{3, 3});
  CHECK(split(2, 3) == integers{2});
  CHECK(split(2, std::numeric_limits<std::int64_t>::max()) == integers{2});
  CHECK(split(0, 3) == integers{0});
  CHECK(split(0, 0) == integers{0});
  const auto chunk = [](std::int64_t n, std::int64_t k) { return lengths(aten::chunk(of_length(n), k, -1), 1); };
  CHECK(chunk(7, 3) == integers{3, 3, 1});
  CHECK(chunk(5, 4) == integers{2, 2, 1});  // fewer than were asked for
  CHECK(chunk(2, 5) == integers{1, 1});
  CHECK(chunk(0, 3) == integers{0, 0, 0});
  const auto cut = [](std::int64_t n, std::int64_t k) {
    return lengths(aten::tensor_split_sections(of_length(n), k, 1), 1);
  };
  CHECK(cut(7, 3) == integers{3, 2, 2});
  CHECK(cut(5, 4) == integers{2, 1, 1, 1});
  CHECK(cut(2, 4) == integers{1, 1, 0, 0});
  const auto before = [](const integers& at) { return lengths(aten::tensor_split_indices(of_length(7), at, 1), 1); };
  CHECK(before({2, 5}) == integers{2, 3, 2});
  CHECK(before({}) == integers{7});
  CHECK(before({-2, 9}) == integers{5, 2, 0});
  CHECK(before({5, 2}) == integers{5, 0, 5});
}

TEST_CASE("view_list: a split that does not cover the dimension is refused", "[ops][view]") {
  const std::string place = " for dimension 1 of a tensor [2, 3], wanted ";
  CHECK(refused([] { aten::split_Tensor(counted, 0, 1); }) ==
        "aten::split.Tensor: found parts of 0" + place + "1 or more");
  CHECK(refused([] { aten::split_Tensor(counted, -2, -1); }) ==
        "aten::split.Tensor: found parts of -2" + place + "1 or more");
  CHECK(refused([] { aten::chunk(counted, 0, 1); }) == "aten::chunk: found 0 chunks" + place + "1 or more");
  CHECK(refused([] { aten::tensor_split_sections(counted, 0, 1); }) ==
        "aten::tensor_split.sections: found 0 sections" + place + "1 or more");
  const tensor none = tensor_of({}, {0});
  const std::string many = " for dimension 0 of a tensor ", most_parts = ", wanted at most 1048576";
  CHECK(refused([&] { aten::chunk(none, 1LL << 60); }) ==
        "aten::chunk: found 1152921504606846976 chunks" + many + "[0]" + most_parts);
  CHECK(refused([&] { aten::tensor_split_sections(none, 1LL << 60); }) ==
        "aten::tensor_split.sections: found 1152921504606846976 sections" + many + "[0]" + most_parts);
  CHECK(refused([&] { aten::tensor_split_sections(counted, 1LL << 60); }) ==
        "aten::tensor_split.sections: found 1152921504606846976 sections" + many + "[2, 3]" + most_parts);
  CHECK(aten::chunk(counted, 1LL << 60).size() == 2);
  const auto parts = [](const integers& sizes) { return refused([&] { aten::split_with_sizes(counted, sizes, 1); }); };
  const std::string found = "aten::split_with_sizes: found parts of ";
  CHECK(parts({2, 2}) == found + "[2, 2]" + place + "a sum of 3");
  CHECK(parts({4, -1}) == found + "[4, -1]" + place + "a sum of 3");
  CHECK(parts({}) == found + "[]" + place + "a sum of 3");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(parts({most, most, 5}).starts_with(found));  // the sum is 3 where it wraps
  CHECK(refused([] { aten::split_sizes(counted, integers{2}, 1); }) ==
        "aten::split.sizes: found parts of [2]" + place + "a sum of 3");
  const std::string scalar = ": found dimension 0, wanted none, the tensor is a scalar";
  CHECK(refused([] { aten::split_Tensor(point, 1); }) == "aten::split.Tensor" + scalar);
  CHECK(refused([] { aten::split_with_sizes(point, integers{}); }) == "aten::split_with_sizes" + scalar);
  CHECK(refused([] { aten::chunk(point, 1); }) == "aten::chunk" + scalar);
  CHECK(refused([] { aten::tensor_split_sections(point, 1); }) == "aten::tensor_split.sections" + scalar);
  CHECK(refused([] { aten::tensor_split_indices(point, integers{}); }) == "aten::tensor_split.indices" + scalar);
  CHECK(refused([] { aten::unbind_int(point); }) == "aten::unbind.int" + scalar);
}

TEST_CASE("view_list: unbind returns every slice of a dimension", "[ops][view]") {
  const tensors columns = aten::unbind_int(counted, -1);
  REQUIRE(columns.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(values(columns[i]) == list{static_cast<double>(i), static_cast<double>(i + 3)});
    CHECK(support::shares(columns[i], counted));
  }
  CHECK(aten::unbind_int(tensor_of({}, {0, 3})).empty());
}

TEST_CASE("view_list: broadcast_tensors broadcasts without copying", "[ops][view]") {
  const tensor column = tensor_of({1, 2}, {2, 1}), row = tensor_of({3, 4, 5}, {3});
  const tensors all = aten::broadcast_tensors(tensors{column, row, point});
  REQUIRE(all.size() == 3);
  CHECK(values(all[0]) == list{1, 1, 1, 2, 2, 2});
  CHECK(values(all[1]) == list{3, 4, 5, 3, 4, 5});
  CHECK(values(all[2]) == list(6, 7));
  CHECK(support::shares(all[0], column));
  CHECK(refused([&] { aten::broadcast_tensors(tensors{column, row, tensor_of({1, 2}, {2})}); }) ==
        "aten::broadcast_tensors: the shapes [2, 3] and [2] do not broadcast: dimension 1 is 3 and 2, wanted equal "
        "sizes or 1");
}

TEST_CASE("view_list: meshgrid returns coordinates in either indexing order", "[ops][view]") {
  const tensor x = tensor_of({1, 2}, {2}), y = tensor_of({3, 4, 5}, {3}), z = tensor_of({9}, {});
  const tensors grid = aten::meshgrid(tensors{x, y, z});
  REQUIRE(grid.size() == 3);
  for (const tensor& t : grid) CHECK(t.sizes() == shape{2, 3, 1});
  CHECK(values(grid[0]) == list{1, 1, 1, 2, 2, 2});
  CHECK(values(grid[1]) == list{3, 4, 5, 3, 4, 5});
  CHECK(values(grid[2]) == list(6, 9));
  CHECK(support::shares(grid[0], x));
  const tensors ij = aten::meshgrid_indexing(tensors{x, y}, "ij"), xy = aten::meshgrid_indexing(tensors{x, y}, "xy");
  CHECK(ij[0].sizes() == shape{2, 3});
  CHECK(xy[0].sizes() == shape{3, 2});
  CHECK(values(ij[0]) == list{1, 1, 1, 2, 2, 2});
  CHECK(values(xy[0]) == list{1, 2, 1, 2, 1, 2});
  CHECK(values(xy[1]) == list{3, 3, 4, 4, 5, 5});
  CHECK(aten::meshgrid_indexing(tensors{x}, "xy")[0].sizes() == shape{2});
  CHECK(aten::meshgrid(tensors{x, tensor_of({}, {0})})[1].sizes() == shape{2, 0});
}

TEST_CASE("view_list: meshgrid refuses invalid arguments", "[ops][view]") {
  const tensor x = tensor_of({1, 2}, {2});
  CHECK(refused([&] { aten::meshgrid(tensors{x, counted}); }) ==
        "aten::meshgrid: found [2, 3], wanted at most one dimension");
  CHECK(text_of<tb::dtype_error>([&] { aten::meshgrid(tensors{x, point}); }) ==
        "aten::meshgrid: found float64 and int64, wanted one dtype");
  CHECK(text_of<tb::error>([&] { aten::meshgrid_indexing(tensors{x}, "yx"); }) ==
        "aten::meshgrid.indexing: found indexing 'yx', wanted 'ij' or 'xy'");
  const std::string many = std::to_string(tb::max_dims + 1), most = std::to_string(tb::max_dims);
  CHECK(refused([&] { aten::meshgrid_indexing(tensors(tb::max_dims + 1, x), "ij"); }) ==
        "aten::meshgrid.indexing: found " + many + " tensors, wanted 1 to " + most);
  CHECK(refused([] { aten::meshgrid(tensors{}); }) == "aten::meshgrid: found 0 tensors, wanted 1 to " + most);
  CHECK(text_of<tb::device_error>(
            [&] { aten::meshgrid(tensors{x, tb::author::make_tensor({1}, dtype::float64, tb::meta)}); }) ==
        "aten::meshgrid: found argument 1 'tensors' on cpu and argument 1 'tensors' on meta, wanted one device; "
        "move one with to()");
}

TEST_CASE("view_list: an empty list broadcasts to an empty list", "[ops][view]") {
  CHECK(aten::broadcast_tensors(tensors{}).empty());
}
