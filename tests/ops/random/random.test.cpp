// Random operators: which number makes which element, how many are taken, and who is called for a generator with keys.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/raises.h"
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
using tb::generator;
using tb::tensor;
using toy::text_of;
using sizes = std::vector<std::int64_t>;
using list = std::vector<double>;

namespace {

constexpr dtype floating[] = {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64};

struct moments {
  double mean = 0, variance = 0;
};
moments moments_of(const tensor& t) {
  const list v = values(t);
  moments m;
  for (double x : v) m.mean += x / double(v.size());
  for (double x : v) m.variance += (x - m.mean) * (x - m.mean) / double(v.size());
  return m;
}

std::uint64_t position(generator g) { return g.take(0).offset; }

// What fills a tensor of any dtype, or of a floating one.
struct filling {
  const char* name;
  bool floating_only;
  std::function<void(tensor&, const std::optional<generator>&)> run;
};
const std::vector<filling>& fillings() {
  static const std::vector<filling> all{
      {"uniform_", true, [](tensor& t, const auto& g) { aten::uniform_(t, -1.0, 2.5, g); }},
      {"normal_", true, [](tensor& t, const auto& g) { aten::normal_(t, 1.0, 2.0, g); }},
      {"exponential_", true, [](tensor& t, const auto& g) { aten::exponential_(t, 0.5, g); }},
      {"random_", false, [](tensor& t, const auto& g) { aten::random_(t, g); }},
      {"random_.to", false, [](tensor& t, const auto& g) { aten::random_to_(t, 2, g); }},
      {"random_.from", false, [](tensor& t, const auto& g) { aten::random_from_(t, 1, std::nullopt, g); }},
      {"bernoulli_.float", false, [](tensor& t, const auto& g) { aten::bernoulli_float_(t, 0.3, g); }},
      {"bernoulli_.Tensor", false,
       [](tensor& t, const auto& g) {
         aten::bernoulli_Tensor_(t, aten::full(sizes{}, 0.3, arg<"device"> = t.device()), g);
       }},
  };
  return all;
}

}  // namespace

TEST_CASE("random: a seed gives the same numbers for any strides, one per element", "[ops][random][property]") {
  for (const filling& f : fillings()) {
    for (dtype t : tb::all_dtypes) {
      if (f.floating_only && !tb::is_floating(t)) continue;
      for (const tb::shape& s : {tb::shape{}, tb::shape{7}, tb::shape{3, 1, 5}, tb::shape{4, 0}, tb::shape{30, 40}}) {
        INFO(f.name << " " << name_of(t) << " " << tb::to_string(s));
        generator g(42);
        (void)g.take(3);
        tensor dense = support::arranged(s, t, arrangement::dense);
        f.run(dense, g);
        CHECK(position(g) == 3 + static_cast<std::uint64_t>(dense.numel()));
        for (arrangement how : {arrangement::transposed, arrangement::sliced}) {
          generator again(42);
          (void)again.take(3);
          tensor x = support::arranged(s, t, how);
          f.run(x, again);
          CHECK(values(x) == values(dense));
          CHECK(x.version() == 1);
        }
        // A whole is its parts.
        if (s == tb::shape{30, 40}) {
          generator parts(42);
          (void)parts.take(3);
          tensor x = support::arranged(s, t, arrangement::transposed);
          tensor top = aten::slice_Tensor(x, 0, 0, 11), rest = aten::slice_Tensor(x, 0, 11);
          f.run(top, parts);
          f.run(rest, parts);
          CHECK(values(x) == values(dense));
        }
        // Meta has no elements and takes no numbers.
        tensor nothing = support::arranged(s, t, arrangement::dense, tb::meta);
        const std::uint64_t before = position(g), default_before = position(tb::default_generator(tb::meta));
        f.run(nothing, g);
        f.run(nothing, std::nullopt);
        CHECK(position(g) == before);
        CHECK(position(tb::default_generator(tb::meta)) == default_before);
      }
    }
  }
}

