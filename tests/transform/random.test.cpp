// Random operators within vmap: which examples share numbers, and that an example's numbers are its own whatever else
// is computed with it.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

using tb::randomness;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const tb::error& e) {
    return e.what();
  }
  return "no error";
}

bool same(const tb::tensor& a, const tb::tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && tb::equal(a, b);
}
tb::tensor row(const tb::tensor& x, std::int64_t b) { return tb::select(x, 0, b); }

bool rows_are_equal(const tb::tensor& x) {
  for (std::int64_t b = 1; b < x.size(0); ++b) {
    if (!same(row(x, 0), row(x, b))) return false;
  }
  return true;
}
bool rows_differ(const tb::tensor& x) {
  for (std::int64_t a = 0; a < x.size(0); ++a) {
    for (std::int64_t b = 0; b < a; ++b) {
      if (same(row(x, a), row(x, b))) return false;
    }
  }
  return true;
}

tb::vmap_options with(randomness r, std::optional<std::int64_t> chunk = std::nullopt) {
  tb::vmap_options options;
  options.random = r;
  options.chunk = chunk;
  return options;
}

std::uint64_t position() { return tb::default_generator().take(0).offset; }

constexpr std::uint64_t seed = 11;

// Checks a function of one example: with different numbers against the loop, with the same ones against a loop that
// starts anew for each example, and both in chunks.
template <class F>
void check(const std::string& name, F f, const tb::tensor& x) {
  INFO(name);
  tb::manual_seed(seed);
  std::vector<tb::tensor> turns;
  tb::example_numbers numbers;
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    const auto scope = numbers.example(b);
    turns.push_back(f(tb::select(x, 0, b)));
  }
  const tb::tensor wanted = tb::stack(turns, 0);
  const std::uint64_t after = position();
  turns.clear();
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    tb::manual_seed(seed);
    turns.push_back(f(row(x, b)));
    CHECK(position() == after);
  }
  const tb::tensor wanted_same = tb::stack(turns, 0);
  for (const std::optional<std::int64_t> chunk : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1),
                                                  std::optional<std::int64_t>(2), std::optional<std::int64_t>(100)}) {
    tb::manual_seed(seed);
    CHECK(same(tb::vmap(f, with(randomness::different, chunk))(x), wanted));
    CHECK(position() == after);
    tb::manual_seed(seed);
    CHECK(same(tb::vmap(f, with(randomness::same, chunk))(x), wanted_same));
    CHECK(position() == after);
  }
}

// In place on a copy of the example.
template <class Fill>
auto filled_by(Fill fill) {
  return [fill](const tb::tensor& x) {
    tb::tensor copy = tb::clone(x);
    fill(copy);
    return copy;
  };
}

tb::tensor probabilities() { return tb::reshape(tb::arange(60.0), {5, 12}) / 60.0; }

}  // namespace

TEST_CASE("vmap: random operators are refused if nothing was said", "[transform][random]") {
  const tb::tensor x = tb::ones({2, 3});
  const std::string wanted =
      ": draws random numbers within vmap, and it was not said whether examples share them; pass random = "
      "tb::randomness::same or different";
  CHECK(error_of([&] { tb::vmap([](const tb::tensor& a) { return a + tb::rand({3}); })(x); }) == "aten::rand" + wanted);
  CHECK(error_of([&] { tb::vmap([](const tb::tensor&) { return tb::randperm(3); })(x); }) == "aten::randperm" + wanted);
  CHECK(error_of([&] { tb::vmap([](tb::tensor a) { tb::uniform_(a); })(tb::clone(x)); }) == "aten::uniform_" + wanted);
  CHECK(error_of([&] { tb::vmap([](const tb::tensor& a) { return tb::dropout(a, 0.5, true); })(x); }) ==
        "aten::dropout" + wanted);
  // What draws nothing is not refused.
  CHECK(same(tb::vmap([](const tb::tensor& a) { return tb::dropout(a, 0.5, false); })(x), x));
  CHECK(same(tb::vmap([](const tb::tensor& a) { return tb::dropout(a, 0.0, true); })(x), x));
  CHECK(same(tb::vmap([](const tb::tensor& a) { return std::get<0>(tb::native_dropout(a, 0.5, false)); })(x), x));
  // The innermost vmap is asked.
  const auto inner = [](const tb::tensor& a) {
    return tb::vmap([](const tb::tensor& b) { return b + tb::rand({1}); })(a);
  };
  CHECK(error_of([&] { tb::vmap(inner, with(randomness::same))(x); }) == "aten::rand" + wanted);
}

