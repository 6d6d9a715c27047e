#include "../check.h"

import fact.ops;

int main() { CHECK(read(make(7)) == 7); }