TEST_CASE("random: floating dtypes give the same numbers up to rounding", "[ops][random][property]") {
  for (const filling& f : fillings()) {
    if (!f.floating_only) continue;
    list wanted;
    for (dtype t : {dtype::float64, dtype::float32, dtype::bfloat16, dtype::float16}) {
      tensor x = support::arranged({100}, t, arrangement::dense);
      f.run(x, generator(5));
      const list found = values(x);
      if (t == dtype::float64) wanted = found;
      const double unit = t == dtype::bfloat16 ? 0x1p-6 : 0x1p-9;  // a uniform number is cut to its dtype's grid
      INFO(f.name << " " << name_of(t) << " " << support::difference(found, wanted, 4 * unit));
      CHECK(support::difference(found, wanted, 4 * unit).empty());
    }
  }
}

TEST_CASE("random: factory functions agree with the in-place operators", "[ops][random]") {
  for (dtype t : floating) {
    const auto filled = [&](auto fill) {
      tensor x = support::arranged({3, 5}, t, arrangement::dense);
      fill(x);
      return values(x);
    };
    const list uniform = filled([](tensor& x) { aten::uniform_(x, 0.0, 1.0, generator(1)); });
    const list normal = filled([](tensor& x) { aten::normal_(x, 0.0, 1.0, generator(1)); });
    const list integers = filled([](tensor& x) { aten::random_from_(x, -3, 4, generator(1)); });
    tensor out = support::arranged({3, 5}, t, arrangement::sliced);
    const tensor like = support::arranged({3, 5}, t, arrangement::transposed);
    CHECK(values(aten::rand_generator(sizes{3, 5}, arg<"generator"> = generator(1), arg<"dtype"> = t)) == uniform);
    CHECK(values(aten::rand_generator_out(sizes{3, 5}, generator(1), out)) == uniform);
    CHECK(values(aten::randn_generator(sizes{3, 5}, arg<"generator"> = generator(1), arg<"dtype"> = t)) == normal);
    CHECK(values(aten::randn_generator_out(sizes{3, 5}, generator(1), out)) == normal);
    CHECK(values(aten::randint_low_generator(-3, 4, sizes{3, 5}, arg<"generator"> = generator(1), arg<"dtype"> = t)) ==
          integers);
    CHECK(values(aten::randint_low_generator_out(-3, 4, sizes{3, 5}, generator(1), out)) == integers);
    CHECK(values(aten::normal_float_float(0, 1, sizes{3, 5}, arg<"generator"> = generator(1), arg<"dtype"> = t)) ==
          normal);
    const auto seeded = [&](auto make) {
      tb::manual_seed(1);
      const tensor x = make();
      CHECK(x.dtype() == t);
      return values(x);
    };
    CHECK(seeded([&] { return aten::rand(sizes{3, 5}, arg<"dtype"> = t); }) == uniform);
    CHECK(seeded([&] { return aten::rand_out(sizes{3, 5}, out); }) == uniform);
    CHECK(seeded([&] { return aten::rand_like(like); }) == uniform);
    CHECK(seeded([&] { return aten::randn(sizes{3, 5}, arg<"dtype"> = t); }) == normal);
    CHECK(seeded([&] { return aten::randn_out(sizes{3, 5}, out); }) == normal);
    CHECK(seeded([&] { return aten::randn_like(like); }) == normal);
    CHECK(seeded([&] { return aten::randint_low(-3, 4, sizes{3, 5}, arg<"dtype"> = t); }) == integers);
    CHECK(seeded([&] { return aten::randint_low_out(-3, 4, sizes{3, 5}, out); }) == integers);
    CHECK(seeded([&] { return aten::randint_like_low_dtype(like, -3, 4); }) == integers);
    CHECK(aten::rand_like(like).strides() == tb::shape{1, 3});
  }
  CHECK(aten::rand(sizes{2}).dtype() == dtype::float32);
  CHECK(aten::randint(5, sizes{2}).dtype() == dtype::int64);
  CHECK(aten::randint_like(tensor_of({1, 2}, {2}, dtype::int8), 5).dtype() == dtype::int8);
}

