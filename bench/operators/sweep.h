// Times cells by one library, or by two in the same rounds, once their results have been compared. The second is
// PyTorch, or topbit of another build.
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
  timing topbit, peer;        // seconds of a call; peer is 0 without a second library
  std::string problem;        // why it was not timed, or nothing
  std::int64_t elements = 0;  // of the largest input or result

  double ratio() const { return peer.median > 0 ? topbit.median / peer.median : 0; }
};

struct sweep_options {
  int rounds = 15;     // at most
  double seconds = 0;  // of all cells together, or 0 for as many as the rounds take
  int threads = 1;
  unsigned seed = 1;        // of the order in the rounds
  bool peer_first = false;  // prepares the cells of the second library first
};

// `peer` may be null. An operator of `all` that a library was not compiled with is a problem of the cell. `begin` is
// told each cell.
std::vector<measured_cell> sweep(const std::vector<operation>& all, const std::vector<planned_cell>& planned,
                                 library& topbit, library* peer, const sweep_options& options,
                                 const std::function<void(const std::string& name)>& begin);

// Those cells whose operators the library has.
std::vector<planned_cell> known_cells(library& of, const std::vector<operation>& all,
                                      const std::vector<planned_cell>& planned);

}  // namespace bench::operators
