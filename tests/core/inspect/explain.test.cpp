#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <optional>
#include <random>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"exp::mix(Tensor a, int n, Tensor b) -> int"> mix;
inline constexpr tb::op<"expone::mix(Tensor a, int n, Tensor b) -> int"> one;
inline constexpr tb::op<"exp::sum(Tensor[] all) -> int"> sum;
inline constexpr tb::op<"exp::who", int(const image&)> who;
inline constexpr tb::op<"exp::unknown", int(const image&)> unknown;

// Brings keys, and cannot be copied to a value.
struct pinned {
  pinned() = default;
  pinned(const pinned&) = delete;
  friend key_set keys_of(const pinned&) noexcept { return key::CPU; }
};
inline constexpr tb::op<"exp::pin", int(pinned&)> pin;

inline constexpr tb::op<"exp::zeros(int n, Device device) -> Tensor"> zeros;

toy::tensor zeros_kernel(std::int64_t, toy::device) { return {}; }
std::int64_t mix_kernel(const toy::tensor&, std::int64_t n, const toy::tensor&) { return n; }
const auto kernels = tb::library("exp")
                         .def(mix)
                         .impl<&mix_kernel>(mix, key::CPU)
                         .impl<&mix_kernel>(mix, key::CompositeImplicitAutograd)
                         .impl<&mix_kernel>(mix, key::Autograd)
                         .def(zeros)
                         .impl<&zeros_kernel>(zeros, key::CUDA);

// The same text on every machine: file names and lines become HERE.
std::string text(const tb::inspect::explanation& e) {
  std::string all = to_string(e);
  for (std::size_t at; (at = all.find(__FILE__)) != std::string::npos;)
    all.replace(at, all.find('\n', at) - at, "HERE");
  return all;
}

}  // namespace

TEST_CASE("explain: arguments that cannot be copied are explained by their keys", "[core][explain]") {
  const pinned x;
  const tb::inspect::explanation e = tb::explain(pin, x);
  CHECK(e.arguments[0].keys == key_set(key::CPU));
  CHECK_FALSE(e.found);
}

TEST_CASE("explain: says which argument brings what, what was passed over and why, and what is taken",
          "[core][explain]") {
  const toy::tensor a({key::CPU, key::ADInplaceOrView, key::AutogradCPU}), b;
  CHECK(text(tb::explain(mix, a, 1, b)) ==
        "exp::mix\n"
        "  schema    exp::mix(Tensor a, int n, Tensor b) -> int\n"
        "  argument 1 'a' brings {CPU, ADInplaceOrView, AutogradCPU}\n"
        "  passes    AutogradCPU: CompositeImplicitAutograd must not shadow the kernel of a backend, registered at "
        "HERE\n"
        "  takes     AutogradCPU: autograd kernel, registered at HERE\n");
}

TEST_CASE("explain: names the thread's part and the keys without a kernel", "[core][explain]") {
  const toy::tensor a({key::CPU, key::ADInplaceOrView});
  tb::enable_autocast on;
  tb::include_guard in(key::AutocastCPU);
  tb::exclude_guard out(tb::autograd_keys);
  CHECK(text(tb::explain(mix, a, 1, a)) ==
        "exp::mix\n"
        "  schema    exp::mix(Tensor a, int n, Tensor b) -> int\n"
        "  argument 1 'a' brings {CPU, ADInplaceOrView}\n"
        "  argument 3 'b' brings {CPU, ADInplaceOrView}\n"
        "  thread    includes {AutocastCPU}\n"
        "  thread    excludes {AutogradOther, Autograd, AutogradNestedTensor}\n"
        "  passes    AutocastCPU: no kernel handles this key, calls pass through it\n"
        "  passes    ADInplaceOrView: no kernel handles this key, calls pass through it\n"
        "  takes     CPU: kernel, registered at HERE\n");
}

TEST_CASE("explain: says when the call would throw", "[core][explain]") {
  const auto e = tb::explain(unknown, image{key::CPU, 0, 0});
  CHECK_FALSE(e.found);
  CHECK(text(e).ends_with("  result    no kernel: the call would throw\n"));
}

