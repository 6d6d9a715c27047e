// What finding an operator by its name costs, beside a hash table of the same names to the same values, looked up in
// the same order.
#include <stdexcept>

#include "cases.h"
#include "names.h"

import topbit.core;

#include "operators.h"
#include "problem.h"
#include "programs.h"

namespace {

namespace tb = topbit;

// Registered when first looked up: the cases that count instructions of a call do without them.
void register_names() {
  static const tb::library_block defined = [] {
    tb::library_block block = tb::library("aten");
    for (const operators::one& o : operators::all) o.define(block);
    return block;
  }();
}

// Strings of their own: a caller's name is not the registry's.
const std::vector<std::string>& queries() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> made;
    for (std::size_t i : names::order()) made.push_back("aten::" + names::text(i));
    return made;
  }();
  return texts;
}

template <class Rounds, class Find>
bool measure(Rounds& rounds, Find find) {
  static const std::vector<std::string_view> views(queries().begin(), queries().end());
  names::look_up(rounds, views, find);
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (find(views[i]).name() != operators::all[names::order()[i]].name) return false;
  }
  return true;
}

using hash_table = std::unordered_map<std::string_view, tb::operator_handle>;

const hash_table& table() {
  static const hash_table filled = [] {
    hash_table made;
    for (const operators::one& o : operators::all) {
      const tb::operator_handle handle = tb::find(o.name);
      made.emplace(handle.name(), handle);
    }
    return made;
  }();
  return filled;
}

}  // namespace

void programs::add_lookup() {
  const auto threads = [](benchmark::internal::Benchmark* b) { b->Threads(1)->Threads(2); };
  cases::add("lookup/find", [](auto& rounds) {
    register_names();
    return measure(rounds, [](std::string_view name) { return tb::find(name); });
  }).arrange = threads;
  cases::add("lookup/unordered_map", [](auto& rounds) {
    register_names();
    const hash_table& map = table();
    return measure(rounds, [&](std::string_view name) {
      const auto found = map.find(name);
      if (found == map.end()) throw std::out_of_range("no such name");
      return found->second;
    });
  }).arrange = threads;
  cases::add("lookup/find_typed_and_call", [](auto& rounds) {
    register_names();
    using signature = int(const problem::item&, const problem::item&);
    const problem::record x{tb::key::CPU, problem::a_value}, y{tb::key::CPU, problem::b_value};
    problem::item a{&x}, b{&y};
    int result = 0;
    for (auto _ : rounds) {
      benchmark::DoNotOptimize(a);
      result = tb::find("bench::unboxed").typed<signature>()(a, b);
      benchmark::DoNotOptimize(result);
    }
    return result == problem::expected;
  });
}
