// The checker that TOPBIT_CHECK asks for: of all threads, from before main() until the process ends.
module;

#include <stdlib.h>
#include <unistd.h>

module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.modes;
import :checker;

namespace topbit::contracts {

bool check_as_environment_says() {
  const char* const asked = secure_getenv("TOPBIT_CHECK");
  const std::string_view wanted = asked == nullptr ? "" : asked;
  if (wanted.empty() || wanted == "0") return false;
  if (wanted.size() != 1 || wanted[0] < '1' || wanted[0] > '3') {
    author::warn({"TOPBIT_CHECK: found '", wanted, "', wanted 0, 1, 2 or 3"});
    // Before main(): nothing needs a cleanup.
    _exit(2);
  }
  // Never destroyed: threads may make calls during exit.
  static auto& of_all_threads = *new checker({.depth = static_cast<level>(wanted[0] - '1'), .prints = true});
  modes::push_for_all_threads(of_all_threads, modes::below);
  static const pid_t process = getpid();
  std::atexit([] {
    if (getpid() != process) return;  // a forked child tells nothing of its parent
    for (const finding& f : of_all_threads.hints()) author::warn({"hint: ", to_string(f)});
  });
  return true;
}

}  // namespace topbit::contracts