TEST_CASE("explain: a call throws at the key where it ends, and passes those above it", "[core][explain]") {
  const toy::tensor a({key::CUDA, key::ADInplaceOrView});
  const auto only_on_cpu = tb::library("expone").def(one).impl<&mix_kernel>(one, key::CPU);
  CHECK(text(tb::explain(one, a, 1, a)) ==
        "expone::mix\n"
        "  schema    expone::mix(Tensor a, int n, Tensor b) -> int\n"
        "  argument 1 'a' brings {CUDA, ADInplaceOrView}\n"
        "  argument 3 'b' brings {CUDA, ADInplaceOrView}\n"
        "  passes    ADInplaceOrView: no kernel handles this key, calls pass through it\n"
        "  throws at CUDA: missing\n"
        "  result    no kernel: the call would throw\n");
  CHECK(text(tb::explain(unknown, image{key::CPU, 0, 0}))
            .ends_with("  throws at CPU: the operator is not defined\n"
                       "  result    no kernel: the call would throw\n"));
}

TEST_CASE("explain: arguments of several backends are named, since the kernel may refuse them", "[core][explain]") {
  const toy::tensor cpu({key::CPU}), cuda({key::CUDA}), meta({key::Meta});
  const auto on_cuda = tb::implement("exp").impl<&mix_kernel>(mix, key::CUDA);
  const auto both = tb::explain(mix, cpu, 1, cuda);
  CHECK(both.found);
  CHECK(both.backends == std::vector<std::string>{"CPU", "CUDA"});
  CHECK(
      text(both).ends_with("  takes     CUDA: kernel, registered at HERE\n"
                           "  note      the arguments are on CPU and CUDA: a kernel for one device would throw\n"));
  CHECK(text(tb::explain(sum, std::array{cpu, cuda, meta})).find("  note ") == std::string::npos);  // throws anyway
  CHECK(tb::explain(mix, cuda, 1, cuda).backends == std::vector<std::string>{"CUDA"});
  CHECK(text(tb::explain(mix, cuda, 1, cuda)).find("  note ") == std::string::npos);
}

TEST_CASE("explain: carries the same facts as data", "[core][explain]") {
  const toy::tensor a({key::CPU, key::AutogradCPU});
  const auto e = tb::explain(mix, a, 1, toy::tensor());
  REQUIRE(e.arguments.size() == 3);
  CHECK(e.arguments[0].keys == a.keys());
  CHECK(e.arguments[1].keys.empty());
  CHECK(e.selected == key::AutogradCPU);
  CHECK(e.effective == a.keys());
  CHECK(e.found);
  CHECK(e.candidates.back().taken);
  CHECK(e.candidates.back().file == __FILE__);
}

TEST_CASE("explain: goes on below the BackendSelect kernel that is made from a signature", "[core][explain][X5]") {
  CHECK(text(tb::explain(zeros, 2, toy::device{tb::backend::CUDA})) ==
        "exp::zeros\n"
        "  schema    exp::zeros(int n, Device device) -> Tensor\n"
        "  always    {BackendSelect}\n"
        "  passes    BackendSelect: adds {CUDA}, where the arguments say to run (from the signature)\n"
        "  takes     CUDA: kernel, registered at HERE\n");
  const auto e = tb::explain(zeros, tb::arg<"device"> = toy::device{tb::backend::HIP}, tb::arg<"n"> = 1);
  CHECK(e.placed == key_set(key::HIP));
  CHECK(e.selected == key::HIP);
  CHECK_FALSE(e.found);
  CHECK_FALSE(tb::explain(mix, toy::tensor(), 1, toy::tensor()).placed.has_value());
}

TEST_CASE("explain: ends at BackendSelect where the device is unknown", "[core][explain][X5]") {
  const std::array<key_set, 2> nothing{};
  CHECK(text(tb::inspect::explain_keys(zeros.handle(), nothing))
            .ends_with("  takes     BackendSelect: kernel (from the signature)\n"));
}

TEST_CASE("explain: a BackendSelect kernel of a user's own is where the call ends", "[core][explain][X5]") {
  const auto own = tb::implement("exp").impl<&zeros_kernel>(zeros, key::BackendSelect);
  CHECK(tb::explain(zeros, 2, toy::device{tb::backend::CUDA}).selected == key::BackendSelect);
}

