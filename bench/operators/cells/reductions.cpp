// Reductions, scans, sorting.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set sml{&matrices, {"S", "M", "L"}};

// Sums of many numbers, added up in another order.
constexpr double summed = 30;

void add_reductions_of(family f) {
  f.add("all dim1 bool", {whole(-1000).as(lib::boolean)}, [](args a) { return lib::all(a[0], 1); });
  f.add("amax dim0", {in()}, [](args a) { return lib::amax(a[0], {0}); });
  f.both("amax dim1", {in()}, [](args a) { return lib::amax(a[0], {1}); });
  f.add("aminmax", {in()}, [](args a) { return lib::aminmax(a[0]); });
  f.add("any bool", {whole(-1).as(lib::boolean)}, [](args a) { return lib::any(a[0]); });
  f.add("argmax", {in()}, [](args a) { return lib::argmax(a[0]); }).compared(check::sizes);
  f.add("argmax dim0", {in()}, [](args a) { return lib::argmax(a[0], 0); }).compared(check::sizes);
  f.add("argmax dim1", {in()}, [](args a) { return lib::argmax(a[0], 1); }).compared(check::sizes);
  f.add("count_nonzero", {in()}, [](args a) { return lib::count_nonzero(a[0]); });
  f.add("logsumexp dim0", {in()}, [](args a) { return lib::logsumexp(a[0], {0}); });
  f.both("logsumexp dim1", {in()}, [](args a) { return lib::logsumexp(a[0], {1}); });
  f.both("max", {in()}, [](args a) { return lib::max(a[0]); });
  f.add("max dim0", {in()}, [](args a) { return lib::max(a[0], 0); }).compared(check::first);
  f.add("max dim1", {in()}, [](args a) { return lib::max(a[0], 1); }).compared(check::first);
  f.recorded("max dim1", {&matrices, {"M", "1e6"}}, {in()}, [](args a) { return std::get<0>(lib::max(a[0], 1)); });
  f.add("max i64", {whole(-100000)}, [](args a) { return lib::max(a[0]); });
  f.both("mean", {in(-1, 3)}, [](args a) { return lib::mean(a[0]); });
  f.add("mean dim0", {in(-1, 3)}, [](args a) { return lib::mean(a[0], {0}); });
  f.add("mean dim1", {in(-1, 3)}, [](args a) { return lib::mean(a[0], {1}); });
  f.add("min", {in()}, [](args a) { return lib::min(a[0]); });
  f.both("norm", {in()}, [](args a) { return lib::norm(a[0]); }, {&matrices, {"M", "1e6"}}, 100);  // 2e-4 apart at 1e7
  f.both("prod", {in(0.9995, 1.0005)}, [](args a) { return lib::prod(a[0]); }, {&matrices, {"M", "1e6"}}, 1000);
  f.add("prod dim1", {in(0.9995, 1.0005)}, [](args a) { return lib::prod(a[0], 1); }).within(summed);
  f.add("std dim1", {in()}, [](args a) { return lib::stddev(a[0], {1}); });
  f.add("stddev", {in()}, [](args a) { return lib::stddev(a[0]); });
  f.both("sum", {in(-1, 3)}, [](args a) { return lib::sum(a[0]); }, {&matrices, {"M", "1e6"}}, summed);
  f.add("sum bf16", {in(0, 1).as(lib::bf16)}, [](args a) { return lib::sum(a[0]); });
  f.add("sum bool", {mask()}, [](args a) { return lib::sum(a[0]); });
  f.both("sum dim0", {in(-1, 3)}, [](args a) { return lib::sum(a[0], {0}); });
  f.both("sum dim1", {in(-1, 3)}, [](args a) { return lib::sum(a[0], {1}); });
  f.add("sum dim1 of a.t()", {in(-1, 3).seen([](const tensor& x) { return lib::t(x); })},
        [](args a) { return lib::sum(a[0], {1}); });
  f.add("sum dims 0,2 of 3-d", {&volumes, {"S", "M", "L"}}, {in(-1, 3)}, [](args a) { return lib::sum(a[0], {0, 2}); });
  f.add("sum i64", {whole(-1000)}, [](args a) { return lib::sum(a[0]); });
  f.both("var", {in()}, [](args a) { return lib::var(a[0], true); });
  f.add("var dim0", {in()}, [](args a) { return lib::var(a[0], {0}, true); });
  f.both("var dim1", {in()}, [](args a) { return lib::var(a[0], {1}, true); });
  f.add("var_mean dim1", {in(-1, 3)}, [](args a) { return lib::var_mean(a[0], {1}, true); });
  f.add("vector_norm dim0", {in()}, [](args a) { return lib::linalg_vector_norm(a[0], 2, {0}); });
  f.add("vector_norm dim1", {in()}, [](args a) { return lib::linalg_vector_norm(a[0], 2, {1}); });
}

