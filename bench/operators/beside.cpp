#include "beside.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <sstream>

namespace bench::operators {

namespace {

constexpr std::int64_t small_elements = 1024;
constexpr double over_3 = 1.03, over_8 = 1.08;

std::string digits(double value, int count) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(count) << value;
  return text.str();
}

std::string full_name(const measured_cell& cell) { return cell.family + "/" + cell.name + "/" + cell.size; }

double median_of(std::vector<double> values) { return summary(std::move(values)).median; }

void add(beside_family& family, const beside_cell& cell) {
  ++family.cells;
  family.means.resize(cell.ratios.size());
  // Sums of logarithms until finish().
  for (std::size_t run = 0; run < cell.ratios.size(); ++run) family.means[run] += std::log(cell.ratios[run]);
  family.over_3 += cell.least() > over_3;
  family.over_8 += cell.least() > over_8;
  family.small_over_8 += cell.is_small && cell.least() > over_8;
}

void finish(beside_family& family) {
  for (double& mean : family.means) mean = std::exp(mean / family.cells);
  family.mean = median_of(family.means);
}

std::vector<const beside_cell*> slower_cells(const std::vector<beside_cell>& cells) {
  std::vector<const beside_cell*> slower;
  for (const beside_cell& cell : cells) {
    if (cell.least() > over_3) slower.push_back(&cell);
  }
  std::ranges::sort(slower, std::greater(), [](const beside_cell* cell) { return median_of(cell->ratios); });
  return slower;
}

void print_families(std::ostream& out, const std::vector<beside_family>& families, std::size_t runs) {
  const auto line = [&](const std::string& family, const std::string& cells, const std::string& mean,
                        const std::string& range, const std::string& three, const std::string& eight,
                        const std::string& small) {
    out << std::left << std::setw(14) << family << std::right << std::setw(8) << cells << std::setw(8) << mean
        << std::setw(16) << range << std::setw(11) << three << std::setw(11) << eight << std::setw(12) << small << '\n';
  };
  out << "\ntime of this build / time of the other one, by family: the median of the runs' geometric means (runs: "
      << runs << "); cells that are over 1.03 or 1.08 in every run, small ones with at most " << small_elements
      << " elements\n\n";
  line("family", "cells", "mean", "of the runs", "over 1.03", "over 1.08", "small ones");
  for (const beside_family& f : families) {
    const auto [low, high] = std::ranges::minmax(f.means);
    line(f.family, std::to_string(f.cells), digits(f.mean, 3), digits(low, 3) + " - " + digits(high, 3),
         std::to_string(f.over_3), std::to_string(f.over_8), std::to_string(f.small_over_8));
  }
}

void print_cells(std::ostream& out, const std::vector<const beside_cell*>& cells) {
  std::size_t width = 12;
  for (const beside_cell* cell : cells) width = std::max(width, cell->name.size());
  out << "\ncells over 1.03 in every run, worst first" << (cells.empty() ? ": none\n" : "\n\n");
  if (cells.empty()) return;
  out << std::left << std::setw(static_cast<int>(width)) << "cell" << std::right << std::setw(12) << "this us"
      << std::setw(12) << "other us" << "   ratios\n";
  for (const beside_cell* cell : cells) {
    out << std::left << std::setw(static_cast<int>(width)) << cell->name << std::right << std::setw(12)
        << digits(cell->seconds * 1e6, 3) << std::setw(12) << digits(cell->other * 1e6, 3) << "  ";
    for (const double ratio : cell->ratios) out << ' ' << digits(ratio, 2);
    out << (cell->is_small ? "  small\n" : "\n");
  }
}

void print_limits(std::ostream& out, const std::vector<beside_family>& families) {
  std::string slower;
  for (const beside_family& f : families) {
    if (f.mean > over_3) slower += (slower.empty() ? "" : ", ") + f.family + " " + digits(f.mean, 3);
  }
  out << "\nfamilies over 1.03: " << (slower.empty() ? "none" : slower) << '\n'
      << "small cells over 1.08 in every run: " << families.back().small_over_8 << '\n';
}

}  // namespace

double beside_cell::least() const { return std::ranges::min(ratios); }

std::vector<beside_cell> cells_of(const beside_report& r) {
  std::vector<beside_cell> found;
  for (std::size_t i = 0; i < r.runs.at(0).size(); ++i) {
    const measured_cell& first = r.runs[0][i];
    beside_cell cell{first.family, full_name(first), first.elements <= small_elements, 0, 0, {}};
    std::vector<double> seconds, other;
    for (const std::vector<measured_cell>& run : r.runs) {
      if (!run[i].problem.empty() || run[i].ratio() == 0) continue;
      seconds.push_back(run[i].topbit.median);
      other.push_back(run[i].peer.median);
      cell.ratios.push_back(run[i].ratio());
    }
    if (cell.ratios.size() < r.runs.size()) continue;
    cell.seconds = median_of(std::move(seconds));
    cell.other = median_of(std::move(other));
    found.push_back(std::move(cell));
  }
  return found;
}

std::vector<beside_family> families_of(const std::vector<beside_cell>& cells) {
  std::vector<beside_family> found;
  beside_family all{.family = "all"};
  for (const beside_cell& cell : cells) {
    auto family = std::ranges::find(found, cell.family, &beside_family::family);
    if (family == found.end()) family = found.insert(found.end(), {.family = cell.family});
    add(*family, cell);
    add(all, cell);
  }
  if (all.cells > 0) found.push_back(all);
  std::ranges::for_each(found, finish);
  return found;
}

void print(std::ostream& out, const beside_report& r) {
  for (const auto& [name, text] : r.header) out << name << ": " << text << '\n';
  const std::vector<beside_cell> cells = cells_of(r);
  const std::vector<beside_family> families = families_of(cells);
  if (!families.empty()) {
    print_families(out, families, r.runs.size());
    print_cells(out, slower_cells(cells));
    print_limits(out, families);
  }
  std::set<std::string> said;
  for (const std::vector<measured_cell>& run : r.runs) {
    for (const measured_cell& cell : run) {
      if (!cell.problem.empty() && said.insert(full_name(cell)).second)
        out << "not timed: " << full_name(cell) << ": " << cell.problem << '\n';
    }
  }
}

std::string to_json(const beside_report& r) {
  nlohmann::ordered_json all;
  for (const auto& [name, text] : r.header) all[name] = text;
  const std::vector<beside_cell> cells = cells_of(r);
  for (const beside_family& f : families_of(cells)) {
    all["families"][f.family] = {{"cells", f.cells},      {"geometric_mean", f.mean},
                                 {"of_runs", f.means},    {"over_1_03", f.over_3},
                                 {"over_1_08", f.over_8}, {"small_over_1_08", f.small_over_8}};
  }
  all["cells"] = nlohmann::ordered_json::array();
  for (const beside_cell& cell : cells) {
    all["cells"].push_back({{"family", cell.family},
                            {"cell", cell.name},
                            {"small", cell.is_small},
                            {"this_us", cell.seconds * 1e6},
                            {"other_us", cell.other * 1e6},
                            {"ratios", cell.ratios}});
  }
  return all.dump(1) + "\n";
}

}  // namespace bench::operators
