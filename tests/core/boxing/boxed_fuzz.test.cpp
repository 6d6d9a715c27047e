// Stacks that nobody would push on purpose: a boxed call either gives what its schema says or refuses with a sentence,
// and loses no reference and no memory either way. The address sanitizer's build runs this too.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <random>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::boxed_stack;
using tb::value;
using toy::tensor;

namespace fuzz_ops {

inline constexpr tb::op<"fuz::add(Tensor a, Tensor b, *, int n=1) -> Tensor"> add;
inline constexpr tb::op<"fuz::fill(Tensor(a!) self, int n) -> Tensor(a!)"> fill;
inline constexpr tb::op<"fuz::both(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))"> both;
inline constexpr tb::op<"fuz::lists(Tensor[] all, int[] sizes) -> int[]"> lists;
inline constexpr tb::op<"fuz::maybe(Tensor? a, str text, float? f=None) -> (int?, str)"> maybe;
inline constexpr tb::op<"fuz::nothing() -> ()"> nothing;

const auto kernels = [] {
  auto block = tb::library("fuz");
  block.def(add).impl<[](const tensor& a, const tensor& b, std::int64_t n) {
    return tensor(a.keys(), a.value() + n * b.value());
  }>(add);
  block.def(fill).impl<[](tensor& self, std::int64_t n) -> tensor& { return self.set(n), self; }>(fill);
  block.def(both).impl<[](tensor& x, tensor& y) { return std::tuple<tensor&, tensor&>(x, y); }>(both);
  block.def(lists).impl<[](std::span<const tensor> all, std::span<const std::int64_t> sizes) {
    std::vector<std::int64_t> out(sizes.begin(), sizes.end());
    for (const tensor& t : all) out.push_back(t.value());
    return out;
  }>(lists);
  block.def(maybe).impl<[](const std::optional<tensor>& a, std::string_view text, std::optional<double>) {
    return std::tuple(a ? std::optional(a->value()) : std::nullopt, std::string(text));
  }>(maybe);
  block.def(nothing).impl<[] {}>(nothing);
  return block;
}();

// One layer that passes on, one that takes its arguments away first, and below them one that leaves what it likes.
void passes_on(const tb::operator_handle& op, tb::key_set keys, boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::Functionalize), s);
}
void rebuilds(const tb::operator_handle& op, tb::key_set keys, boxed_stack& s) {
  std::vector<value> taken;
  for (std::size_t i = op.argument_count(); i != 0; --i) taken.push_back(s.pop());
  for (; !taken.empty(); taken.pop_back()) s.push(taken.back());
  op.redispatch_boxed(keys & tb::below(key::Conjugate), s);
}

class maker {
 public:
  explicit maker(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  value any() {
    switch (below(16)) {
      case 0: return {};
      case 1: return value(static_cast<int>(below(5)));
      case 2: return value(below(2) == 0);
      case 3: return value(1.5);
      case 4: return value("a text that is longer than any small buffer of a string, whatever the library");
      case 5: return value::borrow(text_);
      case 6: return value(std::vector<std::int64_t>(below(3) == 0 ? 100'000 : below(4), 7));
      case 7: return value(std::vector<tensor>(below(5), lent_));
      case 8: return value::borrow(lent_);
      case 9: return value::refer(lent_);
      case 10: {
        value moved_from = value(lent_);
        const value taken = std::move(moved_from);
        return moved_from;
      }
      case 11: return value(std::vector<std::optional<tensor>>(2));
      case 12: return value(static_cast<const void*>(nullptr));
      case 13: return value(std::int64_t{3});
      default: return value(tensor(below(2) == 0 ? key::CPU : key::CUDA, 2));
    }
  }
  // Half of the time what the schema wants.
  value of(std::string_view type) { return below(2) == 0 ? any() : wanted(type); }
  value wanted(std::string_view type) {
    if (type.starts_with("Tensor[")) return value(std::vector<tensor>(below(4), lent_));
    if (type.starts_with("int[")) return value(std::vector<std::int64_t>(below(4), 5));
    if (type.starts_with("Tensor"))
      return below(3) == 0 ? value::borrow(lent_) : below(2) == 0 ? value::refer(lent_) : value(lent_);
    if (type.starts_with("int")) return value(std::int64_t{4});
    return value::borrow(text_);
  }
  const tensor& lent() const { return lent_; }

 private:
  std::mt19937 random_;
  tensor lent_ = tensor(key::CPU, 1);
  std::string_view text_ = "lent";
};

struct fuzzed {
  tb::operator_handle op;
  std::vector<std::string_view> arguments, results;
};
const std::array<fuzzed, 6>& operators() {
  static const std::array<fuzzed, 6> all{{{add.handle(), {"Tensor", "Tensor", "int"}, {"Tensor"}},
                                          {fill.handle(), {"Tensor", "int"}, {"Tensor"}},
                                          {both.handle(), {"Tensor", "Tensor"}, {"Tensor", "Tensor"}},
                                          {lists.handle(), {"Tensor[]", "int[]"}, {"int[]"}},
                                          {maybe.handle(), {"Tensor?", "str", "float?"}, {"int?", "str"}},
                                          {nothing.handle(), {}, {}}}};
  return all;
}

bool is_result(std::string_view type, std::string_view found) {
  static const value tensor_value{tensor()}, ints{std::vector<std::int64_t>()}, text{""}, integer{std::int64_t{1}};
  if (type == "Tensor") return found == tensor_value.type_name();
  if (type == "int[]") return found == ints.type_name();
  if (type == "str") return found == text.type_name();
  return type == "int?" && (found == "none" || found == integer.type_name());
}

// What the third layer draws from, and what it has done in a call.
struct carelessness {
  maker* source = nullptr;
  bool ran = false, was_right = false;
};
carelessness careless;

// True if the values on top are of these types.
bool are_results(const std::vector<std::string_view>& types, const boxed_stack& s) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!is_result(types[i], s[s.size() - types.size() + i].type_name())) return false;
  }
  return true;
}

