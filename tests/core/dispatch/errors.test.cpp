// The whole text of every error that a call or a lookup can end with. Every case has a registry of its own.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;
using toy::tensor;

namespace {

inline constexpr tb::op<"err::mix(Tensor self, int n, Tensor[] others) -> int"> mix;
inline constexpr tb::op<"err::blur", int(const image&, int)> blur;
inline constexpr tb::op<"err::blur(int n) -> int"> other_blur;
inline constexpr tb::op<"err::seed(int n) -> int"> seed;
inline constexpr tb::op<"err::never_registered", int(const image&)> never_registered;
inline constexpr tb::op<"err::blurr", int(const image&)> nearly;

std::int64_t mix_kernel(const tensor&, std::int64_t n, std::span<const tensor>) { return n; }
int blur_kernel(const image&, int n) { return n; }
std::int64_t seed_kernel(std::int64_t n) { return n; }
void fallback_kernel(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(std::int64_t{0});
}

struct room {
  tb::registry r;
  tb::library_block library = tb::library("err", r);
  tb::library_block more() { return tb::implement("err", std::nullopt, r); }

  std::int64_t call_mix(const tensor& self, std::span<const tensor> others = {}) {
    return r.find("err::mix")
        .typed<std::int64_t(const tensor&, std::int64_t, std::span<const tensor>)>()(self, 1, others);
  }
  int call_blur(const image& i) { return r.find("err::blur").typed<int(const image&, int)>()(i, 2); }
};

template <class Error, class F>
std::string text_of(F&& f) {
  return toy::without_places(toy::text_of<Error>(std::forward<F>(f)));
}
template <class F>
std::string no_kernel(F&& f) {
  return text_of<tb::no_kernel>(std::forward<F>(f));
}

}  // namespace

TEST_CASE("errors: no kernel says the key, the argument that brought it, and the kernels there are",
          "[core][error][E1]") {
  room in;
  in.library.def(mix).def(blur);
  CHECK(no_kernel([&] { in.call_mix(tensor(key::CUDA)); }) ==
        "err::mix: no kernel for CUDA, which argument 1 'self' brought; there is no kernel for any key");
  const auto kernels = in.more()
                           .impl<&mix_kernel>(mix, key::CPU)
                           .impl<&mix_kernel>(mix, key::Autograd)
                           .fallthrough(mix, key::Tracer)
                           .impl<&blur_kernel>(blur, key::CPU);
  CHECK(no_kernel([&] { in.call_mix(tensor(key::CUDA)); }) ==
        "err::mix: no kernel for CUDA, which argument 1 'self' brought; there are kernels for CPU (HERE), Autograd "
        "(HERE)");
  CHECK(no_kernel([&] { in.call_mix(tensor(key::CPU), std::array{tensor(key::CPU), tensor(key::Meta)}); }) ==
        "err::mix: no kernel for Meta, which argument 3 'others' brought; there are kernels for CPU (HERE), Autograd "
        "(HERE)");
  // Without a schema an argument has no name.
  CHECK(no_kernel([&] { in.call_blur(image{key::HIP, 0, 0}); }) ==
        "err::blur: no kernel for HIP, which argument 1 brought; there are kernels for CPU (HERE)");
}

TEST_CASE("errors: no kernel says when the thread brought the key, and when nothing did", "[core][error][E1]") {
  room in;
  in.library.def(blur).impl<&blur_kernel>(blur, key::CPU);
  {
    tb::include_guard layer(key::TestMode);
    CHECK(no_kernel([&] { in.call_blur(image{key::CPU, 0, 0}); }) ==
          "err::blur: no kernel for TestMode, which this thread includes; there are kernels for CPU (HERE)");
    CHECK(no_kernel([&] { in.call_blur(image{key::TestMode, 0, 0}); }) ==
          "err::blur: no kernel for TestMode, which argument 1 brought, which this thread includes; there are kernels "
          "for CPU (HERE)");
  }
  const auto call = in.r.find("err::blur").typed<int(const image&, int)>();
  CHECK(no_kernel([&] { call.redispatch(key::XLA, image{}, 2); }) ==
        "err::blur: no kernel for XLA; there are kernels for CPU (HERE)");
  CHECK(no_kernel([&] { call.redispatch(key::Sparse, image{}, 2); }) ==
        "err::blur: the key set has Sparse without a backend");
}

