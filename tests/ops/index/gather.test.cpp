// Indices along a dimension, and tensors as indices, against the loops that define them.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using list = std::vector<double>;

namespace {

tensor indices(support::numbers& source, const tb::shape& sizes, std::int64_t range, support::arrangement how) {
  const tensor t = support::arranged(sizes, dtype::int64, how);
  support::each_index(sizes,
                      [&](const tb::shape& i) { support::set(t, i, static_cast<double>(source.whole(0, range - 1))); });
  return t;
}

template <class Visit>
void each_case(Visit visit) {
  support::numbers source(13);
  for (dtype t : tb::all_dtypes) {
    for (support::arrangement how : support::arrangements) visit(source, t, how);
  }
}

}  // namespace

TEST_CASE("gather: each element is selected by its index, along any dimension", "[ops][gather][property]") {
  each_case([](support::numbers& source, dtype t, support::arrangement how) {
    const tensor x = source.tensor({3, 4, 5}, t, how);
    for (std::size_t d = 0; d < 3; ++d) {
      for (const tb::shape& s : {tb::shape{2, 3, 4}, tb::shape{3, 4, 5}, tb::shape{0, 4, 5}}) {
        const tensor index = indices(source, s, x.sizes()[d], how);
        list wanted;
        support::each_index(s, [&](const tb::shape& at) {
          tb::shape from = at;
          from[d] = static_cast<std::int64_t>(support::get(index, at));
          wanted.push_back(support::get(x, from));
        });
        CHECK(values(aten::gather(x, static_cast<std::int64_t>(d), index)) == wanted);
      }
    }
  });
}

TEST_CASE("gather: scatter_add adds every source, scatter keeps the last", "[ops][gather][property]") {
  each_case([](support::numbers& source, dtype t, support::arrangement how) {
    if (how == support::arrangement::expanded) return;
    const tensor x = source.tensor({3, 4}, t, how), from = source.tensor({4, 5}, t, how);
    for (std::size_t d = 0; d < 2; ++d) {
      const tensor index = indices(source, d == 0 ? tb::shape{4, 4} : tb::shape{3, 5}, x.sizes()[d], how);
      const tensor sum = aten::clone(x), last = aten::clone(x);
      support::each_index(index.sizes(), [&](const tb::shape& at) {
        tb::shape to = at;
        to[d] = static_cast<std::int64_t>(support::get(index, at));
        support::set(last, to, support::get(from, at));
        support::set(sum, to, support::get(sum, to) + support::get(from, at));
      });
      const double near = t == dtype::float16 ? 4e-3 : t == dtype::bfloat16 ? 3e-2 : support::tolerance_of(t);
      const auto dim = static_cast<std::int64_t>(d);
      CHECK(support::difference(values(aten::scatter_add(x, dim, index, from)), values(sum), near) == "");
      CHECK(values(aten::scatter_src(x, dim, index, from)) == values(last));
      tensor written = aten::clone(x);
      CHECK(values(aten::scatter_src_(written, dim, index, from)) == values(last));
    }
  });
}

TEST_CASE("gather: index_select and index_add address slices by index", "[ops][gather][property]") {
  each_case([](support::numbers& source, dtype t, support::arrangement how) {
    const tensor x = source.tensor({3, 4, 2}, t, how);
    for (std::int64_t d = 0; d < 3; ++d) {
      const tensor index = indices(source, {5}, x.sizes()[static_cast<std::size_t>(d)], support::arrangement::sliced);
      const tensor found = aten::index_select(x, d, index);
      for (std::int64_t i = 0; i < 5; ++i) {
        CHECK(values(aten::select_int(found, d, i)) ==
              values(aten::select_int(x, d, static_cast<std::int64_t>(support::get(index, {i})))));
      }
      if (t == dtype::boolean || t == dtype::float16 || t == dtype::bfloat16) continue;
      tensor wanted = aten::clone(x);
      for (std::int64_t i = 0; i < 5; ++i) {
        tensor slice = aten::select_int(wanted, d, static_cast<std::int64_t>(support::get(index, {i})));
        slice -= 2 * aten::select_int(found, d, i);
      }
      const tensor added = aten::index_add(x, d, index, found, arg<"alpha"> = -2);
      CHECK(support::difference(values(added), values(wanted), support::tolerance_of(t)) == "");
    }
  });
}

