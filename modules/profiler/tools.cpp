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
import :shared_library;

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
using begin_copy = void (*)(space to, const char* to_label, const void* to_block, space from, const char* from_label,
                            const void* from_block, std::uint64_t bytes);

struct kernel_functions {
  begin_kernel begin = nullptr;
  end_kernel end = nullptr;
};

// What a tool asks for.
struct settings {
  bool requires_global_fencing = false;
  bool unused[255]{};
};

struct tool {
  void (*initialize)(int number, std::uint64_t version, std::uint32_t devices, void* about) = nullptr;
  void (*finalize)() = nullptr;
  void (*request_settings)(std::uint32_t count, settings* to) = nullptr;
  kernel_functions each, reduce, scan, fence;
  void (*push_region)(const char* name) = nullptr;
  void (*pop_region)() = nullptr;
  change_memory allocate = nullptr, deallocate = nullptr;
  begin_copy copy_begins = nullptr;
  void (*copy_ends)() = nullptr;

  explicit tool(void* library) {
    const auto find = [&](auto& function, const char* name) {
      find_function(function, library, name);
      defines_any |= function != nullptr;
    };
    find(initialize, "kokkosp_init_library");
    find(finalize, "kokkosp_finalize_library");
    find(request_settings, "kokkosp_request_tool_settings");
    find(each.begin, "kokkosp_begin_parallel_for");
    find(each.end, "kokkosp_end_parallel_for");
    find(reduce.begin, "kokkosp_begin_parallel_reduce");
    find(reduce.end, "kokkosp_end_parallel_reduce");
    find(scan.begin, "kokkosp_begin_parallel_scan");
    find(scan.end, "kokkosp_end_parallel_scan");
    find(fence.begin, "kokkosp_begin_fence");
    find(fence.end, "kokkosp_end_fence");
    find(push_region, "kokkosp_push_profile_region");
    find(pop_region, "kokkosp_pop_profile_region");
    find(allocate, "kokkosp_allocate_data");
    find(deallocate, "kokkosp_deallocate_data");
    find(copy_begins, "kokkosp_begin_deep_copy");
    find(copy_ends, "kokkosp_end_deep_copy");
  }
  bool defines_any = false;
};

enum class kernel_kind : std::uint8_t { each, reduce, scan, copy };

kernel_kind kind_of(const observe::event& e) {
  constexpr std::array<std::string_view, 5> scans{"aten::cumsum", "aten::cumprod", "aten::cummax", "aten::cummin",
                                                  "aten::logcumsumexp"};
  constexpr std::array<std::string_view, 3> copies{"aten::copy", "aten::_to_copy", "aten::clone"};
  std::string_view name = e.name();
  name = name.substr(0, name.find('.'));
  if (name.ends_with('_')) name.remove_suffix(1);
  if (std::ranges::find(scans, name) != scans.end()) return kernel_kind::scan;
  if (std::ranges::find(copies, name) != copies.end()) return kernel_kind::copy;
  return e.op().tags().contains(tag::reduction) ? kernel_kind::reduce : kernel_kind::each;
}

// 0 is Kokkos' number for serial execution, 2 << 24 its first CUDA device.
std::uint32_t number_of(device d) noexcept { return d.type == backend::CUDA ? std::uint32_t{2} << 24 : 0; }

space space_of(device d) noexcept {
  space s{};
  strncpy(s.name, d == cpu ? "Host" : d.type == backend::CUDA ? "Cuda" : "Device", sizeof s.name - 1);
  return s;
}

// What a copy reads and writes: copy_ writes its first argument, the others a tensor that is not there yet.
struct copied {
  device from = cpu, to = cpu;
  const void *source = nullptr, *destination = nullptr;
  std::uint64_t bytes = 0;

  explicit copied(const observe::event& e) {
    std::vector<tensor> all;
    for (const value& v : e.arguments()) {
      author::each_tensor(v, [&](const tensor& t) {
        if (t.defined()) all.push_back(t);
      });
    }
    if (all.empty()) return;
    const tensor& read = all.back();
    from = to = read.device();
    source = data_of(read);
    bytes = static_cast<std::uint64_t>(read.numel()) * size_of(read.dtype());
    if (all.size() > 1) {
      to = all[0].device();
      destination = data_of(all[0]);
      bytes = static_cast<std::uint64_t>(all[0].numel()) * size_of(all[0].dtype());
    }
    for (const value& v : e.arguments()) {
      if (v.is<device>()) to = v.get<device>();
    }
  }

