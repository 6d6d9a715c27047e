#include <dlfcn.h>

#include "../check.h"

import fact.site;

extern "C" long call_it(long x);

int main(int, char** arguments) {
  CHECK(call_it(1) == 2 && call_it(2) == 3 && bound_times == 1);
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(plugin != nullptr);
  CHECK(reinterpret_cast<const void* (*)()>(dlsym(plugin, "plugin_site"))() != &here<1>);
  CHECK(reinterpret_cast<long (*)(long)>(dlsym(plugin, "plugin_call"))(4) == 5);
  CHECK(call_it(5) == 6);
}
