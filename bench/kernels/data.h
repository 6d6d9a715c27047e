// Memory and numbers for the arrays of a problem: the same numbers in every process and for every peer.
#pragma once

#include <cstddef>
#include <memory>

#include "problem.h"

namespace bench {

// Memory of the tensor library that is measured, so that its calls write where all others write. Elements of that type.
std::shared_ptr<void> take_memory(element type, std::int64_t count);

// A problem whose arrays have memory, which lives as long as this does.
class ready_problem {
 public:
  explicit ready_problem(const problem& of);
  const problem& get() const { return problem_; }

 private:
  problem problem_;
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace bench
