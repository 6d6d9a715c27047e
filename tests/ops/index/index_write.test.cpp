// What writes to places by an index along a dimension, in all forms, and what reads like it, against the loops that
// define them. Sums are of whole numbers, so they are exact in every dtype.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::any_dim;
using support::any_long_shape;
using support::any_odd_tensor;
using support::any_shape;
using support::any_whole_tensor;
using support::check_in_place;
using support::check_out;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using tb::dtype;
using tb::scalar;
using tb::shape;
using tb::tensor;

namespace {

std::int64_t place(const tensor& index, const shape& at) { return static_cast<std::int64_t>(get(index, at)); }
std::int64_t length(const tensor& t, std::size_t d) { return t.dim() == 0 ? 1 : t.sizes()[d]; }

shape with_place(shape at, std::size_t d, std::int64_t i) {
  if (!at.empty()) at[d] = i;
  return at;
}

// Places along dimension d of t for each element of something smaller, or larger in d.
tensor any_index(numbers& source, const tensor& t, std::size_t d) {
  shape sizes = t.sizes();
  for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = source.whole(0, sizes[k]);
  if (!sizes.empty()) sizes[d] = length(t, d) == 0 ? 0 : source.whole(0, 6 + length(t, d) / 2);
  return any_whole_tensor(source, sizes, dtype::int64, 0, std::max<std::int64_t>(length(t, d) - 1, 0));
}

// A list of indices along dimension d of t.
tensor any_list(numbers& source, const tensor& t, std::size_t d) {
  const dtype type = source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32;
  if (t.dim() == 0) return support::arranged({1}, type, support::arrangement::dense) * 0;
  const std::int64_t range = length(t, d);
  return any_whole_tensor(source, {range == 0 ? 0 : source.whole(0, 6 + range / 2)}, type, 0,
                          std::max<std::int64_t>(range - 1, 0));
}

shape with_length(shape sizes, std::size_t d, std::int64_t n) {
  if (!sizes.empty()) sizes[d] = n;
  return sizes;
}

tensor dense_copy(const tensor& t) { return support::tensor_of(support::values(t), t.sizes(), t.dtype()); }

}  // namespace

TEST_CASE("index_write: gather and take_along_dim read at each index", "[ops][gather][property]") {
  support::for_every_dtype(1, 40, [](numbers& source, dtype t) {
    const tensor x = any_odd_tensor(source, any_long_shape(source, 0, 4, 4), t);
    const auto [d, dim] = any_dim(source, x.sizes());
    const tensor index = any_index(source, x, d);
    const tensor found = result_of(aten::gather, x, dim, index, false);
    check_tensor(found, index.sizes(), t,
                 listed(index.sizes(), [&](const shape& i) { return get(x, with_place(i, d, place(index, i))); }));
    check_out(source, aten::gather_out, found, x, dim, index, false);
    if (x.numel() == 0) return;

    // The index and the tensor may each have 1 where the other has more.
    shape sizes = x.sizes(), common = x.sizes();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      sizes[k] = k == d                    ? source.whole(0, 5)
                 : x.sizes()[k] == 1       ? source.whole(1, 3)
                 : source.whole(0, 1) == 0 ? 1
                                           : x.sizes()[k];
      common[k] = k == d ? sizes[k] : std::max(sizes[k], x.sizes()[k]);
    }
    const tensor wide = any_whole_tensor(source, sizes, dtype::int64, 0, length(x, d) - 1);
    check_tensor(result_of(aten::take_along_dim, x, wide, std::optional(dim)), common, t,
                 listed(common, [&](const shape& i) {
                   const std::int64_t at = place(wide, support::broadcast_index(i, sizes));
                   shape from = support::broadcast_index(i, x.sizes());
                   return get(x, with_place(from, d, at));
                 }));
    const tensor flat = any_whole_tensor(source, any_shape(source, 0, 2, 4), dtype::int64, 0, x.numel() - 1);
    const auto all = support::values(x), places = support::values(flat);
    check_tensor(result_of(aten::take_along_dim, x, flat, std::optional<std::int64_t>()), {flat.numel()}, t,
                 listed({flat.numel()}, [&](const shape& i) {
                   return all[static_cast<std::size_t>(places[static_cast<std::size_t>(i[0])])];
                 }));
  });
}

