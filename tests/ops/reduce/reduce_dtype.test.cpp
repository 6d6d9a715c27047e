// Reductions of any dtype in any other that is asked for, and norms in all their forms, against long double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/exact_values.h"
#include "support/operator_forms.h"
import topbit;

namespace tb = topbit;
using support::approximately;
using support::extended;
using tb::dtype;
using tb::tensor;

namespace {

using row = std::vector<extended>;
using integers = std::vector<std::int64_t>;

// The elements that become one, row-major, each converted first to the type in which `type` is computed.
std::vector<row> groups_of(const tensor& x, const std::vector<bool>& gone, dtype type, tb::shape& kept) {
  kept = x.sizes();
  for (std::size_t d = 0; d < kept.size(); ++d) kept[d] = gone[d] ? 1 : kept[d];
  std::vector<row> groups(static_cast<std::size_t>(tb::numel(kept)));
  const tb::shape strides = tb::dense_strides(kept);
  support::each_index(x.sizes(), [&](const tb::shape& i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < i.size(); ++d) at += gone[d] ? 0 : i[d] * strides[d];
    groups[static_cast<std::size_t>(at)].push_back(oracle::stored(support::computed_in(type), support::exact(x, i)));
  });
  return groups;
}

std::uint64_t bits_of(extended x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); }

approximately sum(const row& x, dtype t) {
  if (!tb::is_floating(t)) {
    std::uint64_t all = 0;
    for (extended v : x) all += bits_of(v);
    return extended(static_cast<std::int64_t>(all));
  }
  extended all = 0, size = 0;
  for (extended v : x) all += v, size += std::abs(v);
  return {all, size};
}
approximately nansum(const row& x, dtype t) {
  row numbers;
  for (extended v : x) numbers.push_back(std::isnan(v) ? 0 : v);
  return sum(numbers, t);
}
approximately mean(const row& x, dtype t) {
  const approximately all = sum(x, t);
  return {all.value / extended(x.size()), all.scale / extended(std::max<std::size_t>(x.size(), 1))};
}
approximately product(const row& x, dtype t) {
  if (!tb::is_floating(t)) {
    std::uint64_t all = 1;
    for (extended v : x) all *= bits_of(v);
    return extended(static_cast<std::int64_t>(all));
  }
  extended all = 1;
  for (extended v : x) all *= v;
  return all;
}
approximately norm(const row& x, extended p) {
  extended all = p < 0 ? INFINITY : 0;
  for (extended v : x) {
    const extended size = std::abs(v);
    if (p != 0 && (std::isnan(v) || std::isnan(all)))
      all = NAN;
    else if (std::isinf(p))
      all = p > 0 ? std::max(all, size) : std::min(all, size);
    else
      all += p == 0 ? extended(v != 0) : std::pow(size, p);
  }
  return std::isinf(p) || p == 0 ? all : std::pow(all, 1 / p);
}

// Moderate numbers, so that the order of a sum is of no account; some not finite.
tensor moderate(support::edge_numbers& source, const tb::shape& sizes, dtype t) {
  const tensor x = source.memory(sizes, t, false);
  const bool odd = tb::is_floating(t) && source.flip();
  support::each_index(sizes, [&](const tb::shape& i) {
    const std::int64_t pick = odd ? source.whole(0, 20) : 20;
    const extended v = tb::is_floating(t)    ? extended(source.real(-2, 2))
                       : t == dtype::boolean ? extended(source.whole(0, 1))
                                             : extended(source.whole(t == dtype::uint8 ? 0 : -3, 3));
    support::put(x, i, pick == 0 ? NAN : pick == 1 ? -INFINITY : oracle::stored(t, v));
  });
  return x;
}

extended units_of(const row& x) { return 12 + extended(x.size()); }

void check(const tensor& y, dtype type, const std::vector<row>& groups, auto of_row) {
  REQUIRE(y.dtype() == type);
  const row found = support::exact_values(y);
  REQUIRE(found.size() == groups.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const approximately wanted = of_row(groups[i]);
    INFO("element " << i << ": found " << support::text_of_number(found[i]) << ", wanted "
                    << support::text_of_number(wanted.value));
    REQUIRE(support::agrees(type, found[i], wanted, units_of(groups[i])));
  }
}

std::vector<bool> random_dims(support::edge_numbers& source, const tb::shape& sizes, integers& dims) {
  std::vector<bool> gone(sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    gone[d] = source.flip();
    if (gone[d]) dims.push_back(static_cast<std::int64_t>(d));
  }
  if (dims.empty()) gone.assign(sizes.size(), true);  // an empty list of dimensions is all of them
  return gone;
}

}  // namespace

