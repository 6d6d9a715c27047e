// Tensors put together, repeated, flipped and cut to triangles, against the definition of each element's place.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
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
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;

namespace {

dtype any_dtype(numbers& source) { return tb::all_dtypes[static_cast<std::size_t>(source.whole(0, 9))]; }

bool is_nothing(const tensor& t) { return t.sizes() == shape{0}; }

dtype promoted(const std::vector<tensor>& tensors) {
  dtype type = tensors[0].dtype();
  for (const tensor& t : tensors) type = oracle::naive_promote(type, t.dtype());
  return type;
}

// The elements of members one after another along a dimension; `place(member, index)` is an index of the member.
template <class Place>
list joined(const std::vector<tensor>& members, const integers& lengths, const shape& sizes, std::size_t d,
            Place place) {
  const dtype type = promoted(members);
  return listed(sizes, [&](const shape& i) {
    shape at = i;
    std::size_t n = 0;
    while (at[d] >= lengths[n]) at[d] -= lengths[n++];
    return oracle::stored(type, get(members[n], place(members[n], at)));
  });
}

// A few tensors of equal sizes, of one dtype or of any.
std::vector<tensor> alike(numbers& source, dtype t, const shape& sizes) {
  std::vector<tensor> all;
  const bool mixed = source.whole(0, 2) == 0;
  for (std::int64_t n = source.whole(1, 4); n > 0; --n) {
    all.push_back(any_odd_tensor(source, sizes, mixed ? any_dtype(source) : t));
  }
  return all;
}

}  // namespace

TEST_CASE("join: cat concatenates and promotes tensors, and skips those without elements", "[ops][join][property]") {
  support::for_every_dtype(1, 40, [](numbers& source, dtype t) {
    shape sizes = any_long_shape(source, 1, 4, 4);
    const auto [d, dim] = any_dim(source, sizes);
    const bool mixed = source.whole(0, 1) == 0;
    std::vector<tensor> members;
    integers lengths;
    std::int64_t whole = 0;
    for (std::int64_t n = source.whole(1, 4); n > 0; --n) {
      const dtype type = mixed ? any_dtype(source) : t;
      if (source.whole(0, 5) == 0) {
        members.push_back(any_odd_tensor(source, {0}, type));
        lengths.push_back(0);
      }
      sizes[d] = source.whole(0, 3);
      members.push_back(any_odd_tensor(source, sizes, type));
      lengths.push_back(sizes[d]);
      whole += sizes[d];
    }
    // With nothing but empty vectors, the dimension is a vector's.
    const bool nothing = std::ranges::all_of(members, is_nothing);
    if (!nothing) sizes[d] = whole;
    const list wanted = joined(members, lengths, sizes, d, [](const tensor&, const shape& at) { return at; });
    const tensor found = result_of(aten::cat, members, nothing ? 0 : dim);
    check_tensor(found, sizes, promoted(members), wanted);
    CHECK(found.is_contiguous());
    support::check_out(source, aten::cat_out, found, members, nothing ? 0 : dim);
    if (!tb::is_floating(found.dtype())) return;
    tensor wide = support::any_room(source, sizes, dtype::float64);
    aten::cat_out(members, nothing ? 0 : dim, wide);
    check_tensor(wide, sizes, dtype::float64, wanted);
  });
}

TEST_CASE("join: cat reads overlapping arguments before it writes", "[ops][join][overlap][property]") {
  support::for_every_dtype(2, 4, [](numbers& source, dtype t) {
    tensor x = support::moved(source, source.tensor({6, 3}, t));
    const tensor parts[] = {aten::slice_Tensor(x, 0, 2, 6), aten::slice_Tensor(x, 0, 0, 2)};
    const list wanted = listed(x.sizes(), [&](const shape& i) { return get(x, {(i[0] + 2) % 6, i[1]}); });
    aten::cat_out(parts, 0, x);
    check_tensor(x, {6, 3}, t, wanted);
  });
}

