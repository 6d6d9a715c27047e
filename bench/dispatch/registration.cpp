// What registering costs: time and memory of an operator with five kernels, and time of a table slot.
//
// A timed section registers a batch of operators; they are taken back outside of it. Fresh names need a registry that
// never saw them, so each batch has one of its own.
#include <array>
#include <memory>
#include <optional>

#include "cases.h"
#include "names.h"

import topbit.core;

#include "operators.h"
#include "programs.h"

namespace {

namespace tb = topbit;

constexpr std::size_t batch = 256;

void define(tb::library_block& block, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) operators::all[i].define(block);
}

void define_with_kernels(tb::library_block& block, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    operators::all[i].define(block);
    operators::all[i].implement(block);
  }
}

bool has_kernels(tb::registry& r, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto handle = r.try_find(operators::all[i].name);
    if (!handle || handle->kernels().size() != operators::kernel_keys.size()) return false;
  }
  return true;
}

bool fresh(benchmark::State& state) {
  cases::units_per_round(state, batch);
  bool right = true;
  for (auto _ : state) {
    tb::registry r;
    tb::library_block block = tb::fragment("aten", r);
    state.SetIterationTime(cases::seconds([&] { define_with_kernels(block, batch); }));
    right = right && has_kernels(r, batch);
  }
  return right;
}

// The same for counting: every registry stays, since taking it back is not to be counted.
bool fresh_counted(cases::counted& rounds) {
  rounds.units = batch;
  bool right = true;
  for (auto _ : rounds) {
    auto* r = new tb::registry;
    tb::library_block block = tb::fragment("aten", *r);
    define_with_kernels(block, batch);
    block.keep();
    right = right && r->try_find(operators::all[0].name).has_value();
  }
  return right;
}

// Names that this registry has had before, as after a library was unloaded and loaded.
bool again(benchmark::State& state) {
  cases::units_per_round(state, batch);
  tb::registry r;
  bool right = true;
  define_with_kernels(*std::make_unique<tb::library_block>(tb::fragment("aten", r)), batch);
  for (auto _ : state) {
    tb::library_block block = tb::fragment("aten", r);
    state.SetIterationTime(cases::seconds([&] { define_with_kernels(block, batch); }));
    right = right && has_kernels(r, batch);
  }
  return right;
}

// Slots that a kernel for CompositeImplicitAutograd fills where there is no other kernel: those of which the
// explanation says so. Others that a registry may look at on the way count as this one's cost.
double rows_filled(const tb::operator_handle& handle) {
  int rows = 0;
  for (unsigned row = 0; row < tb::author::row_count; ++row) {
    const tb::dispatch_key key = tb::author::key_of_row(row);
    const std::array<tb::key_set, 2> arguments{key, key};
    const tb::inspect::explanation e = tb::inspect::explain_keys(handle, arguments);
    for (const tb::inspect::candidate& c : e.candidates) {
      rows += c.taken && c.key == key && c.rule == tb::inspect::row_reason::composite_kernel ? 1 : 0;
    }
  }
  return rows;
}

bool per_row(benchmark::State& state) {
  bool right = true;
  for (auto _ : state) {
    tb::registry r;
    tb::library_block defined = tb::fragment("aten", r), composed = tb::implement("aten", std::nullopt, r);
    define(defined, batch);
    state.SetIterationTime(cases::seconds([&] {
      for (std::size_t i = 0; i < batch; ++i) operators::all[i].compose(composed);
    }));
    static const double rows = rows_filled(r.find(operators::all[0].name));
    cases::units_per_round(state, batch * rows);
    right = right && rows > 100;
  }
  return right;
}

bool memory(benchmark::State& state) {
  bool right = true;
  for (auto _ : state) {
    tb::registry r;
    const double bytes = cases::bytes_kept([&] {
      tb::library_block block = tb::fragment("aten", r);
      define_with_kernels(block, names::count);
      block.keep();
    });
    right = right && has_kernels(r, names::count);
    state.counters["bytes"] = bytes / names::count;
  }
  return right;
}

}  // namespace

void programs::add_registration() {
  const auto manual = [](benchmark::internal::Benchmark* b) { b->UseManualTime()->Unit(benchmark::kMicrosecond); };
  cases::one& first = cases::add_timed("registration/define_and_5_kernels", fresh);
  first.arrange = manual;
  first.count = fresh_counted;
  first.few = 1;
  first.many = 3;
  cases::add_timed("registration/define_and_5_kernels_again", again).arrange = manual;
  cases::add_timed("registration/per_row", per_row).arrange = manual;
  cases::add_timed("memory/operator_with_5_kernels", memory).arrange = [](benchmark::internal::Benchmark* b) {
    b->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);
  };
}
