// The random walk: registrations of all kinds come and go in any order, guards open and close, calls are made. After
// every change some slots are compared, those first that the model says have changed; now and then all are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/dice.h"
#include "core/model/world.h"

namespace model {

class walk {
 public:
  static constexpr std::size_t steps_between_full_checks = 500;

  walk(std::uint64_t seed, const named_fault& f) : world_(f), dice_(seed), probes_(seed ^ 0x9e3779b97f4a7c15U) {}

  walk(const walk&) = delete;
  walk& operator=(const walk&) = delete;
  // A list ends from the front; guards have to end from the back, or the next walk starts with keys of this one.
  ~walk() {
    while (!guards_.empty()) guards_.pop_back();
  }

  // One step; with `every_row` all slots of all operators are compared after it. What it compares never
  // changes what the next steps do.
  void step(bool every_row) {
    ++steps_;
    if (steps_ % 400 == 1) crowd_ = dice_.pick(std::array<std::size_t, 5>{2, 6, 12, 25, 45});
    said_.clear();
    try {
      take();
    } catch (...) {
      remember();
      throw;
    }
    remember();
    if (every_row || steps_ % steps_between_full_checks == 0) {
      world_.compare_tables();
      for (std::size_t op = 0; op < world_.operators.size(); ++op) world_.compare_records(op);
    }
  }
  // Takes everything back, in a random order, and compares what is left: nothing.
  void end() {
    while (!guards_.empty()) pop_guard();
    while (!blocks_.empty()) end_block(dice_.below(blocks_.size()));
    while (!fallbacks_.empty()) end_fallback(dice_.below(fallbacks_.size()));
    world_.compare_tables();
    world_.expect("the operators that are left", "0", std::to_string(world_.registry.operators().size()));
  }

  std::size_t steps() const { return steps_; }
  const std::deque<std::string>& last_steps() const { return last_steps_; }

 private:
  struct held_block {
    tb::library_block block;
    std::vector<int> serials;
    int number;
    bool may_define;
  };
  struct held_fallback {
    tb::registration registration;
    int serial;
  };
  using guard =
      std::variant<std::monostate, tb::include_guard, tb::exclude_guard, tb::force_guard, tb::enable_autocast>;

  void take() {
    const std::size_t live = world_.rules.kernels.size() + world_.rules.fallbacks.size();
    const std::size_t kind = dice_.below(100);
    if (kind < 45) return live > crowd_ || dice_.chance(25) ? shrink() : grow();
    if (kind < 50) return move_about();
    if (kind < 55) return refused();
    if (kind < 62) return guards_.size() < 4 && dice_.chance(50) ? push_guard() : pop_guard();
    call();
  }

  // ---------------------------------------------------------------------------------------------------- registration

