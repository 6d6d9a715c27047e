#include <dlfcn.h>

#include "../check.h"

int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(plugin != nullptr);
  auto ask = reinterpret_cast<int (*)()>(dlsym(plugin, "ask"));
  CHECK(ask() == 42);
  CHECK(dlclose(plugin) == 0);
  CHECK(ask() == 42);
}
