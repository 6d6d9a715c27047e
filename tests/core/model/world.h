// The registry under test beside the model of it: everything that changes one changes the other, and whatever can be
// asked is asked of both. The first answer that differs is thrown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/operators.h"

namespace model {

struct difference {
  std::string what, expected, found;
};

inline std::string text_of(const naive_key_set& s) {
  std::string text = "{";
  for (auto f : s.layers) text += (text.size() > 1 ? ", " : "") + std::string(tb::name_of(f));
  std::string backends;
  for (auto b : s.backends) backends += (backends.empty() ? "" : ", ") + std::string(tb::name_of(b));
  return text + (backends.empty() ? "" : " on " + backends) + "}";
}
inline std::string text_of(int kernel) {
  if (kernel == nobody) return "nobody";
  if (kernel == falls_through) return "fallthrough";
  if (kernel < first_boxed) return "kernel " + std::to_string(kernel);
  return (kernel < first_fallback ? "boxed kernel " : "fallback kernel ") + std::to_string(kernel);
}
// A key set as the model writes it: bits that no key has show as a difference.
inline naive_key_set parts_of(tb::key_set s) {
  naive_key_set parts;
  for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
    if (s.has(static_cast<tb::functionality>(f))) parts.layers.insert(static_cast<tb::functionality>(f));
  }
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    if (s.contains(static_cast<tb::backend>(b))) parts.backends.insert(static_cast<tb::backend>(b));
  }
  return parts;
}

class world {
 public:
  std::vector<real_operator> operators = make_operators();
  tb::registry registry;
  naive_registry rules;
  naive_thread thread;

  explicit world(const named_fault& f)
      : rules(facts_of(operators), f), thread(f.registry), handles_(operators.size()) {}

  std::string_view name(std::size_t op) const { return operators[op].facts.name; }
  std::string full_name(std::size_t op) const {
    const std::string& text = operators[op].facts.texts.front();
    return text.substr(0, text.find(" ->"));
  }

  // ------------------------------------------------------------------------------------------------------- compare

  void compare_call(std::size_t op, way w, const given& g, const naive_key_set& keys = {}) {
    if (!handles_[op]) return;  // never defined yet, so never found
    const bool redispatch = w == way::typed_redispatch || w == way::boxed_redispatch;
    naive_key_set brought;
    for (const naive_key_set& s : operators[op].keys(g)) brought.merge(s);
    const outcome wanted =
        redispatch ? rules.redispatch(op, keys, g.device) : rules.call(op, std::move(brought), thread, g.device);
    outcome found;
    last_heard = {};
    tb::key_set received;
    try {
      found.kernel = static_cast<int>(operators[op].run(w, *handles_[op], g, real(keys)));
      received = last_heard.keys;
      if (found.kernel != last_heard.kernel)
        throw difference{"the result of a call", text_of(last_heard.kernel), text_of(found.kernel)};
    } catch (const tb::no_kernel& e) {
      received = e.keys();
    }
    if (found.kernel == wanted.kernel && received == real(wanted.keys)) return;
    std::string what = full_name(op) + ", " + std::string(name_of(w)) + " with " + text_of(redispatch ? keys : g.first);
    if (!redispatch) {
      what += " and " + text_of(g.second) + ", device " + std::string(tb::name_of(g.device)) +
              "; this thread includes " + text_of(thread.include) + " and excludes " + text_of(thread.exclude);
    }
    throw difference{
        what + kernels_text(op),
        text_of(wanted.kernel) + " (" + std::string(tb::name_of(wanted.why)) + ") with " + text_of(wanted.keys),
        text_of(found.kernel) + " with " + text_of(parts_of(received))};
  }

