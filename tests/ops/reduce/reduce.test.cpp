// Reductions against loops over double: all dtypes, arrangements, dimensions, with nothing to reduce among them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/rows.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

using dimensions = std::vector<std::int64_t>;
using dim_span = std::span<const std::int64_t>;
using some_dims = std::optional<dim_span>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

double summed(const list& x, const std::function<double(double)>& f) {
  return static_cast<double>(oracle::sum_of(x.size(), [&](std::size_t i) { return f(x[i]); }).value);
}
double sum(const list& x) {
  return summed(x, [](double v) { return v; });
}
double product(const list& x) {
  double all = 1;
  for (double v : x) all *= v;
  return all;
}
double wrapped_product(const list& x) {
  std::uint64_t all = 1;
  for (double v : x) all *= static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
  return static_cast<double>(static_cast<std::int64_t>(all));
}
double place(const list& x, bool greatest) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return static_cast<double>(i);
    if (greatest ? x[i] > x[best] : x[i] < x[best]) best = i;
  }
  return static_cast<double>(best);
}
double greatest(const list& x) { return x[static_cast<std::size_t>(place(x, true))]; }
double least(const list& x) { return x[static_cast<std::size_t>(place(x, false))]; }
// Rounded like the kernels of float64: of equal elements, on this depends whether the squares are 0, and 0 / 0 is NaN.
double variance(const list& x, double correction) {
  const double mean = sum(x) / static_cast<double>(x.size());
  return summed(x, [&](double v) { return (v - mean) * (v - mean); }) /
         std::max(0.0, static_cast<double>(x.size()) - correction);
}
double norm(const list& x, double p) {
  if (std::isinf(p)) {
    list sizes;
    for (double v : x) sizes.push_back(std::abs(v));
    return p > 0 ? greatest(sizes) : least(sizes);
  }
  if (p == 0) return summed(x, [](double v) { return v != 0; });
  return std::pow(summed(x, [&](double v) { return std::pow(std::abs(v), p); }), 1 / p);
}
double log_sum_exp(const list& x) { return static_cast<double>(oracle::exponentials(x).log_sum()); }
double non_zero(const list& x) {
  return summed(x, [](double v) { return v != 0; });
}

// What is beyond a type's range is infinite.
double in_range(dtype t, double x) {
  if (t == dtype::float16) return static_cast<double>(static_cast<float>(tb::half(static_cast<float>(x))));
  return t == dtype::float64 || !tb::is_floating(t) ? x : static_cast<double>(static_cast<float>(x));
}

dtype summed_type(dtype t) { return tb::is_floating(t) ? t : dtype::int64; }
dtype same_type(dtype t) { return t; }
dtype index_type(dtype) { return dtype::int64; }
dtype truth_type(dtype t) { return t == dtype::uint8 ? dtype::uint8 : dtype::boolean; }
dtype float_type(dtype t) { return tb::is_floating(t) ? t : dtype::float32; }

// Reduces over any dimensions, none for all; `out` has the same arguments and writes.
struct operation {
  std::string name;
  std::function<tensor(const tensor&, some_dims, bool)> call;
  std::function<tensor&(const tensor&, some_dims, bool, tensor&)> out;
  std::function<double(const list&)> model;
  dtype (*result)(dtype);
  bool floating_only = false, needs_elements = false, keeps_dims = true, one_dim = false;
};

std::optional<std::int64_t> one(some_dims d) { return d ? std::optional((*d)[0]) : std::nullopt; }
dim_span span_of(some_dims d) { return d.value_or(dim_span()); }
double truth(bool x) { return x ? 1 : 0; }

