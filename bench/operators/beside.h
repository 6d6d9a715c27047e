// This build of topbit beside another one, over several runs of the sweep: what is slower in one of them is noise, what
// is slower in all of them is not.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "sweep.h"

namespace bench::operators {

struct beside_report {
  std::vector<std::pair<std::string, std::string>> header;
  std::vector<std::vector<measured_cell>> runs;  // the same cells in each
};

// A cell that was timed in every run.
struct beside_cell {
  std::string family, name;    // name: family/operator/size
  bool is_small;               // has no tensor of more than 1,024 elements
  double seconds, other;       // of a call, of this build and of the other one: medians of the runs
  std::vector<double> ratios;  // of the runs; above 1 this build is slower
  double least() const;        // of the ratios: over a limit where all of them are
};

struct beside_family {
  std::string family;
  int cells = 0;
  std::vector<double> means = {};                // geometric means of the runs
  double mean = 0;                               // their median
  int over_3 = 0, over_8 = 0, small_over_8 = 0;  // cells that are slower by more than 3 or 8 % in every run
};

std::vector<beside_cell> cells_of(const beside_report& r);
// In the order in which families come first, then all of them as "all".
std::vector<beside_family> families_of(const std::vector<beside_cell>& cells);

// Families, then the cells that are slower by more than 3 % in every run, worst first.
void print(std::ostream& out, const beside_report& r);
std::string to_json(const beside_report& r);

}  // namespace bench::operators
