// A registry as lists: what is registered, oldest first, and every answer found by searching them. It says what a call
// must run and with which keys, and which registrations must be refused. No bits, no slots that are computed from
// others, nothing remembered from earlier but the lists; only the faults it can be told to have break that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/faults.h"

namespace model {

namespace tb = topbit;
namespace key = topbit::key;
using oracle::naive_key_set;

// Kernels are numbers; these are none.
inline constexpr int nobody = -1, falls_through = -2, asks_the_device = -3;

// What a call comes to: the kernel and the keys it receives, or nobody and the keys of the error.
struct outcome {
  int kernel = nobody;
  naive_key_set keys;
  tb::inspect::row_reason why = tb::inspect::row_reason::missing;  // for people
};

// An operator is a name with a C++ signature; two may share a name and differ in signature, never both at once.
struct operator_facts {
  std::string name;
  std::vector<std::string> texts;  // schema texts that it can be defined with, one at a time
  bool selects_backend = false;
};

struct naive_row {
  int kernel = nobody;  // or falls_through: skipped; or asks_the_device
  tb::inspect::row_reason why = tb::inspect::row_reason::missing;
  friend bool operator==(const naive_row& a, const naive_row& b) { return a.kernel == b.kernel; }
};

inline bool without_backend(tb::dispatch_key k) {
  return tb::author::per_backend(k.layer) && k.device == tb::backend::none;
}

// Every key that owns a slot in which something can be, and first "no key".
inline const std::vector<tb::dispatch_key>& all_keys() {
  static const std::vector<tb::dispatch_key> keys = [] {
    std::vector<tb::dispatch_key> all;
    for (unsigned f = 0; f <= tb::author::functionality_count; ++f) {
      const auto layer = static_cast<tb::functionality>(f);
      if (!tb::author::per_backend(layer)) all.push_back({layer});
      for (unsigned b = 1; tb::author::per_backend(layer) && b <= tb::author::backend_count; ++b) {
        all.push_back({layer, static_cast<tb::backend>(b)});
      }
    }
    return all;
  }();
  return keys;
}

// What one thread adds to and takes from every call.
class naive_thread {
 public:
  naive_key_set include, exclude;

  explicit naive_thread(fault f) : wrong_(f) {
    if (f != fault::autocast_on_at_first) exclude.layers.insert(tb::functionality::Autocast);
  }
  void push_include(const naive_key_set& s) {
    before_.emplace_back(include, exclude);
    include.merge(s);
  }
  void push_exclude(const naive_key_set& s) {
    before_.emplace_back(include, exclude);
    add_excluded(s);
  }
  void push_autocast() {
    before_.emplace_back(include, exclude);
    exclude.layers.erase(tb::functionality::Autocast);
  }
  void push_force(const naive_key_set& in, const naive_key_set& out) {
    before_.emplace_back(include, exclude);
    include = in;
    exclude = {};
    add_excluded(out);
  }
  void pop() {
    const naive_key_set leaving = std::exchange(include, before_.back().first);
    exclude = before_.back().second;
    before_.pop_back();
    if (wrong_ == fault::guard_leaks_backends)
      include.backends.insert(leaving.backends.begin(), leaving.backends.end());
  }
  naive_key_set effective(naive_key_set brought) const {
    if (wrong_ != fault::inclusion_beats_exclusion) brought.merge(include);
    for (auto f : exclude.layers) brought.layers.erase(f);
    for (auto b : exclude.backends) brought.backends.erase(b);
    if (wrong_ == fault::inclusion_beats_exclusion) brought.merge(include);
    return brought;
  }

 private:
  void add_excluded(const naive_key_set& s) {  // functionalities, for all backends
    exclude.layers.insert(s.layers.begin(), s.layers.end());
    if (wrong_ == fault::exclusion_takes_backends) exclude.backends.insert(s.backends.begin(), s.backends.end());
  }
  fault wrong_;
  std::vector<std::pair<naive_key_set, naive_key_set>> before_;
};

class naive_registry {
 public:
  struct definition {
    int serial;
    std::size_t op, text;
  };
  struct kernel {
    int serial;
    std::size_t op;
    tb::key_target target;
    int id;
  };
  struct fallback_kernel {
    int serial;
    tb::key_target target;
    std::vector<tb::dispatch_key> keys;
    int id;
  };

