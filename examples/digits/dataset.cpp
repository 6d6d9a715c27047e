#include "dataset.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace {

constexpr std::size_t pixel_count = 64;

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

split_digits split(const digits& all) {
  std::vector<std::size_t> train, test;
  for (std::size_t i = 0; i < all.count(); ++i) (i % 5 == 4 ? test : train).push_back(i);
  return {select(all, train), select(all, test)};
}

digits select(const digits& from, const std::vector<std::size_t>& order) {
  digits out;
  out.pixels.reserve(order.size() * pixel_count);
  for (std::size_t i : order) {
    const auto first = from.pixels.begin() + static_cast<std::ptrdiff_t>(i * pixel_count);
    out.pixels.insert(out.pixels.end(), first, first + pixel_count);
    out.labels.push_back(from.labels[i]);
  }
  return out;
}

void shift(float* image, int dx, int dy) {
  constexpr int side = 8;
  std::array<float, pixel_count> moved{};
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const int from_x = x - dx, from_y = y - dy;
      if (from_x < 0 || from_x >= side || from_y < 0 || from_y >= side) continue;
      moved[static_cast<std::size_t>(y * side + x)] = image[from_y * side + from_x];
    }
  }
  std::copy(moved.begin(), moved.end(), image);
}
