// A host that links nothing of the module.
#include <dlfcn.h>

#include "../check.h"

int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin != nullptr);
  CHECK(reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_agrees"))() == 1);
}
