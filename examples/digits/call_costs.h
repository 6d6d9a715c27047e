// What one call costs through a function pointer, the unboxed path and the boxed path. Printed as a small table.
#pragma once

void print_call_costs();
