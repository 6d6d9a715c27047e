// The same rules through a registry: what runs depends on what is registered now, never on the order of coming and
// going.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/toy.h"
import topbit.core;
#include "oracle/table.h"

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_target;
using toy::image;

namespace {

inline constexpr tb::op<"prec::who", int(const image&)> who;

constexpr int nobody = -1;  // the call throws
constexpr int fallback_number = 100;

// Kernel number I answers I.
template <int I>
int answer(const image&) {
  return I;
}
void fallback_answer(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(fallback_number);
}

tb::library_block kernel(tb::registry& r, std::size_t number, key_target t) {
  auto block = tb::implement("prec", std::nullopt, r);
  switch (number) {
    case 0: block.impl<&answer<0>>(who, t); break;
    case 1: block.impl<&answer<1>>(who, t); break;
    case 2: block.impl<&answer<2>>(who, t); break;
    case 3: block.impl<&answer<3>>(who, t); break;
    case 4: block.impl<&answer<4>>(who, t); break;
    case 5: block.impl<&answer<5>>(who, t); break;
    case 6: block.impl<&answer<6>>(who, t); break;
    default: FAIL("more kernels than answers");
  }
  return block;
}

// What the rules say runs when this key is selected: a key that calls pass through leads to no key at all.
int expected(const oracle::naive_table& rules, tb::dispatch_key k) {
  auto choice = rules.at(k);
  if (choice.why == tb::inspect::row_reason::transparent) choice = rules.at(key::Undefined);
  if (!choice.from) return nobody;
  if (choice.why == tb::inspect::row_reason::backend_fallback) return fallback_number;
  return static_cast<int>(std::find(rules.kernels.begin(), rules.kernels.end(), *choice.from) - rules.kernels.begin());
}

// Compares all slots; empty, or the first key that is wrong.
std::string difference(tb::registry& r, const oracle::naive_table& rules) {
  const auto call = r.find("prec::who").typed<int(const image&)>();
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    const tb::dispatch_key k = tb::author::key_of_row(row);
    if (tb::author::per_backend(k.layer) && k.device == tb::backend::none) continue;
    int found = nobody;
    try {
      found = call.redispatch(k, image{});
    } catch (const tb::no_kernel&) {
    }
    if (found != expected(rules, k)) {
      return to_string(k) + ": found " + std::to_string(found) + ", wanted " + std::to_string(expected(rules, k));
    }
  }
  return {};
}

constexpr tb::alias_key CIA = key::CompositeImplicitAutograd, CEA = key::CompositeExplicitAutograd,
                        CENF = key::CompositeExplicitAutogradNonFunctional,
                        CINT = key::CompositeImplicitAutogradNestedTensor, FTBD = key::FuncTorchBatchedDecomposition,
                        AG = key::Autograd;