TEST_CASE("join: stack adds a dimension, hstack and vstack concatenate along existing ones", "[ops][join][property]") {
  support::for_every_dtype(3, 25, [](numbers& source, dtype t) {
    const shape sizes = any_shape(source, 0, 3, 4);
    const std::vector<tensor> members = alike(source, t, sizes);
    const dtype type = promoted(members);
    const auto n = static_cast<std::int64_t>(members.size());
    const std::int64_t rank = static_cast<std::int64_t>(sizes.size()) + 1, dim = source.whole(-rank, rank - 1);
    const auto d = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
    shape deep;
    for (std::size_t k = 0; k <= sizes.size(); ++k) deep.push_back(k < d ? sizes[k] : k == d ? n : sizes[k - 1]);
    const tensor stacked = result_of(aten::stack, members, dim);
    check_tensor(stacked, deep, type, listed(deep, [&](const shape& i) {
                   shape at = i;
                   at.erase(d);
                   return oracle::stored(type, get(members[static_cast<std::size_t>(i[d])], at));
                 }));
    support::check_out(source, aten::stack_out, stacked, members, dim);

    // Dimensions that a member lacks stand in front.
    const auto last = [](const tensor& m, const shape& at) {
      shape out;
      for (std::size_t k = at.size() - m.sizes().size(); k < at.size(); ++k) out.push_back(at[k]);
      return out;
    };
    const auto check = [&](const tensor& found, shape wide, std::size_t along) {
      if (sizes == shape{0} && wide.size() == 1) return check_tensor(found, sizes, type, {});
      const integers lengths(members.size(), wide[along]);
      wide[along] *= n;
      check_tensor(found, wide, type, joined(members, lengths, wide, along, last));
    };
    shape wide = sizes, tall = sizes;
    if (wide.empty()) wide = {1};
    if (tall.empty()) tall = {1};
    if (tall.size() == 1) tall = {1, tall[0]};
    check(result_of(aten::hstack, members), wide, wide.size() == 1 ? 0 : 1);
    check(result_of(aten::vstack, members), tall, 0);
  });
}

TEST_CASE("join: repeat repeats the tensor, tile pads the repeats with 1, repeat_interleave repeats each element",
          "[ops][join][property]") {
  support::for_every_dtype(4, 25, [](numbers& source, dtype t) {
    shape sizes = any_shape(source, 0, 3, 4);
    // Rows of 16 and more are copied at once.
    if (!sizes.empty() && source.whole(0, 1) == 1) sizes[sizes.size() - 1] = source.whole(15, 18);
    const tensor x = any_odd_tensor(source, sizes, t);
    integers times;
    for (std::int64_t n = static_cast<std::int64_t>(sizes.size()) + source.whole(0, 2); n > 0; --n) {
      times.push_back(source.whole(0, 7) == 0 ? 0 : source.whole(1, 5));
    }
    const auto check = [&](const tensor& found, const integers& all) {
      const std::size_t added = all.size() - sizes.size();
      shape wide;
      for (std::size_t k = 0; k < all.size(); ++k) wide.push_back(all[k] * (k < added ? 1 : sizes[k - added]));
      check_tensor(found, wide, t, listed(wide, [&](const shape& i) {
                     shape at;
                     for (std::size_t k = added; k < i.size(); ++k) at.push_back(i[k] % sizes[k - added]);
                     return get(x, at);
                   }));
    };
    check(result_of(aten::repeat, x, times), times);
    check(result_of(aten::tile, x, times), times);
    if (!sizes.empty()) {
      integers few(times.end() - source.whole(0, static_cast<std::int64_t>(sizes.size()) - 1), times.end()), all = few;
      all.insert(all.begin(), sizes.size() - few.size(), 1);
      check(result_of(aten::tile, x, few), all);
    }

    const std::int64_t repeats = source.whole(0, 3);
    const std::optional<std::int64_t> no_dim, no_size;
    const list flat = support::values(x);
    const auto n = static_cast<std::int64_t>(flat.size());
    check_tensor(result_of(aten::repeat_interleave_self_int, x, repeats, no_dim, no_size), {n * repeats}, t,
                 listed({n * repeats}, [&](const shape& i) { return flat[static_cast<std::size_t>(i[0] / repeats)]; }));
    if (sizes.empty()) return;
    const auto [d, dim] = any_dim(source, sizes);
    shape wide = sizes;
    wide[d] *= repeats;
    check_tensor(result_of(aten::repeat_interleave_self_int, x, repeats, std::optional(dim), std::optional(wide[d])),
                 wide, t, listed(wide, [&](const shape& i) {
                   shape at = i;
                   at[d] /= repeats;
                   return get(x, at);
                 }));
  });
}

