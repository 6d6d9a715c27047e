// A program without topbit that loads libraries, their symbols kept to themselves, and asks each one for what the first
// has registered.
// usage: two_registries <library>...
#include <dlfcn.h>

#include <cstdio>
#include <vector>

int main(int count, char** arguments) {
  using look_for = const char*(const char*);
  std::vector<look_for*> all;
  for (int i = 1; i < count; ++i) {
    void* handle = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return std::printf("%s\n", dlerror()), 1;
    all.push_back(reinterpret_cast<look_for*>(dlsym(handle, "look_for")));
    if (all.back() == nullptr) return 1;
  }
  for (look_for* each : all) std::printf("%s\n", each("first::there"));
  for (look_for* each : all) std::printf("%s\n", each("nowhere::nothing"));
}
