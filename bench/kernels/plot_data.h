// The numbers of the plots, as files that plots/*.gp read.
#pragma once

#include <string>

#include "results.h"

namespace bench {

// Writes into the folder: for each figure a file of variables (<figure>.gp) and its columns (*.tsv). Throws
// std::runtime_error for a file that cannot be written.
void write_plot_data(const report& r, const std::string& folder);

}  // namespace bench