TEST_CASE("join: flip reverses dimensions, roll shifts elements cyclically", "[ops][join][property]") {
  support::for_every_dtype(5, 30, [](numbers& source, dtype t) {
    const shape sizes = any_long_shape(source, 0, 4, 5);
    const tensor x = any_odd_tensor(source, sizes, t);
    integers over, shifts;
    std::vector<std::int64_t> shift_of(sizes.size(), 0);
    std::vector<bool> flipped(sizes.size(), false);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (source.whole(0, 1) == 0) continue;
      const auto dim = static_cast<std::int64_t>(d);
      over.push_back(source.whole(0, 1) == 0 ? dim : dim - static_cast<std::int64_t>(sizes.size()));
      shifts.push_back(source.whole(-7, 7));
      flipped[d] = true;
      shift_of[d] = shifts.back();
    }
    check_tensor(result_of(aten::flip, x, over), sizes, t, listed(sizes, [&](const shape& i) {
                   shape at = i;
                   for (std::size_t d = 0; d < i.size(); ++d) at[d] = flipped[d] ? sizes[d] - 1 - i[d] : i[d];
                   return get(x, at);
                 }));
    if (!over.empty()) {
      check_tensor(result_of(aten::roll, x, shifts, over), sizes, t, listed(sizes, [&](const shape& i) {
                     shape at = i;
                     for (std::size_t d = 0; d < i.size(); ++d) at[d] = (i[d] - shift_of[d] + 7 * sizes[d]) % sizes[d];
                     return get(x, at);
                   }));
    }
    const list flat = support::values(x);
    const auto n = static_cast<std::int64_t>(flat.size());
    const std::int64_t shift = source.whole(-7, 7);
    std::int64_t place = 0;
    check_tensor(result_of(aten::roll, x, integers{shift}, integers{}), sizes, t, listed(sizes, [&](const shape&) {
                   return flat[static_cast<std::size_t>((place++ - shift + 7 * n) % n)];
                 }));
  });
}

TEST_CASE("join: rot90 rotates a plane by multiples of 90 degrees", "[ops][join][property]") {
  support::for_every_dtype(6, 30, [](numbers& source, dtype t) {
    const shape sizes = any_shape(source, 2, 4, 4);
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const std::int64_t a = source.whole(0, rank - 1), b = (a + source.whole(1, rank - 1)) % rank,
                       k = source.whole(-5, 5);
    const auto rows = static_cast<std::size_t>(a), columns = static_cast<std::size_t>(b);
    const tensor x = any_odd_tensor(source, sizes, t);
    // One quarter takes the element of row j and, from the back, column i to row i and column j.
    tensor wanted = x;
    for (std::int64_t quarter = 0; quarter < ((k % 4) + 4) % 4; ++quarter) {
      shape rotated = wanted.sizes();
      std::swap(rotated[rows], rotated[columns]);
      const list elements = listed(rotated, [&](const shape& i) {
        shape at = i;
        at[rows] = i[columns];
        at[columns] = rotated[rows] - 1 - i[rows];
        return get(wanted, at);
      });
      wanted = support::tensor_of(elements, rotated, t);
    }
    check_tensor(result_of(aten::rot90, x, k, integers{a, source.whole(0, 1) == 0 ? b : b - rank}), wanted.sizes(), t,
                 support::values(wanted));
  });
}

TEST_CASE("join: tril and triu keep one side of a diagonal of each matrix", "[ops][join][property]") {
  support::for_every_dtype(7, 30, [](numbers& source, dtype t) {
    const shape sizes = any_long_shape(source, 2, 4, 6);
    const tensor x = any_odd_tensor(source, sizes, t);
    const std::int64_t diagonal = source.whole(-7, 7);
    const auto kept = [&](bool lower) {
      return listed(sizes, [&](const shape& i) {
        const std::int64_t apart = i[i.size() - 1] - i[i.size() - 2];
        return (lower ? apart <= diagonal : apart >= diagonal) ? get(x, i) : 0;
      });
    };
    const tensor lower = result_of(aten::tril, x, diagonal), upper = result_of(aten::triu, x, diagonal);
    check_tensor(lower, sizes, t, kept(true));
    check_tensor(upper, sizes, t, kept(false));
    support::check_out(source, aten::tril_out, lower, x, diagonal);
    support::check_out(source, aten::triu_out, upper, x, diagonal);
    support::check_in_place(source, aten::tril, aten::tril_, x, diagonal);
    support::check_in_place(source, aten::triu, aten::triu_, x, diagonal);
  });
}