TEST_CASE("vmap: examples draw the same numbers", "[transform][random]") {
  const auto f = [](const tb::tensor& x) { return x + tb::rand({3}); };
  tb::manual_seed(seed);
  const tb::tensor once = tb::rand({3});
  tb::manual_seed(seed);
  const tb::tensor y = tb::vmap(f, with(randomness::same))(tb::zeros({4, 3}));
  CHECK(same(y, tb::expand(once, {4, 3})));
  CHECK(position() == 3);
}

TEST_CASE("vmap: examples draw different numbers, whatever their number", "[transform][random]") {
  const auto f = [](const tb::tensor& x) { return x + tb::rand({3}) + tb::randn_like(x); };
  const auto of = [&](std::int64_t count, std::optional<std::int64_t> chunk) {
    tb::manual_seed(seed);
    const tb::tensor y = tb::vmap(f, with(randomness::different, chunk))(tb::zeros({count, 3}));
    CHECK(position() == 6);
    return y;
  };
  const tb::tensor five = of(5, std::nullopt);
  CHECK(rows_differ(five));
  CHECK(same(of(3, std::nullopt), tb::narrow(five, 0, 0, 3)));
  for (const std::int64_t chunk : {1, 2, 3, 5, 9}) CHECK(same(of(5, chunk), five));
  // Another call draws others.
  const tb::tensor more = tb::vmap(f, with(randomness::different))(tb::zeros({5, 3}));
  CHECK(!same(more, five));
}

TEST_CASE("vmap: factories draw as in a loop", "[transform][random]") {
  const tb::tensor x = tb::zeros({5, 2});
  check("rand", [](const tb::tensor&) { return tb::rand({3}); }, x);
  check("randn", [](const tb::tensor&) { return tb::randn({3, 2}); }, x);
  check("randint", [](const tb::tensor&) { return tb::randint(1000, {4}); }, x);
  check("randperm", [](const tb::tensor&) { return tb::randperm(20); }, x);
  check("rand_like", [](const tb::tensor& a) { return tb::rand_like(a); }, x);
  check("randint_like", [](const tb::tensor& a) { return tb::randint_like(a, 1000); }, x);
  check("several", [](const tb::tensor& a) { return tb::randn({2}) * tb::rand_like(a) + tb::rand({2}); }, x);
}

TEST_CASE("vmap: in place draws as in a loop", "[transform][random]") {
  const tb::tensor x = tb::zeros({5, 6});
  check("uniform_", filled_by([](tb::tensor& a) { tb::uniform_(a); }), x);
  check("normal_", filled_by([](tb::tensor& a) { tb::normal_(a); }), x);
  check("exponential_", filled_by([](tb::tensor& a) { tb::exponential_(a); }), x);
  check("random_", filled_by([](tb::tensor& a) { tb::random_(a); }), x);
  check("bernoulli_", filled_by([](tb::tensor& a) { tb::aten::bernoulli_float_(a, 0.5); }), x);
  check(
      "bernoulli_.Tensor",
      [](const tb::tensor& p) {
        tb::tensor a = tb::zeros_like(p);
        return tb::aten::bernoulli_Tensor_(a, p);
      },
      probabilities());
  check(
      "of a tensor made inside",
      [](const tb::tensor& a) {
        tb::tensor made = tb::zeros({4});
        tb::normal_(made);
        return made + tb::sum(a);
      },
      x);
  check("rand.out", filled_by([](tb::tensor& a) { tb::aten::rand_out(a.sizes(), a); }), x);
}

