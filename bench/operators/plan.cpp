#include "plan.h"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

namespace bench::operators {

namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::ranges::find(words, word) != words.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void check_families(const std::vector<operation>& all, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const operation& o : all) {
    if (std::ranges::find(known, o.family) == known.end()) known.push_back(o.family);
  }
  for (const std::string& family : wanted) {
    if (!has(known, family))
      throw std::runtime_error("found the family '" + family + "', wanted one of " + joined(known));
  }
}

std::regex expression(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw std::runtime_error("found the filter '" + text + "', wanted a regular expression");
  }
}

// Operators with equal chances, so that a family with many is drawn often.
std::vector<planned_cell> draw(const std::vector<operation>& all, const std::vector<std::string>& families, int count,
                               std::uint64_t seed) {
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].shapes.kind->draw != nullptr && has(families, all[i].family)) possible.push_back(i);
  }
  std::vector<planned_cell> drawn;
  std::mt19937_64 random(seed);
  while (!possible.empty() && drawn.size() < static_cast<std::size_t>(count)) {
    const std::size_t which = possible[random() % possible.size()];
    const shape numbers = all[which].shapes.kind->draw(random);
    drawn.push_back({which, drawn_label(numbers), numbers});
  }
  return drawn;
}

}  // namespace

std::string full_name(const operation& of, const std::string& size) { return of.family + "/" + of.name + "/" + size; }

std::vector<planned_cell> plan(const std::vector<operation>& all, const choice& wanted) {
  check_families(all, wanted.families);
  const std::regex filter = expression(wanted.filter);
  std::vector<planned_cell> cells;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::string& label : all[i].shapes.labels) {
      if (!names.insert(full_name(all[i], label)).second)
        throw std::logic_error("two cells have the name " + full_name(all[i], label));
      cells.push_back({i, label, all[i].shapes.kind->of(label)});
    }
  }
  for (const planned_cell& cell : draw(all, wanted.families, wanted.drawn, wanted.seed)) {
    if (names.insert(full_name(all[cell.operation], cell.size)).second) cells.push_back(cell);
  }
  std::erase_if(cells, [&](const planned_cell& cell) {
    const operation& o = all[cell.operation];
    return !has(wanted.families, o.family) || !has(wanted.sizes, cell.size.substr(0, cell.size.find(' '))) ||
           !std::regex_search(full_name(o, cell.size), filter);
  });
  if (cells.empty()) throw std::runtime_error("found no cell that matches, wanted one of --list");
  return cells;
}

}  // namespace bench::operators
