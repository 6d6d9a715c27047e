#include <dlfcn.h>

#include "../check.h"

import fact.core;

// Arguments: the plugin, and what the host's registry holds after it was loaded.
int main(int, char** arguments) {
  CHECK(registered() == 0);
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) std::fprintf(stderr, "%s\n", dlerror());
  CHECK(plugin != nullptr);
  CHECK(registered() == std::atoi(arguments[2]));
}
