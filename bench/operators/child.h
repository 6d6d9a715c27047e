// A run of the sweep in a process of its own: what a library has once allocated keeps its addresses, and with them what
// they cost, for the rest of a process.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sweep.h"

namespace bench::operators {

struct child_run {
  std::vector<std::pair<std::string, std::string>> header;
  std::vector<measured_cell> cells;  // back in this process only with their medians
};

// Throws what the work threw, as std::runtime_error, or that the process died. No thread may have begun.
child_run run_in_child(const std::function<child_run()>& work);

}  // namespace bench::operators
