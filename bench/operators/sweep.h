// Times cells by one library, or by two in the same rounds, once their results have been compared.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../kernels/measure.h"
#include "library.h"
#include "plan.h"

namespace bench::operators {

struct measured_cell {
  std::string family, name, size;
  shape numbers;
  timing topbit, torch;  // seconds of a call; torch is 0 without PyTorch
  std::string problem;   // why it was not timed, or nothing

  double ratio() const { return torch.median > 0 ? topbit.median / torch.median : 0; }
};

struct sweep_options {
  int rounds = 15;     // at most
  double seconds = 0;  // of all cells together, or 0 for as many as the rounds take
  int threads = 1;
  unsigned seed = 1;  // of the order in the rounds
};

// `torch` may be null. Both libraries know the same operators; `all` are those of the first. `begin` is told each cell.
// Operators that PyTorch's library was not compiled with are a problem of the cell.
std::vector<measured_cell> sweep(const std::vector<operation>& all, const std::vector<planned_cell>& planned,
                                 library& topbit, library* torch, const sweep_options& options,
                                 const std::function<void(const std::string& name)>& begin);

}  // namespace bench::operators