TEST_CASE("gather: an index out of range is named, and nothing is written", "[ops][gather]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3});
  const tensor bad = tensor_of({0, 3}, {1, 2}, dtype::int64), row = tensor_of({1, -1}, {2}, dtype::int64);
  tensor out = aten::clone(x) * 0;
  const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
  CHECK(text([&] { aten::gather(x, 1, bad); }) == "aten::gather: found the index 3, wanted 0 to 2");
  CHECK(text([&] { aten::scatter_src_out(x, 1, bad, x, out); }) ==
        "aten::scatter.src_out: found the index 3, wanted 0 to 2");
  CHECK(text([&] { aten::index_add_out(x, 0, row, x, 1, out); }) ==
        "aten::index_add.out: found the index -1, wanted 0 to 1");
  const std::optional<tensor> far[] = {std::nullopt, tensor_of({-4}, {1}, dtype::int64)};
  CHECK(text([&] { aten::index_put_(out, far, tensor_of({1}, {}), false); }) ==
        "aten::index_put_: found the index -4, wanted -3 to 2");
  CHECK(text([&] { aten::scatter_add_out(x, 1, bad, x, out); }) ==
        "aten::scatter_add.out: found the index 3, wanted 0 to 2");
  // Of rows without elements too.
  tensor empty = tensor_of({}, {3, 0});
  const std::optional<tensor> behind[] = {tensor_of({3}, {1}, dtype::int64)};
  CHECK(text([&] { aten::index_Tensor(empty, behind); }).ends_with("found the index 3, wanted -3 to 2"));
  CHECK(text([&] {
          aten::index_put_(empty, behind, tensor_of({}, {1, 0}), false);
        }).ends_with("found the index 3, wanted -3 to 2"));
  const tensor below = tensor_of({1, -3}, {2}, dtype::int64);
  CHECK(text([&] { aten::index_fill_int_Scalar_(out, 0, below, 7); }).ends_with("found the index -3, wanted 0 to 1"));
  // Valid indices come first, more of them than are checked together.
  list many(2000, 1);
  many.back() = 6;
  const tensor far_behind = tensor_of(many, {2000}, dtype::int64), flat = tensor_of({1, 2, 3, 4, 5, 6}, {6});
  tensor read = tensor_of(list(2000, 0), {2000});
  CHECK(text([&] { aten::gather_out(flat, 0, far_behind, false, read); }) ==
        "aten::gather.out: found the index 6, wanted 0 to 5");
  CHECK(text([&] { aten::index_select_out(flat, 0, far_behind, read); }) ==
        "aten::index_select.out: found the index 6, wanted 0 to 5");
  CHECK(text([&] { aten::take_out(flat, far_behind, read); }) == "aten::take.out: found the index 6, wanted -6 to 5");
  CHECK(values(out) == list(6, 0));
  CHECK(values(read) == list(2000, 0));
}

TEST_CASE("index_put: values that are part of the written tensor are read before it is written", "[ops][gather]") {
  tensor x = tensor_of({1, 2, 3, 4, 5}, {5});
  const std::optional<tensor> behind[] = {tensor_of({1, 2, 3, 4}, {4}, dtype::int64)};
  aten::index_put_(x, behind, aten::slice_Tensor(x, 0, 0, 4), false);
  CHECK(values(x) == list{1, 1, 2, 3, 4});
  aten::index_put_(x, behind, aten::slice_Tensor(x, 0, 0, 4), true);
  CHECK(values(x) == list{1, 2, 3, 5, 7});
}

