#include "speedup.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace bench::operators {

namespace {

struct earlier_times {
  double topbit = 0, torch = 0;  // microseconds
};

std::string full_name(const std::string& family, const std::string& name, const std::string& size) {
  return family + "/" + name + "/" + size;
}

std::map<std::string, earlier_times> read(const std::string& text) {
  std::map<std::string, earlier_times> found;
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    for (const nlohmann::json& one : all.at("cells")) {
      if (one.contains("problem")) continue;
      earlier_times& times = found[full_name(one.at("family"), one.at("operator"), one.at("size"))];
      times.topbit = one.at("topbit").at("median_us");
      if (one.contains("pytorch")) times.torch = one["pytorch"].at("median_us");
    }
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(
        std::string("found an earlier run that cannot be read, wanted a file that --json wrote: ") + e.what());
  }
  return found;
}

// Sums of logarithms until mean().
void add(speedup& to, const measured_cell& cell, const earlier_times& before) {
  const double gain = before.topbit / (cell.topbit.median * 1e6);
  if (to.cells++ == 0 || gain < to.least) {
    to.least = gain;
    to.cell = full_name(cell.family, cell.name, cell.size);
  }
  to.topbit += std::log(gain);
  // Infinite, and so left out in the end, if one cell has no time of PyTorch.
  to.torch += std::log(before.torch / (cell.peer.median * 1e6));
}
void mean(speedup& s) {
  s.topbit = std::exp(s.topbit / s.cells);
  s.torch = std::isfinite(s.torch) ? std::exp(s.torch / s.cells) : 0;
}

std::string two_digits(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << value;
  return value == 0 ? "-" : text.str();
}

}  // namespace

std::vector<speedup> speedups_of(const std::vector<measured_cell>& cells, const std::string& earlier) {
  const std::map<std::string, earlier_times> before = read(earlier);
  std::vector<speedup> found;
  speedup all{.family = "all"};
  for (const measured_cell& cell : cells) {
    const auto there = before.find(full_name(cell.family, cell.name, cell.size));
    if (!cell.problem.empty() || there == before.end()) continue;
    auto family = std::ranges::find(found, cell.family, &speedup::family);
    if (family == found.end()) family = found.insert(found.end(), {.family = cell.family});
    add(*family, cell, there->second);
    add(all, cell, there->second);
  }
  if (all.cells == 0) throw std::runtime_error("found no cell of this run in the earlier one, wanted at least one");
  found.push_back(all);
  std::ranges::for_each(found, mean);
  return found;
}

void print(std::ostream& out, const std::vector<speedup>& all) {
  const auto line = [&](const std::string& family, const std::string& cells, const std::string& topbit,
                        const std::string& torch, const std::string& least, const std::string& cell) {
    out << std::left << std::setw(14) << family << std::right << std::setw(8) << cells << std::setw(8) << topbit
        << std::setw(9) << torch << std::setw(8) << least << "  " << cell << '\n';
  };
  out << "\ntime of the earlier run / time of this one, by family\n\n";
  line("family", "cells", "topbit", "PyTorch", "least", "topbit's, in the cell");
  for (const speedup& s : all) {
    line(s.family, std::to_string(s.cells), two_digits(s.topbit), two_digits(s.torch), two_digits(s.least), s.cell);
  }
}

std::string to_markdown(const std::vector<speedup>& all) {
  std::string out =
      "\n| family | cells | topbit | PyTorch | topbit's least | in the cell |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const speedup& s : all) {
    for (const std::string& field :
         {s.family, std::to_string(s.cells), two_digits(s.topbit), two_digits(s.torch), two_digits(s.least), s.cell}) {
      out += "| " + field + " ";
    }
    out += "|\n";
  }
  return out;
}

}  // namespace bench::operators