TEST_CASE("vmap: parameters of distributions may be batched", "[transform][random]") {
  check("bernoulli", [](const tb::tensor& p) { return tb::aten::bernoulli(p); }, probabilities());
  check("bernoulli.p", [](const tb::tensor& p) { return tb::aten::bernoulli_p(p, 0.5); }, probabilities());
  check("multinomial", [](const tb::tensor& p) { return tb::aten::multinomial(p + 0.1, 4); }, probabilities());
  check(
      "normal.Tensor_float", [](const tb::tensor& p) { return tb::aten::normal_Tensor_float(p, 2.0); },
      probabilities());
  check(
      "normal.float_Tensor", [](const tb::tensor& p) { return tb::aten::normal_float_Tensor(1.0, p); },
      probabilities());
  check(
      "normal.Tensor_Tensor", [](const tb::tensor& p) { return tb::aten::normal_Tensor_Tensor(p, p); },
      probabilities());
  // One u for each element, compared with each probability.
  const tb::tensor p = tb::expand(tb::reshape(tb::tensor({0.2, 0.5, 0.8}), {3, 1}), {3, 100});
  const tb::tensor y = tb::vmap([](const tb::tensor& a) { return tb::aten::bernoulli(a); }, with(randomness::same))(p);
  CHECK(same(tb::maximum(row(y, 0), row(y, 1)), row(y, 1)));
  CHECK(same(tb::maximum(row(y, 1), row(y, 2)), row(y, 2)));
  CHECK(rows_differ(y));
}

TEST_CASE("vmap: dropout in training", "[transform][random]") {
  const tb::tensor x = tb::ones({5, 40}), w = tb::ones({40});
  check("dropout", [](const tb::tensor& a) { return tb::dropout(a, 0.5, true); }, x);
  check("dropout_", filled_by([](tb::tensor& a) { tb::dropout_(a, 0.5, true); }), x);
  check("alpha_dropout", [](const tb::tensor& a) { return tb::alpha_dropout(a, 0.5, true); }, x);
  check("native_dropout", [](const tb::tensor& a) { return std::get<0>(tb::native_dropout(a, 0.5, true)); }, x);
  // Of what is the same for all examples.
  const auto of_weight = [&](const tb::tensor& a) { return a * tb::dropout(w, 0.5, true); };
  check("dropout of a weight", of_weight, x);
  CHECK(rows_differ(tb::vmap(of_weight, with(randomness::different))(x)));
  CHECK(rows_are_equal(tb::vmap(of_weight, with(randomness::same))(x)));
}

TEST_CASE("vmap: gradients follow each example's mask", "[transform][random]") {
  tb::tensor w = tb::full({6}, 2.0);
  tb::require_grad(w);
  const auto f = [&](const tb::tensor& x) { return tb::dropout(w, 0.5, true) * x; };
  const tb::tensor y = tb::vmap(f, with(randomness::different))(tb::ones({4, 6}));
  tb::backward(tb::sum(y));
  CHECK(tb::allclose(tb::leaf_grad(w), tb::sum(tb::detach(y), 0) / 2.0));
}

TEST_CASE("vmap: writing random numbers to a mapped argument writes to the caller's tensor", "[transform][random]") {
  const auto fill = [](tb::tensor a) { tb::uniform_(a); };
  const tb::tensor x = tb::zeros({3, 4}), wanted = tb::zeros({3, 4});
  tb::manual_seed(seed);
  tb::vmap(fill, with(randomness::different))(x);
  CHECK(rows_differ(x));
  tb::manual_seed(seed);
  tb::example_numbers numbers;
  for (std::int64_t b = 0; b < 3; ++b) {
    const auto scope = numbers.example(b);
    fill(row(wanted, b));
  }
  CHECK(same(x, wanted));
  tb::vmap(fill, with(randomness::same, 2))(x);
  CHECK(rows_are_equal(x));
}

