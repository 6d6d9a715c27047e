// An image can pin itself from inside one of its initialisers: dladdr finds its path, and dlopen with RTLD_NOLOAD
// and RTLD_NODELETE makes the loader keep it. After the host's dlclose its code still runs and its destructors
// have not.
#include <dlfcn.h>

static int answer = 0;

struct pin {
  pin() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&answer), &info) != 0 &&
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr) {
      answer = 42;
    }
  }
  ~pin() { answer = -1; }
};
static const pin pinned;

extern "C" int ask() { return answer; }
