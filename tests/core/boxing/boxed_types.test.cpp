// Every kind of value that can travel in a box goes three ways: a typed call through a boxed layer, a typed call of a
// boxed kernel, a boxed call of a typed kernel.
#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using namespace std::literals;
using tb::boxed_stack;
using tb::operator_handle;
using toy::tensor;

namespace boxed_types {

enum class mode : std::uint8_t { slow, fast = 7 };
enum class wide : std::int64_t { far = -5'000'000'000 };
// Aggregates need no specialisation, be they a word or more.
struct point {
  float x = 0, y = 0;
  friend bool operator==(const point&, const point&) = default;
};
struct person {
  std::string name;
  std::vector<std::int64_t> numbers;
  friend bool operator==(const person&, const person&) = default;
};
// Has no copy constructor; its boxed_type says how an owned copy is made.
struct sole {
  std::unique_ptr<std::int64_t> number;
  friend bool operator==(const sole& a, const sole& b) { return *a.number == *b.number; }
};
sole make_sole(std::int64_t n) { return {std::make_unique<std::int64_t>(n)}; }
// Cannot be copied, and nobody says how: it may be written to, and no more.
struct pinned {
  pinned() = default;
  pinned(const pinned&) = delete;
  int number = 0;
};
struct handle {
  tensor held;
  friend bool operator==(const handle& a, const handle& b) { return a.held.is_same(b.held); }
};

}  // namespace boxed_types
using namespace boxed_types;

template <>
struct topbit::boxed_type<sole> {
  static sole copy(const sole& x) { return make_sole(*x.number); }
};

namespace boxed_types {

template <class Out, class In>
Out echo(const In& x) {
  if constexpr (std::is_same_v<Out, sole>) {
    return tb::boxed_type<sole>::copy(x);
  } else if constexpr (requires { Out().push_back({}); } && !std::is_same_v<Out, std::string>) {
    Out all;
    for (const auto& y : x) all.push_back(echo<typename Out::value_type>(y));
    return all;
  } else if constexpr (requires { Out().has_value(); }) {
    return x.has_value() ? Out(echo<typename Out::value_type>(*x)) : Out();
  } else {
    return Out(x);
  }
}

// True if the value is x, in the form that values have.
template <class Out>
bool holds(const tb::value& v, const Out& x) {
  if constexpr (requires { x.has_value(); }) {
    return x.has_value() ? holds(v, *x) : v.is_none();
  } else if constexpr (std::is_same_v<Out, std::string>) {
    return v.is<std::string_view>() && v.get<std::string_view>() == x;
  } else if constexpr (requires { Out().push_back({}); }) {
    using view = std::span<const typename Out::value_type>;
    if (!v.is<view>() || v.get<view>().size() != x.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(v.get<view>()[i] == x[i])) return false;
    }
    return true;
  } else {
    return v.is<Out>() && v.get<Out>() == x;
  }
}

void call_on(const operator_handle& op, tb::key_set keys, boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::ModesAbove), s);
}
void give_back(const operator_handle&, boxed_stack&) {}  // the argument is the result

// An operator that gives back its argument: Out as a result, In as an argument.
template <tb::fixed_string Name, class Out, class In>
void travels(const Out& expected, In argument) {
  INFO(Name.view());
  static constexpr tb::op<Name, Out(In)> op{};
  static constexpr auto kernel = [](In x) -> Out { return echo<Out>(x); };
  auto block = tb::fragment("boxed_types");
  block.def(op).template impl<kernel>(op).template impl_boxed<&give_back>(op, key::UserTop2);
  const auto fallback = tb::fallback<&call_on>(key::ModesAbove);

  CHECK(op(argument) == expected);
  {
    const tb::include_guard layer(key::ModesAbove);
    CHECK(op(argument) == expected);
  }
  {
    const tb::include_guard boxed_kernel(key::UserTop2);
    CHECK(op(argument) == expected);
  }
  const operator_handle by_name = tb::registry::process().find(Name.view());
  for (const tb::key_set through : {tb::key_set(), tb::key_set(key::ModesAbove), tb::key_set(key::UserTop2)}) {
    const tb::include_guard layers(through);
    boxed_stack s;
    s.push(tb::value(echo<Out>(argument)));
    by_name.call_boxed(s);
    REQUIRE(s.size() == 1);
    CHECK(holds(s[0], expected));
    const tb::value copy = s[0];
    s.drop(1);
    CHECK(holds(copy, expected));
  }
}

}  // namespace boxed_types

TEST_CASE("boxed_types: bool, numbers and strings travel unharmed", "[core][boxed_types][B7]") {
  travels<"boxed_types::bool", bool, bool>(true, true);
  travels<"boxed_types::int", std::int64_t, std::int64_t>(-7, -7);
  travels<"boxed_types::uint8", std::uint8_t, std::uint8_t>(255, 255);
  travels<"boxed_types::float", double, double>(0.1, 0.1);
  travels<"boxed_types::float32", float, float>(0.1F, 0.1F);
  travels<"boxed_types::complex", std::complex<double>, const std::complex<double>&>({1, -2}, {1, -2});
  travels<"boxed_types::str", std::string, std::string_view>(std::string(100, 'x'), std::string(100, 'x'));
  travels<"boxed_types::empty", std::string, std::string_view>("", "");
}

