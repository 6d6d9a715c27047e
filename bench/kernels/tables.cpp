#include "tables.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "goals.h"

namespace bench {

namespace {

constexpr std::string_view begin_mark = "<!-- made by ./dev bench kernels --docs: begin -->\n";
constexpr std::string_view end_mark = "<!-- made by ./dev bench kernels --docs: end -->\n";

const char* sentence(const std::string& family) {
  if (family == "limits") return "What the machine can do";
  if (family == "small") return "Small tensors";
  if (family == "elementwise") return "Elementwise";
  if (family == "functions") return "Functions";
  if (family == "reductions") return "Reductions";
  if (family == "rows") return "Rows";
  if (family == "matmul") return "Matrix products";
  if (family == "networks") return "Layers of networks";
  if (family == "threads") return "Two threads";
  if (family == "autograd") return "Autograd";
  return "Others";
}

// The fastest library beside topbit that may be compared.
const result* best_other(const report& r, const measured_row& row) {
  const result* best = nullptr;
  for (const result& one : row.results) {
    if (one.by == "topbit" || one.yardstick || !within_bound(r, row, one)) continue;
    if (best == nullptr || one.seconds < best->seconds) best = &one;
  }
  return best;
}

// Headings of all rows, libraries before loops, each in the order they came.
std::vector<std::string> headings(const std::vector<const measured_row*>& rows) {
  std::vector<std::string> found;
  for (const bool yardsticks : {false, true}) {
    for (const measured_row* row : rows) {
      for (const result& one : row->results) {
        const std::string text = heading(*row, one);
        if (one.yardstick == yardsticks && std::ranges::find(found, text) == found.end()) found.push_back(text);
      }
    }
  }
  return found;
}

text_table family(const report& r, const std::string& name) {
  std::vector<const measured_row*> rows;
  for (const measured_row& row : r.rows) {
    if (row.family == name) rows.push_back(&row);
  }
  const bool one_unit = std::ranges::all_of(rows, [&](const measured_row* row) { return row->unit == rows[0]->unit; });
  text_table t;
  t.title = sentence(name) + (one_unit ? ", " + rows[0]->unit : std::string());
  t.header = {"operation", "result", "size"};
  if (!one_unit) t.header.emplace_back("unit");
  const std::vector<std::string> columns = headings(rows);
  t.header.insert(t.header.end(), columns.begin(), columns.end());
  const bool compared = name != "limits";
  if (compared) t.header.emplace_back("topbit / best library");
  for (const measured_row* row : rows) {
    std::string form = row->form;
    std::ranges::replace(form, '_', ' ');
    std::vector<std::string> cells{row->operation, form, row->label};
    if (!one_unit) cells.push_back(row->unit);
    for (const std::string& column : columns) {
      const auto found =
          std::ranges::find_if(row->results, [&](const result& one) { return heading(*row, one) == column; });
      std::string cell = found == row->results.end() ? "" : three_digits(found->rate);
      if (!cell.empty() && !within_bound(r, *row, *found)) cell += "*";
      cells.push_back(cell);
    }
    if (compared) {
      const result *own = best_of(*row, "topbit"), *other = best_other(r, *row);
      const bool timed = own != nullptr && other != nullptr && own->seconds != 0;
      cells.push_back(timed ? three_digits(other->seconds / own->seconds) : "");
    }
    t.rows.push_back(std::move(cells));
  }
  return t;
}

text_table errors(const report& r) {
  text_table t;
  t.title =
      "Greatest error in ulp of normal numbers (part of them beyond 2) / of denormal ones too / special values that "
      "differ";
  t.header = {"function", "bound"};
  std::vector<std::string> functions, columns;
  const auto column_of = [](const measured_error& e) { return e.by + " " + e.setting; };
  for (const measured_error& e : r.errors) {
    if (std::ranges::find(functions, e.function) == functions.end()) functions.push_back(e.function);
    if (std::ranges::find(columns, column_of(e)) == columns.end()) columns.push_back(column_of(e));
  }
  t.header.insert(t.header.end(), columns.begin(), columns.end());
  for (const std::string& function : functions) {
    const std::optional<double> limit = bound(r, function);
    std::vector<std::string> cells{function, limit ? three_digits(*limit) : "none"};
    for (const std::string& column : columns) {
      std::string cell;
      for (const measured_error& e : r.errors) {
        if (e.function != function || column_of(e) != column) continue;
        const std::string worse = e.worse > 0 ? " (" + three_digits(100 * e.worse) + " %)" : "";
        cell = three_digits(e.ulp) + worse + " / " + three_digits(e.ulp_beyond) + " / " + std::to_string(e.special);
      }
      cells.push_back(cell);
    }
    t.rows.push_back(std::move(cells));
  }
  return t;
}

std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? std::string("\\|") : c == '*' ? std::string("\\*") : std::string(1, c);
  return text;
}

}  // namespace

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "inf";
  if (value == 0) return "0";
  std::ostringstream out;
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 6);
  out << std::fixed << std::setprecision(digits) << value;
  return value >= 1e6 ? (std::ostringstream() << std::setprecision(2) << value).str() : out.str();
}