TEST_CASE("random: moments and ranges agree with the distribution", "[ops][random][property]") {
  constexpr std::int64_t n = 20000;
  for (dtype t : floating) {
    generator g(9);
    const auto close = [&](const tensor& x, double mean, double variance) {
      const moments m = moments_of(x);
      INFO(name_of(t) << " " << m.mean << " " << m.variance);
      CHECK(std::abs(m.mean - mean) < 0.03 * (1 + std::abs(mean)));
      CHECK(std::abs(m.variance - variance) < 0.05 * variance);
    };
    const tensor uniform = aten::rand_generator(sizes{n}, arg<"generator"> = g, arg<"dtype"> = t);
    close(uniform, t == dtype::bfloat16 ? 0.5 - 0x1p-9 : 0.5, 1.0 / 12);
    for (double x : values(uniform)) REQUIRE((x >= 0 && x < 1));
    close(aten::normal_float_float(3, 2, sizes{n}, arg<"generator"> = g, arg<"dtype"> = t), 3, 4);
    tensor waiting = support::arranged({n}, t, arrangement::dense);
    close(aten::exponential_(waiting, 0.5, g), 2, 4);
    close(aten::bernoulli_float_(waiting, 0.2, g), 0.2, 0.16);
    close(aten::randint_low_generator(-2, 3, sizes{n}, arg<"generator"> = g, arg<"dtype"> = t), 0, 2);
  }
  for (dtype t : tb::all_dtypes) {
    const tensor x = aten::randint_generator(2, sizes{200}, arg<"generator"> = generator(4), arg<"dtype"> = t);
    const list seen = values(x);
    CHECK(std::set<double>(seen.begin(), seen.end()) == std::set<double>{0, 1});
  }
  const list bytes =
      values(aten::random_(*std::make_unique<tensor>(support::arranged({5000}, dtype::uint8, arrangement::dense))));
  CHECK(*std::ranges::max_element(bytes) == 255);
  CHECK(*std::ranges::min_element(bytes) == 0);
  tensor shorts = support::arranged({20000}, dtype::int8, arrangement::dense);
  const list halves = values(aten::random_from_(shorts, -128, std::nullopt, generator(2)));
  CHECK(*std::ranges::max_element(halves) == 127);
  CHECK(*std::ranges::min_element(halves) == -128);
}

TEST_CASE("random: threads never get the same numbers", "[ops][random]") {
  generator g(3);
  list found[2];
  const auto take = [&](int who) {
    for (int i = 0; i < 50; ++i) {
      for (double x : values(aten::rand_generator(sizes{7}, arg<"generator"> = g, arg<"dtype"> = dtype::float64)))
        found[who].push_back(x);
    }
  };
  std::thread other(take, 1);
  take(0);
  other.join();
  list both = found[0],
       all = values(aten::rand_generator(sizes{700}, arg<"generator"> = generator(3), arg<"dtype"> = dtype::float64));
  both.insert(both.end(), found[1].begin(), found[1].end());
  std::ranges::sort(both);
  std::ranges::sort(all);
  CHECK(both == all);
}

TEST_CASE("random: bernoulli accepts only probabilities, one for each element", "[ops][random][property]") {
  support::numbers source(8);
  for (dtype t : floating) {
    for (arrangement how : support::arrangements) {
      tensor p = support::arranged({40, 3}, t, how);
      support::each_index(p.sizes(),
                          [&](const tb::shape& i) { support::set(p, i, double((i[0] + 3 * i[1]) % 5) / 4); });
      const list wanted_p = values(p);
      const list u =
          values(aten::rand_generator(sizes{40, 3}, arg<"generator"> = generator(6), arg<"dtype"> = dtype::float64));
      const tensor x = aten::bernoulli(p, arg<"generator"> = generator(6));
      CHECK(x.dtype() == t);
      list wanted;
      for (std::size_t i = 0; i < u.size(); ++i) wanted.push_back(u[i] < wanted_p[i]);
      CHECK(values(x) == wanted);
      tensor y = support::arranged({40, 3}, dtype::int16, arrangement::sliced);
      CHECK(values(aten::bernoulli_Tensor_(y, p, generator(6))) == wanted);
      tensor out = support::arranged({40, 3}, t, arrangement::transposed);
      CHECK(values(aten::bernoulli_out(p, generator(6), out)) == wanted);
      if (how != arrangement::expanded) CHECK(values(aten::bernoulli_Tensor_(p, p, generator(6))) == wanted);
    }
  }
  tensor x = tensor_of({7, 7}, {2});
  for (double bad : {-0.1, 1.1, std::nan("")}) {
    CHECK(text_of<tb::error>([&] { aten::bernoulli_Tensor_(x, tensor_of({0.5, bad}, {2})); }) ==
          "aten::bernoulli_.Tensor: found a probability float64 [2] outside 0 to 1");
  }
  CHECK(values(x) == list{7, 7});
  CHECK(values(aten::bernoulli_p(x, 1)) == list{1, 1});
}