TEST_CASE("vmap: random writes that examples would share are refused", "[transform][random][errors]") {
  const tb::tensor x = tb::zeros({2, 3});
  tb::tensor outside = tb::zeros({3});
  const auto write = [&](const tb::tensor& a) { return a + tb::uniform_(outside); };
  CHECK(error_of([&] { tb::vmap(write, with(randomness::different))(x); }) ==
        "aten::uniform_: argument 0 'self' [3], which is written, is one tensor for all examples (made outside of the "
        "vmap, or seen by other views), and each draws its own numbers (2 examples, level 1); write to "
        "per_example(self), or map it");
  CHECK(rows_are_equal(tb::vmap(write, with(randomness::same))(x)));
  const auto write_own = [&](const tb::tensor& a) {
    tb::tensor own = tb::per_example(outside);
    return a + tb::uniform_(own);
  };
  CHECK(rows_differ(tb::vmap(write_own, with(randomness::different))(x)));
  const auto fill = [](tb::tensor a) { tb::uniform_(a); };
  CHECK(error_of([&] { tb::vmap(fill, with(randomness::different))(tb::expand(outside, {2, 3})); }) ==
        "aten::uniform_: argument 0 'self' is written, and its examples (2 examples, level 1) share memory; write to a "
        "clone() of what is mapped");
  const auto flip = [](const tb::tensor& p) { return tb::aten::bernoulli(p); };
  CHECK(error_of([&] {
          tb::vmap(flip, with(randomness::different))(tb::tensor({0.5, 1.5}));
        }).ends_with("(in example 1 of 2 examples, level 1)"));
}

TEST_CASE("vmap: each of nested levels decides for its examples", "[transform][random]") {
  const auto noisy = [](const tb::tensor& x) { return x + tb::rand({4}) + tb::randn_like(x); };
  const tb::tensor x = tb::zeros({3, 3, 4});
  using chunks = std::optional<std::int64_t>;
  const auto nested = [&](randomness outer, randomness inner, chunks of_outer = {}, chunks of_inner = {}) {
    tb::manual_seed(seed);
    const auto f = [&](const tb::tensor& a) { return tb::vmap(noisy, with(inner, of_inner))(a); };
    const tb::tensor y = tb::vmap(f, with(outer, of_outer))(x);
    CHECK(position() == 8);
    return y;
  };
  const tb::tensor same_different = nested(randomness::same, randomness::different);
  CHECK(rows_are_equal(same_different));
  CHECK(rows_differ(row(same_different, 0)));
  const tb::tensor different_same = nested(randomness::different, randomness::same);
  CHECK(rows_differ(different_same));
  CHECK(rows_are_equal(row(different_same, 0)));
  CHECK(rows_are_equal(row(different_same, 2)));
  CHECK(rows_are_equal(tb::flatten(nested(randomness::same, randomness::same), 0, 1)));

  const tb::tensor both = nested(randomness::different, randomness::different);
  CHECK(rows_differ(tb::flatten(both, 0, 1)));
  const std::vector<std::pair<chunks, chunks>> sizes{{chunks(1), chunks()},
                                                     {chunks(2), chunks()},
                                                     {chunks(), chunks(2)},
                                                     {chunks(2), chunks(1)},
                                                     {chunks(2), chunks(2)}};
  for (const auto& [of_outer, of_inner] : sizes) {
    CHECK(same(nested(randomness::different, randomness::different, of_outer, of_inner), both));
    CHECK(same(nested(randomness::same, randomness::different, of_outer, of_inner), same_different));
    CHECK(same(nested(randomness::different, randomness::same, of_outer, of_inner), different_same));
  }

  // A loop outside, and a loop in a loop.
  tb::manual_seed(seed);
  std::vector<tb::tensor> all;
  tb::example_numbers outer;
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto scope = outer.example(a);
    all.push_back(tb::vmap(noisy, with(randomness::different, a + 1))(row(x, a)));
  }
  CHECK(same(tb::stack(all, 0), both));
  tb::manual_seed(seed);
  all.clear();
  tb::example_numbers again;
  for (std::int64_t a = 0; a < 3; ++a) {
    const auto scope = again.example(a);
    tb::example_numbers inner;
    for (std::int64_t b = 0; b < 3; ++b) {
      const auto inner_scope = inner.example(b);
      all.push_back(noisy(row(row(x, a), b)));
    }
  }
  CHECK(same(tb::reshape(tb::stack(all, 0), {3, 3, 4}), both));
  // A loop inside.
  const auto loop = [&](const tb::tensor& a) {
    std::vector<tb::tensor> turns;
    tb::example_numbers inner;
    for (std::int64_t b = 0; b < 3; ++b) {
      const auto scope = inner.example(b);
      turns.push_back(noisy(row(a, b)));
    }
    return tb::stack(turns, 0);
  };
  for (const chunks chunk : {chunks(), chunks(1), chunks(2)}) {
    tb::manual_seed(seed);
    CHECK(same(tb::vmap(loop, with(randomness::different, chunk))(x), both));
  }
}