TEST_CASE("errors: no kernel without a key says that no argument brought one", "[core][error][E1][X5]") {
  room in;
  in.library.def(mix).def(seed);
  const auto call_seed = in.r.find("err::seed").typed<std::int64_t(std::int64_t)>();
  CHECK(no_kernel([&] { call_seed(3); }) ==
        "err::seed: no argument brought a key, and there is no catch-all kernel; there is no kernel for any key");
  const auto kernels =
      in.more().impl<&mix_kernel>(mix, key::CPU).impl<&seed_kernel>(seed, key::CPU).impl<&seed_kernel>(seed, key::CUDA);
  CHECK(no_kernel([&] { call_seed(3); }) ==
        "err::seed: no argument brought a key, and there is no catch-all kernel; there are kernels for CPU (HERE), "
        "CUDA (HERE)");
  CHECK(no_kernel([&] { in.call_mix(tensor(), std::array{tensor(), tensor()}); }) ==
        "err::mix: argument 1 'self' is undefined, no other argument brought a key, and there is no catch-all kernel; "
        "there are kernels for CPU (HERE)");
  const auto all = in.more().impl<&seed_kernel>(seed);
  CHECK(call_seed(3) == 3);
}

TEST_CASE("errors: fallbacks are no kernels of the operator and are not listed", "[core][error][E1]") {
  room in;
  in.library.def(mix).impl<&mix_kernel>(mix, key::CPU);
  const auto back = tb::fallback<&fallback_kernel>(key::Autograd, in.r);
  CHECK(no_kernel([&] { in.call_mix(tensor(key::CUDA)); }) ==
        "err::mix: no kernel for CUDA, which argument 1 'self' brought; there are kernels for CPU (HERE)");
}

TEST_CASE("errors: a boxed call ends with the text of the typed one", "[core][error][E1][C2]") {
  room in;
  in.library.def(mix).impl<&mix_kernel>(mix, key::CPU);
  for (const tensor& t : {tensor(), tensor(key::CUDA), tensor({key::CPU, key::TestMode})}) {
    const std::string typed = no_kernel([&] { in.call_mix(t); });
    CHECK(no_kernel([&] {
            tb::boxed_stack s;
            s.push(t);
            s.push(std::int64_t{1});
            s.push(std::vector<tensor>());
            in.r.find("err::mix").call_boxed(s);
          }) == typed);
  }
}

TEST_CASE("errors: no kernel carries the operator and the keys as data", "[core][error][E1]") {
  room in;
  in.library.def(blur).fallthrough(blur, key::Tracer);
  try {
    in.call_blur(image{{key::CPU, key::Tracer}, 0, 0});
    FAIL("nothing was thrown");
  } catch (const tb::no_kernel& e) {
    CHECK(e.op() == "err::blur");
    CHECK(e.keys() == key_set(key::CPU));
  }
}

TEST_CASE("errors: an operator that is not defined says what happened to it", "[core][error][E1][E7][D5]") {
  room in;
  in.library.def(blur).impl<&blur_kernel>(blur, key::CPU);
  const auto call = in.r.find("err::blur").typed<int(const image&, int)>();
  in.library.reset();
  const image cpu{key::CPU, 0, 0};
  CHECK(no_kernel([&] { call(cpu, 2); }) == "err::blur: was withdrawn: its library is gone or was reset");
  CHECK(no_kernel([&] { call.redispatch(key::CPU, cpu, 2); }) ==
        "err::blur: was withdrawn: its library is gone or was reset");
  const auto other = tb::library("err", in.r).def(other_blur);
  CHECK(no_kernel([&] { call(cpu, 2); }) ==
        "err::blur: is defined at HERE with the signature 'int64_t (int64_t)', this handle has 'int (const "
        "toy::image&, int)'");
}

TEST_CASE("errors: an operator that was never registered offers the nearest name", "[core][error][E1][E7]") {
  CHECK(no_kernel([&] { never_registered(image{}); }) ==
        "err::never_registered: declared, never registered: was its object linked?");
  {
    const auto defined = tb::library("err").def(blur);
    CHECK(no_kernel([&] { nearly(image{}); }) ==
          "err::blurr: declared, never registered: was its object linked? The nearest registered name is err::blur");
  }
  const auto kernels = tb::implement("err", key::CPU).impl<[](const image&) { return 0; }>(nearly);
  CHECK(no_kernel([&] { nearly(image{}); }) ==
        "err::blurr: implemented at HERE, never defined: was the object that defines it linked?");
}