TEST_CASE("random: randperm is a uniform permutation", "[ops][random][property]") {
  for (dtype t : tb::all_dtypes) {
    const std::int64_t n = t == dtype::boolean ? 2 : 100;
    const tensor x = aten::randperm_generator(n, arg<"generator"> = generator(1), arg<"dtype"> = t);
    CHECK(x.dtype() == t);
    list found = values(x);
    tensor out = support::arranged({n}, t, arrangement::sliced);
    CHECK(values(aten::randperm_generator_out(n, generator(1), out)) == found);
    if (n == 100) CHECK_FALSE(std::ranges::is_sorted(found));
    std::ranges::sort(found);
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == double(i));
  }
  generator g(2);
  std::map<list, int> orders;
  for (int i = 0; i < 6000; ++i) ++orders[values(aten::randperm_generator(3, arg<"generator"> = g))];
  CHECK(position(g) == 18000);
  CHECK(orders.size() == 6);
  for (const auto& [order, times] : orders) CHECK(std::abs(times - 1000) < 150);
  CHECK(aten::randperm(0).numel() == 0);
  CHECK(aten::randperm(5, arg<"device"> = tb::meta).sizes() == tb::shape{5});
}

TEST_CASE("random: multinomial draws in proportion to weights, and without replacement never repeats",
          "[ops][random][property]") {
  const tensor weights = tensor_of({0, 1, 3, 0, 6, 5, 0, 0, 0, 0}, {2, 5}, dtype::float32);
  generator g(7);
  const tensor many = aten::multinomial(weights, 6000, true, g);
  CHECK(position(g) == 12000);
  CHECK(many.dtype() == dtype::int64);
  CHECK(many.sizes() == tb::shape{2, 6000});
  std::map<double, int> times;
  const list drawn = values(many);
  for (std::size_t i = 0; i < 6000; ++i) ++times[drawn[i]];
  CHECK(times.size() == 3);
  CHECK(std::abs(times[1] - 600) < 100);
  CHECK(std::abs(times[2] - 1800) < 150);
  CHECK(std::abs(times[4] - 3600) < 150);
  CHECK(std::ranges::all_of(drawn.begin() + 6000, drawn.end(), [](double x) { return x == 0; }));

  for (arrangement how : support::arrangements) {
    support::numbers source(11);
    const tensor p = source.positive({3, 17}, dtype::float64, how);
    const list all = values(aten::multinomial(p, 17));
    for (std::size_t row = 0; row < 3; ++row) {
      list order(all.begin() + std::ptrdiff_t(17 * row), all.begin() + std::ptrdiff_t(17 * row + 17));
      std::ranges::sort(order);
      for (std::size_t i = 0; i < 17; ++i) CHECK(order[i] == double(i));
    }
  }
  // The second draw without replacement has the weights that are left.
  const tensor few = tensor_of({1, 2, 7}, {3});
  int second = 0, first = 0;
  for (int i = 0; i < 3000; ++i) {
    const list two = values(aten::multinomial(few, 2, false, g));
    first += two[0] == 2;
    second += two[0] == 2 && two[1] == 1;
  }
  CHECK(std::abs(first - 2100) < 120);
  CHECK(std::abs(second - 1400) < 120);
  CHECK(aten::multinomial(tensor_of({1, 1}, {2}), 1).sizes() == tb::shape{1});
}

