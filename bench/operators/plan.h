// What is measured: which operators at which sizes. Made from the lists of cells/, by the words of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shape.h"

namespace bench::operators {

// How two results are compared.
enum class check : std::uint8_t {
  all,      // every result
  first,    // the first one alone: indices of equal elements may differ
  moments,  // of random numbers: their count, mean and variance
  sizes,    // of elements that mean nothing, or where several answers are right: their number
};

// An operator as the program sees it; its place is that of the library's list.
struct operation {
  std::string family, name;
  shape_set shapes;
  check how = check::all;
  double slack = 1;  // by which results may be further apart than their type's precision
};

struct planned_cell {
  std::size_t operation;
  std::string size;
  shape numbers;
};

struct choice {
  std::vector<std::string> families = {}, sizes = {};  // all where empty; a size by the first word of its label
  std::string filter = {};                             // a regular expression, searched in "family/operator/size"
  int drawn = 0;  // cells with shapes drawn from the seed, besides those of the lists
  std::uint64_t seed = 1;
};

std::string full_name(const operation& of, const std::string& size);

// In the order of the operations, the drawn ones last. Throws std::runtime_error, naming what there is, for a family
// that is unknown, a filter that is no regular expression, or where nothing is left; std::logic_error for a name that
// two cells have.
std::vector<planned_cell> plan(const std::vector<operation>& all, const choice& wanted);

}  // namespace bench::operators
