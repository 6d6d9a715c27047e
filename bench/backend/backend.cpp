// bench_backend: what a call costs on a device from outside: add_out of 64 floats on the CPU, on a device whose kernel
// table is the CPU's, and on one without kernels, where the host bridge copies. The last less the second is the
// bridge's work on the host, since copies of 256 bytes cost next to nothing.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <topbit/kernel_abi.h>

#include "../dispatch/cases.h"
import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

void* allocate(tb::device, std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
void release(tb::device, void* p) noexcept { std::free(p); }
void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
constexpr tb::memory_hook memory{allocate, release, copy, copy};

const tb::backend complete = tb::author::register_backend("complete", {.memory = memory, .kernels = tb_cpu_kernels()});
const tb::backend bare = tb::author::register_backend("bare", {.memory = memory});

void add_calls(const char* name, tb::device d) {
  cases::add(std::string("backend/") + name, [d](auto& rounds) {
    const tb::tensor x = tb::ones({64}, tb::arg<"device"> = d);
    tb::tensor out = tb::zeros({64}, tb::arg<"device"> = d);
    const tb::no_grad guard;
    for ([[maybe_unused]] auto round : rounds) tb::aten::add_out(x, x, 1, out);
    return tb::item(tb::sum(out)) == 128.0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  add_calls("cpu", tb::cpu);
  add_calls("own_kernel", {complete});
  add_calls("host_bridge", {bare});
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