TEST_CASE("random: invalid arguments are refused by name, and neither tensor nor generator changes", "[ops][random]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    generator g(1);
    tensor x = tb::to(tensor_of({7, 7}, {2}), where),
           i = aten::empty_memory_format(sizes{2}, arg<"dtype"> = dtype::uint8, arg<"device"> = where);
    const auto text = [](auto f) { return text_of<tb::error>(f); };
    const auto type = [](auto f) { return text_of<tb::dtype_error>(f); };
    CHECK(text([&] { aten::uniform_(x, 2.0, 1.0, g); }) ==
          "aten::uniform_: found from 2 and to 1, wanted from <= to, and both and their distance within float64");
    CHECK(text([&] { aten::normal_(x, 0.0, -1.0, g); }) == "aten::normal_: found std -1, wanted 0 or more");
    CHECK(text([&] { aten::exponential_(x, 0.0, g); }) == "aten::exponential_: found lambd 0, wanted more than 0");
    CHECK(text([&] { aten::bernoulli_float_(x, 1.5, g); }) == "aten::bernoulli_.float: found p 1.5, wanted 0 to 1");
    CHECK(text([&] { aten::bernoulli_p(x, std::nan("")); }) == "aten::bernoulli.p: found p nan, wanted 0 to 1");
    CHECK(type([&] { aten::uniform_(i); }) == "aten::uniform_: found dtype uint8, wanted a floating one");
    CHECK(type([&] { aten::bernoulli(i); }) == "aten::bernoulli: found dtype uint8, wanted a floating one");
    CHECK(type([&] { aten::randn(sizes{1}, arg<"dtype"> = dtype::int64, arg<"device"> = where); }) ==
          "aten::randn: found dtype int64, wanted a floating one");
    CHECK(type([&] { aten::normal_Tensor_float_out(x, 1.0, g, i); }) ==
          "aten::normal.Tensor_float_out: found dtype uint8, wanted a floating one");
    CHECK(type([&] { aten::normal_float_Tensor_out(0.0, x, g, i); }) ==
          "aten::normal.float_Tensor_out: found dtype uint8, wanted a floating one");
    CHECK(type([&] { aten::normal_Tensor_Tensor_out(x, x, g, i); }) ==
          "aten::normal.Tensor_Tensor_out: found dtype uint8, wanted a floating one");
    CHECK(text([&] { aten::random_from_(x, 3, 3, g); }) ==
          "aten::random_.from: found the bounds 3 and 3, wanted the first below the second");
    CHECK(text([&] { aten::random_to_(i, 257, g); }) ==
          "aten::random_.to: found the bound 256 for uint8, which holds 0 to 255");
    CHECK(text([&] { aten::random_from_(i, -1, 3, g); }) ==
          "aten::random_.from: found the bound -1 for uint8, which holds 0 to 255");
    CHECK(text([&] { aten::randint(0, sizes{1}, arg<"device"> = where); }) ==
          "aten::randint: found the bounds 0 and 0, wanted the first below the second");
    CHECK(text([&] { aten::randperm(-1, arg<"device"> = where); }) == "aten::randperm: found n -1, wanted 0 or more");
    CHECK(text([&] { aten::randperm(300, arg<"dtype"> = dtype::uint8, arg<"device"> = where); }) ==
          "aten::randperm: found n 300 for uint8, which holds the integers up to 255");
    CHECK(text([&] { aten::multinomial(x, 3); }) ==
          "aten::multinomial: found num_samples 3, wanted 1 to 2; pass replacement for more");
    CHECK(text_of<tb::shape_error>([&] { aten::rand(sizes{2, -1}, arg<"device"> = where); }) ==
          "aten::rand: found sizes [2, -1], wanted none below 0");
    CHECK(text_of<tb::shape_error>([&] {
            aten::bernoulli_Tensor_(x, aten::full(sizes{3}, 0.5, arg<"device"> = where));
          }).starts_with("aten::bernoulli_.Tensor: "));
    CHECK(position(g) == 0);
    if (where == tb::cpu) CHECK(values(x) == list{7, 7});
  }
  for (const list& bad : {list{1, -1, 1}, list{1, INFINITY, 1}, list{1, std::nan(""), 1}, list{1, 0, 0}}) {
    CHECK(text_of<tb::error>([&] { aten::multinomial(tensor_of(bad, {3}), 2); }) ==
          "aten::multinomial: found weights float64 [3] with a row that has a negative one, one that is not finite, or "
          "fewer than 2 above 0");
  }
  CHECK(text_of<tb::error>([] { aten::normal_float_Tensor(0, tensor_of({1, -1}, {2})); }) ==
        "aten::normal.float_Tensor: found a std float64 [2] with negative elements");
  tensor leaf = tb::require_grad(tensor_of({1}, {1}));
  CHECK_THROWS_AS(aten::normal_(leaf), tb::error);
}

