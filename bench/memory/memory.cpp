// bench_memory: what making a tensor and letting it go costs, by where its elements lie, with no operator around it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../dispatch/cases.h"
import topbit.tensor;

namespace tb = topbit;

namespace {

// A round makes as many tensors of float32 as `alive` says, then lets all of them go.
void add_empty(const std::string& name, std::int64_t elements, std::size_t alive = 1) {
  cases::one& added = cases::add("memory/empty/" + name, [elements, alive](auto& rounds) {
    std::vector<tb::tensor> kept(alive);
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      for (tb::tensor& t : kept) t = tb::author::make_tensor({elements}, tb::dtype::float32, tb::cpu);
      right = right && kept.back().data() != nullptr;
      for (tb::tensor& t : kept) t = tb::tensor();
    }
    cases::units_per_round(rounds, static_cast<double>(alive));
    return right;
  });
  added.few /= alive;
  added.many /= alive;
}

// Every byte is written: memory that comes fresh from the system is mapped page by page while that happens.
void add_written(const std::string& name, std::int64_t elements) {
  cases::add_timed("memory/written/" + name, [elements](auto& rounds) {
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      const tb::tensor t = tb::author::make_tensor({elements}, tb::dtype::float32, tb::cpu);
      std::memset(t.data(), 1, static_cast<std::size_t>(elements) * sizeof(float));
      right = right && *static_cast<std::int32_t*>(t.data()) == 0x01010101;
    }
    return right;
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_empty("8", 8);
  add_empty("8_of_1000", 8, 1000);
  add_empty("100", 100);
  add_empty("1e4", 10'000);
  add_empty("1e6", 1'000'000);
  cases::add("memory/view", [](auto& rounds) {
    const tb::tensor base = tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu);
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      const tb::tensor view = tb::author::make_view(base, {4}, {2}, 0);
      right = right && view.data() == base.data();
    }
    return right;
  });
  add_written("1e6", 1'000'000);
  add_written("1e7", 10'000'000);
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
