#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "report.h"

namespace bench::operators {

namespace {

constexpr double width = 1000, height = 860, left = 80, right = 800, top = 40, bottom = 790;

// Distinct where they meet; families beyond the last begin again with a square instead of a circle.
constexpr std::array<const char*, 10> colours{"#0b5cad", "#d95f02", "#1b9e77", "#7a3fa0", "#e6a100",
                                              "#c2185b", "#5d4037", "#00838f", "#7cb342", "#606060"};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

// Both axes have the same decades, so that the diagonal is one.
struct scale {
  int low = 0, high = 1;  // powers of ten, microseconds

  double part(double us) const { return (std::log10(us) - low) / (high - low); }
  double x(double us) const { return left + part(us) * (right - left); }
  double y(double us) const { return bottom - part(us) * (bottom - top); }
};

scale scale_of(const std::vector<measured_cell>& cells) {
  double least = 1, greatest = 1;
  for (const measured_cell& cell : cells) {
    if (cell.ratio() == 0) continue;
    least = std::min({least, cell.topbit.median * 1e6, cell.peer.median * 1e6});
    greatest = std::max({greatest, cell.topbit.median * 1e6, cell.peer.median * 1e6});
  }
  return {static_cast<int>(std::floor(std::log10(least))),
          std::max(1, static_cast<int>(std::ceil(std::log10(greatest))))};
}

void text(std::ostream& out, double x, double y, const std::string& words, const char* more = "") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" " << more << ">" << escaped(words) << "</text>\n";
}

void line(std::ostream& out, double x1, double y1, double x2, double y2, const char* style) {
  out << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" " << style << "/>\n";
}

void draw_axes(std::ostream& out, const scale& s) {
  for (int power = s.low; power <= s.high; ++power) {
    const double us = std::pow(10, power);
    line(out, s.x(us), top, s.x(us), bottom, "stroke=\"#e4e4e4\"");
    line(out, left, s.y(us), right, s.y(us), "stroke=\"#e4e4e4\"");
    const std::string label = power < 0 ? "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + "1"
                                        : "1" + std::string(static_cast<std::size_t>(power), '0');
    text(out, s.x(us), bottom + 20, label, "text-anchor=\"middle\"");
    text(out, left - 8, s.y(us) + 4, label, "text-anchor=\"end\"");
  }
  line(out, left, bottom, right, top, "stroke=\"#202020\" stroke-width=\"1.5\"");
  text(out, (left + right) / 2, bottom + 46, "PyTorch, microseconds a call", "text-anchor=\"middle\"");
  text(out, 0, 0, "topbit, microseconds a call", "text-anchor=\"middle\" transform=\"translate(22 415) rotate(-90)\"");
  text(out, left + 12, top + 18, "above the line topbit is slower");
}

void draw_mark(std::ostream& out, std::size_t family, double x, double y, const std::string& title) {
  const char* colour = colours[family % colours.size()];
  const std::string inside = title.empty() ? "" : "<title>" + escaped(title) + "</title>";
  if (family < colours.size())
    out << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"3.2\" fill=\"" << colour << "\" fill-opacity=\"0.75\">"
        << inside << "</circle>\n";
  else
    out << "<rect x=\"" << x - 3 << "\" y=\"" << y - 3 << "\" width=\"6\" height=\"6\" fill=\"" << colour
        << "\" fill-opacity=\"0.75\">" << inside << "</rect>\n";
}

}  // namespace

std::string to_svg(const sweep_report& r) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"Helvetica, sans-serif\" font-size=\"13\" fill=\"#303030\">\n"
      << "<rect width=\"" << width << "\" height=\"" << height << "\" fill=\"white\"/>\n";
  const scale s = scale_of(r.cells);
  draw_axes(out, s);
  std::vector<family_summary> families = families_of(r.cells);
  families.pop_back();
  for (const measured_cell& cell : r.cells) {
    if (!cell.problem.empty() || cell.ratio() == 0) continue;
    const auto there = std::ranges::find(families, cell.family, &family_summary::family);
    std::ostringstream title;
    title << std::fixed << std::setprecision(2) << cell.family << ' ' << cell.name << ' ' << cell.size << ": "
          << cell.topbit.median * 1e6 << " beside " << cell.peer.median * 1e6 << " us, " << cell.ratio();
    draw_mark(out, static_cast<std::size_t>(there - families.begin()), s.x(cell.peer.median * 1e6),
              s.y(cell.topbit.median * 1e6), title.str());
  }
  for (std::size_t f = 0; f < families.size(); ++f) {
    const double y = top + 20 + 24 * static_cast<double>(f);
    draw_mark(out, f, right + 24, y - 4, "");
    std::ostringstream words;
    words << families[f].family;
    if (r.compared) words << ", " << std::setprecision(2) << std::fixed << families[f].mean;
    text(out, right + 36, y, words.str());
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace bench::operators