TEST_CASE("random: normal with tensors is mean + std * z", "[ops][random][property]") {
  const list z =
      values(aten::randn_generator(sizes{2, 3}, arg<"generator"> = generator(4), arg<"dtype"> = dtype::float64));
  const list mean{1, 2, 3}, std{0.5, 4};
  const tensor m = tensor_of(mean, {3}), s = tensor_of(std, {2, 1});
  list both, alone;
  for (std::size_t i = 0; i < 6; ++i) both.push_back(mean[i % 3] + std[i / 3] * z[i]);
  CHECK(values(aten::normal_Tensor_Tensor(m, s, arg<"generator"> = generator(4))) == both);
  tensor out = support::arranged({2, 3}, dtype::float64, arrangement::transposed);
  CHECK(values(aten::normal_Tensor_Tensor_out(m, s, generator(4), out)) == both);
  for (std::size_t i = 0; i < 3; ++i) alone.push_back(mean[i] + 2 * z[i]);
  CHECK(values(aten::normal_Tensor_float(m, 2, arg<"generator"> = generator(4))) == alone);
  CHECK(values(aten::normal_float_Tensor(1, s, arg<"generator"> = generator(4))) == list{1 + 0.5 * z[0], 1 + 4 * z[1]});
  CHECK_FALSE(tb::requires_grad(aten::normal_Tensor_float(tb::require_grad(m), 2)));
}

namespace {

int custom_calls = 0;
tensor& ones_for_uniform(tensor& self, double, double, const std::optional<generator>&) {
  ++custom_calls;
  return aten::fill_Scalar_(self, 1);
}
const auto custom = tb::implement("aten", tb::key::CustomRNGKeyId).impl<&ones_for_uniform>(aten::uniform_);

// Without a tensor: the device still says where.
constexpr tb::op<"rngtest::where(*, Generator? generator=None, Device? device=None) -> int"> where_op;
std::int64_t on_cpu(const std::optional<generator>&, std::optional<tb::device>) { return 1; }
std::int64_t on_meta(const std::optional<generator>&, std::optional<tb::device>) { return 2; }
std::int64_t on_custom(const std::optional<generator>&, std::optional<tb::device>) { return 3; }
const auto placed = tb::library("rngtest")
                        .def(where_op)
                        .impl<&on_cpu>(where_op, tb::key::CPU)
                        .impl<&on_meta>(where_op, tb::key::Meta)
                        .impl<&on_custom>(where_op, tb::key::CustomRNGKeyId);

}  // namespace

TEST_CASE("random: a generator with a key selects the kernel of that key, others the backend's", "[ops][random]") {
  const generator mine(0, tb::key_set{tb::key::CustomRNGKeyId}), plain(0);
  CHECK(keys_of(mine) == tb::key_set{tb::key::CustomRNGKeyId});
  CHECK(keys_of(plain).empty());
  const int before = custom_calls;
  tensor x = tensor_of({7, 7}, {2});
  CHECK(values(aten::uniform_(x, 0.0, 1.0, mine)) == list{1, 1});
  CHECK(values(aten::rand_generator(sizes{3}, arg<"generator"> = mine)) == list{1, 1, 1});  // through a composite
  CHECK(custom_calls == before + 2);
  CHECK(values(aten::uniform_(x, 0.0, 1.0, plain)) != list{1, 1});
  CHECK(values(aten::rand_generator(sizes{3}, arg<"generator"> = plain)) != list{1, 1, 1});
  CHECK(custom_calls == before + 2);
  // Boxed calls see the same keys.
  tb::boxed_stack s;
  s.push(x);
  s.push(0.0);
  s.push(1.0);
  s.push(std::optional(mine));
  tb::find("aten::uniform_").call_boxed(s);
  CHECK(custom_calls == before + 3);
  // Nobody made normal numbers for this key.
  CHECK(text_of<tb::no_kernel>([&] { aten::normal_(x, 0.0, 1.0, mine); }).starts_with("aten::normal_: "));
}

