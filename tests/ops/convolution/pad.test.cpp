// Padding with elements of the tensor itself, against walks that turn round at the ends.
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;
using numbers_list = std::vector<std::int64_t>;

namespace {

// Steps from element 0 to place `at`, which may be outside: one that would leave the row turns round, stays, or goes on
// at the other end of what is left between `first` and `last`.
std::int64_t walked(const std::string& mode, std::int64_t at, std::int64_t size, std::int64_t first,
                    std::int64_t last) {
  std::int64_t here = 0, step = at < 0 ? -1 : 1;
  if (mode == "circular") {
    here = at;
    while (here < first) here += last - first + 1;
    while (here > last) here -= last - first + 1;
    return here;
  }
  for (std::int64_t n = at < 0 ? -at : at; n > 0; --n) {
    if (here + step >= 0 && here + step < size) {
      here += step;
    } else if (mode == "reflect") {
      step = -step;
      here += step;
    }
  }
  return here;
}

struct padded {
  shape sizes;
  list elements;
};
padded expected(const tensor& x, const numbers_list& pad, const std::string& mode) {
  padded out{x.sizes(), {}};
  for (std::size_t i = 0; i < pad.size() / 2; ++i) out.sizes[x.dim() - 1 - i] += pad[2 * i] + pad[2 * i + 1];
  support::each_index(out.sizes, [&](const shape& i) {
    shape from = i;
    for (std::size_t k = 0; k < pad.size() / 2; ++k) {
      const std::size_t d = x.dim() - 1 - k;
      const std::int64_t n = x.sizes()[d], before = pad[2 * k], behind = pad[2 * k + 1];
      from[d] = walked(mode, i[d] - before, n, before < 0 ? -before : 0, n - 1 + (behind < 0 ? behind : 0));
    }
    out.elements.push_back(support::get(x, from));
  });
  return out;
}

tensor one_of(const tensor& x, const numbers_list& pad, const std::string& mode) {
  const bool reflect = mode == "reflect";
  if (mode == "circular") return aten::_pad_circular(x, pad);
  switch (pad.size()) {
    case 2: return reflect ? aten::reflection_pad1d(x, pad) : aten::replication_pad1d(x, pad);
    case 4: return reflect ? aten::reflection_pad2d(x, pad) : aten::replication_pad2d(x, pad);
    default: return reflect ? aten::reflection_pad3d(x, pad) : aten::replication_pad3d(x, pad);
  }
}

}  // namespace

TEST_CASE("pad: every mode, of every dtype and memory layout", "[ops][pad][property]") {
  support::numbers source(61);
  for (int round = 0; round < 10; ++round) {
    for (dtype type : tb::all_dtypes) {
      for (support::arrangement how : support::arrangements) {
        const auto padded_dims = source.whole(1, 3);
        shape sizes;
        for (std::int64_t d = source.whole(1, 2); d > 0; --d) sizes.push_back(source.whole(1, 2));
        numbers_list pad;
        const std::string mode =
            std::vector<std::string>{"reflect", "replicate", "circular"}[static_cast<std::size_t>(source.whole(0, 2))];
        shape last;
        for (std::int64_t d = 0; d < padded_dims; ++d) {
          const std::int64_t n = source.whole(2, 4), most = mode == "reflect" ? n - 1 : mode == "circular" ? n - 1 : 6;
          const std::int64_t before = source.whole(-1, most);
          pad.push_back(before);
          pad.push_back(source.whole(n + before > 2 ? -1 : 0, before < 0 ? most - 1 : most));
          last.push_back(n);
        }
        for (std::size_t d = last.size(); d-- > 0;) sizes.push_back(last[d]);
        const tensor x = source.tensor(sizes, type, how);
        INFO(mode << " " << tb::to_string(shape(pad)) << " of " << tb::to_string(sizes));
        const padded wanted = expected(x, pad, mode);
        for (const tensor& y : {one_of(x, pad, mode), aten::pad(x, pad, mode)}) {
          REQUIRE(y.sizes() == wanted.sizes);
          CHECK(values(y) == wanted.elements);
          CHECK(y.dtype() == type);
        }
      }
    }
  }
}

TEST_CASE("pad: sides of more elements than a SIMD register, of every memory layout", "[ops][pad]") {
  support::numbers source(62);
  for (const char* mode : {"reflect", "replicate", "circular"}) {
    for (dtype type : {dtype::uint8, dtype::float32, dtype::float64}) {
      for (support::arrangement how : support::arrangements) {
        for (const numbers_list& pad : {numbers_list{9, 40, 3, 10}, {1, 1, 1, 1}, {0, 2, 10, 0}, {33, 0, 0, 1}}) {
          const tensor x = source.tensor({2, 3, 11, 41}, type, how);
          INFO(mode << " " << tb::to_string(shape(pad)));
          CHECK(values(one_of(x, pad, mode)) == expected(x, pad, mode).elements);
        }
      }
    }
  }
}

