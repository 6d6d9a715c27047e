// bench_graphs: what recording adds to a call of an operator on two tensors of eight elements whose kernel does
// nothing, and what a replay of such calls costs. Then a training step of the digits network: by itself, replayed, and
// where there is a GPU both there, the replay captured as a CUDA graph.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "../dispatch/cases.h"
import topbit;
import topbit.cuda;
import topbit.graphs;
#include "../../examples/digits/models.h"

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

// A step of the digits network on 64 images.
struct digits_step {
  explicit digits_step(tb::device on)
      : where(on),
        net(tb::generator(1)),
        images(tb::to(tb::rand({64, 8, 8}), on)),
        labels(tb::to(tb::randint(10, {64}), on)) {
    if (on != tb::cpu) tb::move_to(net, on);
    optimizer.emplace(tb::parameters(net), tb::sgd_options{.learning_rate = 0.01});
  }
  tb::tensor operator()() {
    optimizer->zero_grad();
    const tb::tensor loss = tb::cross_entropy_loss(net(images), labels);
    tb::backward(loss);
    optimizer->step();
    return loss;
  }
  graphs::graph recorded() {
    graphs::recorder r({.inputs = {{"images", images}, {"labels", labels}}, .parameters = tb::named_parameters(net)});
    const tb::tensor loss = (*this)();
    return r.finish({{"loss", loss}});
  }

  tb::device where;
  cnn net;
  tb::tensor images, labels;
  std::optional<tb::sgd> optimizer;
};

void add_steps(const char* eager, const char* replayed, tb::device where) {
  cases::add(eager, [where](auto& rounds) {
    digits_step step(where);
    for ([[maybe_unused]] auto round : rounds) step();
    return step().defined();
  });
  cases::add(replayed, [where](auto& rounds) {
    digits_step step(where);
    graphs::replayer again(step.recorded());
    bool right = true;
    if (where == tb::cpu) {
      for ([[maybe_unused]] auto round : rounds) right = right && again({step.images, step.labels})[0].defined();
      return right;
    }
    graphs::check_capturable(step.recorded());
    const auto replay = [&] { again({step.images, step.labels}); };
    replay();
    const tb::cuda_graph captured = tb::cuda_graph::capture(replay, where);
    for ([[maybe_unused]] auto round : rounds) captured.replay();
    tb::synchronize(where);
    return right;
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_calls("graphs/call", false);
  add_calls("graphs/recorded", true);
  add_replay();
  add_steps("graphs/digits_step", "graphs/digits_step_replayed", tb::cpu);
  if (tb::cuda_available()) add_steps("graphs/digits_step_cuda", "graphs/digits_step_cuda_captured", tb::cuda());
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