TEST_CASE("reduce: elements are converted to the dtype asked for, then reduced", "[ops][property]") {
  support::edge_numbers source(91);
  const struct {
    const char* name;
    approximately (*f)(const row&, dtype);
    bool floating;
  } all[] = {{"aten::sum.dim_IntList", sum, false}, {"aten::nansum", nansum, false}, {"aten::mean.dim", mean, true}};
  for (dtype from : tb::all_dtypes) {
    for (dtype to : tb::all_dtypes) {
      if (tb::is_floating(from) && !tb::is_floating(to)) continue;
      for (std::size_t round = 0; round < 3 * std::size(all); ++round) {
        const auto& o = all[round / 3];
        const tensor x = moderate(source, source.any_shape(), from);
        integers dims;
        const std::vector<bool> gone = random_dims(source, x.sizes(), dims);
        tb::shape kept;
        const std::vector<row> groups = groups_of(x, gone, to, kept);
        const support::arguments given{tb::value(x), tb::value(dims), tb::value(true), tb::value(to)};
        INFO(o.name << " of " << tb::name_of(from) << tb::to_string(x.sizes()) << " in " << tb::name_of(to));
        if (to == dtype::boolean || (o.floating && !tb::is_floating(to))) {
          CHECK_THROWS_AS(support::call_form(o.name, given), tb::dtype_error);
          continue;
        }
        const tensor y = support::call_form(o.name, given);
        REQUIRE(y.sizes() == kept);
        check(y, to, groups, [&](const row& r) { return o.f(r, to); });
        support::check_meta({o.name, "", ""}, given, y);
      }
      if (to == dtype::boolean) continue;
      tensor x = moderate(source, source.any_shape(), from);
      const std::vector<bool> gone(x.dim(), true);
      tb::shape kept;
      INFO("aten::prod of " << tb::name_of(from) << tb::to_string(x.sizes()) << " in " << tb::name_of(to));
      check(support::call_form("aten::prod", {tb::value(x), tb::value(to)}), to, groups_of(x, gone, to, kept),
            [&](const row& r) -> approximately {
              const approximately p = product(r, to);
              // What underflows on the way may be lost.
              return {p.value, to == dtype::float64 ? 0x1p-960L : 0x1p-90L};
            });
    }
  }
}

TEST_CASE("reduce: norms of every order, in all forms", "[ops][property]") {
  support::edge_numbers source(92);
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, double(INFINITY)}) {
      for (int round = 0; round < 6; ++round) {
        const tensor x = moderate(source, source.any_shape(), t);
        integers dims;
        const std::vector<bool> gone = random_dims(source, x.sizes(), dims);
        if (std::isinf(p) && x.numel() == 0) continue;
        tb::shape kept;
        const dtype wide = t == dtype::float64 ? t : source.flip() ? dtype::float32 : dtype::float64;
        const tb::value order(tb::scalar{p});
        INFO("p " << p << " of " << tb::name_of(t) << tb::to_string(x.sizes()));
        const auto agrees = [&](const char* name, const support::arguments& given, dtype in,
                                const std::vector<bool>& over) {
          INFO(name);
          const std::vector<row> groups = groups_of(x, over, in, kept);
          const tensor y = support::call_form(name, given);
          check(y, in, groups, [&](const row& r) -> approximately {
            const approximately n = norm(r, extended(p));
            return {n.value, 4 * n.value};
          });
          support::check_meta({name, "", ""}, given, y);
        };
        const std::vector<bool> everything(x.dim(), true);
        const tb::value keep(true), none;
        agrees("aten::linalg_vector_norm", {tb::value(x), order, tb::value(dims), keep, none}, t, gone);
        agrees("aten::linalg_vector_norm", {tb::value(x), order, tb::value(dims), keep, tb::value(wide)}, wide, gone);
        agrees("aten::norm.Scalar", {tb::value(x), order}, t, everything);
        agrees("aten::norm.ScalarOpt_dtype", {tb::value(x), order, tb::value(wide)}, wide, everything);
        agrees("aten::norm.ScalarOpt_dim", {tb::value(x), order, tb::value(dims), keep}, t, gone);
        agrees("aten::norm.ScalarOpt_dim_dtype", {tb::value(x), order, tb::value(dims), keep, tb::value(wide)}, wide,
               gone);
      }
    }
  }
}