  void grow() {
    if (dice_.chance(22)) return add_fallback();
    if (blocks_.size() < 4 || dice_.chance(60)) {
      if (!add_block()) return;
    } else {
      std::swap(blocks_[dice_.below(blocks_.size())], blocks_.back());
    }
    for (std::size_t n = 1 + (dice_.chance(30) ? dice_.below(3) : 0); n != 0; --n) extend(blocks_.back());
  }
  bool add_block() {
    const int serial = ++serial_;
    const std::size_t kind = dice_.below(10);
    if (kind > 0) {
      blocks_.push_back(
          {kind < 5 ? tb::fragment("model", world_.registry) : tb::implement("model", std::nullopt, world_.registry),
           {},
           serial,
           kind < 5});
      return true;
    }
    const bool wanted = world_.rules.claim(serial);
    say("block " + std::to_string(serial) + " owns the namespace");
    const bool found =
        accepted([&] { blocks_.push_back({tb::library("model", world_.registry), {serial}, serial, true}); });
    check_accepted(wanted, found);
    return found;
  }
  // A definition or a kernel more for the block; the operator that nobody has defined is defined first.
  void extend(held_block& b) {
    const std::size_t op = some_operator();
    const auto& rules = world_.rules;
    const bool defines = b.may_define && dice_.chance(rules.definition_of(op) == nullptr ? 70 : 8);
    const snapshot before = state();
    const int serial = ++serial_;
    bool wanted = false, found = false;
    if (defines) {
      const std::size_t text = dice_.below(world_.operators[op].facts.texts.size());
      say("block " + std::to_string(b.number) + " defines " + world_.operators[op].facts.texts[text]);
      wanted = world_.rules.define(serial, op, text);
      found = accepted([&] { world_.operators[op].define(b.block, text); });
    } else {
      const tb::key_target target = dice_.some_target();
      const int id = free_kernel(op);
      say("block " + std::to_string(b.number) + " gives " + world_.full_name(op) + " " + text_of(id) + " for " +
          tb::to_string(target));
      wanted = world_.rules.implement(serial, op, target, id);
      found = accepted([&] { world_.operators[op].implement(b.block, id, target); });
    }
    check_accepted(wanted, found);
    if (found) b.serials.push_back(serial);
    world_.compare_records(op);
    compare_changes(before, op);
  }
  void add_fallback() {
    const tb::key_target target =
        dice_.chance(25)
            ? tb::key_target(tb::alias_key{static_cast<std::uint8_t>(dice_.below(tb::author::alias_count))})
        : dice_.chance(97) ? tb::key_target(dice_.some_key())
                           : key::Undefined;
    const int id = free_fallback();
    const int serial = ++serial_;
    // Some replace one that lives: the new one is there before the old one goes.
    held_fallback* replaced =
        !fallbacks_.empty() && dice_.chance(30) ? &fallbacks_[dice_.below(fallbacks_.size())] : nullptr;
    say(text_of(id) + " as fallback for " + tb::to_string(target) +
        (replaced != nullptr ? ", replacing fallback " + std::to_string(replaced->serial) : "") + " (number " +
        std::to_string(serial) + ")");
    const snapshot before = state();
    const bool wanted = world_.rules.fallback(serial, target, id);
    tb::registration made;
    const bool found = accepted([&] { made = model::add_fallback(world_.registry, id, target); });
    check_accepted(wanted, found);
    if (found && replaced != nullptr) {
      replaced->registration = std::move(made);
      world_.rules.withdraw(std::exchange(replaced->serial, serial));
    } else if (found) {
      fallbacks_.push_back({std::move(made), serial});
    }
    compare_changes(before, dice_.below(world_.operators.size()));
  }