TEST_CASE("join: diag maps a vector to a diagonal matrix and a matrix to its diagonal", "[ops][join][property]") {
  support::for_every_dtype(8, 20, [](numbers& source, dtype t) {
    const std::int64_t diagonal = source.whole(-4, 4), down = std::max<std::int64_t>(-diagonal, 0),
                       across = std::max<std::int64_t>(diagonal, 0);
    const tensor row = any_odd_tensor(source, any_shape(source, 1, 1, 5), t),
                 matrix = any_odd_tensor(source, any_shape(source, 2, 2, 5), t);
    const std::int64_t n = row.sizes()[0] + down + across;
    const tensor wide = result_of(aten::diag, row, diagonal);
    check_tensor(wide, {n, n}, t,
                 listed({n, n}, [&](const shape& i) { return i[1] - i[0] == diagonal ? get(row, {i[0] - down}) : 0; }));
    support::check_out(source, aten::diag_out, wide, row, diagonal);
    list elements;
    for (std::int64_t i = down, j = across; i < matrix.sizes()[0] && j < matrix.sizes()[1]; ++i, ++j) {
      elements.push_back(get(matrix, {i, j}));
    }
    const tensor chosen = result_of(aten::diag, matrix, diagonal);
    check_tensor(chosen, {static_cast<std::int64_t>(elements.size())}, t, elements);
    support::check_out(source, aten::diag_out, chosen, matrix, diagonal);
  });
}

TEST_CASE("join: mismatched arguments are refused by name, on meta too", "[ops][join]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto make = [&](const shape& sizes) { return tb::author::make_tensor(sizes, dtype::float32, where); };
    const tensor x = make({2, 3}), y = make({3, 2}), number = make({}), row = make({3});
    const auto text = [](auto f) { return text_of<tb::shape_error>(f); };
    using tensors = std::vector<tensor>;
    CHECK(text([&] { aten::cat(tensors{x, y}); }) ==
          "aten::cat: found [2, 3] and [3, 2], wanted the same sizes except dimension 0");
    CHECK(text([&] { aten::cat(tensors{x, number}); }) ==
          "aten::cat: found a zero-dimensional tensor; unsqueeze() it first");
    CHECK(text([&] { aten::cat(tensors{x, x}, 2); }) == "aten::cat: found dimension 2, wanted -2 to 1");
    CHECK(text([&] { aten::stack(tensors{x, y}); }) == "aten::stack: found [2, 3] and [3, 2], wanted equal sizes");
    CHECK(text([&] { aten::tril(row); }) == "aten::tril: found [3], wanted a matrix, or several");
    CHECK(text([&] { aten::diag(number); }) == "aten::diag: found [], wanted a vector or a matrix");
    CHECK(text([&] { aten::flip(x, integers{0, -2}); }) == "aten::flip: dimension 0 is given twice");
    CHECK(text([&] { aten::rot90(x, 1, integers{0, -2}); }) ==
          "aten::rot90: found dimensions [0, -2] of [2, 3], wanted two different ones");
  }
  const std::vector<tensor> none;
  for (const std::string& found :
       {text_of<tb::error>([&] { aten::stack(none); }), text_of<tb::error>([&] { aten::hstack(none); }),
        text_of<tb::error>([&] { aten::vstack(none); })}) {
    CHECK(found.ends_with("stack: found no tensors, wanted at least one"));
  }
}

TEST_CASE("join: the result is always a new tensor", "[ops][join]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {2, 2});
  const std::vector<tensor> one{x};
  const list before = values(x);
  for (tensor made :
       {aten::cat(one), aten::stack(one), aten::hstack(one), aten::vstack(one), aten::repeat(x, integers{1, 1}),
        aten::tile(x, integers{1}), aten::repeat_interleave_self_int(x, 1), aten::repeat_interleave_self_int(x, 1, 0),
        aten::flip(x, integers{}), aten::roll(x, integers{0}), aten::roll(x, integers{0}, integers{1}),
        aten::rot90(x, 4), aten::tril(x, 2), aten::triu(x, -2), aten::diag(x)}) {
    aten::fill_Scalar_(made, 9);
    CHECK(values(x) == before);
  }
}

TEST_CASE("join: repeat_interleave repeats each slice in place", "[ops][join]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}), transposed = aten::t(x);
  CHECK(values(aten::repeat_interleave_self_int(x, 2, 0)) == list{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(values(aten::repeat_interleave_self_int(transposed, 2, 1)) == list{1, 1, 4, 4, 2, 2, 5, 5, 3, 3, 6, 6});
  CHECK(values(aten::repeat_interleave_self_int(transposed, 1)) == list{1, 4, 2, 5, 3, 6});
  CHECK(aten::repeat_interleave_self_int(x, 0, 1).sizes() == tb::shape{2, 0});
}

TEST_CASE("join: repeats whose sum 64 bits cannot hold are refused", "[ops][join]") {
  const tensor many = aten::full(integers{4}, std::int64_t{1} << 62);
  CHECK(text_of<tb::shape_error>([&] { aten::repeat_interleave_Tensor(many); }) ==
        "aten::repeat_interleave.Tensor: found repeats whose sum overflows 64 bits");
}