TEST_CASE("errors: ambiguous at AutogradOther says what is registered and what to do", "[core][error][E4][P5a]") {
  room in;
  in.library.def(blur).impl<&blur_kernel>(blur, key::MkldnnCPU).impl<&blur_kernel>(blur);
  const image mkldnn{{key::MkldnnCPU, key::AutogradOther}, 0, 0};
  CHECK(no_kernel([&] { in.call_blur(mkldnn); }) ==
        "err::blur: ambiguous at AutogradOther: a composite kernel and a kernel of a backend that shares this slot are "
        "both registered; register one for AutogradOther, or call below autograd; there are kernels for MkldnnCPU "
        "(HERE), CompositeImplicitAutograd (HERE)");
  {
    tb::exclude_guard below_autograd(tb::autograd_keys);
    CHECK(in.call_blur(mkldnn) == 2);
  }
  const auto one = in.more().impl<&blur_kernel>(blur, key::AutogradOther);
  CHECK(in.call_blur(mkldnn) == 2);
}

TEST_CASE("errors: where everything is passed through there is no kernel, and none is run", "[core][error][F5][P10i]") {
  room in;
  in.library.def(blur).fallthrough(blur, key::CPU).fallthrough(blur, key::CompositeImplicitAutograd);
  const auto call = in.r.find("err::blur").typed<int(const image&, int)>();
  const std::string nothing =
      "err::blur: argument 1 is undefined, no other argument brought a key, and there is no catch-all kernel; there is "
      "no kernel for any key";
  const auto passed = [](const std::string& keys) {
    return "err::blur: every key its arguments brought, {" + keys + "}, is passed through, excluded or left out, " +
           "and there is no catch-all kernel; there is no kernel for any key";
  };
  CHECK(no_kernel([&] { call(image{key::CPU, 0, 0}, 2); }) == passed("CPU"));
  CHECK(no_kernel([&] { call(image{{key::CPU, key::AutogradCPU}, 0, 0}, 2); }) == passed("CPU, AutogradCPU"));
  CHECK(no_kernel([&] { call(image{}, 2); }) == nothing);
  for (key_set given : {key_set(key::CPU), key_set{key::CPU, key::AutogradCPU}, key_set{}}) {
    CHECK(no_kernel([&] { call.redispatch(given, image{}, 2); }) == nothing);
  }
}

TEST_CASE("errors: a handle asked for another signature shows both", "[core][error][E6]") {
  room in;
  in.library.def(mix).def(blur);
  const auto by_schema = in.r.find("err::mix");
  const std::string of_blur = "; its schema is 'err::blur(toy::image _0, int32 _1) -> int32', defined at HERE";
  CHECK(text_of<tb::bad_argument>([&] { by_schema.typed<std::int64_t(const tensor&, std::int64_t)>(); }) ==
        "err::mix: has the signature 'int64_t (const toy::tensor&, int64_t, std::span<const toy::tensor>)', asked for "
        "'int64_t (const toy::tensor&, int64_t)'; its schema is 'err::mix(Tensor self, int n, Tensor[] others) -> "
        "int', defined at HERE");
  CHECK(text_of<tb::bad_argument>([&] { in.r.find("err::blur").typed<int(const image&, long)>(); }) ==
        "err::blur: has the signature 'int (const toy::image&, int)', asked for 'int (const toy::image&, int64_t)'" +
            of_blur);
  CHECK(text_of<tb::bad_argument>([&] { in.r.find("err::blur").typed<int(image, int)>(); }) ==
        "err::blur: has the signature 'int (const toy::image&, int)', asked for 'int (toy::image, int)'" + of_blur);
  CHECK(text_of<tb::bad_argument>([&] { in.r.find("err::blur").typed<void()>(); }) ==
        "err::blur: has the signature 'int (const toy::image&, int)', asked for 'void ()'" + of_blur);
}

