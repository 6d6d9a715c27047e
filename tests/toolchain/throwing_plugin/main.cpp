#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int, char** arguments) {
  std::set_terminate([] {
    std::fputs("ended by the exception", stderr);
    std::_Exit(0);
  });
  try {
    dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  } catch (...) {
    std::puts("caught");
    return 1;
  }
  return 2;
}
