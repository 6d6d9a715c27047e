// The groups of cases of bench_dispatch, in the order they are reported.
#pragma once

namespace programs {

void add_calls();
void add_lookup();
void add_registration();

}  // namespace programs
