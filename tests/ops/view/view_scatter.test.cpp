// Copies in which a view is overwritten, against a write to the same view of a copy, over random strides.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
#include "support/views.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::result_of;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

const tensor counted = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3}, dtype::int64);

template <class F>
std::string refused(F f) {
  return text_of<tb::shape_error>(f);
}

tensor dense_copy(const tensor& x) {
  const tensor copy = support::arranged(x.sizes(), x.dtype(), support::arrangement::dense);
  support::copy_elements(copy, x);
  return copy;
}

// Negative numbers, which no element of random_view() is, in any arrangement.
tensor source_of(support::numbers& source, const shape& sizes, dtype type) {
  const tensor t = support::any_room(source, sizes, type);
  double n = 0;
  support::each_index(sizes, [&](const shape& i) { support::set(t, i, n -= 1); });
  return t;
}

template <const auto& Scatter, const auto& View, class... Options>
void check(support::numbers& source, const tensor& x, const Options&... options) {
  const tensor whole = dense_copy(x), view = View(whole, options...);
  const tensor src = source_of(source, view.sizes(), x.dtype());
  support::copy_elements(view, src);
  const tensor y = result_of(Scatter, x, src, options...);
  support::check_tensor(y, x.sizes(), x.dtype(), values(whole));
  CHECK_FALSE(support::shares(y, x));
  CHECK_FALSE(support::shares(y, src));
  CHECK(y.strides() == aten::clone(x).strides());
}

}  // namespace

TEST_CASE("view: select_scatter, slice_scatter and diagonal_scatter are a write to a view of a copy", "[ops][view]") {
  support::numbers source(21);
  for (int round = 0; round < scaled(200); ++round) {
    const tensor x = support::random_view(source);
    INFO(tb::to_string(x.sizes()) << " " << tb::to_string(x.strides()));
    const std::int64_t n = x.dim();
    if (n == 0) continue;
    const std::int64_t d = source.whole(-n, n - 1), size = x.size(d);
    if (size != 0) check<aten::select_scatter, aten::select_int>(source, x, d, source.whole(-size, size - 1));
    const auto bound = [&] {
      return source.whole(0, 4) == 0 ? std::nullopt : std::optional(source.whole(-size - 1, size + 1));
    };
    check<aten::slice_scatter, aten::slice_Tensor>(source, x, d, bound(), bound(), source.whole(1, 3));
    if (n == 1) continue;
    const std::int64_t other = (d + n + source.whole(1, n - 1)) % n;
    check<aten::diagonal_scatter, aten::diagonal>(source, x, source.whole(-3, 3), d, other);
  }
}