  std::vector<operator_facts> operators;
  std::vector<definition> definitions;
  std::vector<kernel> kernels;
  std::vector<fallback_kernel> fallbacks;
  std::vector<int> claims;                     // of the one namespace there is
  std::vector<std::vector<naive_row>> tables;  // per operator, as in all_keys()

  naive_registry(std::vector<operator_facts> facts, const named_fault& f)
      : operators(std::move(facts)), tables(operators.size()), wrong_(f) {
    for (auto& t : tables) t.resize(all_keys().size());
    refresh_all();
  }

  // ------------------------------------------------------------- registrations; false: refused, and nothing changed

  bool claim(int serial) {
    if (!claims.empty()) return false;
    claims.push_back(serial);
    return true;
  }
  bool define(int serial, std::size_t op, std::size_t text) {
    if (lives_with_other_types(op)) return false;
    for (const definition& d : definitions) {
      if (same_name(d.op, op) && (d.op != op || d.text != text)) return false;
    }
    definitions.push_back({serial, op, text});
    return true;
  }
  bool implement(int serial, std::size_t op, tb::key_target target, int id) {
    if (!target.is_alias() && without_backend(target.row)) return false;
    if (lives_with_other_types(op)) return false;
    if (target == tb::key_target(key::Undefined)) target = key::CompositeImplicitAutograd;
    kernels.push_back({serial, op, target, id});
    refresh(op, wrong_.registry == fault::stale_rows ? std::optional(target) : std::nullopt);
    return true;
  }
  bool fallback(int serial, tb::key_target target, int id) {
    if (target == tb::key_target(key::Undefined) || (!target.is_alias() && without_backend(target.row))) return false;
    std::vector<tb::dispatch_key> keys;
    bool free = true;
    for (tb::dispatch_key k : all_keys()) {
      if (!stands_for(target, k)) continue;
      free = free && fallback_of(k) == nullptr;
      if (free) keys.push_back(k);
    }
    if (!free && (wrong_.registry != fault::refused_fallback_leaves_rows || keys.empty())) return false;
    fallbacks.push_back({serial, target, keys, id});
    refresh_all();
    return free;
  }
  void withdraw(int serial) {
    const auto this_one = [serial](const auto& x) { return x.serial == serial; };
    std::erase(claims, serial);
    if (wrong_.registry != fault::fallback_stays && std::erase_if(fallbacks, this_one) != 0) refresh_all();
    for (const definition& d : definitions) {
      if (d.serial != serial) continue;
      const std::size_t op = d.op;
      std::erase_if(definitions, [&](const definition& other) {
        return other.serial == serial || (wrong_.registry == fault::first_withdrawal_undefines && other.op == op);
      });
      break;
    }
    const auto k = std::find_if(kernels.begin(), kernels.end(), this_one);
    if (k == kernels.end()) return;
    const kernel gone = *k;
    kernels.erase(k);
    const bool stale = wrong_.registry == fault::stale_rows || wrong_.registry == fault::stale_after_withdrawal;
    refresh(gone.op, stale ? std::optional(gone.target) : std::nullopt);
  }

  // -------------------------------------------------------------------------------------------------------- questions

  const definition* definition_of(std::size_t op) const {
    for (const definition& d : definitions) {
      if (d.op == op) return &d;
    }
    return nullptr;
  }
  std::vector<kernel> kernels_of(std::size_t op) const {
    std::vector<kernel> found;
    for (const kernel& k : kernels) {
      if (k.op == op) found.push_back(k);
    }
    return found;
  }

  outcome call(std::size_t op, naive_key_set brought, const naive_thread& thread, tb::backend device) const {
    const naive_row select = at(op, key::BackendSelect);
    if (definition_of(op) != nullptr && (select.kernel >= 0 || select.kernel == asks_the_device)) {
      brought.add(key::BackendSelect);
    }
    return select_kernel(op, thread.effective(std::move(brought)), device);
  }
  outcome redispatch(std::size_t op, naive_key_set given, tb::backend device) const {
    if (wrong_.registry == fault::redispatch_ignores_mask && definition_of(op) != nullptr &&
        at(op, given.highest(oracle::key_set_fault::none)).kernel == falls_through) {
      return {nobody, std::move(given)};
    }
    return select_kernel(op, std::move(given), device);
  }

