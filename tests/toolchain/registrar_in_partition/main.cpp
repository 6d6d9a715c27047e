#include "../check.h"

import fact.registry;

static const int seen_by_a_static = registered.partition;

int main() {
  CHECK(seen_by_a_static == 1);
  CHECK(registered.partition == 1);
  CHECK(registered.implementation_unit == 0);
  CHECK(registered.plain_unit == 0);
}