TEST_CASE("index_write: scatter writes at each index, the last one wins", "[ops][gather][property]") {
  support::for_every_dtype(2, 40, [](numbers& source, dtype t) {
    const tensor x = any_odd_tensor(source, any_long_shape(source, 0, 4, 4), t);
    const auto [d, dim] = any_dim(source, x.sizes());
    const tensor index = any_index(source, x, d);
    shape larger = index.sizes();
    for (std::size_t k = 0; k < larger.size(); ++k) larger[k] += source.whole(0, 2);
    const tensor from = any_odd_tensor(source, larger, t), wanted = dense_copy(x), filled = dense_copy(x);
    support::each_index(index.sizes(), [&](const shape& i) {
      support::set(wanted, with_place(i, d, place(index, i)), get(from, i));
      support::set(filled, with_place(i, d, place(index, i)), oracle::stored(t, 2.5));
    });
    const tensor found = result_of(aten::scatter_src, x, dim, index, from);
    check_tensor(found, x.sizes(), t, support::values(wanted));
    check_out(source, aten::scatter_src_out, found, x, dim, index, from);
    check_in_place(source, aten::scatter_src, aten::scatter_src_, x, dim, index, from);
    const scalar value(2.5);
    const tensor one = result_of(aten::scatter_value, x, dim, index, value);
    check_tensor(one, x.sizes(), t, support::values(filled));
    check_out(source, aten::scatter_value_out, one, x, dim, index, value);
    check_in_place(source, aten::scatter_value, aten::scatter_value_, x, dim, index, value);
  });
}

TEST_CASE("index_write: scatter_add adds at each index", "[ops][gather][property]") {
  support::for_every_dtype(3, 40, [](numbers& source, dtype t) {
    const tensor x = any_whole_tensor(source, any_long_shape(source, 0, 4, 4), t, 0, 3);
    const auto [d, dim] = any_dim(source, x.sizes());
    const tensor index = any_index(source, x, d), from = any_whole_tensor(source, index.sizes(), t, 0, 3),
                 wanted = dense_copy(x);
    support::each_index(index.sizes(), [&](const shape& i) {
      const shape at = with_place(i, d, place(index, i));
      support::set(wanted, at, get(wanted, at) + get(from, i));
    });
    const tensor found = result_of(aten::scatter_add, x, dim, index, from);
    check_tensor(found, x.sizes(), t, support::values(wanted));
    check_out(source, aten::scatter_add_out, found, x, dim, index, from);
    check_in_place(source, aten::scatter_add, aten::scatter_add_, x, dim, index, from);
  });
}

TEST_CASE("index_write: index_select reads slices by index, index_copy and index_fill write them",
          "[ops][gather][property]") {
  support::for_every_dtype(4, 40, [](numbers& source, dtype t) {
    const tensor x = any_odd_tensor(source, any_long_shape(source, 0, 4, 4), t);
    const auto [d, dim] = any_dim(source, x.sizes());
    const tensor index = any_list(source, x, d);
    const shape sizes = with_length(x.sizes(), d, index.numel());
    const auto slice = [&](const shape& i) { return place(index, {i.empty() ? 0 : i[d]}); };
    const tensor found = result_of(aten::index_select, x, dim, index);
    check_tensor(found, sizes, t, listed(sizes, [&](const shape& i) { return get(x, with_place(i, d, slice(i))); }));
    check_out(source, aten::index_select_out, found, x, dim, index);

    const tensor from = any_odd_tensor(source, sizes, t), copied = dense_copy(x), filled = dense_copy(x);
    support::each_index(sizes, [&](const shape& i) {
      support::set(copied, with_place(i, d, slice(i)), get(from, i));
      support::set(filled, with_place(i, d, slice(i)), oracle::stored(t, 2.5));
    });
    const tensor y = result_of(aten::index_copy, x, dim, index, from);
    check_tensor(y, x.sizes(), t, support::values(copied));
    check_out(source, aten::index_copy_out, y, x, dim, index, from);
    check_in_place(source, aten::index_copy, aten::index_copy_, x, dim, index, from);
    const scalar value(2.5);
    const tensor number = support::tensor_of({2.5}, {}, source.whole(0, 1) == 0 ? dtype::float32 : dtype::float64);
    check_tensor(result_of(aten::index_fill_int_Scalar, x, dim, index, value), x.sizes(), t, support::values(filled));
    check_tensor(result_of(aten::index_fill_int_Tensor, x, dim, index, number), x.sizes(), t, support::values(filled));
    check_in_place(source, aten::index_fill_int_Scalar, aten::index_fill_int_Scalar_, x, dim, index, value);
    check_in_place(source, aten::index_fill_int_Tensor, aten::index_fill_int_Tensor_, x, dim, index, number);
  });
}

