#include "problem.h"

#include <bit>
#include <cmath>

namespace bench {

std::size_t bytes_of(element type) {
  switch (type) {
    case element::float32: return 4;
    case element::bfloat16: return 2;
    case element::float64:
    case element::int64: return 8;
  }
  return 0;
}

std::string name_of(element type) {
  switch (type) {
    case element::float32: return "float32";
    case element::float64: return "float64";
    case element::bfloat16: return "bfloat16";
    case element::int64: return "int64";
  }
  return "";
}

std::string name_of(form how) {
  switch (how) {
    case form::given: return "given";
    case form::fresh: return "new";
    case form::unmapped: return "first_touch";
    case form::in_place: return "in_place";
  }
  return "";
}

std::int64_t array::count() const {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

float float_of(std::uint16_t bfloat16) { return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat16) << 16); }

// To the nearest, ties to even; the value is finite.
std::uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

double value_at(const array& a, std::int64_t place) {
  switch (a.type) {
    case element::float32: return a.as<float>()[place];
    case element::float64: return a.as<double>()[place];
    case element::bfloat16: return float_of(a.as<std::uint16_t>()[place]);
    case element::int64: return static_cast<double>(a.as<std::int64_t>()[place]);
  }
  return std::nan("");
}

std::string problem::name() const { return family + "/" + operation + "/" + name_of(how) + "/" + label; }

double problem::per_call() const {
  const double amount = unit == "GB/s" ? bytes : unit == "GF/s" ? flops : unit == "Ge/s" ? elements : 0;
  return amount * 1e-9;
}

}  // namespace bench
