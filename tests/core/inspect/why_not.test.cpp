#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <source_location>
#include <string>
#include <utility>

#include "support/named_places.h"
#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using tb::inspect::why_not_reason;
using toy::image;

template <>
struct Catch::StringMaker<tb::inspect::why_not_reason> {
  static std::string convert(tb::inspect::why_not_reason r) { return std::string(name_of(r)); }
};

namespace {

inline constexpr tb::op<"whynot::width", int(const image&)> width;
inline constexpr tb::op<"whynot::mix(Tensor a, int n=1, *, Tensor b) -> int"> mix;
inline constexpr tb::op<"whynot::zeros(int n, Device device) -> Tensor"> zeros;

int width_kernel(const image& i) { return i.width; }
std::int64_t mix_kernel(const toy::tensor&, std::int64_t n, const toy::tensor&) { return n; }
toy::tensor zeros_kernel(std::int64_t, toy::device) { return {}; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
constexpr auto C = std::source_location::current();
constexpr auto D = std::source_location::current();
const toy::named_places named{{"A", A}, {"B", B}, {"C", C}, {"D", D}};
constexpr std::array places{A, B, C, D};

const auto global = tb::library("whynot")
                        .def(mix)
                        .impl<&mix_kernel>(mix, key::CPU, A)
                        .impl<&mix_kernel>(mix, key::Autograd, B)
                        .def(zeros)
                        .impl<&zeros_kernel>(zeros, key::CUDA, A);

struct told {
  why_not_reason reason;
  std::string sentence;
  friend bool operator==(const told&, const told&) = default;
  friend std::ostream& operator<<(std::ostream& out, const told& t) {
    return out << name_of(t.reason) << ": " << t.sentence;
  }
};
told tell(const tb::inspect::why_not_answer& a) {
  CHECK(to_string(a) == a.sentence);
  return {a.reason, named(a.sentence)};
}

// An operator with what a test adds to it.
struct bench {
  tb::registry r;
  tb::library_block block = tb::library("whynot", r).def(width);
  told asked(tb::key_target key, key_set brought) {
    return tell(tb::inspect::why_not_keys(r.find("whynot::width"), key, std::array{brought}));
  }
  told asked(tb::key_target key) { return tell(why_not(r.find("whynot::width"), key)); }
};

}  // namespace

TEST_CASE("why not: it runs", "[core][explain]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CPU, A);
  CHECK(b.asked(key::CPU) ==
        told{why_not_reason::runs, "whynot::width: the kernel for CPU, registered at A, is what runs"});
  CHECK(b.asked(key::CPU, key_set{key::CPU, key::AutogradCPU}).reason == why_not_reason::runs);
}

TEST_CASE("why not: nothing is registered there", "[core][explain]") {
  bench b;
  CHECK(b.asked(key::CUDA) ==
        told{why_not_reason::not_registered, "whynot::width: nothing is registered for CUDA; the call throws at CUDA"});
  b.block.impl<&width_kernel>(width, key::CompositeImplicitAutograd, A);
  CHECK(b.asked(key::CUDA) == told{why_not_reason::not_registered,
                                   "whynot::width: nothing is registered for CUDA; the call takes CUDA: composite "
                                   "kernel, registered for CompositeImplicitAutograd at A"});
  CHECK(b.asked(key::Autograd) ==
        told{why_not_reason::not_registered, "whynot::width: nothing is registered for Autograd"});
}

TEST_CASE("why not: a newer registration for the same key runs", "[core][explain]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CPU, A).impl<&width_kernel>(width, key::CPU, B);
  const told overridden{why_not_reason::overridden,
                        "whynot::width: the kernel for CPU, registered at A, is overridden by the newer one at B, "
                        "which runs"};
  CHECK(b.asked(key::CPU) == overridden);
  const auto answer = why_not(b.r.find("whynot::width"), key::CPU);
  CHECK(answer.kernel == tb::inspect::source_location{A.file_name(), A.line()});
  CHECK(answer.instead == tb::inspect::source_location{B.file_name(), B.line()});
  CHECK(answer.selected == key::CPU);
  CHECK(answer.found);
}

TEST_CASE("why not: a fallthrough is never run", "[core][explain][F1]") {
  bench b;
  b.block.fallthrough(width, key::Tracer, A).impl<&width_kernel>(width, key::CPU, B);
  CHECK(b.asked(key::Tracer, key_set{key::CPU, key::Tracer}) ==
        told{why_not_reason::fallthrough,
             "whynot::width: calls pass through Tracer because of a fallthrough, registered at A; the call takes CPU: "
             "kernel, registered at B"});
}

TEST_CASE("why not: nothing brings the key", "[core][explain]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CPU, A).impl<&width_kernel>(width, key::Tracer, B);
  CHECK(b.asked(key::Tracer, key::CPU) ==
        told{why_not_reason::not_brought,
             "whynot::width: neither an argument nor this thread brings Tracer; the call takes CPU: kernel, registered "
             "at A"});
  tb::include_guard in(key::Tracer);
  CHECK(b.asked(key::Tracer, key::CPU).reason == why_not_reason::runs);
}

TEST_CASE("why not: this thread excludes the key", "[core][explain][T2]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CPU, A).impl<&width_kernel>(width, key::Autograd, B);
  b.block.impl<&width_kernel>(width, key::AutogradCPU, C);
  tb::exclude_guard out(tb::autograd_keys);
  CHECK(b.asked(key::AutogradCPU, key_set{key::CPU, key::AutogradCPU}) ==
        told{why_not_reason::excluded,
             "whynot::width: this thread excludes Autograd; the call takes CPU: kernel, registered at A"});
}

TEST_CASE("why not: a higher key comes first, with a kernel or without one", "[core][explain]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CPU, A).impl<&width_kernel>(width, key::Autograd, B);
  CHECK(b.asked(key::CPU, key_set{key::CPU, key::AutogradCPU}) ==
        told{why_not_reason::higher_key,
             "whynot::width: AutogradCPU comes before CPU; the call takes AutogradCPU: autograd kernel, registered for "
             "Autograd at B"});
  CHECK(b.asked(key::CPU, key_set{key::CPU, key::Meta}) ==
        told{why_not_reason::higher_key, "whynot::width: Meta comes before CPU; the call throws at Meta"});
  const auto tracing = tb::fallback<&boxed>(key::Tracer, b.r, D);
  CHECK(b.asked(key::CPU, key_set{key::CPU, key::Tracer}) ==
        told{why_not_reason::higher_key,
             "whynot::width: Tracer comes before CPU; the call takes Tracer: backend fallback, registered at D"});
}

TEST_CASE("why not: a composite wins at the autograd key of a sparse kernel", "[core][explain][Z4][P10e]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::SparseCPU, A).impl<&width_kernel>(width, B);
  CHECK(
      b.asked(key::SparseCPU, key_set{key::SparseCPU, key::AutogradCPU}) ==
      told{why_not_reason::composite,
           "whynot::width: AutogradCPU comes before SparseCPU and a composite wins there; the call takes AutogradCPU: "
           "composite kernel, registered for CompositeImplicitAutograd at B"});
  tb::exclude_guard below_autograd(tb::autograd_keys);
  CHECK(b.asked(key::SparseCPU, key_set{key::SparseCPU, key::AutogradCPU}).reason == why_not_reason::runs);
}

TEST_CASE("why not: an alias does not stand for the key, or the key prefers another", "[core][explain][P10b]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::Autograd, A)
      .impl<&width_kernel>(width, key::CompositeImplicitAutograd, B)
      .impl<&width_kernel>(width, key::CompositeExplicitAutograd, C);
  CHECK(
      b.asked(key::Autograd, key::CPU) ==
      told{why_not_reason::not_covered,
           "whynot::width: Autograd does not stand for CPU; the call takes CPU: default backend kernel, registered for "
           "CompositeExplicitAutograd at C"});
  CHECK(
      b.asked(key::CompositeImplicitAutograd, key::CPU) ==
      told{why_not_reason::preferred,
           "whynot::width: CPU prefers another registration to that for CompositeImplicitAutograd; the call takes CPU: "
           "default backend kernel, registered for CompositeExplicitAutograd at C"});
  CHECK(b.asked(key::Undefined, key::CPU) == b.asked(key::CompositeImplicitAutograd, key::CPU));
}

TEST_CASE("why not: an alias without a call is asked of all its slots", "[core][explain]") {
  bench b;
  b.block.impl<&width_kernel>(width, key::CompositeImplicitAutograd, A);
  b.block.impl<&width_kernel>(width, key::AutogradCPU, B).impl<&width_kernel>(width, key::Autograd, C);
  CHECK(b.asked(key::Autograd) ==
        told{why_not_reason::preferred,
             "whynot::width: the kernel for Autograd, registered at C, is held by none of the slots it stands for; the "
             "first one is AutogradOther: composite kernel, registered for CompositeImplicitAutograd at A"});
  b.block.impl<&width_kernel>(width, key::CUDA, D);
  CHECK(b.asked(key::Autograd) == told{why_not_reason::runs,
                                       "whynot::width: the kernel for Autograd, registered at C, is what runs for 1 of "
                                       "22 keys"});
}

TEST_CASE("why not: the operator is not defined", "[core][explain]") {
  tb::registry r;
  std::optional<tb::library_block> block = tb::library("whynot", r).def(width);
  const auto op = r.find("whynot::width");
  block.reset();
  CHECK(tell(why_not(op, key::CPU)) ==
        told{why_not_reason::not_defined, "whynot::width: the operator is not defined, so every call throws"});
}

TEST_CASE("why not: takes arguments like a call", "[core][explain]") {
  const toy::tensor plain(key::CPU), graded({key::CPU, key::AutogradCPU});
  CHECK(tb::why_not(mix, key::CPU, plain, tb::arg<"b"> = plain).reason == why_not_reason::runs);
  CHECK(tb::why_not(mix, key::CPU, plain, 2, graded).reason == why_not_reason::higher_key);
  CHECK(tb::why_not(mix, key::CUDA).reason == why_not_reason::not_registered);
}

TEST_CASE("why not: goes on below a generated BackendSelect kernel", "[core][explain][X5]") {
  CHECK(tell(tb::why_not(zeros, key::CUDA, 2, toy::device{tb::backend::CUDA})).reason == why_not_reason::runs);
  CHECK(tell(tb::why_not(zeros, key::CUDA, 2, toy::device{tb::backend::CPU})) ==
        told{why_not_reason::not_brought,
             "whynot::zeros: neither an argument nor this thread brings CUDA; the call throws at CPU"});
  {
    const auto tracer = tb::implement("whynot").impl<&zeros_kernel>(zeros, key::Tracer, B);
    tb::include_guard in(key::Tracer);
    CHECK(tell(tb::why_not(zeros, key::CUDA, 2, toy::device{tb::backend::CUDA})) ==
          told{why_not_reason::higher_key,
               "whynot::zeros: Tracer comes before CUDA; the call takes Tracer: kernel, registered at B"});
  }
  CHECK(tell(tb::why_not(zeros, key::BackendSelect, 2, toy::device{tb::backend::CUDA})) ==
        told{why_not_reason::runs,
             "whynot::zeros: the kernel for BackendSelect (from the signature) is what runs, and adds {CUDA}; the call "
             "takes CUDA: kernel, registered at A"});
}

TEST_CASE("why not: no reason is found exactly for the kernel that explain takes", "[core][explain]") {
  const std::array<tb::key_target, 9> targets{key::CPU,
                                              key::SparseCPU,
                                              key::AutogradCPU,
                                              key::Autograd,
                                              key::AutogradOther,
                                              key::Tracer,
                                              key::CompositeImplicitAutograd,
                                              key::CompositeExplicitAutograd,
                                              key::CompositeImplicitAutogradNestedTensor};
  const std::array<key_set, 5> brought{
      key_set{}, key_set{key::CPU, key::AutogradCPU}, key_set{key::SparseCPU, key::AutogradCPU, key::ADInplaceOrView},
      key_set{key::NestedTensorCPU, key::AutogradNestedTensor}, key_set{key::CUDA, key::Tracer}};
  std::mt19937 random(31);
  int ran = 0;
  for (int round = 0; round < 200; ++round) {
    bench b;
    for (int i = 0; i < 4; ++i) {
      const tb::key_target t = targets[random() % targets.size()];
      if (random() % 5 == 0)
        b.block.fallthrough(width, t);
      else
        b.block.impl<&width_kernel>(width, t, places[static_cast<std::size_t>(i)]);
    }
    const auto op = b.r.find("whynot::width");
    for (key_set keys : brought) {
      const auto call = tb::inspect::explain_keys(op, std::array{keys});
      for (tb::key_target t : targets) {
        const auto answer = tb::inspect::why_not_keys(op, t, std::array{keys});
        const bool runs = answer.reason == why_not_reason::runs || answer.reason == why_not_reason::overridden;
        const auto registered = dump(op).kernels;
        const bool taken =
            call.found && std::ranges::any_of(registered, [&](const tb::inspect::kernel_dump& k) {
              return k.key == t && !k.overridden_by &&
                     k.place == tb::inspect::source_location{call.candidates.back().file, call.candidates.back().line};
            });
        INFO(answer.sentence << "\n" << to_string(call));
        REQUIRE(runs == taken);
        ran += runs;
      }
    }
  }
  CHECK(ran > 200);
}
