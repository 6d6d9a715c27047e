#include <dlfcn.h>

#include "../check.h"

import fact.state;

int main(int, char** arguments) {
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(plugin != nullptr);
  auto seen_by_plugin = reinterpret_cast<void* (*)()>(dlsym(plugin, "seen_by_plugin"));
  CHECK(seen_by_library() == &tls);
  CHECK(seen_by_plugin() == &tls);
  tls.include = 4;
  CHECK(seen_by_library()->include == 4);
}
