// One training step of the digits network as a file: forward, backward and optimizer. The file trains by itself, with
// a second one on batches of any size, says what memory a step needs, and runs on a GPU if there is one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../digits/dataset.h"
import topbit;
import topbit.cuda;
import topbit.graphs;
#include "../digits/models.h"
#include "../digits/training.h"

namespace tb = topbit;
namespace graphs = topbit::graphs;

int main() try {
  const auto [train, test] = split(read_digits(TOPBIT_DIGITS_FILE));
  const tb::generator random(1);
  const cnn net(random);
  tb::sgd optimizer(tb::parameters(net), {.learning_rate = 0.3});
  const std::vector<labelled> all = batches(train, 64, random);

  // A step on the first batch, of 64, and one on the last, which is smaller.
  const auto record_step = [&](const labelled& b) {
    graphs::recorder recording(
        {.inputs = {{"images", b.images}, {"labels", b.labels}}, .parameters = tb::named_parameters(net)});
    optimizer.zero_grad();
    const tb::tensor loss = tb::cross_entropy_loss(net(b.images), b.labels);
    tb::backward(loss);
    optimizer.step();
    return recording.finish({{"loss", loss}});
  };
  record_step(all.front());  // the optimizer's first step is another one
  graphs::save_graph("step.safetensors", record_step(all.front()));
  graphs::save_graph("last.safetensors", record_step(all.back()));

  // From here on the files alone: they have the operators, and the parameters after the first of them.
  const graphs::graph step = graphs::load_graph("step.safetensors");
  graphs::sized_replayer again(graphs::free_size(step, graphs::load_graph("last.safetensors")));
  std::remove("step.safetensors");
  std::remove("last.safetensors");
  const auto loss_of = [&](const labelled& b) { return tb::item(again({b.images, b.labels})[0]); };
  const double first = loss_of(all[1]);
  for (int epoch = 0; epoch < 8; ++epoch) {
    for (const labelled& b : all) loss_of(b);
  }
  const double last = loss_of(all[1]);
  std::printf("trained by the file: %s\n", last < first / 2 ? "yes" : "no");

  // Without elements: all that a step needs at once.
  const tb::device meta{tb::backend::Meta};
  const auto without = [&](const tb::tensor& t) { return tb::author::make_tensor(t.sizes(), t.dtype(), meta); };
  const tb::tensor there =
      graphs::replay(step, {without(all[0].images), without(all[0].labels)}, {.map = {{tb::cpu, meta}}})[0];
  std::printf("a step on %s: %s, %s\n", to_string(there.device()).c_str(), to_string(there.sizes()).c_str(),
              graphs::peak_bytes(step) < 8'000'000 ? "less than 8 MB" : "more than 8 MB");

  // On a GPU, or its emulation: the loss there, and the calls whose results differ from the CPU's.
  bool agrees = true;
  if (tb::cuda_available()) {
    const std::vector<std::pair<tb::device, tb::device>> to_gpu{{tb::cpu, tb::cuda()}};
    const labelled b = to(all[0], tb::cuda());
    const double on_gpu = tb::item(graphs::replay(step, {b.images, b.labels}, {.map = to_gpu})[0]);
    const double on_cpu = loss_of(all[0]);
    const auto found = graphs::shadow(step, std::vector{all[0].images, all[0].labels}, {.map = to_gpu});
    for (const graphs::shadow_finding& f : found) std::fputs(to_string(f).c_str(), stderr);
    // The program itself while it runs, one call in three.
    graphs::thread_shadow shadow({.map = to_gpu, .every = 3});
    tb::backward(tb::cross_entropy_loss(net(all[0].images), all[0].labels));
    for (const graphs::shadow_finding& f : shadow.findings()) std::fputs(to_string(f).c_str(), stderr);
    agrees = std::abs(on_gpu - on_cpu) < 1e-4 && found.empty() && shadow.findings().empty();
  }
  std::printf("the GPU, if there is one, agrees: %s\n", agrees ? "yes" : "no");
} catch (const std::exception& e) {
  std::fprintf(stderr, "digits_step: %s\n", e.what());
  return 1;
}

// prints: trained by the file: yes
// prints: a step on meta: [], less than 8 MB
// prints: the GPU, if there is one, agrees: yes