TEST_CASE("pad: images that are padded a few at a time", "[ops][pad]") {
  support::numbers source(63);
  const numbers_list pad{1, 2, 3, 1};
  const tensor images = source.tensor({14, 130, 97}, dtype::uint8, support::arrangement::dense);
  const tensor whole = aten::reflection_pad2d(images, pad);
  REQUIRE(whole.numel() > 1 << 17);
  for (std::int64_t k = 0; k < 14; ++k) {
    CHECK(values(aten::select_int(whole, 0, k)) == expected(aten::select_int(images, 0, k), pad, "reflect").elements);
  }
}

TEST_CASE("pad: out that shares memory with the tensor", "[ops][pad]") {
  for (const char* mode : {"reflect", "replicate"}) {
    tensor out = tensor_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 6});
    const tensor x = aten::slice_Tensor(out, 1, 0, 3);
    const numbers_list pad{1, 2};
    const padded wanted = expected(x, pad, mode);
    if (std::string(mode) == "reflect") {
      aten::reflection_pad1d_out(x, pad, out);
    } else {
      aten::replication_pad1d_out(x, pad, out);
    }
    CHECK(values(out) == wanted.elements);
  }
}

TEST_CASE("pad: out forms, and meta", "[ops][pad]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}),
               there = tb::author::make_tensor({2, 3}, dtype::float32, tb::meta);
  const numbers_list pad{1, 2};
  tensor out = support::arranged({2, 6}, dtype::float64, support::arrangement::transposed);
  CHECK(&aten::reflection_pad1d_out(x, pad, out) == &out);
  CHECK(values(out) == list{2, 1, 2, 3, 2, 1, 5, 4, 5, 6, 5, 4});
  aten::replication_pad1d_out(x, pad, out);
  CHECK(values(out) == list{1, 1, 2, 3, 3, 3, 4, 4, 5, 6, 6, 6});
  for (const char* mode : {"reflect", "replicate", "circular"}) {
    CHECK(aten::pad(there, pad, mode).sizes() == shape{2, 6});
    CHECK(aten::pad(there, pad, mode).device() == tb::meta);
  }
}

TEST_CASE("pad: mismatched arguments are refused, on meta too", "[ops][pad]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({2, 3}, dtype::float32, where);
    const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
    CHECK(text([&] { aten::reflection_pad1d(x, numbers_list{3, 0}); }) ==
          "aten::reflection_pad1d: found padding [3, 0] for [2, 3], wanted at most 2 elements mirrored in dimension 1");
    CHECK(text([&] { aten::_pad_circular(x, numbers_list{0, 4}); }) ==
          "aten::_pad_circular: found padding [0, 4] for [2, 3], wanted at most 3 elements taken from the other end in "
          "dimension 1");
    CHECK(
        text([&] { aten::replication_pad1d(x, numbers_list{-2, -1}); }) ==
        "aten::replication_pad1d: found padding [-2, -1] for [2, 3], wanted elements in every padded dimension, before "
        "and after");
    CHECK(
        text([&] { aten::replication_pad2d(x, numbers_list{1, 1, 1, 1}); }) ==
        "aten::replication_pad2d: found [2, 3] and padding [1, 1, 1, 1], wanted channels, or a batch of them, in front "
        "of the padded dimensions");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(
        text([&] { aten::replication_pad1d(x, numbers_list{-most, most}); }) ==
        "aten::replication_pad1d: found padding [-9223372036854775807, 9223372036854775807], wanted numbers that sizes "
        "can have");
    CHECK(text([&] { aten::pad(x, numbers_list{1, 1, 0, 1}, "reflect"); }).starts_with("aten::pad: found [2, 3] and"));
    CHECK(text([&] { aten::pad(x, numbers_list{0, 4}, "circular"); }).starts_with("aten::pad: found padding [0, 4]"));
    CHECK(toy::text_of<tb::error>([&] { aten::reflection_pad1d(x, numbers_list{1}); }) ==
          "aten::reflection_pad1d: found padding [1], wanted 2 numbers");
    CHECK(toy::text_of<tb::error>([&] { aten::pad(x, numbers_list{1, 1}, "mirror"); }) ==
          "aten::pad: found mode 'mirror', wanted 'constant', 'reflect', 'replicate' or 'circular'");
    CHECK(toy::text_of<tb::error>([&] { aten::pad(x, numbers_list{1, 1}, "reflect", 2.0); }) ==
          "aten::pad: found the value 2.000000 and mode 'reflect', wanted a value with mode 'constant' only");
    CHECK(toy::text_of<tb::error>([&] { aten::pad(x, numbers_list{}, "reflect"); }) ==
          "aten::pad: found 0 numbers with mode 'reflect', wanted 2, 4 or 6, two for each of the last dimensions");
  }
}
