// Whatever the text: a result or an error of topbit. And what is written is read back as it was.
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/scale.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::tensor;

namespace text_fuzz_ops {

using ints = std::span<const std::int64_t>;
inline constexpr tb::op<
    "fuzz::every(Tensor(a!) self, Tensor?[] all, int[2] size=1, *, float scale=1e-05, complex z=1, "
    "str? note=None, bool[] flags=[], bool on=True) -> (Tensor(a!), str)">
    every;

const auto kernels = [] {
  auto block = tb::library("fuzz");
  block.def(every)
      .impl<[](tensor& self, std::span<const std::optional<tensor>> all, ints size, double scale,
               std::complex<double> z, std::optional<std::string_view> note, std::span<const bool> flags,
               bool on) -> std::tuple<tensor&, std::string> {
        self.set(static_cast<std::int64_t>(all.size() + size.size() + flags.size()) + (on ? 1 : 0));
        return {self, std::string(note.value_or("none")) + std::to_string(scale) + std::to_string(z.real())};
      }>(every, key::CPU);
  return block;
}();

// Values of every type that has a text, the odd ones often.
class dice {
 public:
  explicit dice(unsigned seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

  template <class T>
  T any() {
    if constexpr (std::is_same_v<T, bool>) {
      return below(2) == 0;
    } else if constexpr (std::is_integral_v<T>) {
      const T odd[] = {0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
      return below(2) == 0 ? odd[below(4)] : static_cast<T>(bits() >> below(64));
    } else if constexpr (std::is_floating_point_v<T>) {
      using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      return below(3) == 0 ? static_cast<T>(below(100)) / 4 : std::bit_cast<T>(static_cast<word>(bits()));
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
      return {any<double>(), any<double>()};
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::string s(below(12), ' ');
      for (char& c : s) c = static_cast<char>(below(3) == 0 ? bits() : "\\\"'\n[],=x0"[below(10)]);
      return s;
    } else if constexpr (requires(T all) { all.push_back({}); }) {
      T all;
      for (std::size_t n = below(4); n != 0; --n) all.push_back(any<typename T::value_type>());
      return all;
    } else {
      return below(3) == 0 ? T() : T(any<typename T::value_type>());
    }
  }

 private:
  std::mt19937_64 engine_;
};

// Equal, but that all NaN are one and the two zeros are two.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (!std::is_same_v<T, std::string> && requires { a.size(); }) {
    bool all = a.size() == b.size();
    for (std::size_t i = 0; all && i < a.size(); ++i) all = same<typename T::value_type>(a[i], b[i]);
    return all;
  } else {
    return a == b;
  }
}

template <class T>
void round_trips(dice& d) {
  INFO(tb::type_name<T>());
  for (int i = 0; i < scaled(2000); ++i) {
    const T x = d.any<T>();
    std::string text;
    tb::author::write_text(text, x);
    const T y = tb::author::read_text<T>(text);
    if (!same(x, y)) FAIL("found another value when reading " << text);
  }
}

// Changes some bytes: deletes, doubles, replaces.
std::string mutated(dice& d, std::string text) {
  for (std::size_t n = 1 + d.below(3); n != 0; --n) {
    const std::size_t at = d.below(text.size() + 1);
    switch (d.below(4)) {
      case 0: text.insert(at, 1, "[]()\"'=,.-+einj\\ xN0\0\xff"[d.below(23)]); break;
      case 1: text.insert(at, text.substr(at / 2, d.below(8))); break;
      case 2: text.erase(at, d.below(3)); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(d.bits());
    }
  }
  return text;
}

// 1: a result, 0: an error of topbit. Anything else ends the test.
template <class F>
int outcome(F&& f) {
  try {
    f();
    return 1;
  } catch (const tb::error& e) {
    CHECK(std::string_view(e.what()).size() > 10);
    return 0;
  }
}

}  // namespace text_fuzz_ops
using namespace text_fuzz_ops;

TEST_CASE("text_fuzz: what is written is read back as the same value, of every type", "[core][text_form]") {
  dice d(1);
  round_trips<bool>(d);
  round_trips<std::int8_t>(d);
  round_trips<std::int64_t>(d);
  round_trips<std::uint64_t>(d);
  round_trips<float>(d);
  round_trips<double>(d);
  round_trips<std::complex<double>>(d);
  round_trips<std::string>(d);
  round_trips<std::vector<bool>>(d);
  round_trips<std::vector<std::int64_t>>(d);
  round_trips<std::vector<std::vector<double>>>(d);
  round_trips<std::vector<std::optional<std::string>>>(d);
  round_trips<std::optional<std::vector<std::complex<double>>>>(d);
}

TEST_CASE("text_fuzz: a text, changed or made up, is a value or an error of topbit", "[core][text_reader]") {
  using odd = std::vector<std::optional<std::vector<std::string>>>;
  dice d(2);
  int read = 0, refused = 0;
  for (int i = 0; i < scaled(40'000); ++i) {
    std::string text;
    if (d.below(4) == 0)
      text = d.any<std::string>();
    else if (d.below(2) == 0)
      tb::author::write_text(text, d.any<odd>());
    else
      tb::author::write_text(text, d.any<std::vector<std::complex<double>>>());
    text = mutated(d, text);
    for (const int one : {outcome([&] { (void)tb::author::read_text<odd>(text); }),
                          outcome([&] { (void)tb::author::read_text<std::vector<std::complex<double>>>(text); }),
                          outcome([&] { (void)tb::author::read_text<std::string>(text); }),
                          outcome([&] { (void)tb::author::read_text<std::int64_t>(text); })}) {
      ++(one == 1 ? read : refused);
    }
  }
  CHECK(read > scaled(5'000));  // both were met
  CHECK(refused > scaled(50'000));
}

TEST_CASE("text_fuzz: a call by text gives results or an error of topbit, whatever the arguments",
          "[core][text_call]") {
  const tb::operator_handle op = tb::registry::process().find("fuzz::every");
  const std::string_view good[] = {"3",        "[1, None]", "size=[1, 2]",  "scale=2.5", "z=1+2j",
                                   "note='a'", "on=False",  "flags=[True]", "note=None", "[]"};
  dice d(3);
  int called = 0, refused = 0;
  for (int i = 0; i < scaled(40'000); ++i) {
    std::vector<std::string> texts{"3", "[1, None]"};
    for (std::size_t n = d.below(5); n != 0; --n) texts.emplace_back(good[d.below(std::size(good))]);
    if (d.below(8) == 0) texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(d.below(texts.size())));
    if (d.below(3) == 0) {
      std::string& one = texts[d.below(texts.size())];
      one = mutated(d, one);
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    ++(outcome([&] { (void)tb::call_text(op, views); }) == 1 ? called : refused);
  }
  CHECK(called > scaled(5'000));
  CHECK(refused > scaled(5'000));
}

TEST_CASE("text_fuzz: brackets without end are an error, not a stack that overflows", "[core][text_reader]") {
  const std::string open(1'000'000, '[');
  CHECK_THROWS_AS((tb::author::read_text<std::vector<std::vector<std::int64_t>>>(open)), tb::bad_argument);
}