void leaves_anything(const tb::operator_handle& op, tb::key_set, boxed_stack& s) {
  maker& make = *careless.source;
  const std::vector<std::string_view>& types =
      std::ranges::find(operators(), op.name(), [](const fuzzed& f) { return f.op.name(); })->results;
  const std::size_t wanted = s.size() - op.argument_count() + types.size();
  const bool one_too_many = make.below(16) == 0 && s.size() > op.argument_count();
  s.drop(op.argument_count() + (one_too_many ? 1 : 0));
  const std::size_t left = make.below(4) == 0 ? make.below(4) : types.size();
  const bool means_well = make.below(2) == 0;
  for (std::size_t i = 0; i < left; ++i) {
    s.push(i >= types.size() ? make.any() : means_well ? make.wanted(types[i]) : make.of(types[i]));
  }
  careless.ran = true;
  careless.was_right = s.size() == wanted && are_results(types, s);
}

}  // namespace fuzz_ops
using namespace fuzz_ops;

TEST_CASE("boxed_fuzz: whatever is on the stack, a call gives its results or says what is wrong",
          "[core][boxing][B6]") {
  const auto layers = std::tuple(tb::fallback<&passes_on>(key::Functionalize), tb::fallback<&rebuilds>(key::Conjugate),
                                 tb::fallback<&leaves_anything>(key::UserBottom1));
  const unsigned line = std::source_location::current().line() - 1;
  const std::string careless_place = "the boxed fallback registered for UserBottom1 at " +
                                     std::string(std::source_location::current().file_name()) + ":" +
                                     std::to_string(line);
  std::size_t given = 0, refused = 0, right = 0, wrong = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    maker make(seed);
    careless = {.source = &make};
    const long references = make.lent().count();
    {
      boxed_stack s;
      const std::size_t below = make.below(3);
      for (std::size_t i = 0; i < below; ++i) s.push(make.any());
      const auto& [op, types, results] = operators()[make.below(operators().size())];
      for (const std::string_view type : types) s.push(make.of(type));
      if (make.below(8) == 0) s.push(make.any());
      if (make.below(8) == 0 && !s.empty()) s.drop(1);
      const std::size_t before = s.size();
      tb::key_set layer;
      for (const tb::dispatch_key k : {key::UserBottom1, key::Functionalize, key::Conjugate}) {
        if (make.below(2) == 0) layer = layer | k;
      }
      try {
        const tb::include_guard through(layer);
        if (make.below(2) == 0)
          op.call_boxed(s);
        else
          op.redispatch_boxed(layer | key::CPU, s);
        ++given;
        right += careless.ran ? 1U : 0U;
        REQUIRE(careless.ran == careless.was_right);
        REQUIRE(s.size() == before - op.argument_count() + op.result_count());
        REQUIRE(are_results(results, s));
      } catch (const tb::error& e) {
        INFO(e.what());
        ++refused;
        REQUIRE(std::string_view(e.what()).starts_with(op.name()));
        if (!careless.ran) continue;
        ++wrong;
        REQUIRE_FALSE(careless.was_right);
        REQUIRE(dynamic_cast<const tb::bad_argument*>(&e) != nullptr);
        REQUIRE(std::string_view(e.what()).find(careless_place) != std::string_view::npos);
      }
    }
    REQUIRE(make.lent().count() == references);
  }
  CHECK(given > 1'000);
  CHECK(refused > 1'000);
  CHECK(right > 500);
  CHECK(wrong > 500);
}
