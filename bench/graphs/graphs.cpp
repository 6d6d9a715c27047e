// bench_graphs: what recording adds to a call of an operator on two tensors of eight elements whose kernel does
// nothing, and what a replay of such calls costs.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "../dispatch/cases.h"
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.graphs;

namespace tb = topbit;
namespace graphs = topbit::graphs;

namespace {

inline constexpr tb::op<"bench::fresh(Tensor(a) self, Tensor other) -> Tensor(a)"> fresh;
tb::tensor make_fresh(const tb::tensor& self, const tb::tensor&) { return tb::author::make_alias(self); }
// Without a result: what a boxed call costs by itself.
inline constexpr tb::op<"bench::nothing(Tensor self, Tensor other) -> ()"> nothing;
void do_nothing(const tb::tensor&, const tb::tensor&) {}
const auto kernels = tb::library("bench")
                         .def(fresh)
                         .impl<&make_fresh>(fresh, tb::key::CPU)
                         .fallthrough(fresh, tb::key::Autograd)
                         .fallthrough(fresh, tb::key::ADInplaceOrView)
                         .def(nothing)
                         .impl<&do_nothing>(nothing, tb::key::CPU)
                         .fallthrough(nothing, tb::key::Autograd)
                         .fallthrough(nothing, tb::key::ADInplaceOrView);

tb::tensor eight() { return tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu); }

void add_calls(const char* name, bool records) {
  cases::add(name, [records](auto& rounds) {
    const tb::tensor x = eight();
    std::unique_ptr<graphs::recorder> r;
    if (records) r = std::make_unique<graphs::recorder>(graphs::recorder_options{.inputs = {{"x", x}}});
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && fresh(x, x).defined();
    return right;
  });
}

// A replay of a thousand calls, or those calls by the boxed path alone.
constexpr int calls_of_a_replay = 1000;
void add_replay() {
  cases::add("graphs/replay_of_1000", [](auto& rounds) {
    const tb::tensor x = eight();
    graphs::recorder r({.inputs = {{"x", x}}});
    for (int i = 0; i < calls_of_a_replay; ++i) nothing(x, x);
    graphs::replayer again(r.finish());
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && again({x}).empty();
    return right;
  });
  cases::add("graphs/boxed_1000", [](auto& rounds) {
    const tb::tensor x = eight();
    const tb::operator_handle op = nothing.handle();
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      tb::inline_stack<2> stack;
      for (int i = 0; i < calls_of_a_replay; ++i) {
        stack.push(tb::value::borrow(x));
        stack.push(tb::value::borrow(x));
        op.call_boxed(stack);
      }
      right = right && stack.empty();
    }
    return right;
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_calls("graphs/call", false);
  add_calls("graphs/recorded", true);
  add_replay();
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