  // What explain says a call would do. It cannot know what a device argument will add.
  void compare_explanation(std::size_t op, const given& g) {
    if (!handles_[op] || rules.definition_of(op) == nullptr || operators[op].facts.selects_backend) return;
    naive_key_set brought;
    std::vector<tb::key_set> arguments;
    for (const naive_key_set& s : operators[op].keys(g)) {
      brought.merge(s);
      arguments.push_back(real(s));
    }
    const outcome wanted = rules.call(op, std::move(brought), thread, g.device);
    const tb::inspect::explanation found = tb::inspect::explain_keys(*handles_[op], arguments);
    const std::string selected = tb::to_string(wanted.keys.highest(oracle::key_set_fault::none));
    if (found.found == (wanted.kernel != nobody) && found.effective == real(wanted.keys) &&
        tb::to_string(found.selected) == selected) {
      return;
    }
    throw difference{
        full_name(op) + ", explain" + kernels_text(op),
        (wanted.kernel == nobody ? "nobody at " : "a kernel at ") + selected + " with " + text_of(wanted.keys),
        (found.found ? "a kernel at " : "nobody at ") + tb::to_string(found.selected) + " with " +
            text_of(parts_of(found.effective))};
  }

  // Every slot of an operator, those of functionalities that lack their backend too, and what the operator masks: a set
  // of everything comes back without that, from a kernel or in an error.
  void compare_table(std::size_t op) {
    const auto& keys = all_keys();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      naive_key_set s;
      s.add(keys[i]);
      compare_call(op, i % 4 == 0 ? way::boxed_redispatch : way::typed_redispatch, {}, s);
    }
    naive_key_set everything;
    for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
      naive_key_set bare;
      bare.layers.insert(static_cast<tb::functionality>(f));
      everything.merge(bare);
      compare_call(op, way::typed_redispatch, {}, bare);
    }
    compare_call(op, way::typed_redispatch, {}, everything);
  }
  void compare_tables() {
    for (std::size_t op = 0; op < operators.size(); ++op) compare_table(op);
  }

  // What is registered, as the registry lists it; also finds handles of operators defined since.
  void compare_records(std::size_t op) {
    const naive_registry::definition* defined = rules.definition_of(op);
    const auto found = registry.try_find(name(op));
    std::optional<std::size_t> owner;  // of the name
    for (std::size_t other = 0; other < operators.size(); ++other) {
      if (name(other) == name(op) && rules.definition_of(other) != nullptr) owner = other;
    }
    expect("the name " + std::string(name(op)), owner ? "found" : "not found", found ? "found" : "not found");
    if (defined != nullptr) {
      if (!handles_[op]) handles_[op] = *found;
      expect("the handle of " + full_name(op), "the one found before",
             *handles_[op] == *found ? "the one found before" : "another");
      expect("the schema of " + full_name(op), operators[op].facts.texts[defined->text], found->schema());
    }
    if (!handles_[op]) return;
    expect(full_name(op), defined != nullptr ? "defined" : "not defined",
           handles_[op]->is_defined() ? "defined" : "not defined");
    std::string wanted, listed;
    for (const auto& k : rules.kernels_of(op))
      wanted += record_text(k.target, k.id >= first_boxed, k.id == falls_through);
    for (const auto& k : handles_[op]->kernels()) listed += record_text(k.target, k.boxed, k.fallthrough);
    expect("the kernels of " + full_name(op), wanted, listed);
  }
  void compare_thread() {
    const tb::thread_key_state state = tb::current_thread_keys();
    expect("what this thread includes", text_of(thread.include), text_of(parts_of(state.include)));
    expect("what this thread excludes", text_of(thread.exclude), text_of(parts_of(state.exclude)));
  }

  static void expect(const std::string& what, std::string_view expected, std::string_view found) {
    if (expected != found) throw difference{what, std::string(expected), std::string(found)};
  }

 private:
  static std::vector<operator_facts> facts_of(const std::vector<real_operator>& all) {
    std::vector<operator_facts> facts;
    for (const real_operator& each : all) facts.push_back(each.facts);
    return facts;
  }
  static std::string record_text(tb::key_target t, bool boxed, bool fallthrough) {
    return tb::to_string(t) + (boxed ? " boxed, " : fallthrough ? " fallthrough, " : ", ");
  }
  std::string kernels_text(std::size_t op) const {
    std::string text = rules.definition_of(op) == nullptr ? "; not defined" : "; defined";
    for (const auto& k : rules.kernels_of(op)) text += ", " + tb::to_string(k.target) + ": " + text_of(k.id);
    for (const auto& f : rules.fallbacks) text += ", fallback for " + tb::to_string(f.target) + ": " + text_of(f.id);
    return text;
  }

  std::vector<std::optional<tb::operator_handle>> handles_;
};

}  // namespace model
