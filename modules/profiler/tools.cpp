// Tool libraries with the interface of Kokkos Tools: timers, memory reports and connectors to other profilers that were
// built for Kokkos run unchanged. The environment variable TOPBIT_TOOLS names them, several with colons between. What a
// library does not define is not called.
module;

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :session;

namespace topbit::detail {

namespace {

// The version of the interface that is spoken here, of June 2021.
constexpr std::uint64_t interface_version = 20210623;

// A memory space by its name, as functions of the interface take it.
struct space {
  char name[64];
};

using begin_kernel = void (*)(const char* name, std::uint32_t device, std::uint64_t* id);
using end_kernel = void (*)(std::uint64_t id);
using change_memory = void (*)(space where, const char* label, const void* block, std::uint64_t bytes);

struct kernel_functions {
  begin_kernel begin = nullptr;
  end_kernel end = nullptr;
};

// 0 is Kokkos' number for serial execution, 2 << 24 its first CUDA device.
std::uint32_t device_of(key_set keys) noexcept {
  return keys.highest_backend() == backend::CUDA ? std::uint32_t{2} << 24 : 0;
}

struct tool {
  void (*initialize)(int number, std::uint64_t version, std::uint32_t devices, void* about) = nullptr;
  void (*finalize)() = nullptr;
  kernel_functions each, reduce;
  void (*push_region)(const char* name) = nullptr;
  void (*pop_region)() = nullptr;
  change_memory allocate = nullptr, deallocate = nullptr;

  explicit tool(void* library) {
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(initialize, "kokkosp_init_library");
    find(finalize, "kokkosp_finalize_library");
    find(each.begin, "kokkosp_begin_parallel_for");
    find(each.end, "kokkosp_end_parallel_for");
    find(reduce.begin, "kokkosp_begin_parallel_reduce");
    find(reduce.end, "kokkosp_end_parallel_reduce");
    find(push_region, "kokkosp_push_profile_region");
    find(pop_region, "kokkosp_pop_profile_region");
    find(allocate, "kokkosp_allocate_data");
    find(deallocate, "kokkosp_deallocate_data");
  }
  bool is_one() const noexcept {
    return initialize != nullptr || finalize != nullptr || each.begin != nullptr || each.end != nullptr ||
           reduce.begin != nullptr || reduce.end != nullptr || push_region != nullptr || pop_region != nullptr ||
           allocate != nullptr || deallocate != nullptr;
  }
  const kernel_functions& functions_of(const observe::event& e) const {
    return e.op().tags().contains(tag::reduction) ? reduce : each;
  }
};

// All tools of the process.
class tools final : public author::memory_observer {
 public:
  void add(tool t) {
    if (t.initialize != nullptr) t.initialize(static_cast<int>(all_.size()), interface_version, 0, nullptr);
    all_.push_back(t);
  }
  bool empty() const noexcept { return all_.empty(); }
  void start() {
    author::add_memory_observer(*this);
    observer_.emplace(*this, observe::options{.threads = observe::threads::all});
  }
  void finish() {
    observer_.reset();
    author::remove_memory_observer(*this);
    for (const tool& t : all_) {
      if (t.finalize != nullptr) t.finalize();
    }
  }

  // Kernels do not call kernels there: of calls inside each other the outermost is told.
  void begin(const observe::event& e) {
    if (e.is_call() && mine.open_calls++ != 0) return;
    const std::string name(e.name());
    mine.kernels.resize(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!e.is_call()) {
        if (all_[i].push_region != nullptr) all_[i].push_region(name.c_str());
      } else if (const kernel_functions& f = all_[i].functions_of(e); f.begin != nullptr) {
        f.begin(name.c_str(), device_of(e.keys()), &mine.kernels[i]);
      }
    }
  }
  void end(const observe::event& e) {
    if (e.is_call() && --mine.open_calls != 0) return;
    for (std::size_t i = all_.size(); i-- > 0;) {
      if (!e.is_call()) {
        if (all_[i].pop_region != nullptr) all_[i].pop_region();
      } else if (const kernel_functions& f = all_[i].functions_of(e); f.end != nullptr) {
        f.end(mine.kernels[i]);
      }
    }
  }

  void allocated(device where, const void* block, std::size_t bytes) noexcept override {
    for (const tool& t : all_) {
      if (t.allocate != nullptr) t.allocate(space_of(where), "tensor", block, bytes);
    }
  }
  void freed(device where, const void* block, std::size_t bytes) noexcept override {
    for (const tool& t : all_) {
      if (t.deallocate != nullptr) t.deallocate(space_of(where), "tensor", block, bytes);
    }
  }

 private:
  struct of_thread {
    int open_calls = 0;
    std::vector<std::uint64_t> kernels;  // what each tool calls the one under way
  };
  static thread_local of_thread mine;
  static space space_of(device d) noexcept {
    space s{};
    strncpy(s.name, d == cpu ? "Host" : d.type == backend::CUDA ? "Cuda" : "Device", sizeof s.name - 1);
    return s;
  }

  std::vector<tool> all_;
  std::optional<observe::observer> observer_;
};
thread_local tools::of_thread tools::mine;

// Never destroyed: they end by atexit.
tools& of_process() {
  static tools& all = *new tools;
  return all;
}

void load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    author::warn({"TOPBIT_TOOLS: ", why == nullptr ? path.c_str() : why, "; the program runs without this tool"});
  } else if (const tool found(library); found.is_one()) {
    of_process().add(found);
  } else {
    author::warn({"TOPBIT_TOOLS: ", path,
                  ": found no function of Kokkos Tools, wanted one such as kokkosp_init_library; the program runs "
                  "without this tool"});
  }
}

}  // namespace

bool start_tools() {
  const char* const named = secure_getenv("TOPBIT_TOOLS");
  if (named == nullptr || *named == '\0') return false;
  std::string_view left = named;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    if (end != 0) load(std::string(left.substr(0, end)));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (of_process().empty()) return false;
  of_process().start();
  static const pid_t process = getpid();
  std::atexit([] {
    if (getpid() == process) of_process().finish();
  });
  return true;
}

}  // namespace topbit::detail