void add_scans(family f) {
  f.add("cummax dim1", {in()}, [](args a) { return lib::cummax(a[0], 1); }).compared(check::first);
  f.add("cumprod dim1", {in(0.9995, 1.0005)}, [](args a) { return lib::cumprod(a[0], 1); }).within(summed);
  f.add("cumsum dim0", {in(-1, 3)}, [](args a) { return lib::cumsum(a[0], 0); }).within(summed);
  f.both("cumsum dim1", {in(-1, 3)}, [](args a) { return lib::cumsum(a[0], 1); }, {&matrices, {"M", "1e6"}}, summed);
  f.add("diff", {in()}, [](args a) { return lib::diff(a[0]); });
  f.add("logcumsumexp dim1", {in()}, [](args a) { return lib::logcumsumexp(a[0], 1); }).within(10);
}

void add_sorting(family f) {
  const input flat = sized({all_elements}), numbers_below_1000 = whole(-1000, {all_elements});
  const shape_set recorded{&matrices, {"M", "1e6"}};
  f.add("bincount", {numbers_below_1000}, [](args a) { return lib::bincount(a[0]); });
  f.add("histc", {flat}, [](args a) { return lib::histc(a[0], 100); }).within(100);
  f.add("isin", {numbers_below_1000, whole(-1000, {-100})}, [](args a) { return lib::isin(a[0], a[1]); });
  f.add("kthvalue rows", {in()}, [](args a) { return lib::kthvalue(a[0], a.n(1) / 2, 1); }).compared(check::first);
  f.add("masked_select", {in(), mask()}, [](args a) { return lib::masked_select(a[0], a[1]); });
  f.add("median", {in()}, [](args a) { return lib::median(a[0]); });
  f.add("median dim1", {in()}, [](args a) { return lib::median(a[0], 1); }).compared(check::first);
  f.add("nonzero", {mask()}, [](args a) { return lib::nonzero(a[0]); });
  f.add("searchsorted", {ramp({-1000}), sized({all_elements}, 0, 1)},
        [](args a) { return lib::searchsorted(a[0], a[1]); });
  f.add("sort 1-d", {flat}, [](args a) { return lib::sort(a[0], 0); }).compared(check::first);
  f.add("sort 1-d i64", {numbers_below_1000}, [](args a) { return lib::sort(a[0], 0); }).compared(check::first);
  f.add("sort dim0", {in()}, [](args a) { return lib::sort(a[0], 0); }).compared(check::first);
  f.add("sort rows", {in()}, [](args a) { return lib::sort(a[0], 1); }).compared(check::first);
  f.recorded("sort rows", recorded, {in()}, [](args a) {
     return std::get<0>(lib::sort(a[0], 1));
   }).compared(check::first);
  f.add("topk 10 1-d", {flat}, [](args a) { return lib::topk(a[0], 10, 0); }).compared(check::first);
  f.add("topk 10 rows", {in()}, [](args a) { return lib::topk(a[0], 10, 1); }).compared(check::first);
  f.recorded("topk 10 rows", recorded, {in()}, [](args a) {
     return std::get<0>(lib::topk(a[0], 10, 1));
   }).compared(check::first);
  f.add("unique f32 inverse", {flat}, [](args a) { return lib::_unique2(a[0], true, true); }).compared(check::first);
  f.add("unique i64", {numbers_below_1000}, [](args a) { return lib::_unique2(a[0], true); }).compared(check::first);
}

}  // namespace

void add_reductions(std::vector<cell>& all) {
  add_reductions_of({all, "reduce", sml});
  add_scans({all, "scan", sml});
  add_sorting({all, "sort", {&matrices, {"S", "M", "1e6"}}});
}

}  // namespace bench::operators