// Registers the definition, the kernels and a fallback in every order, takes them back in every order too, and
// compares after every step.
void in_every_order(std::initializer_list<key_target> targets, std::optional<tb::dispatch_key> fallback = {}) {
  const std::vector<key_target> kernels(targets);
  const std::size_t definition = kernels.size(), fall = definition + 1;
  std::vector<std::size_t> order(definition + 1 + (fallback ? 1 : 0));
  std::iota(order.begin(), order.end(), std::size_t{0});
  sampled_cases orders;
  do {
    if (!orders.is_drawn()) continue;
    tb::registry r;
    std::vector<tb::library_block> blocks;
    std::vector<tb::registration> fallbacks;
    for (std::size_t step : order) {
      if (step == definition)
        blocks.push_back(tb::fragment("prec", r).def(who));
      else if (step == fall)
        fallbacks.push_back(tb::fallback<&fallback_answer>(*fallback, r));
      else
        blocks.push_back(kernel(r, step, kernels[step]));
    }
    oracle::naive_table rules;
    rules.kernels = kernels;
    if (fallback) rules.fallbacks.push_back(*fallback);
    const std::string wrong = difference(r, rules);
    if (!wrong.empty()) FAIL(wrong);
  } while (std::next_permutation(order.begin(), order.end()));

  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(std::find(order.begin(), order.end(), definition));
  do {
    if (!orders.is_drawn()) continue;
    tb::registry r;
    const auto defined = tb::library("prec", r).def(who);
    std::vector<tb::library_block> blocks;
    oracle::naive_table rules;
    rules.kernels = kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) blocks.push_back(kernel(r, i, kernels[i]));
    tb::registration back;
    if (fallback) {
      back = tb::fallback<&fallback_answer>(*fallback, r);
      rules.fallbacks.push_back(*fallback);
    }
    for (std::size_t step : order) {
      if (step == fall) {
        back.reset();
        rules.fallbacks.clear();
      } else {
        blocks[step].reset();
        rules.kernels[step] =
            tb::dispatch_key{tb::functionality::Dense};  // no key of any slot; the others keep their numbers
      }
      const std::string wrong = difference(r, rules);
      if (!wrong.empty()) FAIL(wrong);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Goes through every live set there is of the kernels and the fallbacks, by every single registration and withdrawal
// between two of them, and compares all slots after each. A table that is right after every such step from a right one
// is right after every order of them.
class every_step {
 public:
  every_step(std::initializer_list<key_target> kernels, std::initializer_list<tb::dispatch_key> fallbacks)
      : kernels_(kernels), fallbacks_(fallbacks), defined_(tb::library("prec", registry_).def(who)) {
    rules_.kernels.assign(kernels_.size(), no_row);
    blocks_.resize(kernels_.size());
    live_fallbacks_.resize(fallbacks_.size());
    seen_.resize(std::size_t{1} << (kernels_.size() + fallbacks_.size()));
  }
  // Steps made, and compared where they are drawn: each edge of the cube of live sets, forth and back.
  std::size_t run() {
    visit(0);
    return steps_;
  }

 private:
  static constexpr tb::dispatch_key no_row{tb::functionality::Dense};  // keeps the numbers of the others

  void visit(std::size_t live) {
    seen_[live] = true;
    for (std::size_t i = 0; i < kernels_.size() + fallbacks_.size(); ++i) {
      const std::size_t other = live ^ (std::size_t{1} << i);
      if (!done_.insert(std::minmax(live, other)).second) continue;
      toggle(i);
      if (!seen_[other]) visit(other);
      toggle(i);
    }
  }
  void toggle(std::size_t i) {
    if (i < kernels_.size()) {
      blocks_[i] = blocks_[i] ? std::nullopt : std::optional(kernel(registry_, i, kernels_[i]));
      rules_.kernels[i] = blocks_[i] ? kernels_[i] : key_target(no_row);
    } else {
      tb::registration& f = live_fallbacks_[i - kernels_.size()];
      const tb::dispatch_key k = fallbacks_[i - kernels_.size()];
      if (std::erase(rules_.fallbacks, k) != 0) {
        f.reset();
      } else {
        f = tb::fallback<&fallback_answer>(k, registry_);
        rules_.fallbacks.push_back(k);
      }
    }
    ++steps_;
    if (!compared_.is_drawn()) return;
    const std::string wrong = difference(registry_, rules_);
    if (!wrong.empty()) FAIL(wrong);
  }

  std::vector<key_target> kernels_;
  std::vector<tb::dispatch_key> fallbacks_;
  tb::registry registry_;
  tb::library_block defined_;
  oracle::naive_table rules_;
  std::vector<std::optional<tb::library_block>> blocks_;
  std::vector<tb::registration> live_fallbacks_;
  std::vector<bool> seen_;
  std::set<std::pair<std::size_t, std::size_t>> done_;
  std::size_t steps_ = 0;
  sampled_cases compared_;
};

}  // namespace

TEST_CASE("precedence: composites and Autograd give one table in every order", "[core][table][P10a][P10b][P12]") {
  in_every_order({CIA, AG, CEA});
  in_every_order({CIA, AG, key::CPU});
  in_every_order({CIA, CEA, key::CPU}, key::AutogradCPU);
}

TEST_CASE("precedence: explicit composites give one table in every order", "[core][table][P10c][P10d][P12]") {
  in_every_order({CENF, CIA, AG});
  in_every_order({CENF, CEA, CIA});
}

TEST_CASE("precedence: sparse and quantized kernels beside a composite give one table in every order",
          "[core][table][P5a][P10e][P12]") {
  in_every_order({CIA, key::SparseCPU, AG});
  in_every_order({CIA, key::QuantizedCUDA}, key::AutogradOther);
  in_every_order({CIA, key::SparseCsrCPU, key::AutogradOther});
}

TEST_CASE("precedence: kernels of a layout on every backend give one table in every order",
          "[core][table][K7][P5a][P12]") {
  in_every_order({CIA, CEA, key::AnySparse, key::SparseCUDA});
  in_every_order({CIA, AG, key::AnyQuantized}, key::AutogradOther);
  in_every_order({CENF, key::AnySparseCsr, key::AnySparse}, key::SparseCsrCPU);
}

TEST_CASE("precedence: HIP beside a composite gives one table in every order", "[core][table][P10f]") {
  in_every_order({CIA, key::HIP, AG});
}

TEST_CASE("precedence: nested kernels give one table in every order", "[core][table][P4n][P10g][P12]") {
  in_every_order({CIA, key::NestedTensorCPU, CINT});
  in_every_order({CIA, key::NestedTensorCPU, AG}, key::AutogradNestedTensor);
}

TEST_CASE("precedence: the batched decomposition alone is reached", "[core][table][P7][P12]") {
  in_every_order({FTBD});
  in_every_order({FTBD, CIA, CEA}, key::FuncTorchBatched);
  in_every_order({FTBD, key::FuncTorchBatched}, key::FuncTorchBatched);
}

TEST_CASE("precedence: kernels below Autograd, coming late or going early, give one table in every order",
          "[core][table][P4][P11][P12]") {
  in_every_order({CIA, AG, CEA, key::CPU, key::SparseCPU});
  in_every_order({CIA, AG, CENF, key::NestedTensorCPU}, key::AutogradOther);
}

TEST_CASE("precedence: every single step between any two live sets gives the table of the set it ends in",
          "[core][table][P11][P12]") {
  every_step all({CIA, AG, CEA, CENF, key::CPU, key::SparseCPU, key::NestedTensorCPU}, {key::AutogradCPU});
  CHECK(all.run() == 8 * 256);  // 8 that come and go, from 256 sets
  every_step nested({CIA, CINT, FTBD, AG, key::NestedTensorCUDA}, {key::FuncTorchBatched, key::AutogradOther});
  CHECK(nested.run() == 7 * 128);
}

TEST_CASE("precedence: layers are served by their kernel or fallback only", "[core][table][P8][P10h]") {
  in_every_order({CIA, CEA, key::Tracer}, key::ADInplaceOrView);
  in_every_order({key::BackendSelect, CIA}, key::Tracer);
}

TEST_CASE("precedence: of several kernels for one key the newest is active, and the next when it goes",
          "[core][registry][R12][D2]") {
  tb::registry r;
  const auto defined = tb::library("prec", r).def(who);
  auto first = kernel(r, 1, key::CPU), second = kernel(r, 2, key::CPU), third = kernel(r, 3, key::CPU);
  const auto call = r.find("prec::who").typed<int(const image&)>();
  const image cpu{key::CPU, 0, 0};
  CHECK(call(cpu) == 3);
  second.reset();  // not active: nothing visible changes
  CHECK(call(cpu) == 3);
  third.reset();
  CHECK(call(cpu) == 1);
  first.reset();
  CHECK_THROWS_AS(call(cpu), tb::no_kernel);
}

TEST_CASE("precedence: a catch-all is the implicit composite, and the newest of both wins", "[core][registry][R9]") {
  tb::registry r;
  const auto defined = tb::library("prec", r).def(who);
  const auto call = r.find("prec::who").typed<int(const image&)>();
  const auto composite = tb::implement("prec", CIA, r).impl<&answer<1>>(who);
  auto all = tb::implement("prec", std::nullopt, r).impl<&answer<2>>(who);
  const auto undefined = tb::implement("prec", key::Undefined, r).impl<&answer<3>>(who);
  CHECK(call(image{}) == 3);
  CHECK(r.find("prec::who").kernels().back().target == key_target(CIA));
  CHECK(call(image{key::AutogradCPU, 0, 0}) == 3);
}

TEST_CASE("precedence: a fallback serves operators that come later", "[core][registry][R20]") {
  tb::registry r;
  auto back = tb::fallback<&fallback_answer>(key::Tracer, r);
  const auto defined = tb::library("prec", r).def(who).impl<&answer<1>>(who, key::CPU);
  const auto call = r.find("prec::who").typed<int(const image&)>();
  CHECK(call(image{{key::CPU, key::Tracer}, 0, 0}) == fallback_number);
  back.reset();
  CHECK_THROWS_AS(call(image{{key::CPU, key::Tracer}, 0, 0}), tb::no_kernel);
}

TEST_CASE("precedence: a new operator has the fallbacks there are", "[core][registry][P11]") {
  tb::registry r;
  const auto back = tb::fallback<&fallback_answer>(key::Autograd, r);
  const auto defined = tb::library("prec", r).def(who);
  oracle::naive_table rules;
  for (unsigned b = 0; b <= tb::author::backend_count; ++b) {
    rules.fallbacks.push_back(tb::author::autograd_key_of(static_cast<tb::backend>(b)));
  }
  rules.fallbacks.push_back(key::AutogradNestedTensor);
  CHECK(difference(r, rules) == "");
}

TEST_CASE("precedence: each change is seen by the next call, through handles that exist", "[core][registry][P11]") {
  tb::registry r;
  const auto defined = tb::library("prec", r).def(who);
  const auto call = r.find("prec::who").typed<int(const image&)>();
  const auto at = [&](tb::dispatch_key k) {
    try {
      return call.redispatch(k, image{});
    } catch (const tb::no_kernel&) {
      return nobody;
    }
  };
  CHECK(at(key::CPU) == nobody);
  const auto composite = kernel(r, 1, CIA);  // its keys, autograd's, and no key
  CHECK(at(key::CPU) == 1);
  CHECK(at(key::AutogradCPU) == 1);
  CHECK(at(key::Undefined) == 1);
  auto back = tb::fallback<&fallback_answer>(key::AutogradCPU, r);
  CHECK(at(key::AutogradCPU) == 1);
  auto dense = kernel(r, 2, key::CPU);  // and the autograd key above it
  CHECK(at(key::CPU) == 2);
  CHECK(at(key::AutogradCPU) == fallback_number);
  CHECK(at(key::AutogradCUDA) == 1);
  auto explicitly = kernel(r, 3, CEA);  // and what the implicit one loses by it
  CHECK(at(key::CUDA) == 3);
  CHECK(at(key::AutogradCUDA) == 3);  // passed through, down to no key
  CHECK(at(key::NestedTensorCPU) == nobody);
  CHECK(at(key::Functionalize) == nobody);
  explicitly.reset();
  CHECK(at(key::Functionalize) == 1);
  dense.reset();
  CHECK(at(key::AutogradCPU) == 1);
  auto sparse = kernel(r, 4, key::SparseCPU);  // and AutogradOther
  CHECK(at(key::AutogradOther) == nobody);
  sparse.reset();
  CHECK(at(key::AutogradOther) == 1);
}
