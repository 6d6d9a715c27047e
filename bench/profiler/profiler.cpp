// bench_profiler: what observing, profiling and checking add to a call of an operator on two tensors of eight elements
// whose kernel does nothing.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../dispatch/cases.h"
import topbit.core;
import topbit.tensor;
import topbit.modes;
import topbit.contracts;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;

namespace {

inline constexpr tb::op<"bench::first(Tensor(a) self, Tensor other) -> Tensor(a)"> first;
tb::tensor take_first(const tb::tensor& self, const tb::tensor&) { return self; }
const auto kernels = tb::library("bench")
                         .def(first)
                         .impl<&take_first>(first, tb::key::CPU)
                         .impl<&take_first>(first, tb::key::Meta)
                         .fallthrough(first, tb::key::Autograd)
                         .fallthrough(first, tb::key::ADInplaceOrView);

// Calls while what `make` returns lives.
template <class Make>
void add_calls(const std::string& name, Make make) {
  cases::add("profiler/" + name, [make](auto& rounds) {
    const tb::tensor x = tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu);
    [[maybe_unused]] const auto watching = make();
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && first(x, x).data() == x.data();
    return right;
  });
}

auto profiled(bool inputs, std::size_t limit) {
  return [inputs, limit] {
    return std::make_unique<profile::session>(
        profile::options{.threads = tb::observe::threads::mine, .inputs = inputs, .limit = limit});
  };
}

struct checked {
  tb::contracts::checker check;
  std::optional<tb::modes::scope<tb::contracts::checker&>> on;
  explicit checked(tb::contracts::level depth) : check({.depth = depth}) { on.emplace(check, tb::modes::below); }
};

void add_memory(const std::string& name, bool observed) {
  cases::add("profiler/" + name, [observed](auto& rounds) {
    std::optional<profile::session> p;
    if (observed) p.emplace(profile::options{.threads = tb::observe::threads::mine, .memory = true, .limit = 0});
    bool right = true;
    for ([[maybe_unused]] auto round : rounds)
      right = right && tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu).data() != nullptr;
    return right;
  });
}

// The table of a million calls of one operator.
void add_table() {
  cases::add_timed("profiler/table_of_1e6", [](auto& rounds) {
    profile::session p({.threads = tb::observe::threads::mine});
    const tb::tensor x = tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu);
    for (int i = 0; i < 1'000'000; ++i) (void)first(x, x);
    p.stop();
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && p.table().events == 1'000'000;
    return right;
  });
}

// Bytes of a trace for each event of a million.
void print_sizes() {
  profile::session p({.threads = tb::observe::threads::mine});
  const tb::tensor x = tb::author::make_tensor({8}, tb::dtype::float32, tb::cpu);
  for (int i = 0; i < 1'000'000; ++i) (void)first(x, x);
  p.stop();
  for (const char* name : {"bench_profiler.json", "bench_profiler.json.gz"}) {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
    p.write_trace(path.string());
    std::fprintf(stderr, "%s: %.1f bytes an event\n", name,
                 static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(p.table().events));
    std::filesystem::remove(path);
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_calls("call", [] { return 0; });
  add_calls("profiled", profiled(false, 0));
  add_calls("profiled_inputs", profiled(true, 0));
  add_calls("checked/metadata", [] { return std::make_unique<checked>(tb::contracts::level::metadata); });
  add_calls("checked/bytes", [] { return std::make_unique<checked>(tb::contracts::level::bytes); });
  add_calls("checked/repeated", [] { return std::make_unique<checked>(tb::contracts::level::repeated); });
  add_memory("allocation", false);
  add_memory("allocation_observed", true);
  add_table();
  // bench_profiler --sizes prints how many bytes a trace has for each event.
  if (argc == 2 && std::string(argv[1]) == "--sizes") {
    print_sizes();
    return 0;
  }
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