TEST_CASE("advanced_index: adjacent indices keep their position, others come first",
          "[ops][advanced_index][property]") {
  each_case([](support::numbers& source, dtype t, support::arrangement how) {
    const tensor x = source.tensor({3, 4, 2, 3}, t, how);
    const tensor a = indices(source, {5, 1}, 4, how), b = indices(source, {2}, 2, how);
    const std::optional<tensor> middle[] = {std::nullopt, a, b},
                                apart[] = {indices(source, {2}, 3, how), std::nullopt, b};
    const tensor together = aten::index_Tensor(x, middle), front = aten::index_Tensor(x, apart);
    CHECK(together.sizes() == tb::shape{3, 5, 2, 3});
    const std::optional<tensor> from_the_back[] = {std::nullopt, a, b - 2};
    CHECK(values(aten::index_Tensor(x, from_the_back)) == values(together));
    support::each_index(together.sizes(), [&](const tb::shape& at) {
      const tb::shape from{at[0], static_cast<std::int64_t>(support::get(a, {at[1], 0})),
                           static_cast<std::int64_t>(support::get(b, {at[2]})), at[3]};
      CHECK(support::get(together, at) == support::get(x, from));
    });
    CHECK(front.sizes() == tb::shape{2, 4, 3});
    support::each_index(front.sizes(), [&](const tb::shape& at) {
      const tb::shape from{static_cast<std::int64_t>(support::get(*apart[0], {at[0]})), at[1],
                           static_cast<std::int64_t>(support::get(b, {at[0]})), at[2]};
      CHECK(support::get(front, at) == support::get(x, from));
    });
    tensor written = aten::clone(x);
    aten::index_put_(written, apart, front, false);
    CHECK(values(written) == values(x));
  });
}

TEST_CASE("advanced_index: a mask selects the same elements as its coordinates", "[ops][advanced_index][property]") {
  each_case([](support::numbers& source, dtype t, support::arrangement how) {
    const tensor x = source.tensor({3, 4}, t, how), mask = source.tensor({3, 4}, dtype::boolean, how);
    list wanted, places;
    support::each_index(x.sizes(), [&](const tb::shape& at) {
      if (support::get(mask, at) == 0) return;
      wanted.push_back(support::get(x, at));
      places.insert(places.end(), {static_cast<double>(at[0]), static_cast<double>(at[1])});
    });
    const std::optional<tensor> by_mask[] = {mask};
    CHECK(values(aten::masked_select(x, mask)) == wanted);
    CHECK(values(aten::index_Tensor(x, by_mask)) == wanted);
    CHECK(values(aten::nonzero(mask)) == places);
  });
}

TEST_CASE("gather: the result may be the index or source, which is read first", "[ops][gather][overlap][property]") {
  tensor x = tensor_of({1, 0}, {2}, dtype::int64);
  aten::scatter_value_(x, 0, x, 1000000000);
  CHECK(values(x) == std::vector<double>{1e9, 1e9});
  x = tensor_of({10, 20, 30}, {3}, dtype::float32);
  const tensor permutation = tensor_of({1, 2, 0}, {3}, dtype::int64);
  aten::scatter_src_(x, 0, permutation, x);
  CHECK(values(x) == std::vector<double>{30, 10, 20});
  x = tensor_of({1, 0}, {2}, dtype::int64);
  const std::optional<tensor> index[] = {x};
  aten::index_put_(x, index, tensor_of({1000000000, 5}, {2}, dtype::int64), false);
  CHECK(values(x) == std::vector<double>{5, 1e9});
}

TEST_CASE("gather: the gradient of embedding sums rows by index, and divides by the count", "[ops][gather]") {
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    const tensor grad = tensor_of({1, 2, 3, 4, 5, 6}, {3, 2}, t), rows = tensor_of({0, 2, 0}, {3}, dtype::int64);
    CHECK(values(aten::embedding_dense_backward(grad, rows, 3, -1, false)) == list{6, 8, 0, 0, 3, 4});
    CHECK(values(aten::embedding_dense_backward(grad, rows, 3, -1, true)) == list{3, 4, 0, 0, 3, 4});
    CHECK(values(aten::embedding_dense_backward(grad, rows, 3, 2, true)) == list{3, 4, 0, 0, 0, 0});
    // More of one index than a half counts to: 4096 in all, divided by the 4096 that share it.
    list once(4096, 0);
    once[7] = 4096;
    const tensor many = tensor_of(once, {4096, 1}, t), same = tensor_of(list(4096, 0), {4096}, dtype::int64);
    CHECK(values(aten::embedding_dense_backward(many, same, 1, -1, true)) == list{1});
  }
}

