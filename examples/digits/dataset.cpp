#include "dataset.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace {

constexpr std::size_t pixel_count = digits::side * digits::side;

[[noreturn]] void fail(const std::string& path, std::size_t line, std::size_t column, const std::string& why) {
  throw std::runtime_error(path + ", line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + why);
}

void read_line(digits& out, const std::string& path, std::size_t number, std::string_view line) {
  std::size_t at = 0;
  for (std::size_t field = 0; field <= pixel_count; ++field) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    const std::string_view text = line.substr(at, end - at);
    const int most = field == pixel_count ? 9 : 16;
    int value = -1;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value < 0 || value > most) {
      fail(path, number, at + 1,
           "found '" + std::string(text) + "', wanted a number from 0 to " + std::to_string(most));
    }
    if (field == pixel_count)
      out.labels.push_back(value);
    else
      out.pixels.push_back(static_cast<float>(value) / 16.0F);
    if (field < pixel_count && end == line.size()) {
      fail(path, number, end + 1, "found " + std::to_string(field + 1) + " fields, wanted 65");
    }
    at = end + 1;
  }
  if (at <= line.size()) fail(path, number, at, "found more than 65 fields");
}

}  // namespace

digits read_digits(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be opened; the digits are examples/data/digits.csv in the source tree");
  digits out;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) read_line(out, path, number, line);
  }
  if (out.count() < 10)
    throw std::runtime_error(path + ": found " + std::to_string(out.count()) + " images, wanted at least 10");
  return out;
}
