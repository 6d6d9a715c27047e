// Runs the works of one problem after another: in this process, or in a child in which the peers run as they choose for
// themselves. The child does nothing while it is not asked, so that rounds of both alternate.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "accuracy.h"
#include "problem.h"

namespace bench {

struct contender {
  std::string name, version, setting;
  int threads = 1;
  bool yardstick = false;
  double flops = 0;  // of one call, where that is not the problem's number
  double bytes = 0;  // that it keeps, where no time is asked for
};

struct function_error {
  std::string name, setting;
  error greatest;
};

class runner {
 public:
  virtual ~runner() = default;
  // The contenders for a problem, by its place in the list. Throws std::runtime_error for a result that is wrong.
  virtual std::vector<contender> prepare(std::size_t problem) = 0;
  // For so many calls of a contender.
  virtual double seconds(std::size_t contender, std::int64_t calls) = 0;
  virtual void drop() = 0;
  virtual std::vector<function_error> errors(const std::string& function) = 0;
};

// `settings_only`: peers that are to run as they choose for themselves, and no others.
std::unique_ptr<runner> local_runner(std::vector<problem> all, bool settings_only);

// A child of this program; `words` are those that make it choose the same list of problems.
std::unique_ptr<runner> child_runner(const std::vector<std::string>& words);
// What the child does: answers on its output what is asked on its input, until that ends.
void serve(runner& of);

}  // namespace bench