TEST_CASE("gather: the gradient of embedding refuses invalid arguments", "[ops][gather]") {
  const tensor grad = tensor_of({1, 2}, {2, 1}, dtype::int64), rows = tensor_of({0, 0}, {2}, dtype::int64);
  CHECK(values(aten::embedding_dense_backward(grad, rows, 1, -1, false)) == list{3});
  CHECK_THROWS_AS(aten::embedding_dense_backward(grad, rows, 1, -1, true), tb::dtype_error);
  CHECK_THROWS_AS(aten::embedding_dense_backward(grad, rows, 0, -1, false), tb::shape_error);
  CHECK(toy::text_of<tb::shape_error>([&] { aten::embedding_dense_backward(grad, rows, -1, -1, false); }) ==
        "aten::embedding_dense_backward: found num_weights -1, wanted 0 or more");
}

TEST_CASE("advanced_index: on meta a mask is refused as on the CPU", "[ops][advanced_index][meta]") {
  using maybe = std::optional<tensor>;
  const auto text = [](tb::device where, const tb::shape& sizes, const std::vector<std::pair<tb::shape, dtype>>& index,
                       const tb::shape& values, dtype type = dtype::float32) {
    tensor self = tb::author::make_tensor(sizes, dtype::float32, where);
    std::vector<maybe> by;
    for (const auto& [of, t] : index) {
      by.emplace_back(
          aten::zeros(std::vector<std::int64_t>(of.begin(), of.end()), arg<"dtype"> = t, arg<"device"> = where));
    }
    const tensor given = tb::author::make_tensor(values, type, where);
    return toy::text_of<tb::error>([&] { aten::index_put_(self, by, given, false); });
  };
  const auto both = [&](const auto&... given) {
    const std::string cpu = text(tb::cpu, given...), meta = text(tb::meta, given...);
    CHECK(cpu != "nothing was thrown");
    // What a mask chooses is -1 where nobody counts it.
    const auto same = meta.substr(0, meta.find("broadcast to"));
    CHECK(same == cpu.substr(0, cpu.find("broadcast to")));
  };
  using list_of = std::vector<std::pair<tb::shape, dtype>>;
  both(tb::shape{2, 3}, list_of{{{2}, dtype::boolean}}, tb::shape{3}, dtype::float64);
  both(tb::shape{2, 3}, list_of{{{3}, dtype::boolean}}, tb::shape{3});
  both(tb::shape{2, 3}, list_of{{{2, 3}, dtype::boolean}, {{1}, dtype::int64}}, tb::shape{});
  both(tb::shape{2, 3}, list_of{{{2}, dtype::boolean}, {{1}, dtype::float32}}, tb::shape{});
  both(tb::shape{2, 3}, list_of{{{2}, dtype::boolean}}, tb::shape{1, 4});
  both(tb::shape{2, 3}, list_of{{{2}, dtype::boolean}}, tb::shape{1, 1, 3});
  both(tb::shape{2, 3}, list_of{{{}, dtype::boolean}}, tb::shape{});
  tensor repeated =
      aten::expand(tb::author::make_tensor({1, 3}, dtype::float32, tb::meta), std::vector<std::int64_t>{2, 3});
  const std::vector<maybe> mask{tb::author::make_tensor({2}, dtype::boolean, tb::meta)};
  const tensor row = tb::author::make_tensor({3}, dtype::float32, tb::meta);
  CHECK_THROWS_AS(aten::index_put_(repeated, mask, row, false), tb::shape_error);
  CHECK(text(tb::meta, {2, 3}, {{{2}, dtype::boolean}}, {7, 3}) == "nothing was thrown");
}