TEST_CASE("explain: arguments may convert, go by name and be left out as in the call", "[core][explain]") {
  const toy::tensor a({key::CPU, key::AutogradCPU}), b(key::CUDA);
  const auto by_name = tb::explain(mix, tb::arg<"n"> = 1, tb::arg<"b"> = b, tb::arg<"a"> = a);
  CHECK(by_name.arguments[0].keys == a.keys());
  CHECK(by_name.arguments[2].keys == b.keys());
  CHECK(tb::explain(sum, std::array{a, b}).arguments[0].keys == (a.keys() | b.keys()));
  CHECK(tb::explain(sum, std::vector{b}).arguments[0].keys == b.keys());
}

namespace {

// Each kernel notes who it is and with what keys it ran.
struct ran {
  std::string what;
  key_set keys;
} last;

template <int I>
int answer(key_set keys, const image&) {
  last = {"kernel " + std::to_string(I), keys};
  return I;
}
void fallback_answer(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  last = {"fallback", keys};
  s.drop(op.argument_count());
  s.push(0);
}

// One line each: explain names a kernel by where it was registered.
const std::array places{
    std::source_location::current(),
    std::source_location::current(),
    std::source_location::current(),
    std::source_location::current(),
};

}  // namespace

TEST_CASE("explain: what it says is what runs, whatever is registered", "[core][explain][P12]") {
  const std::array<tb::key_target, 14> targets{key::CPU,
                                               key::CUDA,
                                               key::SparseCPU,
                                               key::AutogradCPU,
                                               key::Autograd,
                                               key::AutocastCUDA,
                                               key::Tracer,
                                               key::BackendSelect,
                                               key::AutogradOther,
                                               key::NestedTensorCPU,
                                               key::CompositeImplicitAutograd,
                                               key::CompositeExplicitAutograd,
                                               key::CompositeExplicitAutogradNonFunctional,
                                               key::FuncTorchBatchedDecomposition};
  const std::array<key_set, 7> brought{key_set{},
                                       key_set{key::CPU, key::AutogradCPU},
                                       key_set{key::CUDA, key::AutogradCUDA, key::AutocastCUDA},
                                       key_set{key::SparseCPU, key::AutogradCPU, key::ADInplaceOrView},
                                       key_set{key::MkldnnCPU, key::AutogradOther},
                                       key_set{key::NestedTensorCPU, key::AutogradNestedTensor, key::AutogradCPU},
                                       key_set(tb::backend::CPU)};
  const std::array<key_set, 5> layers{key_set{}, key_set(key::Tracer), key_set(key::FuncTorchBatched),
                                      key_set(key::AutogradFunctionality), key_set{key::Dense, key::BackendSelect}};
  std::mt19937 random(17);
  int calls = 0;
  for (int round = 0; round < 300; ++round) {
    tb::registry r;
    const auto defined = tb::library("exp", r).def(who);
    std::vector<tb::library_block> all;
    const auto add = [&]<int I>(std::integral_constant<int, I>) {
      const tb::key_target t = targets[random() % targets.size()];
      auto& block = all.emplace_back(tb::implement("exp", std::nullopt, r));
      if (random() % 5 == 0)
        block.fallthrough(who, t);
      else
        block.impl<&answer<I>>(who, t, places[I]);
    };
    add(std::integral_constant<int, 0>{});
    add(std::integral_constant<int, 1>{});
    add(std::integral_constant<int, 2>{});
    if (random() % 2 == 0) add(std::integral_constant<int, 3>{});
    if (random() % 2 == 0) all.erase(all.begin());
    std::vector<tb::registration> fallbacks;
    if (random() % 2 == 0) fallbacks.push_back(tb::fallback<&fallback_answer>(key::AutogradCPU, r));
    if (random() % 3 == 0) fallbacks.push_back(tb::fallback<&fallback_answer>(key::Tracer, r));

    const auto op = r.find("exp::who");
    const auto call = op.typed<int(const image&)>();
    for (key_set keys : brought) {
      for (key_set layer : layers) {
        tb::include_guard in(layer);
        tb::exclude_guard out(random() % 4 == 0 ? tb::autograd_keys : key_set{});
        const auto said = tb::inspect::explain_keys(op, std::array{keys});
        last = {"nothing", {}};
        try {
          (void)call(image{keys, 0, 0});
        } catch (const tb::no_kernel& e) {
          last.keys = e.keys();
        }
        ++calls;
        std::string wanted = "nothing";
        const auto& chosen = said.candidates.back();
        if (said.found && chosen.rule == tb::inspect::row_reason::backend_fallback)
          wanted = "fallback";
        else if (said.found)
          wanted = "kernel " + std::to_string(chosen.line - places[0].line());
        INFO(to_string(said) << "brought " << to_string(keys) << ", layer " << to_string(layer));
        REQUIRE(last.what == wanted);
        REQUIRE(last.keys == said.effective);
      }
    }
  }
  CHECK(calls == 300 * 35);
}