std::vector<operation> operations() {
  using ct = const tensor&;
  using sd = some_dims;
  std::vector<operation> all{
      {"sum", [](ct x, sd d, bool k) { return aten::sum_dim_IntList(x, d, k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::sum_IntList_out(x, d, k, std::nullopt, o); }, sum,
       summed_type},
      {"nansum", [](ct x, sd d, bool k) { return aten::nansum(x, d, k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::nansum_out(x, d, k, std::nullopt, o); },
       [](const list& x) { return summed(x, [](double v) { return std::isnan(v) ? 0 : v; }); }, summed_type},
      {"mean", [](ct x, sd d, bool k) { return aten::mean_dim(x, d, k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::mean_out(x, d, k, std::nullopt, o); },
       [](const list& x) { return sum(x) / static_cast<double>(x.size()); }, same_type, true},
      {"amax", [](ct x, sd d, bool k) { return aten::amax(x, span_of(d), k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::amax_out(x, span_of(d), k, o); }, greatest,
       same_type, false, true},
      {"amin", [](ct x, sd d, bool k) { return aten::amin(x, span_of(d), k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::amin_out(x, span_of(d), k, o); }, least, same_type,
       false, true},
      {"logsumexp", [](ct x, sd d, bool k) { return aten::logsumexp(x, span_of(d), k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::logsumexp_out(x, span_of(d), k, o); }, log_sum_exp,
       float_type},
      {"count_nonzero", [](ct x, sd d, bool) { return aten::count_nonzero_dim_IntList(x, span_of(d)); }, nullptr,
       non_zero, index_type, false, false, false},
      {"prod", [](ct x, sd d, bool k) { return d ? aten::prod_dim_int(x, *one(d), k) : aten::prod(x); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& {
         return aten::prod_int_out(x, one(d).value_or(0), k, std::nullopt, o);
       },
       product, summed_type, false, false, true, true},
      {"any", [](ct x, sd d, bool k) { return d ? aten::any_dim(x, *one(d), k) : aten::any(x); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& {
         return d ? aten::any_out(x, *one(d), k, o) : aten::any_all_out(x, o);
       },
       [](const list& x) { return truth(non_zero(x) > 0); }, truth_type, false, false, true, true},
      {"all", [](ct x, sd d, bool k) { return d ? aten::all_dim(x, *one(d), k) : aten::all(x); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& {
         return d ? aten::all_out(x, *one(d), k, o) : aten::all_all_out(x, o);
       },
       [](const list& x) { return truth(non_zero(x) == static_cast<double>(x.size())); }, truth_type, false, false,
       true, true},
      {"argmax", [](ct x, sd d, bool k) { return aten::argmax(x, one(d), k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::argmax_out(x, one(d), k, o); },
       [](const list& x) { return place(x, true); }, index_type, false, true, true, true},
      {"argmin", [](ct x, sd d, bool k) { return aten::argmin(x, one(d), k); },
       [](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::argmin_out(x, one(d), k, o); },
       [](const list& x) { return place(x, false); }, index_type, false, true, true, true},
      {"max", [](ct x, sd d, bool k) { return d ? std::get<0>(aten::max_dim(x, *one(d), k)) : aten::max(x); }, nullptr,
       greatest, same_type, false, true, true, true},
      {"max, its index",
       [](ct x, sd d, bool k) { return d ? std::get<1>(aten::max_dim(x, *one(d), k)) : aten::argmax(x); }, nullptr,
       [](const list& x) { return place(x, true); }, index_type, false, true, true, true},
      {"min", [](ct x, sd d, bool k) { return d ? std::get<0>(aten::min_dim(x, *one(d), k)) : aten::min(x); }, nullptr,
       least, same_type, false, true, true, true},
      {"min, its index",
       [](ct x, sd d, bool k) { return d ? std::get<1>(aten::min_dim(x, *one(d), k)) : aten::argmin(x); }, nullptr,
       [](const list& x) { return place(x, false); }, index_type, false, true, true, true},
      {"aminmax, least", [](ct x, sd d, bool k) { return std::get<0>(aten::aminmax(x, one(d), k)); }, nullptr, least,
       same_type, false, true, true, true},
      {"aminmax, greatest", [](ct x, sd d, bool k) { return std::get<1>(aten::aminmax(x, one(d), k)); }, nullptr,
       greatest, same_type, false, true, true, true}};
  for (const std::int64_t c : {0, 1, 3}) {
    const std::optional<std::int64_t> correction = c;
    all.push_back(
        {"var", [=](ct x, sd d, bool k) { return aten::var_correction(x, d, correction, k); },
         [=](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::var_correction_out(x, d, correction, k, o); },
         [=](const list& x) { return variance(x, static_cast<double>(c)); }, same_type, true});
    all.push_back(
        {"std", [=](ct x, sd d, bool k) { return aten::std_correction(x, d, correction, k); },
         [=](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::std_correction_out(x, d, correction, k, o); },
         [=](const list& x) { return std::sqrt(variance(x, static_cast<double>(c))); }, same_type, true});
  }
  for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, -1.0, infinity, -infinity}) {
    const bool needs = p < 0 || p == infinity;
    all.push_back(
        {"norm", [=](ct x, sd d, bool k) { return aten::norm_ScalarOpt_dim(x, tb::scalar(p), span_of(d), k); },
         [=](ct x, sd d, bool k, tensor& o) -> tensor& { return aten::norm_out(x, tb::scalar(p), span_of(d), k, o); },
         [=](const list& x) { return norm(x, p); }, same_type, true, needs});
    all.push_back({"vector norm", [=](ct x, sd d, bool k) { return aten::linalg_vector_norm(x, p, d, k); },
                   [=](ct x, sd d, bool k, tensor& o) -> tensor& {
                     return aten::linalg_vector_norm_out(x, p, d, k, std::nullopt, o);
                   },
                   [=](const list& x) { return norm(x, p); }, same_type, true, needs});
  }
  return all;
}

struct reduced {
  tb::shape sizes;
  std::vector<list> groups;  // elements that become one, row-major
};

reduced groups_of(const tensor& t, some_dims over, bool keepdim) {
  std::vector<bool> gone(t.dim(), !over || over->empty());
  for (std::int64_t d : over.value_or(dim_span())) {
    if (t.dim() != 0) gone[static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(t.dim()) : d)] = true;
  }
  reduced out;
  tb::shape kept = t.sizes();
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    if (gone[d]) kept[d] = 1;
    if (!gone[d] || keepdim) out.sizes.push_back(kept[d]);
  }
  out.groups.resize(static_cast<std::size_t>(tb::numel(kept)));
  const tb::shape strides = tb::dense_strides(kept);
  support::each_index(t.sizes(), [&](const tb::shape& i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < i.size(); ++d) at += (gone[d] ? 0 : i[d]) * strides[d];
    out.groups[static_cast<std::size_t>(at)].push_back(support::get(t, i));
  });
  return out;
}

bool has_empty_group(const reduced& r, const tensor& x, some_dims over) {
  bool none = false;
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    const bool gone = !over || over->empty() || std::ranges::any_of(*over, [&](std::int64_t o) {
      return static_cast<std::size_t>(o < 0 ? o + x.dim() : o) == d;
    });
    none = none || (gone && x.sizes()[d] == 0);
  }
  return none || std::ranges::any_of(r.groups, [](const list& g) { return g.empty(); });
}

double tolerance(dtype t) { return 8 * support::tolerance_of(t); }

// A random choice of dimensions, in any order and some from the back; sometimes none.
dimensions choose(support::numbers& source, std::size_t ndim, bool one_dim) {
  dimensions out;
  const auto n = static_cast<std::int64_t>(std::max<std::size_t>(ndim, 1));
  for (std::int64_t d = 0; d < n; ++d) {
    if (source.whole(0, 1) == 0) out.push_back(source.whole(0, 1) == 0 ? d : d - n);
  }
  if (!out.empty() && source.whole(0, 1) == 0) std::swap(out.front(), out.back());
  if (one_dim && out.size() > 1) out.resize(1);
  return out;
}

void plant_oddities(const tensor& x, support::numbers& source) {
  if (!tb::is_floating(x.dtype())) return;
  support::each_index(x.sizes(), [&](const tb::shape& i) {
    const std::int64_t pick = source.whole(0, 30);
    if (pick < 4) support::set(x, i, pick == 0 ? nan : pick == 1 ? infinity : pick == 2 ? -infinity : 0.0);
  });
}

// One operation on one tensor, on the CPU and on meta.
void check_one(const operation& o, const tensor& x, arrangement how, const dimensions& over, bool keepdim) {
  const some_dims d = over.empty() ? some_dims() : some_dims(dim_span(over));
  keepdim = keepdim && o.keeps_dims && (!o.one_dim || d.has_value());
  INFO(o.name << " of " << tb::name_of(x.dtype()) << " " << tb::to_string(x.sizes()) << " " << support::name_of(how)
              << " over " << tb::to_string(tb::shape(dim_span(over))) << (keepdim ? " kept" : ""));
  const reduced r = groups_of(x, d, keepdim);
  const tensor on_meta = support::arranged(x.sizes(), x.dtype(), how, tb::meta);
  if (o.floating_only && !tb::is_floating(x.dtype())) {
    const std::string pass = o.name == "mean" ? "; pass dtype" : "";
    for (const tensor& t : {x, on_meta})
      CHECK(text_of<tb::dtype_error>([&] { o.call(t, d, keepdim); }).ends_with(", wanted a floating dtype" + pass));
    return;
  }
  if (o.needs_elements && has_empty_group(r, x, d)) {
    for (const tensor& t : {x, on_meta}) {
      CHECK(text_of<tb::shape_error>([&] {
              o.call(t, d, keepdim);
            }).ends_with(", wanted at least one element to reduce"));
    }
    return;
  }
  const tensor y = o.call(x, d, keepdim), m = o.call(on_meta, d, keepdim);
  REQUIRE(y.sizes() == r.sizes);
  REQUIRE(y.dtype() == o.result(x.dtype()));
  REQUIRE(y.is_contiguous());
  REQUIRE((m.sizes() == y.sizes() && m.strides() == y.strides() && m.dtype() == y.dtype()));
  list wanted;
  for (const list& g : r.groups) {
    wanted.push_back(o.name == "prod" && y.dtype() == dtype::int64 ? wrapped_product(g)
                                                                   : in_range(y.dtype(), o.model(g)));
  }
  REQUIRE(support::difference(values(y), wanted, tolerance(y.dtype())) == "");
}

void check_out(const operation& o, const tensor& x, arrangement how, const dimensions& over, bool keepdim) {
  const some_dims d = over.empty() ? some_dims() : some_dims(dim_span(over));
  const tensor wanted = o.call(x, d, keepdim);
  INFO(o.name << " of " << tb::name_of(x.dtype()) << " " << tb::to_string(x.sizes()) << " into "
              << support::name_of(how) << " over " << tb::to_string(tb::shape(dim_span(over))));
  const dtype wide = tb::is_floating(wanted.dtype()) ? dtype::float64 : dtype::int64;
  for (const dtype type : {wanted.dtype(), wide}) {
    tensor out = support::arranged(wanted.sizes(), type, how);
    const auto before = support::bytes(out);
    REQUIRE(&o.out(x, d, keepdim, out) == &out);
    REQUIRE(support::difference(values(out), values(wanted), tolerance(wanted.dtype())) == "");
    // With the old bytes put back element by element, nothing else may differ.
    const tensor old = support::arranged(wanted.sizes(), type, how);
    support::each_index(out.sizes(), [&](const tb::shape& i) {
      std::memcpy(support::address(out, i), support::address(old, i), tb::size_of(type));
    });
    REQUIRE(support::bytes(out) == before);
  }
}

// A tensor for three float32 results.
tensor three() { return tensor_of({0, 0, 0}, {3}, dtype::float32); }

}  // namespace

TEST_CASE("reduce: every operator, over any dimensions, memory layouts and dtypes", "[ops][reduce][property]") {
  support::numbers source(1);
  const std::vector<operation> all = operations();
  std::vector<tb::shape> shapes{{}, {0}, {1}, {37}, {2000}, {3, 300}, {300, 3}, {20, 0, 20}, {2, 1, 37}, {1, 1}};
  shapes.push_back({2, 2, 1, 3, 2, 1, 2, 2});
  for (int n = 0; n < 12; ++n) {
    tb::shape random = source.shape(5, 6);
    if (n % 4 == 0 && !random.empty()) random[0] = 0;
    shapes.push_back(random);
  }
  sampled_cases cases;
  for (const tb::shape& sizes : shapes) {
    for (dtype t : tb::all_dtypes) {
      for (arrangement how : support::arrangements) {
        if (!cases.is_drawn()) continue;
        const tensor x = source.tensor(sizes, t, how);
        if (source.whole(0, 2) == 0) plant_oddities(x, source);
        for (const operation& o : all) {
          check_one(o, x, how, choose(source, sizes.size(), o.one_dim), source.whole(0, 1) == 0);
        }
      }
    }
  }
}

TEST_CASE("reduce: out forms write any memory layout, of a wider dtype too, and nothing else",
          "[ops][reduce][property]") {
  support::numbers source(2);
  for (const operation& o : operations()) {
    if (o.out == nullptr) continue;
    for (dtype t : tb::all_dtypes) {
      if (o.floating_only && !tb::is_floating(t)) continue;
      for (const tb::shape& sizes : {tb::shape{3, 4, 5}, tb::shape{4, 1, 7}, tb::shape{}}) {
        for (arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
          dimensions over = choose(source, sizes.size(), o.one_dim);
          if (over.empty()) over = {0};
          check_out(o, source.tensor(sizes, t, arrangement::sliced), how, over, source.whole(0, 1) == 0);
        }
      }
    }
  }
}

TEST_CASE("reduce: the forms with two results", "[ops][reduce][property]") {
  const tensor x = tensor_of({1, 5, 2, 7, 3, 7}, {2, 3}, dtype::float32);
  tensor values_out = support::arranged({2}, dtype::float64, arrangement::sliced);
  tensor index_out = support::arranged({2}, dtype::int64, arrangement::sliced);
  const auto [v, i] = aten::max_dim_max(x, 1, false, values_out, index_out);
  CHECK((&v == &values_out && &i == &index_out));
  CHECK((values(v) == list{5, 7} && values(i) == list{1, 0}));
  tensor narrow = support::arranged({3}, dtype::int32, arrangement::dense), least_out = three();
  aten::min_dim_min(x, 0, false, least_out, narrow);
  CHECK((values(least_out) == list{1, 3, 2} && values(narrow) == list{0, 1, 0}));
  tensor low = three(), high = three();
  aten::aminmax_out(x, 0, false, low, high);
  CHECK((values(low) == list{1, 3, 2} && values(high) == list{7, 5, 7}));
  const dimensions rows{1};
  const auto [var, mean] = aten::var_mean_dim(tensor_of({1, 3, 2, 6}, {2, 2}), some_dims(rows), false, true);
  CHECK(var.sizes() == tb::shape{2, 1});
  CHECK((values(var) == list{1, 4} && values(mean) == list{2, 4}));
  const auto [deviation, whole_mean] = aten::std_mean(tensor_of({1, 2, 3, 4, 5}, {5}));
  CHECK(std::abs(tb::item(deviation) - std::sqrt(2.5)) < 1e-12);
  CHECK(tb::item(whole_mean) == 3);
}

TEST_CASE("reduce: results may overwrite their arguments", "[ops][reduce][overlap][property]") {
  tensor x = tensor_of({1, 2, 3, 4}, {2, 2});
  tensor row = aten::slice_Tensor(x, 0, 0, 1);
  aten::sum_IntList_out(x, some_dims(dimensions{0}), true, std::nullopt, row);
  CHECK(values(x) == list{4, 6, 3, 4});
  tensor column = aten::slice_Tensor(x, 1, 1, 2);
  aten::mean_out(x, some_dims(dimensions{1}), true, std::nullopt, column);
  CHECK(values(x) == list{4, 5, 3, 3.5});
}

TEST_CASE("reduce: whole tensors", "[ops][reduce]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {2, 2});
  tensor out = tensor_of({0}, {});
  CHECK(tb::item(aten::norm_Scalar(x, 1)) == 10);
  CHECK(aten::norm_ScalarOpt_dtype(tb::to(x, dtype::float32), std::nullopt, dtype::float64).dtype() == dtype::float64);
  CHECK(tb::item(aten::norm_ScalarOpt_dim_dtype(x, std::nullopt, dimensions{0, 1}, false, dtype::float64)) ==
        std::sqrt(30.0));
  CHECK(values(aten::mean_dtype_out(x, dtype::float64, out)) == list{2.5});
  CHECK(values(aten::max_unary_out(x, out)) == list{4});
  CHECK(values(aten::min_unary_out(x, out)) == list{1});
  CHECK(values(aten::std_out(x, std::nullopt, false, false, out)) == list{std::sqrt(1.25)});
  CHECK(values(aten::var_out(x, std::nullopt, false, false, out)) == list{1.25});
  CHECK(tb::item(aten::count_nonzero(aten::sub_Scalar(x, 2))) == 3);
  CHECK(values(aten::max_other(x, tensor_of({2.5}, {}))) == list{2.5, 2.5, 3, 4});
  tensor least_of = tensor_of({0, 0, 0, 0}, {2, 2});
  CHECK(values(aten::min_out(x, tensor_of({2.5}, {}), least_of)) == list{1, 2, 2.5, 2.5});
}

TEST_CASE("reduce: an index without a dimension is row-major, whatever the strides", "[ops][reduce][property]") {
  const tensor x = tensor_of({1, 5, 2, 3, 9, 9}, {2, 3});
  CHECK(values(aten::argmax(x)) == list{4});
  CHECK(aten::argmax(x, std::nullopt, true).sizes() == tb::shape{1, 1});
  CHECK(values(aten::argmax(aten::transpose_int(x, 0, 1))) == list{3});
  CHECK(values(aten::argmin(aten::transpose_int(aten::neg(x), 0, 1))) == list{3});
}

TEST_CASE("reduce: sums convert before they add", "[ops][reduce][property]") {
  const tensor x = tensor_of({0.5, 0.5, 1.5}, {3}, dtype::float32);
  CHECK(values(aten::sum(x, arg<"dtype"> = dtype::int64)) == list{1});
  CHECK(aten::sum(x, arg<"dtype"> = dtype::float64).dtype() == dtype::float64);
  CHECK(values(aten::prod(tensor_of({100, 100, 3}, {3}, dtype::int8), arg<"dtype"> = dtype::int8)) == list{48});
  CHECK(values(aten::sum(tensor_of({1, 1, 0}, {3}, dtype::boolean), arg<"dtype"> = dtype::float32)) == list{2});
}

TEST_CASE("reduce: the mean in half precision whose sum overflows", "[ops][reduce][property]") {
  const tensor x = aten::full(dimensions{100}, 60000, arg<"dtype"> = dtype::float16);
  CHECK(tb::item(aten::mean(x)) == 60000);
  CHECK(tb::item(aten::mean_dim(x, some_dims(dimensions{0}))) == 60000);
}

TEST_CASE("reduce: errors", "[ops][reduce]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto make = [&](const tb::shape& sizes, dtype t) { return tb::author::make_tensor(sizes, t, where); };
    const tensor x = make({2, 3}, dtype::float32), n = make({2, 3}, dtype::int64), e = make({0, 3}, dtype::float32);
    const auto given_shape = [](auto f) { return text_of<tb::shape_error>(f); };
    const auto type = [](auto f) { return text_of<tb::dtype_error>(f); };
    CHECK(given_shape([&] { tb::sum(x, {2}); }) == "aten::sum.dim_IntList: found dimension 2, wanted -2 to 1");
    CHECK(given_shape([&] { tb::sum(x, {-3}); }) == "aten::sum.dim_IntList: found dimension -3, wanted -2 to 1");
    CHECK(given_shape([&] { tb::sum(x, {1, -1}); }) == "aten::sum.dim_IntList: dimension 1 is given twice");
    CHECK(given_shape([&] { aten::argmax(x, 2); }) == "aten::argmax: found dimension 2, wanted -2 to 1");
    CHECK(given_shape([&] { aten::mean_dim(x, some_dims(dimensions{2})); }) ==
          "aten::mean.dim: found dimension 2, wanted -2 to 1");
    CHECK(given_shape([&] { aten::max_dim(e, 0); }) ==
          "aten::max.dim: found float32 [0, 3], wanted at least one element to reduce");
    CHECK(given_shape([&] { aten::argmax(e); }) ==
          "aten::argmax: found float32 [0, 3], wanted at least one element to reduce");
    CHECK(aten::argmax(e, 1).sizes() == tb::shape{0});
    CHECK(type([&] { aten::sum(x, arg<"dtype"> = dtype::boolean); }) == "aten::sum: found dtype bool, wanted a number");
    CHECK(type([&] { aten::mean(n); }) == "aten::mean: found int64, wanted a floating dtype; pass dtype");
    CHECK(type([&] { aten::var_correction(n, std::nullopt, std::nullopt, false); }) ==
          "aten::var.correction: found int64, wanted a floating dtype");
    CHECK(type([&] { aten::std(n); }) == "aten::std: found int64, wanted a floating dtype");
    CHECK(given_shape([&] { aten::var_mean_dim(x, some_dims(dimensions{2})); }) ==
          "aten::var_mean.dim: found dimension 2, wanted -2 to 1");
    CHECK(
        given_shape([&] { aten::min_other(x, make({2}, dtype::float32)); }).starts_with("aten::min.other: the shapes"));
    CHECK(type([&] { aten::norm_Scalar(n); }) == "aten::norm.Scalar: found int64, wanted a floating dtype");
    CHECK(type([&] { aten::linalg_vector_norm(x, 2, std::nullopt, false, dtype::float16); }) ==
          "aten::linalg_vector_norm: found dtype float16 for float32, wanted one that holds it");
    tensor wrong = make({2}, dtype::float32), whole = make({3}, dtype::int64);
    CHECK(given_shape([&] { aten::sum_IntList_out(x, some_dims(dimensions{0}), false, std::nullopt, wrong); }) ==
          "aten::sum.IntList_out: the result has sizes [3], the tensor to write [2]");
    CHECK(type([&] { aten::mean_out(x, some_dims(dimensions{0}), false, std::nullopt, whole); }) ==
          "aten::mean.out: the result is float32 and cannot be written to int64");
    CHECK(type([&] { aten::max_dim_max(x, 0, false, whole, whole); }) ==
          "aten::max.dim_max: the result is float32 and cannot be written to int64");
  }
}

TEST_CASE("reduce: aminmax of many elements, which are read once", "[ops][reduce]") {
  const std::int64_t count = 100 * 4096 + 77;
  for (const dtype type : {dtype::float32, dtype::float64, dtype::bfloat16, dtype::int64, dtype::int32, dtype::uint8}) {
    CAPTURE(type);
    for (const std::int64_t lowest : {std::int64_t(0), count / 2, count - 1}) {
      const tensor x = tb::full({count}, 100, arg<"dtype"> = type);
      support::set(x, {lowest}, 3);
      support::set(x, {count - 1 - lowest / 2}, 200);
      const auto [low, high] = aten::aminmax(x, arg<"keepdim"> = true);
      CHECK((tb::item<double>(low) == 3 && low.dtype() == type && low.sizes() == tb::shape{1}));
      CHECK(tb::item<double>(high) == 200);
      if (!tb::is_floating(type)) continue;
      support::set(x, {count / 3}, std::numeric_limits<double>::quiet_NaN());
      const auto [no_low, no_high] = aten::aminmax(x);
      CHECK((std::isnan(tb::item<double>(no_low)) && std::isnan(tb::item<double>(no_high))));
    }
  }
}

TEST_CASE("reduce: gradients of sums and means reach every element", "[ops][reduce]") {
  const auto gradient = [](auto f) {
    const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
    tb::backward(f(x));
    return values(tb::leaf_grad(x));
  };
  CHECK(gradient([](const tensor& x) { return aten::sum(x); }) == list{1, 1, 1, 1});
  CHECK(gradient([](const tensor& x) { return aten::mean(x); }) == list{0.25, 0.25, 0.25, 0.25});
  const tensor factors = tensor_of({2, 6}, {2});
  CHECK(gradient([&](const tensor& x) { return aten::sum(tb::sum(x, {0}) * factors); }) == list{2, 6, 2, 6});
  CHECK(gradient([&](const tensor& x) { return aten::sum(aten::mean_dim(x, some_dims(dimensions{-1})) * factors); }) ==
        list{1, 1, 3, 3});
}