TEST_CASE("index_write: index_add adds slices by index, times alpha", "[ops][gather][property]") {
  support::for_every_dtype(5, 40, [](numbers& source, dtype t) {
    const tensor x = any_whole_tensor(source, any_long_shape(source, 0, 4, 4), t, 0, 3);
    const auto [d, dim] = any_dim(source, x.sizes());
    const tensor index = any_list(source, x, d), wanted = dense_copy(x),
                 from = any_whole_tensor(source, with_length(x.sizes(), d, index.numel()), t, 0, 3);
    const scalar alpha(source.whole(0, 1) == 0 || t == dtype::boolean ? std::int64_t{1} : source.whole(0, 3));
    support::each_index(from.sizes(), [&](const shape& i) {
      const shape at = with_place(i, d, place(index, {i.empty() ? 0 : i[d]}));
      support::set(wanted, at, get(wanted, at) + get(from, i) * alpha.to_double());
    });
    const tensor found = result_of(aten::index_add, x, dim, index, from, alpha);
    check_tensor(found, x.sizes(), t, support::values(wanted));
    check_out(source, aten::index_add_out, found, x, dim, index, from, alpha);
    check_in_place(source, aten::index_add, aten::index_add_, x, dim, index, from, alpha);
  });
}

TEST_CASE("index_write: every index is checked before anything is written", "[ops][gather][property]") {
  for (const std::int64_t bad : {0, 255, 256, 511, 699}) {
    const tensor x = support::tensor_of(std::vector<double>(700, 1), {700}), from = x * 2;
    const tensor index = support::tensor_of(std::vector<double>(700, 5), {700}, dtype::int64);
    support::set(index, {bad}, 700);
    const std::vector<std::optional<tensor>> indices{index};
    const auto refused = [](auto f) {
      return toy::text_of<tb::shape_error>(f).find(": found the index 700, wanted ") != std::string::npos;
    };
    tensor out = support::tensor_of(std::vector<double>(700, 1), {700});
    CHECK(refused([&] { aten::gather(x, 0, index); }));
    CHECK(refused([&] { aten::index_select(x, 0, index); }));
    CHECK(refused([&] { aten::take(x, index); }));
    CHECK(refused([&] { aten::embedding(aten::unsqueeze(x, 1), index); }));
    CHECK(refused([&] { aten::index_Tensor(x, indices); }));
    CHECK(refused([&] { aten::one_hot(index, 700); }));
    CHECK(refused([&] { aten::scatter_src_(out, 0, index, from); }));
    CHECK(refused([&] { aten::scatter_add_(out, 0, index, from); }));
    CHECK(refused([&] { aten::index_add_(out, 0, index, from); }));
    CHECK(refused([&] { aten::index_copy_(out, 0, index, from); }));
    CHECK(refused([&] { aten::index_put_(out, indices, from, false); }));
    CHECK(support::values(out) == support::values(x));
  }
}
