// A tool library in the interface of Kokkos Tools: writes down what it is told.
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {
struct space {
  char name[64];
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
void kokkosp_push_profile_region(const char* name) { std::printf("push %s\n", name); }
void kokkosp_pop_profile_region() { std::printf("pop\n"); }
void kokkosp_allocate_data(space where, const char*, const void*, std::uint64_t bytes) {
  blocks += std::strcmp(where.name, "Host") == 0 && bytes != 0;
}
void kokkosp_deallocate_data(space where, const char*, const void*, std::uint64_t bytes) {
  freed += std::strcmp(where.name, "Host") == 0 && bytes != 0;
}
}
