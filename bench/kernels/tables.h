// A report as tables of text, for a terminal and for a page.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "results.h"

namespace bench {

struct text_table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

// One of each family, and one of the functions' errors.
std::vector<text_table> tables(const report& r);
text_table cost_table(const report& r);

void print(std::ostream& out, const text_table& t);
void print_markdown(std::ostream& out, const text_table& t);

// The page with what stands between its two marks replaced by this report. Throws std::runtime_error for a page without
// the marks.
std::string with_report(const std::string& page, const report& r);

// Three digits: "0.0123", "1.23", "123", "12300".
std::string three_digits(double value);

}  // namespace bench