  void shrink() {
    if (blocks_.empty() && fallbacks_.empty()) return;
    const snapshot before = state();
    if (fallbacks_.empty() || (!blocks_.empty() && dice_.chance(75))) {
      const std::size_t i = dice_.below(blocks_.size());
      // The operators would be undefined most of the time if definitions went as often as kernels do.
      if (defines_something(blocks_[i]) && dice_.chance(70)) return say("nothing");
      end_block(i);
    } else {
      end_fallback(dice_.below(fallbacks_.size()));
    }
    const std::size_t op = dice_.below(world_.operators.size());
    world_.compare_records(op);
    compare_changes(before, op);
  }
  void end_block(std::size_t i) {
    for (int serial : blocks_[i].serials) world_.rules.withdraw(serial);
    say("block " + std::to_string(blocks_[i].number));
    if (dice_.chance(30)) {
      blocks_[i].block.reset();
      blocks_[i].serials.clear();
      say(" is reset");
    } else if (i + 1 != blocks_.size() && dice_.chance(50)) {
      blocks_[i] = std::move(blocks_.back());
      blocks_.pop_back();
      say(" ends, as block " + std::to_string(blocks_[i].number) + " is moved over it");
    } else {
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      say(" ends");
    }
    if (i < blocks_.size() && blocks_[i].serials.empty() && dice_.chance(50)) {
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  void end_fallback(std::size_t i) {
    say("fallback " + std::to_string(fallbacks_[i].serial) + " ends");
    world_.rules.withdraw(fallbacks_[i].serial);
    if (dice_.chance(50)) fallbacks_[i].registration.reset();
    fallbacks_.erase(fallbacks_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Owners change their places; nothing that is registered changes.
  void move_about() {
    say("owners move");
    const snapshot before = state();
    if (blocks_.size() > 1) std::swap(blocks_[dice_.below(blocks_.size())], blocks_[dice_.below(blocks_.size())]);
    if (fallbacks_.size() > 1) std::swap(fallbacks_.front(), fallbacks_[dice_.below(fallbacks_.size())]);
    compare_changes(before, some_operator());
  }

  // Registrations that nothing could make right, and rows of which a later one is refused.
  void refused() {
    const std::size_t op = some_operator(), kind = dice_.below(4);
    const real_operator& chosen = world_.operators[op];
    const snapshot before = state();
    bool found = false;
    if (kind == 0) {
      say("a definition in an implement() block, of " + world_.full_name(op));
      found = accepted([&] {
        auto block = tb::implement("model", key::CPU, world_.registry);
        chosen.define(block, 0);
      });
    } else if (kind == 1) {
      const tb::dispatch_key bare{dice_.chance(50) ? tb::functionality::Dense : tb::functionality::Autograd};
      say("a kernel and a fallback for a building block, of " + world_.full_name(op));
      auto block = tb::implement("model", std::nullopt, world_.registry);
      found = accepted([&] { chosen.implement(block, 0, bare); }) ||
              accepted([&] { model::add_fallback(world_.registry, first_fallback, bare).reset(); });
    } else if (kind == 2) {
      say("a kernel in a block of another namespace, for " + world_.full_name(op));
      auto block = tb::fragment("other", world_.registry);
      found = accepted([&] { chosen.implement(block, 0, key::CPU); }) || accepted([&] { chosen.define(block, 0); });
    } else {
      const tb::key_target target = dice_.some_target();
      naive_registry trial = world_.rules;
      if (trial.implement(-1, op, target, 0) && trial.implement(-1, op, target, falls_through) &&
          trial.define(-1, op, 0)) {
        return say("nothing");
      }
      say("rows of which one is refused, for " + world_.full_name(op) + ", " + tb::to_string(target));
      found = accepted([&] { chosen.add_rows(world_.registry, target); });
    }
    check_accepted(false, found);
    world_.compare_records(op);
    compare_changes(before, op);
  }

  // ---------------------------------------------------------------------------------------------- threads and calls

  void push_guard() {
    const naive_key_set keys = dice_.some_keys(3);
    guard& g = guards_.emplace_back();
    if (const std::size_t kind = dice_.below(12); kind > 9) {
      say("switch autocast on");
      g.emplace<tb::enable_autocast>();
      world_.thread.push_autocast();
    } else if (kind < 4) {
      say("include " + text_of(keys));
      g.emplace<tb::include_guard>(real(keys));
      world_.thread.push_include(keys);
    } else if (kind < 8) {
      say("exclude " + text_of(keys));
      g.emplace<tb::exclude_guard>(real(keys));
      world_.thread.push_exclude(keys);
    } else {
      const naive_key_set excluded = dice_.some_keys(2);
      say("force: include " + text_of(keys) + ", exclude " + text_of(excluded));
      g.emplace<tb::force_guard>(tb::thread_key_state{real(keys), real(excluded)});
      world_.thread.push_force(keys, excluded);
    }
    world_.compare_thread();
  }
  void pop_guard() {
    if (guards_.empty()) return;
    say("the last guard ends");
    guards_.pop_back();
    world_.thread.pop();
    world_.compare_thread();
  }
  void call() {
    const std::size_t op = some_operator();
    const auto w = static_cast<way>(dice_.below(4));
    const given g{dice_.some_keys(4), dice_.some_keys(2), dice_.some_backend()};
    const naive_key_set keys = dice_.some_keys(4);
    say(std::string(name_of(w)) + " of " + world_.full_name(op));
    world_.compare_call(op, w, g, keys);
    if (probes_.chance(25)) world_.compare_explanation(op, g);
  }

  // ---------------------------------------------------------------------------------------------------------- probes

  struct snapshot {
    std::vector<std::vector<naive_row>> tables;
    std::vector<bool> defined;
  };
  snapshot state() const {
    snapshot s{world_.rules.tables, {}};
    for (std::size_t op = 0; op < s.tables.size(); ++op) s.defined.push_back(world_.rules.definition_of(op) != nullptr);
    return s;
  }

  // Slots that changed are compared before others, a few of each operator; some slots that did not change are too. What
  // an operator holds comes and goes as a whole with its definition.
  void compare_changes(const snapshot& before, std::size_t touched) {
    const snapshot now = state();
    for (std::size_t op = 0; op < now.tables.size(); ++op) {
      const bool as_a_whole = now.defined[op] != before.defined[op];
      std::vector<std::size_t> changed;
      for (std::size_t i = 0; i < now.tables[op].size(); ++i) {
        const naive_row& row = now.tables[op][i];
        if (as_a_whole ? row.kernel != nobody : row != before.tables[op][i]) changed.push_back(i);
      }
      const std::size_t most = as_a_whole ? 20 : 6;
      for (std::size_t n = 0; n < most && !changed.empty(); ++n) compare_row(op, probes_.pick(changed));
    }
    compare_row(touched, probes_.below(all_keys().size()));
    compare_row(probes_.below(now.tables.size()), probes_.below(all_keys().size()));
  }
  void compare_row(std::size_t op, std::size_t index) {
    const tb::dispatch_key k = all_keys()[index];
    naive_key_set keys;
    keys.add(k);
    const std::size_t kind = probes_.below(4);  // alone, or with what lies below it: the kernel tells what is masked
    for (unsigned f = 1; kind < 2 && f < static_cast<unsigned>(k.layer); ++f) {
      if (kind == 0 || probes_.chance(30)) keys.layers.insert(static_cast<tb::functionality>(f));
    }
    given g;
    g.device = probes_.some_backend();
    world_.compare_call(op, probes_.chance(30) ? way::boxed_redispatch : way::typed_redispatch, g, keys);
  }

  // --------------------------------------------------------------------------------------------------------- choices

  std::size_t some_operator() {
    const std::size_t n = dice_.below(100);
    return n < 35 ? 0 : n < 41 ? 1 : n < 70 ? 2 : n < 88 ? 3 : 4;
  }
  // The kernel that has not been used for longest of those that are free: what a stale slot holds is seen to be stale.
  int free_kernel(std::size_t op) {
    if (dice_.chance(18)) return falls_through;
    const bool boxed = dice_.chance(25);
    const int first = boxed ? first_boxed : 0, count = boxed ? boxed_kernels : typed_kernels;
    int& next = next_kernel_[boxed ? 1 : 0];
    const auto live = world_.rules.kernels_of(op);
    for (int tries = 0; tries < count; ++tries) {
      const int id = first + next++ % count;
      if (std::none_of(live.begin(), live.end(), [id](const auto& k) { return k.id == id; })) return id;
    }
    return first + static_cast<int>(dice_.below(static_cast<std::size_t>(count)));
  }
  int free_fallback() {
    if (dice_.chance(20)) return falls_through;
    const auto& live = world_.rules.fallbacks;
    for (int tries = 0; tries < fallback_kernels; ++tries) {
      const int id = first_fallback + next_fallback_++ % fallback_kernels;
      if (std::none_of(live.begin(), live.end(), [id](const auto& f) { return f.id == id; })) return id;
    }
    return first_fallback;
  }
  bool defines_something(const held_block& b) const {
    return std::any_of(world_.rules.definitions.begin(), world_.rules.definitions.end(), [&](const auto& d) {
      return std::find(b.serials.begin(), b.serials.end(), d.serial) != b.serials.end();
    });
  }

  template <class F>
  static bool accepted(F&& f) {
    try {
      f();
      return true;
    } catch (const tb::bad_registration&) {
      return false;
    }
  }
  static void check_accepted(bool wanted, bool found) {
    world::expect("a registration", wanted ? "accepted" : "refused", found ? "accepted" : "refused");
  }

  void say(const std::string& text) { said_ += (said_.empty() || text.front() == ' ' ? "" : "; ") + text; }
  void remember() {
    last_steps_.push_back(std::to_string(steps_) + "  " + said_);
    if (last_steps_.size() > 20) last_steps_.pop_front();
  }

  world world_;
  std::vector<held_block> blocks_;
  std::vector<held_fallback> fallbacks_;
  std::list<guard> guards_;
  dice dice_, probes_;
  std::size_t steps_ = 0, crowd_ = 12;
  int serial_ = 0, next_fallback_ = 0;
  std::array<int, 2> next_kernel_{};
  std::string said_;
  std::deque<std::string> last_steps_;
};

}  // namespace model
