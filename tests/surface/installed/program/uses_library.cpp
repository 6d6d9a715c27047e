#include <cstdio>

import topbit.core;

#include "own_library.h"

pixel much_brighter(const pixel& p);

int main() {
  const pixel p = much_brighter({topbit::key::CPU, 3});
  std::printf("%d\n", p.brightness);
  return p.brightness == 5 && topbit::find("own::brighter").is_defined() ? 0 : 1;
}