TEST_CASE("boxed_types: enums and aggregates travel without a word about them", "[core][boxed_types][B7]") {
  travels<"boxed_types::mode", mode, mode>(mode::fast, mode::fast);
  travels<"boxed_types::wide", wide, wide>(wide::far, wide::far);
  travels<"boxed_types::point", point, point>({1, 2}, {1, 2});
  const person someone{"a name that no small string holds", {1, 2}};
  travels<"boxed_types::person", person, const person&>(someone, someone);
  const handle h{tensor(key::CPU, 3)};
  travels<"boxed_types::handle", handle, const handle&>(h, h);
  CHECK(h.held.count() == 1);
}

TEST_CASE("boxed_types: what cannot be copied travels by the copy its boxed_type makes", "[core][boxed_types]") {
  const sole one = make_sole(5);
  travels<"boxed_types::sole", sole, const sole&>(one, one);
  travels<"boxed_types::sole_maybe", std::optional<sole>, const std::optional<sole>&>(make_sole(6), make_sole(6));
  std::vector<sole> two;
  two.push_back(make_sole(1));
  two.push_back(make_sole(2));
  travels<"boxed_types::soles", std::vector<sole>, std::span<const sole>>(two, two);
}

TEST_CASE("boxed_types: lists of every kind travel, and lists of lists", "[core][boxed_types][B7]") {
  using ints = std::vector<std::int64_t>;
  using names = std::vector<std::string>;
  const ints numbers{1, 2, 3};
  travels<"boxed_types::ints", ints, std::span<const std::int64_t>>(numbers, numbers);
  const bool flags[] = {true, false};
  travels<"boxed_types::bools", std::vector<bool>, std::span<const bool>>({true, false}, flags);
  const std::vector<std::complex<double>> turns{{0, 1}, {2, 3}};
  travels<"boxed_types::complexes", std::vector<std::complex<double>>, std::span<const std::complex<double>>>(turns,
                                                                                                              turns);
  const names words{"a", std::string(50, 'b')};
  travels<"boxed_types::strs", names, std::span<const std::string>>(words, words);
  const std::vector<ints> nested{{1}, {}, {2, 3}};
  travels<"boxed_types::nested", std::vector<ints>, std::span<const ints>>(nested, nested);
  const std::vector<std::vector<ints>> deep{{{1}}, {{}, {2}}};
  travels<"boxed_types::deep", std::vector<std::vector<ints>>, std::span<const std::vector<ints>>>(deep, deep);
  const std::vector<mode> modes{mode::slow, mode::fast};
  travels<"boxed_types::modes", std::vector<mode>, std::span<const mode>>(modes, modes);
  travels<"boxed_types::no_ints", ints, std::span<const std::int64_t>>({}, {});
}

TEST_CASE("boxed_types: optionals travel full and empty, alone, in lists and around lists", "[core][boxed_types][B7]") {
  using maybe_int = std::optional<std::int64_t>;
  using ints = std::vector<std::int64_t>;
  travels<"boxed_types::int_maybe", maybe_int, maybe_int>(4, 4);
  travels<"boxed_types::int_none", maybe_int, maybe_int>(std::nullopt, std::nullopt);
  travels<"boxed_types::str_maybe", std::optional<std::string>, std::optional<std::string_view>>("ab", "ab");
  const std::vector<maybe_int> some{1, std::nullopt};
  travels<"boxed_types::int_maybes", std::vector<maybe_int>, std::span<const maybe_int>>(some, some);
  const ints numbers{1, 2};
  travels<"boxed_types::ints_maybe", std::optional<ints>, std::optional<std::span<const std::int64_t>>>(numbers,
                                                                                                        numbers);
  const std::vector<std::optional<std::string>> words{"a", std::nullopt};
  travels<"boxed_types::str_maybes", std::vector<std::optional<std::string>>,
          std::span<const std::optional<std::string>>>(words, words);
}

TEST_CASE("boxed_types: what cannot be copied may be written to, and a copy of its value is an error",
          "[core][boxed_types]") {
  static constexpr tb::op<"boxed_types::pin", std::int64_t(pinned&)> pin;
  auto block = tb::fragment("boxed_types");
  block.def(pin).impl<[](pinned& x) { return std::int64_t{x.number = 4}; }>(pin);
  const auto fallback = tb::fallback<&call_on>(key::ModesAbove);
  const tb::include_guard layer(key::ModesAbove);
  pinned x;
  CHECK(pin(x) == 4);
  CHECK(x.number == 4);
  const tb::value v = tb::value::refer(x);
  CHECK(toy::text_of<tb::bad_argument>([&] { const tb::value copy = v; }) ==
        "type 'boxed_types::pinned' cannot be copied; specialise topbit::boxed_type for it, with copy()");
}

TEST_CASE("boxed_types: a copy of a borrowed list of strings owns the characters", "[core][boxed_types][B7]") {
  std::vector<std::string> words{"a", std::string(50, 'b')};
  const std::span<const std::string> lent = words;
  const tb::value loan = tb::value::borrow(lent);
  const tb::value copy = loan;
  words[0] = "c";
  words[1].assign(50, 'c');
  CHECK(holds(loan, words));
  CHECK(holds(copy, std::vector<std::string>{"a", std::string(50, 'b')}));
}
