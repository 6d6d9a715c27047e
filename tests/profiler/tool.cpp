// A tool library in the interface of Kokkos Tools: writes down what it is told.
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {
#ifdef ASKS_FOR_FENCES
constexpr bool asks_for_fences = true;
#else
constexpr bool asks_for_fences = false;
#endif
struct space {
  char name[64];
};
struct settings {
  bool requires_global_fencing;
  bool unused[255];
};
std::uint64_t kernels = 0;
std::uint64_t blocks = 0, freed = 0;
}  // namespace

extern "C" {
void kokkosp_init_library(int number, std::uint64_t version, std::uint32_t devices, void*) {
  std::printf("init %d %llu %u\n", number, static_cast<unsigned long long>(version), devices);
}
void kokkosp_finalize_library() { std::printf("%s\nfinalize\n", blocks != 0 && freed != 0 ? "memory" : "no memory"); }
void kokkosp_begin_parallel_for(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = ++kernels;
  std::printf("for %s on %u\n", name, device);
}
void kokkosp_end_parallel_for(std::uint64_t id) { std::printf("end %llu\n", static_cast<unsigned long long>(id)); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = ++kernels;
  std::printf("reduce %s on %u\n", name, device);
}
void kokkosp_end_parallel_reduce(std::uint64_t id) { std::printf("end %llu\n", static_cast<unsigned long long>(id)); }
void kokkosp_request_tool_settings(std::uint32_t count, settings* to) {
  std::printf("settings %u %s\n", count, to->requires_global_fencing ? "fencing" : "no fencing");
  to->requires_global_fencing = asks_for_fences;
}
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = ++kernels;
  std::printf("scan %s on %u\n", name, device);
}
void kokkosp_end_parallel_scan(std::uint64_t id) { std::printf("end %llu\n", static_cast<unsigned long long>(id)); }
void kokkosp_begin_fence(const char*, std::uint32_t device, std::uint64_t* id) {
  *id = 7;
  std::printf("fence on %u\n", device);
}
void kokkosp_end_fence(std::uint64_t id) { std::printf("end fence %llu\n", static_cast<unsigned long long>(id)); }
void kokkosp_begin_deep_copy(space to, const char*, const void* destination, space from, const char*,
                             const void* source, std::uint64_t bytes) {
  std::printf("copy %llu bytes from %s to %s%s%s\n", static_cast<unsigned long long>(bytes), from.name, to.name,
              source == nullptr ? ", no source" : "", destination == nullptr ? ", no destination" : "");
}
void kokkosp_end_deep_copy() { std::printf("end copy\n"); }
void kokkosp_push_profile_region(const char* name) { std::printf("push %s\n", name); }
void kokkosp_pop_profile_region() { std::printf("pop\n"); }
void kokkosp_allocate_data(space where, const char*, const void*, std::uint64_t bytes) {
  blocks += std::strcmp(where.name, "Host") == 0 && bytes != 0;
}
void kokkosp_deallocate_data(space where, const char*, const void*, std::uint64_t bytes) {
  freed += std::strcmp(where.name, "Host") == 0 && bytes != 0;
}
}
