// What a call costs, by the way it takes to the same work. Read the ratios to dispatch/function_pointer of the same
// run.
#include <benchmark/benchmark.h>

#include <array>

import topbit.core;

#include "problem.h"

namespace {

namespace tb = topbit;
using problem::item;
using problem::record;

using signature = int(const item&, const item&);
inline constexpr tb::op<"bench::unboxed", signature> unboxed;
inline constexpr tb::op<"bench::unboxed_extern", signature> unboxed_extern;
inline constexpr tb::op<"bench::layered", signature> layered;
inline constexpr tb::op<"bench::boxed_kernel", signature> boxed_kernel;
inline constexpr tb::op<"bench::behind_fallback", signature> behind_fallback;

// A layer that does nothing but call on.
template <tb::dispatch_key Key>
int layer(tb::key_set keys, const item& a, const item& b) {
  return layered.redispatch(keys & tb::below(Key), a, b);
}

void sum_boxed(const tb::operator_handle&, tb::stack& s) {
  const int result = problem::sum(s[s.size() - 2].get<item>(), s[s.size() - 1].get<item>());
  s.drop(2);
  s.push(result);
}

void pass_on(const tb::operator_handle& op, tb::key_set keys, tb::stack& s) {
  op.redispatch_boxed(keys & tb::below(tb::key::UserTop2), s);
}

const auto kernels = tb::library("bench")
                         .def(unboxed)
                         .impl<&problem::sum>(unboxed, tb::key::CPU)
                         .def(unboxed_extern)
                         .impl<&problem::sum_elsewhere>(unboxed_extern, tb::key::CPU)
                         .def(layered)
                         .impl<&problem::sum>(layered, tb::key::CPU)
                         .impl<&layer<tb::key::UserBottom1>>(layered, tb::key::UserBottom1)
                         .impl<&layer<tb::key::UserBottom2>>(layered, tb::key::UserBottom2)
                         .impl<&layer<tb::key::UserMiddle1>>(layered, tb::key::UserMiddle1)
                         .impl<&layer<tb::key::UserMiddle2>>(layered, tb::key::UserMiddle2)
                         .def(boxed_kernel)
                         .impl_boxed<&sum_boxed>(boxed_kernel, tb::key::CPU)
                         .def(behind_fallback)
                         .impl<&problem::sum>(behind_fallback, tb::key::CPU);
const auto fallback = tb::fallback<&pass_on>(tb::key::UserTop2);

struct base {
  virtual ~base() = default;
  virtual int sum(const item& a, const item& b) const = 0;
};
struct derived final : base {
  int sum(const item& a, const item& b) const override { return problem::sum(a, b); }
};

template <class Call>
void measure(benchmark::State& state, tb::key_set keys, Call call) {
  const record x{keys, problem::a_value}, y{keys, problem::b_value};
  item a{&x}, b{&y};
  int result = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    result = call(a, b);
    benchmark::DoNotOptimize(result);
  }
  if (result != problem::expected) state.SkipWithError("wrong result");
}

void function_pointer(benchmark::State& state) {
  int (*volatile stored)(const item&, const item&) = &problem::sum_elsewhere;
  int (*const pointer)(const item&, const item&) = stored;
  measure(state, tb::key::CPU, [&](const item& a, const item& b) { return pointer(a, b); });
}

void virtual_call(benchmark::State& state) {
  const derived object;
  const base* pointer = &object;
  benchmark::DoNotOptimize(pointer);
  measure(state, tb::key::CPU, [&](const item& a, const item& b) { return pointer->sum(a, b); });
}

void unboxed_call(benchmark::State& state) {
  measure(state, tb::key::CPU, [](const item& a, const item& b) { return unboxed(a, b); });
}

void unboxed_extern_call(benchmark::State& state) {
  measure(state, tb::key::CPU, [](const item& a, const item& b) { return unboxed_extern(a, b); });
}

// The range is the number of layers above the kernel; each adds one redispatch.
void redispatch(benchmark::State& state) {
  constexpr std::array layers{tb::key::UserBottom1, tb::key::UserBottom2, tb::key::UserMiddle1, tb::key::UserMiddle2};
  tb::key_set keys = tb::key::CPU;
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.range(0)); ++i) keys = keys | layers[i];
  measure(state, keys, [](const item& a, const item& b) { return layered(a, b); });
}

void boxed_kernel_call(benchmark::State& state) {
  measure(state, tb::key::CPU, [](const item& a, const item& b) { return boxed_kernel(a, b); });
}

void boxed_fallback(benchmark::State& state) {
  measure(state, {tb::key::CPU, tb::key::UserTop2}, [](const item& a, const item& b) { return behind_fallback(a, b); });
}

void call_boxed(benchmark::State& state) {
  const tb::operator_handle handle = tb::registry::process().find("bench::unboxed");
  measure(state, tb::key::CPU, [&](const item& a, const item& b) {
    tb::inline_stack<4> s;
    s.push(tb::value::borrow(a));
    s.push(tb::value::borrow(b));
    handle.call_boxed(s);
    return s[0].get<int>();
  });
}

BENCHMARK(function_pointer)->Name("dispatch/function_pointer");
BENCHMARK(virtual_call)->Name("dispatch/virtual_call");
BENCHMARK(unboxed_call)->Name("dispatch/unboxed");
BENCHMARK(unboxed_extern_call)->Name("dispatch/unboxed_extern");
BENCHMARK(redispatch)->Name("dispatch/redispatch")->DenseRange(1, 4);
BENCHMARK(boxed_kernel_call)->Name("dispatch/boxed_kernel");
BENCHMARK(boxed_fallback)->Name("dispatch/boxed_fallback");
BENCHMARK(call_boxed)->Name("dispatch/call_boxed");

}  // namespace

BENCHMARK_MAIN();
