// The programs whose compilation is measured, as texts. Knows topbit's names and nothing of compilers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace programs {

struct program {
  std::string name;  // "chain/1000"
  std::string text;
};

// Kernels that are registered for each operator, each for a key of its own and each a function of its own.
inline constexpr std::size_t kernels_per_operator = 5;

// Which signatures operators have: `few` the usual ones in turn; `varied` as many as PyTorch's list has;
// `distinct` each its own.
enum class mix { few, varied, distinct };

// How many signatures the first `count` operators have.
std::size_t signatures(mix m, std::size_t count);

// All of them; `many` is the number of operators in the largest, a tenth of it that in the middle ones.
std::vector<program> all(std::size_t many);

}  // namespace programs
