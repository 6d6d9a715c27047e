// The sweep: every key and alias in turn comes and goes beside each of a list of live sets, as a kernel, as a
// fallthrough and as a fallback, and all slots are compared after each change. The walk meets changes at random; this
// one meets every change that a slot of another key could fail to notice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/model/world.h"

namespace model {

class sweep {
 public:
  explicit sweep(const named_fault& f) : world_(f) {}

  void run() {
    using namespace topbit::key;
    constexpr tb::alias_key CIA = CompositeImplicitAutograd, CEA = CompositeExplicitAutograd,
                            CENF = CompositeExplicitAutogradNonFunctional, CINT = CompositeImplicitAutogradNestedTensor,
                            FTBD = FuncTorchBatchedDecomposition, AG = Autograd;
    beside({}, true);
    beside({CIA});
    beside({AG});
    beside({CIA, AG}, true);
    beside({CIA, CEA, AG});
    beside({CENF, CIA, AG});
    beside({CINT, CIA, FTBD});
    beside({CIA, AG, CPU, HIP});
    beside({CIA, AG, SparseCPU});
    beside({CIA, AG, NestedTensorCPU});
  }
  std::size_t steps() const { return steps_; }
  const std::string& last_step() const { return last_step_; }

 private:
  // By image and by device: one whose arguments bring keys, and one that has a BackendSelect kernel of its own.
  static constexpr std::array<std::size_t, 2> chosen{0, 3};

  void beside(const std::vector<tb::key_target>& live, bool also_undefined = false) {
    auto block = tb::implement("model", std::nullopt, world_.registry);
    std::string names;
    define();
    int id = 1;
    for (tb::key_target t : live) {
      names += (names.empty() ? "" : ", ") + tb::to_string(t);
      for (std::size_t op : chosen) {
        world_.rules.implement(live_serial, op, t, id);
        world_.operators[op].implement(block, id, t);
      }
      ++id;
    }
    tell("live: {" + names + "}");
    compare();
    for (std::uint8_t a = 0; a < tb::author::alias_count; ++a) come_and_go(tb::alias_key{a}, names);
    for (tb::dispatch_key k : all_keys()) come_and_go(k, names);
    for (std::size_t i = 0; also_undefined && i < all_keys().size(); ++i) change_while_undefined(all_keys()[i], names);
    for (std::size_t n = live.size() * chosen.size(); n != 0; --n) world_.rules.withdraw(live_serial);
    block.reset();
    undefine();
    tell("nothing lives");
    compare();
  }
  void come_and_go(tb::key_target target, const std::string& names) {
    const std::string beside = tb::to_string(target) + " beside {" + names + "}";
    for (int id : {0, falls_through}) {
      const std::size_t op = chosen[target.is_alias() || target.row.device != tb::backend::CUDA ? 0 : 1];
      auto block = tb::implement("model", std::nullopt, world_.registry);
      tell(text_of(id) + " comes for " + beside);
      world_.rules.implement(passing_serial, op, target, id);
      world_.operators[op].implement(block, id, target);
      world_.compare_table(op);
      tell(text_of(id) + " goes for " + beside);
      world_.rules.withdraw(passing_serial);
      block.reset();
      world_.compare_table(op);
    }
    if (target == tb::key_target(key::Undefined)) return;
    tell("a fallback comes for " + beside);
    world_.rules.fallback(passing_serial, target, first_fallback);
    auto fallback = add_fallback(world_.registry, first_fallback, target);
    compare();
    tell("a fallback goes for " + beside);
    world_.rules.withdraw(passing_serial);
    fallback.reset();
    compare();
  }
  // What changes while an operator is not defined is there when it is defined again.
  void change_while_undefined(tb::dispatch_key k, const std::string& names) {
    const std::size_t op = chosen[k.device != tb::backend::CUDA ? 0 : 1];
    auto block = tb::implement("model", std::nullopt, world_.registry);
    tb::registration fallback;
    undefine();
    world_.rules.implement(passing_serial, op, k, 0);
    world_.operators[op].implement(block, 0, k);
    if (k != key::Undefined) {
      world_.rules.fallback(fallback_serial, k, first_fallback);
      fallback = add_fallback(world_.registry, first_fallback, k);
    }
    tell("a definition comes after a kernel and a fallback for " + tb::to_string(k) + " beside {" + names + "}");
    define();
    compare();
    undefine();
    world_.rules.withdraw(passing_serial);
    world_.rules.withdraw(fallback_serial);
    block.reset();
    fallback.reset();
    tell("a definition comes after these have gone");
    define();
    compare();
  }
  void define() {
    definitions_ = tb::fragment("model", world_.registry);
    for (std::size_t op : chosen) {
      world_.rules.define(op_serial(op), op, 0);
      world_.operators[op].define(definitions_, 0);
      world_.compare_records(op);
    }
  }
  void undefine() {
    for (std::size_t op : chosen) world_.rules.withdraw(op_serial(op));
    definitions_.reset();
  }
  void compare() {
    for (std::size_t op : chosen) world_.compare_table(op);
  }
  void tell(std::string text) {
    ++steps_;
    last_step_ = std::to_string(steps_) + "  " + std::move(text);
  }

  static constexpr int live_serial = 1, passing_serial = 2, fallback_serial = 3;
  static int op_serial(std::size_t op) { return 10 + static_cast<int>(op); }

  world world_;
  tb::library_block definitions_ = tb::fragment("model", world_.registry);
  std::size_t steps_ = 0;
  std::string last_step_;
};

}  // namespace model
