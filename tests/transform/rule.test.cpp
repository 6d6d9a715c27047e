// Batching rules of operators that are not the library's: kinds, rules by hand, compositions, and none at all.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

import topbit;
import topbit.transform;

namespace tb = topbit;

inline constexpr tb::op<"batching::twice(Tensor self) -> Tensor"> twice;
inline constexpr tb::op<"batching::fold(Tensor self, Tensor other) -> Tensor"> fold;
inline constexpr tb::op<"batching::spread(Tensor self, int n) -> Tensor"> spread;
inline constexpr tb::op<"batching::alone(Tensor self, Tensor[] others) -> (Tensor, Tensor)"> alone;
inline constexpr tb::op<"batching::unless(Tensor(a) self, Tensor? other) -> Tensor(a)"> unless;
inline constexpr tb::op<"batching::parts(Tensor self) -> Tensor"> parts;

namespace {

// Kernels that refuse what is batched: they need elements.
tb::tensor twice_cpu(const tb::tensor& self) { return self * 2.0; }
tb::tensor fold_cpu(const tb::tensor& self, const tb::tensor& other) {
  if (self.dim() != 1 || other.dim() != 1) throw tb::shape_error("batching::fold: wanted two vectors");
  return tb::sum(self * other);
}
tb::tensor spread_cpu(const tb::tensor& self, std::int64_t n) { return tb::expand(self, {n, self.size(0)}); }
std::tuple<tb::tensor, tb::tensor> alone_cpu(const tb::tensor& self, std::span<const tb::tensor> others) {
  if (tb::item(tb::sum(self)) < 0) return {tb::zeros({1}), others[0]};
  return {self, others[0] + others[1]};
}
tb::tensor unless_cpu(const tb::tensor& self, const std::optional<tb::tensor>& other) { return other ? *other : self; }
tb::tensor parts_any(const tb::tensor& self) { return tb::exp(self) + self; }

const auto library = tb::library("batching").def(twice).def(fold).def(spread).def(alone).def(unless).def(parts);
const auto kernels = tb::implement("batching", tb::key::CPU)
                         .impl<&twice_cpu>(twice)
                         .impl<&fold_cpu>(fold)
                         .impl<&spread_cpu>(spread)
                         .impl<&alone_cpu>(alone)
                         .impl<&unless_cpu>(unless);
const auto composite = tb::implement("batching", tb::key::CompositeImplicitAutograd).impl<&parts_any>(parts);

int folded = 0;
std::tuple<tb::tensor, tb::batch_dim> batched_fold(const tb::tensor& self, tb::batch_dim d, const tb::tensor& other,
                                                   tb::batch_dim e) {
  ++folded;
  if (self.dim() != (d ? 2 : 1) || other.dim() != (e ? 2 : 1)) throw tb::shape_error("wanted vectors");
  const tb::tensor a = d ? tb::movedim(self, *d, 0) : self, b = e ? tb::movedim(other, *e, 0) : other;
  return {tb::sum(a * b, -1), 0};
}
tb::tensor spread_by_parts(const tb::tensor& self, std::int64_t n) { return tb::stack(std::vector(n, self), 0); }

inline constexpr auto rules =
    tb::batching::rules(tb::batching::elementwise<twice, unless>{}, tb::batching::by<fold, &batched_fold>{},
                        tb::batching::by_parts<spread, &spread_by_parts>{});
const auto registered = tb::author::install_batching(rules);

const tb::tensor rows = tb::tensor({{1.f, 2, 3}, {4, 5, 6}});

bool same(const tb::tensor& a, const tb::tensor& b) { return a.sizes() == b.sizes() && tb::equal(a, b); }

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const tb::error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("rules: a kind, a rule by hand, a composition and a composite", "[transform]") {
  CHECK(same(tb::vmap(twice)(rows), rows * 2.0));
  folded = 0;
  CHECK(same(tb::vmap(fold)(rows, rows), tb::sum(rows * rows, 1)));
  CHECK(same(tb::vmap(fold, {.in = {tb::unmapped, 1}})(tb::tensor({1.f, 1}), rows), tb::sum(rows, 0)));
  CHECK(folded == 2);
  CHECK(same(tb::vmap([](const tb::tensor& x) { return spread(x, 4); })(rows),
             tb::expand(tb::unsqueeze(rows, 1), {2, 4, 3})));
  // An argument that is returned stays one tensor.
  tb::vmap([](const tb::tensor& x) {
    CHECK(unless(x, std::nullopt).same_as(x));
    return x;
  })(rows);
  CHECK(same(tb::vmap(parts)(rows), tb::exp(rows) + rows));
}

TEST_CASE("rules: a rule's error is that of the first example that throws one", "[transform]") {
  CHECK(error_of([] { tb::vmap(fold, {.in = {0, tb::unmapped}})(rows, rows); }) ==
        "batching::fold: wanted two vectors (in example 0 of 2 examples, level 1)");
}

TEST_CASE("rules: without one, an operator is called for each example", "[transform]") {
  const auto of = [](const tb::tensor& a, const tb::tensor& b) { return alone(a, std::vector{a, b}); };
  const auto [first, second] = tb::vmap(of, {.in = {0, tb::unmapped}})(rows, tb::ones({3}));
  CHECK(same(first, rows));
  CHECK(same(second, rows + 1.0));
  CHECK(error_of([&] {
          tb::vmap(of, {.in = {0, tb::unmapped}})(tb::stack({rows, rows * -1.0}, 0), rows);
        }).starts_with("batching::alone: example 0 gives [2, 3], example 1 gives [1] as result 0"));
  const tb::missing_batching_rule before = tb::set_missing_batching_rule(tb::missing_batching_rule::raises);
  CHECK(error_of([&] { tb::vmap(of, {.in = {0, tb::unmapped}})(rows, tb::ones({3})); }) ==
        "batching::alone: has no batching rule; write one (author::batching_rule), or let it run for each example: "
        "set_missing_batching_rule(missing_batching_rule::loops)");
  tb::set_missing_batching_rule(before);
}

TEST_CASE("rules: explain and dump say what is done", "[transform]") {
  CHECK(tb::to_string(tb::dump(twice.handle())).find("batched element by element") != std::string::npos);
}