 private:
  // Null where elements have no address: of another layout, of a wrapper.
  static const void* data_of(const tensor& t) try { return t.data(); } catch (const error&) {
    return nullptr;
  }
};

// Waits for what the device was given: a copy to the host waits for all that is before it. A device without memory of
// its own has nothing to wait for.
void wait_for(device d) try {
  if (d == cpu) return;
  const memory_hook& hook = memory_of(d);
  std::byte last{};
  void* const block = hook.allocate(d, sizeof last);
  hook.copy_out(d, &last, block, sizeof last);
  hook.release(d, block);
} catch (const error&) {
}

// All tools of the process.
class tools final : public author::memory_observer {
 public:
  void add(const tool& t) {
    if (t.initialize != nullptr) t.initialize(static_cast<int>(all_.size()), interface_version, 0, nullptr);
    settings wanted;
    if (t.request_settings != nullptr) t.request_settings(1, &wanted);
    fences_ |= wanted.requires_global_fencing;
    all_.push_back(t);
  }
  bool empty() const noexcept { return all_.empty(); }
  void start() {
    author::add_memory_observer(*this);
    const bool arguments = std::ranges::any_of(all_, [](const tool& t) { return t.copy_begins != nullptr; });
    observer_.emplace(*this, observe::options{.threads = observe::threads::all, .arguments = arguments});
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
    const std::string name(e.name());
    if (!e.is_call()) {
      for (const tool& t : all_) {
        if (t.push_region != nullptr) t.push_region(name.c_str());
      }
      return;
    }
    if (mine.open_calls++ != 0) return;
    mine.ids.resize(all_.size());
    mine.kind = kind_of(e);
    fence(e);
    std::optional<copied> copy;
    if (mine.kind == kernel_kind::copy) copy.emplace(e);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const tool& t = all_[i];
      if (copy && t.copy_begins != nullptr) {
        t.copy_begins(space_of(copy->to), "tensor", copy->destination, space_of(copy->from), "tensor", copy->source,
                      copy->bytes);
      } else if (const kernel_functions& f = functions_of(t); f.begin != nullptr) {
        f.begin(name.c_str(), number_of(device_of(e)), &mine.ids[i]);
      }
    }
  }
  void end(const observe::event& e) {
    if (!e.is_call()) {
      for (std::size_t i = all_.size(); i-- > 0;) {
        if (all_[i].pop_region != nullptr) all_[i].pop_region();
      }
      return;
    }
    if (--mine.open_calls != 0) return;
    fence(e);
    for (std::size_t i = all_.size(); i-- > 0;) {
      const tool& t = all_[i];
      if (mine.kind == kernel_kind::copy && t.copy_begins != nullptr) {
        if (t.copy_ends != nullptr) t.copy_ends();
      } else if (const kernel_functions& f = functions_of(t); f.end != nullptr) {
        f.end(mine.ids[i]);
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
    kernel_kind kind{};              // of the one under way
    std::vector<std::uint64_t> ids;  // what each tool calls it
  };
  static thread_local of_thread mine;

  // A copy is a loop for tools that know no copies.
  const kernel_functions& functions_of(const tool& t) const noexcept {
    return mine.kind == kernel_kind::reduce ? t.reduce : mine.kind == kernel_kind::scan ? t.scan : t.each;
  }
  static device device_of(const observe::event& e) noexcept {
    const backend b = e.keys().highest_backend();
    return b == backend::none ? cpu : device{b};
  }
  // So that what is told next is over on the device too; only where a tool asks for it.
  void fence(const observe::event& e) {
    if (!fences_) return;
    std::vector<std::uint64_t> ids(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].fence.begin != nullptr) all_[i].fence.begin("topbit: a tool asks", number_of(device_of(e)), &ids[i]);
    }
    wait_for(device_of(e));
    for (std::size_t i = all_.size(); i-- > 0;) {
      if (all_[i].fence.end != nullptr) all_[i].fence.end(ids[i]);
    }
  }

  std::vector<tool> all_;
  bool fences_ = false;
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
  } else if (const tool found(library); found.defines_any) {
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
