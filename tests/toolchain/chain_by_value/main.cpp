#include "../check.h"

import fact.library;

static int a() { return 1; }
static int b() { return 2; }

const auto kernels = library("toy").impl<&a>().impl<&b>();

int main() {
  CHECK(live == 2 && withdrawn == 0);
  {
    const auto more = library("toy").impl<&a>();
  }
  CHECK(live == 2 && withdrawn == 1);
}
