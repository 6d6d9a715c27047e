#include "report.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

namespace bench::operators {

namespace {

constexpr double slower = 1.1;

std::string microseconds(double seconds) {
  std::ostringstream text;
  const double us = seconds * 1e6;
  text << std::fixed << std::setprecision(us < 10 ? 3 : us < 1000 ? 1 : 0) << us;
  return text.str();
}

std::string two_digits(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << value;
  return text.str();
}

void add(family_summary& to, const measured_cell& cell) {
  ++to.cells;
  if (cell.ratio() == 0) return;
  to.mean += std::log(cell.ratio());
  to.worst = std::max(to.worst, cell.ratio());
  to.slower += cell.ratio() > slower;
}

void print_families(std::ostream& out, const sweep_report& r) {
  out << "\ntime of topbit / time of PyTorch, by family\n\n"
      << std::left << std::setw(14) << "family" << std::right << std::setw(8) << "cells" << std::setw(8) << "mean"
      << std::setw(8) << "worst" << std::setw(11) << "over 1.10" << '\n';
  for (const family_summary& f : families_of(r.cells)) {
    out << std::left << std::setw(14) << f.family << std::right << std::setw(8) << f.cells << std::setw(8)
        << two_digits(f.mean) << std::setw(8) << two_digits(f.worst) << std::setw(11) << f.slower << '\n';
  }
}

void print_cells(std::ostream& out, const std::vector<const measured_cell*>& cells, bool compared) {
  std::size_t width = 12;
  for (const measured_cell* cell : cells)
    width = std::max(width, cell->family.size() + cell->name.size() + cell->size.size() + 2);
  out << std::left << std::setw(static_cast<int>(width)) << "cell" << std::right << std::setw(12) << "topbit us";
  if (compared) out << std::setw(12) << "PyTorch us" << std::setw(8) << "ratio";
  out << '\n';
  for (const measured_cell* cell : cells) {
    out << std::left << std::setw(static_cast<int>(width)) << cell->family + "/" + cell->name + "/" + cell->size
        << std::right << std::setw(12) << microseconds(cell->topbit.median);
    if (compared) out << std::setw(12) << microseconds(cell->peer.median) << std::setw(8) << two_digits(cell->ratio());
    out << '\n';
  }
}

nlohmann::ordered_json json_of(const timing& t) {
  return {{"median_us", t.median * 1e6}, {"low_us", t.low * 1e6}, {"high_us", t.high * 1e6}, {"best_us", t.best * 1e6}};
}

}  // namespace

std::vector<family_summary> families_of(const std::vector<measured_cell>& cells) {
  std::vector<family_summary> found;
  family_summary all{.family = "all"};
  for (const measured_cell& cell : cells) {
    if (!cell.problem.empty()) continue;
    auto there = std::ranges::find(found, cell.family, &family_summary::family);
    if (there == found.end()) there = found.insert(found.end(), {.family = cell.family});
    add(*there, cell);
    add(all, cell);
  }
  found.push_back(all);
  for (family_summary& f : found) f.mean = f.worst == 0 ? 0 : std::exp(f.mean / f.cells);
  return found;
}

std::vector<const measured_cell*> cells_over(double ratio, const std::vector<measured_cell>& cells) {
  std::vector<const measured_cell*> found;
  for (const measured_cell& cell : cells) {
    if (cell.problem.empty() && cell.ratio() > ratio) found.push_back(&cell);
  }
  std::ranges::sort(found, std::greater(), &measured_cell::ratio);
  return found;
}

void print(std::ostream& out, const sweep_report& r) {
  for (const auto& [name, text] : r.header) out << name << ": " << text << '\n';
  if (r.compared) {
    print_families(out, r);
    const std::vector<const measured_cell*> worst = cells_over(slower, r.cells);
    out << "\ncells over 1.10, worst first" << (worst.empty() ? ": none\n" : "\n\n");
    if (!worst.empty()) print_cells(out, worst, true);
  } else {
    std::vector<const measured_cell*> all;
    for (const measured_cell& cell : r.cells) {
      if (cell.problem.empty()) all.push_back(&cell);
    }
    out << '\n';
    print_cells(out, all, false);
  }
  for (const measured_cell& cell : r.cells) {
    if (!cell.problem.empty())
      out << "not timed: " << cell.family << '/' << cell.name << '/' << cell.size << ": " << cell.problem << '\n';
  }
}

std::string to_json(const sweep_report& r) {
  nlohmann::ordered_json all;
  for (const auto& [name, text] : r.header) all[name] = text;
  if (r.compared) {
    for (const family_summary& f : families_of(r.cells)) {
      all["families"][f.family] = {
          {"cells", f.cells}, {"geometric_mean", f.mean}, {"worst", f.worst}, {"over_1_10", f.slower}};
    }
  }
  all["cells"] = nlohmann::ordered_json::array();
  for (const measured_cell& cell : r.cells) {
    nlohmann::ordered_json one{
        {"family", cell.family}, {"operator", cell.name}, {"size", cell.size}, {"numbers", cell.numbers}};
    if (!cell.problem.empty()) {
      one["problem"] = cell.problem;
    } else {
      one["topbit"] = json_of(cell.topbit);
      if (r.compared) {
        one["pytorch"] = json_of(cell.peer);
        one["ratio"] = cell.ratio();
      }
    }
    all["cells"].push_back(one);
  }
  return all.dump(1) + "\n";
}

std::string to_markdown(const sweep_report& r) {
  std::ostringstream out;
  out << "| of this run | |\n| --- | --- |\n";
  for (const auto& [name, text] : r.header) out << "| " << name << " | " << text << " |\n";
  if (!r.compared) return out.str();
  out << "\n| family | cells | geometric mean | worst | over 1.10 |\n| --- | --- | --- | --- | --- |\n";
  for (const family_summary& f : families_of(r.cells)) {
    out << "| " << f.family << " | " << f.cells << " | " << two_digits(f.mean) << " | " << two_digits(f.worst) << " | "
        << f.slower << " |\n";
  }
  out << "\n| family | operator | size | topbit, us | PyTorch, us | ratio |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const measured_cell* cell : cells_over(1, r.cells)) {
    out << "| " << cell->family << " | " << cell->name << " | " << cell->size << " | "
        << microseconds(cell->topbit.median) << " | " << microseconds(cell->peer.median) << " | "
        << two_digits(cell->ratio()) << " |\n";
  }
  return out.str();
}

}  // namespace bench::operators