namespace {

inline constexpr tb::op<"exp::made", int(toy::device)> made;

template <int I>
int made_answer(key_set keys, toy::device) {
  last = {"kernel " + std::to_string(I), keys};
  return I;
}

}  // namespace

TEST_CASE("explain: what it says of an operator that a device places is what runs", "[core][explain][X5]") {
  const std::array<tb::key_target, 9> targets{key::CPU,
                                              key::CUDA,
                                              key::CPU,
                                              key::CUDA,
                                              key::Tracer,
                                              key::BackendSelect,
                                              key::UserBottom1,
                                              key::CompositeImplicitAutograd,
                                              key::CompositeExplicitAutograd};
  const std::array<key_set, 5> layers{key_set{}, key_set(key::Tracer), key_set(key::UserBottom1),
                                      key_set(key::SparseCUDA), key_set{key::Dense, key::AutogradFunctionality}};
  std::mt19937 random(23);
  int went_on = 0;
  for (int round = 0; round < 200; ++round) {
    tb::registry r;
    auto block = tb::library("exp", r).def(made);
    const auto add = [&]<int I>(std::integral_constant<int, I>) {
      const tb::key_target t = targets[random() % targets.size()];
      if (random() % 6 == 0)
        block.fallthrough(made, t);
      else
        block.impl<&made_answer<I>>(made, t, places[I]);
    };
    add(std::integral_constant<int, 0>{});
    add(std::integral_constant<int, 1>{});
    add(std::integral_constant<int, 2>{});
    const auto op = r.find("exp::made");
    const auto call = op.typed<int(toy::device)>();
    for (tb::backend where : {tb::backend::CPU, tb::backend::CUDA, tb::backend::Meta}) {
      for (key_set layer : layers) {
        tb::include_guard in(layer);
        tb::exclude_guard out(random() % 4 == 0 ? key_set{key::Dense, key::Tracer} : key_set{});
        const toy::device device{where};
        const auto said = tb::inspect::explain_keys(op, std::array{key_set()}, backend_keys_of(device));
        last = {"nothing", {}};
        try {
          (void)call(device);
        } catch (const tb::no_kernel& e) {
          last.keys = e.keys();
        }
        const auto& chosen = said.candidates.back();
        went_on += said.candidates.size() > 1 && said.candidates.front().key == key::BackendSelect;
        INFO(to_string(said) << "layer " << to_string(layer));
        REQUIRE(last.what == (said.found ? "kernel " + std::to_string(chosen.line - places[0].line()) : "nothing"));
        REQUIRE(last.keys == said.effective);
      }
    }
  }
  CHECK(went_on > 500);
}

TEST_CASE("explain: that every thread leaves Autocast out is said where a call brings it and a kernel handles it",
          "[core][explain]") {
  const toy::tensor a({key::CPU, key::AutocastCPU});
  const auto says = [&] { return text(tb::explain(mix, a, 1, a)).find("excludes {Autocast}") != std::string::npos; };
  CHECK(tb::explain(mix, a, 1, a).excluded == key_set(key::AutocastFunctionality));
  CHECK_FALSE(says());
  const auto layer = tb::implement("exp").impl<&mix_kernel>(mix, key::Autocast);
  CHECK(says());
  const toy::tensor b(key::CPU);
  CHECK(text(tb::explain(mix, b, 1, b)).find("excludes") == std::string::npos);
  const tb::enable_autocast on;
  CHECK(tb::explain(mix, a, 1, a).selected == key::AutocastCPU);
}
