#include "../check.h"

import fact.kernel_set;

static constexpr int twice(int x) { return 2 * x; }
static constexpr int square(int x) { return x * x; }

constexpr kernel_set<slot<op<9>, &twice>, slot<op<4>, &square>> cpu;

static_assert(__is_empty(decltype(cpu)));
static_assert(covers<cpu, 4> && covers<cpu, 9> && !covers<cpu, 5>);
static_assert(call<cpu, 9>(5) == 10);

int main(int count, char**) { CHECK(call<cpu, 4>(count + 2) == 9); }
