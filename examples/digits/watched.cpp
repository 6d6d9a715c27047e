// The demo, profiled from its first call to its last, without a change to it: the table goes to the standard error
// output, the trace to digits.json.gz. It imports the contract checker too, so that TOPBIT_CHECK=1|2|3 checks every
// call.
#include <cstdio>
#include <exception>

import topbit;
import topbit.contracts;
import topbit.profiler;

namespace {

struct watched {
  topbit::profile::session profile{{.costs = true, .memory = true, .backward = true}};
  ~watched() try {
    profile.stop();
    const topbit::profile::table t = profile.table();
    std::fputs(to_string(t.grouped(), 20).c_str(), stderr);
    profile.write_trace("digits.json.gz");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "demo_digits_watched: %s\n", e.what());
  }
} program;

}  // namespace
