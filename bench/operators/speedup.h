// How much faster the cells are than in an earlier run: on more threads, or after a change.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sweep.h"

namespace bench::operators {

// Of a family: times of an earlier run / times now, in the geometric mean.
struct speedup {
  std::string family;
  int cells = 0;          // that both runs measured
  double topbit = 0;      // above 1: faster now
  double least = 0;       // topbit's in the cell that gained least
  std::string cell = {};  // that cell
  double torch = 0;       // 0 unless both runs measured PyTorch in all of these cells
};

// `earlier`: the text that --json wrote. In the order in which families come first, then all of them as "all". Throws
// if the text is none of this program's, or if both runs have no cell in common.
std::vector<speedup> speedups_of(const std::vector<measured_cell>& cells, const std::string& earlier);

void print(std::ostream& out, const std::vector<speedup>& all);
std::string to_markdown(const std::vector<speedup>& all);

}  // namespace bench::operators