 private:
  // R15: an operator has one C++ signature, whoever comes first.
  bool lives_with_other_types(std::size_t op) const {
    const auto other = [&](const auto& x) { return same_name(x.op, op) && x.op != op; };
    return std::any_of(kernels.begin(), kernels.end(), other) ||
           std::any_of(definitions.begin(), definitions.end(), other);
  }
  bool same_name(std::size_t a, std::size_t b) const { return operators[a].name == operators[b].name; }

  static bool stands_for(tb::key_target t, tb::dispatch_key k) {
    if (!t.is_alias()) return t.row == k;
    return oracle::naive_table::stands_for(tb::alias_key{t.alias}, k);
  }
  const fallback_kernel* fallback_of(tb::dispatch_key k) const {
    for (const fallback_kernel& f : fallbacks) {
      if (std::find(f.keys.begin(), f.keys.end(), k) != f.keys.end()) return &f;
    }
    return nullptr;
  }

  naive_row compute(std::size_t op, const oracle::naive_table& rules, tb::dispatch_key k) const {
    const auto choice = rules.at(k);
    if (choice.why == tb::inspect::row_reason::transparent) return {falls_through, choice.why};
    if (!choice.from) return {nobody, choice.why};
    int id = nobody;
    if (choice.why == tb::inspect::row_reason::backend_fallback) {
      id = fallback_of(k)->id;
    } else {
      if (operators[op].selects_backend && k == key::BackendSelect) id = asks_the_device;  // older than all others
      bool found = false;
      for (const kernel& each : kernels) {
        if (each.op != op || each.target != *choice.from) continue;
        if (!found || wrong_.registry != fault::oldest_wins) id = each.id;
        found = true;
      }
    }
    return {id == falls_through && k == key::Undefined ? nobody : id, choice.why};
  }
  // Recomputes a table, or, where that is the fault, only the slots of one target.
  void refresh(std::size_t op, std::optional<tb::key_target> only = {}) {
    oracle::naive_table rules;
    rules.wrong = wrong_.table;
    if (operators[op].selects_backend) rules.kernels.push_back(key::BackendSelect);
    for (const kernel& k : kernels) {
      if (k.op == op) rules.kernels.push_back(k.target);
    }
    for (const fallback_kernel& f : fallbacks) {
      rules.fallbacks.insert(rules.fallbacks.end(), f.keys.begin(), f.keys.end());
    }
    for (std::size_t i = 0; i < all_keys().size(); ++i) {
      const tb::dispatch_key k = all_keys()[i];
      if (!only || k == key::Undefined || stands_for(*only, k)) tables[op][i] = compute(op, rules, k);
    }
  }
  void refresh_all() {
    for (std::size_t op = 0; op < operators.size(); ++op) refresh(op);
  }

  naive_row at(std::size_t op, tb::dispatch_key k) const {
    for (std::size_t i = 0; i < all_keys().size(); ++i) {
      if (all_keys()[i] == k) return tables[op][i];
    }
    return {};  // a functionality that needs a backend and has none
  }
  bool passed_by_all(std::size_t op, tb::functionality layer) const {
    bool one = false, all = true;
    for (std::size_t i = 0; i < all_keys().size(); ++i) {
      if (all_keys()[i].layer != layer) continue;
      if (tables[op][i].kernel == falls_through)
        one = true;
      else
        all = false;
    }
    return wrong_.registry == fault::one_row_clears_layer ? one : all;
  }
  outcome select_kernel(std::size_t op, naive_key_set keys, tb::backend device) const {
    if (definition_of(op) == nullptr) return {nobody, std::move(keys)};
    for (;;) {
      std::erase_if(keys.layers, [&](tb::functionality f) { return passed_by_all(op, f); });
      const tb::dispatch_key k = keys.highest(oracle::key_set_fault::none);
      const naive_row row = at(op, k);
      if (row.kernel == falls_through) {
        keys.layers.erase(k.layer);
      } else if (row.kernel == asks_the_device) {
        keys.layers.erase(k.layer);
        if (wrong_.registry != fault::device_not_asked) keys.add({tb::functionality::Dense, device});
      } else {
        return {row.kernel, std::move(keys), row.why};
      }
    }
  }

  named_fault wrong_;
};

}  // namespace model