std::vector<text_table> tables(const report& r) {
  std::vector<std::string> families;
  for (const measured_row& row : r.rows) {
    if (std::ranges::find(families, row.family) == families.end()) families.push_back(row.family);
  }
  std::vector<text_table> all;
  for (const std::string& name : families) {
    all.push_back(family(r, name));
    if (name == "functions" && !r.errors.empty()) all.push_back(errors(r));
  }
  return all;
}

text_table cost_table(const report& r) {
  text_table t{"Cost table: ratios of medians of the same rounds", {"", "must", "aim", "measured", "verdict"}, {}};
  for (const table::line& line : goals(r)) {
    const auto goal = [&](std::optional<double> g) {
      return g ? (line.at_least ? ">= " : "<= ") + three_digits(*g) : std::string();
    };
    t.rows.push_back({line.what, goal(line.must), goal(line.aim), line.measured ? three_digits(*line.measured) : "-",
                      line.verdict()});
  }
  return t;
}

void print(std::ostream& out, const text_table& t) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : t.header) widths.push_back(cell.size());
  for (const auto& row : t.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::ostringstream text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool words = i < 3;
      text << (words ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << cells[i] << "  ";
    }
    const std::string whole = text.str();
    out << whole.substr(0, whole.find_last_not_of(' ') + 1) << '\n';
  };
  out << '\n' << t.title << '\n';
  line(t.header);
  for (const auto& row : t.rows) line(row);
}

void print_markdown(std::ostream& out, const text_table& t) {
  const auto line = [&](const std::vector<std::string>& cells) {
    out << "|";
    for (const std::string& cell : cells) out << ' ' << escaped(cell) << " |";
    out << '\n';
  };
  out << "\n### " << escaped(t.title) << "\n\n";
  line(t.header);
  line(std::vector<std::string>(t.header.size(), "---"));
  for (const auto& row : t.rows) line(row);
}

std::string with_report(const std::string& page, const report& r) {
  const std::size_t begin = page.find(begin_mark), end = page.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    throw std::runtime_error("found a page without the marks of its made part, wanted the lines '" +
                             std::string(begin_mark.substr(0, begin_mark.size() - 1)) + "' and '" +
                             std::string(end_mark.substr(0, end_mark.size() - 1)) + "'");
  }
  std::ostringstream out;
  out << page.substr(0, begin + begin_mark.size()) << "\n| of this run | |\n| --- | --- |\n";
  for (const auto& [name, text] : r.header) out << "| " << escaped(name) << " | " << escaped(text) << " |\n";
  print_markdown(out, cost_table(r));
  for (const text_table& t : tables(r)) print_markdown(out, t);
  out << '\n' << page.substr(end);
  return out.str();
}

}  // namespace bench