TEST_CASE("random: an operator without tensors is placed by its device, with or without a generator", "[ops][random]") {
  CHECK(where_op() == 1);
  CHECK(where_op(arg<"generator"> = generator(0)) == 1);
  CHECK(where_op(generator(0), tb::meta) == 2);
  CHECK(where_op(std::nullopt, tb::meta) == 2);
  CHECK(where_op(generator(0, tb::key_set{tb::key::CustomRNGKeyId}), tb::meta) == 3);
}

TEST_CASE("random: integers of a floating dtype are elements of it within their bounds", "[ops][random]") {
  struct bounds {
    dtype type;
    std::int64_t from, to;
    double least, greatest;
  };
  const bounds all[] = {
      {dtype::float16, 2045, 2052, 2045, 2050},
      {dtype::float16, 2049, 2051, 2050, 2050},
      {dtype::float16, -2051, -2044, -2050, -2045},
      {dtype::float16, 4097, 4108, 4100, 4104},
      {dtype::bfloat16, 253, 260, 253, 258},
      {dtype::bfloat16, -3000, -2980, -2992, -2992},
      {dtype::bfloat16, 0, 3, 0, 2},
      {dtype::float32, (1 << 24) - 1, (1 << 24) + 4, 0xffffff, 0x1000002},
  };
  for (const bounds& b : all) {
    INFO(tb::name_of(b.type) << " " << b.from << " " << b.to);
    tensor t = tb::author::make_tensor({500}, b.type, tb::cpu);
    aten::random_from_(t, b.from, b.to, generator(3));
    const list v = values(t);
    CHECK(*std::ranges::min_element(v) == b.least);
    CHECK(*std::ranges::max_element(v) == b.greatest);
    CHECK(values(aten::randint_low(b.from, b.to, sizes{500}, arg<"dtype"> = b.type)).size() == 500);
  }
  tensor half = tb::author::make_tensor({2}, dtype::float16, tb::cpu), single = aten::empty_memory_format(sizes{2});
  generator g(5);
  CHECK(text_of<tb::error>([&] { aten::random_from_(half, 2049, 2050, g); }) ==
        "aten::random_.from: found the bounds 2049 and 2049, both included, wanted an element of float16 between them");
  CHECK(text_of<tb::error>([&] {
          aten::randint_low(INT64_MAX - 1, INT64_MAX, sizes{2}, arg<"dtype"> = dtype::float32);
        }).starts_with("aten::randint.low: found the bounds 9223372036854775806 and 9223372036854775806"));
  CHECK_THROWS_AS(aten::random_to_(half, 65506, g), tb::error);
  CHECK(position(g) == 0);
  aten::random_from_(single, INT64_MIN, INT64_MAX, g);
  for (double x : values(single)) CHECK(std::abs(x) <= 0x1p63);
}

TEST_CASE("random: a call refused for its elements does not advance the generator", "[ops][random]") {
  generator g(7);
  const tensor bad = tensor_of({0.5, 1.5}, {2}), negative = tensor_of({1, -1}, {2}), short_of = tensor_of({1, 0}, {2});
  tensor out = tensor_of({9, 9}, {2});
  CHECK_THROWS_AS(aten::bernoulli(bad, g), tb::error);
  CHECK_THROWS_AS(aten::bernoulli_Tensor_(out, bad, g), tb::error);
  CHECK_THROWS_AS(aten::multinomial(negative, 1, true, g), tb::error);
  CHECK_THROWS_AS(aten::multinomial(short_of, 2, false, g), tb::error);
  CHECK(position(g) == 0);
  CHECK(values(out) == list{9, 9});
  aten::bernoulli(tensor_of({0.5, 0.25}, {2}), g);
  CHECK(position(g) == 2);
  aten::multinomial(short_of, 3, true, g);
  CHECK(position(g) == 5);
}
