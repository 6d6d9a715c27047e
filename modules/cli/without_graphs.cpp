// The commands about recorded programs, in a build without topbit.graphs.
module topbit.cli;

import topbit.std;
import topbit.core;
import :graph_commands;

namespace topbit::cli {

namespace {
[[noreturn]] answer refuse() {
  throw bad_request("this topbit was built with TOPBIT_TRAINING=OFF and knows no graphs; build it with ON");
}
}  // namespace

answer run_record(const request&) { refuse(); }
answer run_replay(const request&) { refuse(); }
answer run_graph(const request&) { refuse(); }
answer run_shadow(const request&) { refuse(); }
std::optional<answer> compare_graph_files(const request&) { return std::nullopt; }

}  // namespace topbit::cli