TEST_CASE("view: as_strided_scatter is a write by address, in a copy with the same strides and offset", "[ops][view]") {
  support::numbers source(22);
  std::size_t written = 0, overlapping = 0, beside = 0;
  for (int round = 0; round < scaled(400, 100); ++round) {
    const tensor x = support::random_view(source);
    const shape sizes{source.whole(0, 2), source.whole(1, 3)}, strides{source.whole(1, 6), source.whole(1, 3)};
    const std::optional<std::int64_t> offset =
        source.whole(0, 2) == 0 ? std::nullopt : std::optional(source.whole(0, 5));
    INFO(tb::to_string(x.sizes()) << " " << tb::to_string(x.strides()) << ": " << tb::to_string(sizes) << " "
                                  << tb::to_string(strides) << " " << (offset ? std::to_string(*offset) : "none"));
    // A tensor whose elements share memory is like its dense copy.
    const bool shares = !tb::author::has_distinct_elements(x);
    const tensor base = shares ? dense_copy(x) : x;
    const auto elements = static_cast<std::int64_t>(tb::author::record_of(base).data->bytes / tb::size_of(x.dtype()));
    const std::int64_t first = offset.value_or(tb::author::record_of(base).offset);
    const std::int64_t last = first + (sizes[0] - 1) * strides[0] + (sizes[1] - 1) * strides[1];
    if (sizes[0] != 0 && last >= elements) continue;
    const tensor src = source_of(source, sizes, x.dtype());
    if (!tb::author::has_distinct_elements(tb::author::make_view(base, sizes, strides, first))) {
      CHECK(refused([&] {
              aten::as_strided_scatter(x, src, sizes, strides, offset);
            }).starts_with("aten::as_strided_scatter: "));
      continue;
    }
    ++(shares ? overlapping : written);
    std::vector<double> storage(static_cast<std::size_t>(elements), -100);
    support::each_index(sizes, [&](const shape& i) {
      storage[static_cast<std::size_t>(first + i[0] * strides[0] + i[1] * strides[1])] = support::get(src, i);
    });
    const list wanted = support::listed(x.sizes(), [&](const shape& i) {
      std::int64_t at = tb::author::record_of(base).offset;
      for (std::size_t d = 0; d < i.size(); ++d) at += i[d] * base.strides()[d];
      const double found = storage[static_cast<std::size_t>(at)];
      return found == -100 ? support::get(x, i) : found;
    });
    const tensor y = result_of(aten::as_strided_scatter, x, src, sizes, strides, offset);
    support::check_tensor(y, x.sizes(), x.dtype(), wanted);
    CHECK_FALSE(support::shares(y, x));
    CHECK(y.strides() == base.strides());
    CHECK(tb::author::record_of(y).offset == tb::author::record_of(base).offset);
    // The same view of the result is src, also where it is not an element of self.
    CHECK(values(aten::as_strided(y, sizes, strides, offset)) == values(src));
    beside += std::ranges::count_if(wanted, [](double e) { return e < 0; }) < src.numel() ? 1 : 0;
  }
  CHECK(written > 10);
  CHECK(overlapping > 0);
  CHECK(beside > 0);
}

TEST_CASE("view: what overwrites a view is converted to the dtype of the copy", "[ops][view]") {
  const tensor half = tensor_of({1.5, -2.5}, {2}, dtype::float64);
  const tensor y = result_of(aten::select_scatter, counted, half, std::int64_t{1}, std::int64_t{0});
  CHECK(y.dtype() == dtype::int64);
  CHECK(values(y) == list{1, 1, 2, -2, 4, 5});
}

TEST_CASE("view: what overwrites a view has its sizes", "[ops][view]") {
  const tensor one = tensor_of({9}, {1}, dtype::int64);
  const std::string wanted = "found a src [1], wanted the sizes of the elements that it overwrites, ";
  CHECK(refused([&] { aten::select_scatter(counted, one, 0, 1); }) == "aten::select_scatter: " + wanted + "[3]");
  CHECK(refused([&] { aten::slice_scatter(counted, one, 1, 1); }) == "aten::slice_scatter: " + wanted + "[2, 2]");
  CHECK(refused([&] { aten::diagonal_scatter(counted, one); }) == "aten::diagonal_scatter: " + wanted + "[2]");
  CHECK(refused([&] { aten::as_strided_scatter(counted, one, shape{2}, shape{2}); }) ==
        "aten::as_strided_scatter: " + wanted + "[2]");
}

TEST_CASE("view: an overwritten copy names itself and the view in errors", "[ops][view]") {
  const tensor two = tensor_of({8, 9}, {2}, dtype::int64);
  CHECK(refused([&] { aten::select_scatter(counted, two, 1, 3); }) ==
        "aten::select_scatter: in aten::select.int: found index 3 for dimension 1 of a tensor [2, 3], wanted -3 to 2");
  CHECK(
      refused([&] { aten::as_strided_scatter(counted, two, shape{2}, shape{6}); }) ==
      "aten::as_strided_scatter: in aten::as_strided: a view of sizes [2], strides [6], offset 0 leaves the storage of "
      "6 elements");
  CHECK(text_of<tb::device_error>([&] {
          aten::select_scatter(counted, aten::empty_like(two, tb::arg<"device"> = tb::meta), 1, 0);
        }).starts_with("aten::select_scatter: "));
  const tensor opaque = tb::author::make_opaque({2, 3}, dtype::float32, tb::cpu, tb::key_set(tb::key::CPU));
  CHECK(text_of<tb::layout_error>([&] {
          aten::select_scatter(opaque, two, 1, 0);
        }).starts_with("aten::select_scatter: found argument 1 'self' of layout opaque"));
}