TEST_CASE("errors: no text is a name that breaks a lookup", "[core][error][E7]") {
  using std::string_view_literals::operator""sv;
  room in;
  in.library.def(blur);
  const auto unknown = [&](std::string_view name) {
    INFO(name);
    CHECK_FALSE(in.r.try_find(name).has_value());
    try {
      in.r.find(name);
      FAIL("nothing was thrown");
    } catch (const tb::unknown_operator& e) {
      CHECK(e.op() == name);
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(unknown("") == "'': no operator of this name is registered");
  CHECK(unknown("::") == "::: no operator of this name is registered");
  CHECK(unknown("err::blur ") == "err::blur : no operator of this name is registered; the nearest name is err::blur");
  CHECK(unknown("Err::Blur") == "Err::Blur: no operator of this name is registered; the nearest name is err::blur");
  CHECK(unknown("err::blur.") == "err::blur.: no operator of this name is registered; the nearest name is err::blur");
  CHECK(unknown("err::blur(int n) -> int") == "err::blur(int n) -> int: no operator of this name is registered");
  CHECK(unknown("\xc3\xbc\n\t'%s'") == "\xc3\xbc\n\t'%s': no operator of this name is registered");
  const std::string long_name(20'000, 'x');
  CHECK(unknown(long_name) == long_name + ": no operator of this name is registered");
  CHECK_FALSE(in.r.try_find("err::blur\0"sv).has_value());
  CHECK_THROWS_AS(in.r.find("err::blur\0"sv), tb::unknown_operator);
}

TEST_CASE("errors: a lookup tells what is implemented and not defined from unknown names", "[core][error][E7]") {
  room in;
  const auto kernels = in.more().impl<&blur_kernel>(blur, key::CPU);
  CHECK(text_of<tb::unknown_operator>([&] { in.r.find("err::blur"); }) ==
        "err::blur: an implementation was found, at HERE, but no definition; was the object that defines it linked?");
  CHECK(text_of<tb::unknown_operator>([&] { in.r.find("err::blurr"); }) ==
        "err::blurr: no operator of this name is registered");
  in.library.def(blur);
  CHECK(text_of<tb::unknown_operator>([&] { in.r.find("err::blurr"); }) ==
        "err::blurr: no operator of this name is registered; the nearest name is err::blur");
}

TEST_CASE("errors: no kernel says which arguments are undefined", "[core][error][E1]") {
  static constexpr tb::op<"err::pair(Tensor a, int n, Tensor? b, Tensor c) -> int"> pair;
  static constexpr tb::op<"err::all(Tensor[] all, Tensor?[] some) -> int"> all;
  room in;
  in.library.def(pair).def(all);
  const auto call_pair =
      in.r.find("err::pair")
          .typed<std::int64_t(const tensor&, std::int64_t, const std::optional<tensor>&, const tensor&)>();
  const std::string rest =
      "no other argument brought a key, and there is no catch-all kernel; there is no kernel for any key";
  CHECK(no_kernel([&] { call_pair(tensor(), 1, std::nullopt, tensor()); }) ==
        "err::pair: argument 1 'a' and argument 4 'c' are undefined, " + rest);
  // What is passed through was brought all the same.
  CHECK(no_kernel([&] {
          call_pair(tensor(), 1, std::nullopt, tensor(key::AutogradCPU));
        }).starts_with("err::pair: every key its arguments brought, {AutogradCPU}, is passed through"));
  const auto call_all =
      in.r.find("err::all").typed<std::int64_t(std::span<const tensor>, std::span<const std::optional<tensor>>)>();
  CHECK(no_kernel([&] { call_all(std::array{tensor(), tensor()}, std::array{std::optional<tensor>()}); }) ==
        "err::all: argument 1 'all' and argument 2 'some' have no defined element, " + rest);
}

TEST_CASE("errors: a kernel that was overridden is not listed beside the one that is active", "[core][error][E1]") {
  room in;
  in.library.def(blur).impl<&blur_kernel>(blur, key::CPU).impl<&blur_kernel>(blur, key::Meta);
  const auto newer = in.more().impl<&blur_kernel>(blur, key::CPU).fallthrough(blur, key::Meta);
  CHECK(no_kernel([&] { in.call_blur(image{key::HIP, 0, 0}); }) ==
        "err::blur: no kernel for HIP, which argument 1 brought; there are kernels for CPU (HERE)");
}
