// What a sweep found, as text, JSON and a picture.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "sweep.h"

namespace bench::operators {

struct sweep_report {
  std::vector<std::pair<std::string, std::string>> header;  // machine, versions, threads, seed
  std::vector<measured_cell> cells;
  bool compared = false;  // with PyTorch
};

// Ratios of the times of topbit and PyTorch; above 1 topbit is slower.
struct family_summary {
  std::string family;
  int cells = 0, slower = 0;   // slower: by more than a tenth
  double mean = 0, worst = 0;  // geometric mean; 0 without PyTorch
};

// In the order in which families come first, then all of them as "all". Cells with a problem are not counted.
std::vector<family_summary> families_of(const std::vector<measured_cell>& cells);
// Those with a greater ratio, worst first.
std::vector<const measured_cell*> cells_over(double ratio, const std::vector<measured_cell>& cells);

// Without PyTorch: the time of each cell.
void print(std::ostream& out, const sweep_report& r);
std::string to_json(const sweep_report& r);

// Tables for a page: what was measured, ratios by family, and every cell in which topbit is slower, worst first.
std::string to_markdown(const sweep_report& r);

// A dot for each cell that was compared: PyTorch's time across, topbit's upwards, both logarithmic, with the line on
// which they are equal. A dot's title has the cell's name and times.
std::string to_svg(const sweep_report& r);

}  // namespace bench::operators