TEST_CASE("vmap: nested levels write random numbers to a tensor made inside", "[transform][random]") {
  const auto f = [](const tb::tensor& x) {
    tb::tensor made = tb::zeros({4});
    tb::uniform_(made);
    return made + x;
  };
  const auto outer = [&](const tb::tensor& a) { return tb::vmap(f, with(randomness::different))(a); };
  const auto plain = [](const tb::tensor& x) { return tb::rand({4}) + x; };
  const auto plain_outer = [&](const tb::tensor& a) { return tb::vmap(plain, with(randomness::different))(a); };
  const tb::tensor x = tb::zeros({3, 2, 4});
  tb::manual_seed(seed);
  const tb::tensor wanted = tb::vmap(plain_outer, with(randomness::different))(x);
  tb::manual_seed(seed);
  CHECK(same(tb::vmap(outer, with(randomness::different))(x), wanted));
}

TEST_CASE("vmap: a generator of one's own advances as for one example", "[transform][random]") {
  tb::generator own(7);
  const auto f = [&](const tb::tensor& x) { return x + tb::rand({3}, tb::arg<"generator"> = own); };
  const tb::tensor y = tb::vmap(f, with(randomness::different))(tb::zeros({4, 3}));
  CHECK(own.take(0).offset == 3);
  own.set_seed(7);
  CHECK(same(tb::vmap(f, with(randomness::different, 3))(tb::zeros({4, 3})), y));
  CHECK(own.take(0).offset == 3);
}

TEST_CASE("vmap: random numbers of no examples", "[transform][random]") {
  const tb::tensor none = tb::zeros({0, 3});
  for (const randomness r : {randomness::same, randomness::different}) {
    CHECK(tb::vmap([](const tb::tensor&) { return tb::rand({4, 2}); }, with(r))(none).sizes() == tb::shape{0, 4, 2});
    CHECK(tb::vmap([](const tb::tensor& x) { return tb::aten::bernoulli(x); }, with(r))(none).sizes() ==
          tb::shape{0, 3});
    CHECK(tb::vmap(filled_by([](tb::tensor& a) { tb::normal_(a); }), with(r))(none).sizes() == tb::shape{0, 3});
    CHECK(tb::vmap([](const tb::tensor& x) { return tb::aten::multinomial(x, 2); }, with(r))(none).sizes() ==
          tb::shape{0, 2});
  }
}

TEST_CASE("random: words 2 and 3 of the counter say which example", "[transform][random]") {
  using tb::author::subsequence_of_example;
  CHECK(subsequence_of_example(0, 0) == 1);
  CHECK(subsequence_of_example(0, 41) == 42);
  const std::uint64_t second = subsequence_of_example(subsequence_of_example(0, 2), 6);
  CHECK(second == (std::uint64_t{3} << 32 | 7));
  const std::uint64_t third = subsequence_of_example(second, 4);
  CHECK((third & 0xffffffff) == 5);
  CHECK(third >> 32 != subsequence_of_example(subsequence_of_example(subsequence_of_example(0, 6), 2), 4) >> 32);
}
