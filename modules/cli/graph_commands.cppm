// The commands about recorded programs.
module topbit.cli:graph_commands;

import topbit.std;
import :command;

namespace topbit::cli {

answer run_record(const request& r);
answer run_replay(const request& r);
answer run_graph(const request& r);
answer run_shadow(const request& r);

// What diff says of two files with graphs; nothing where the first one has none.
std::optional<answer> compare_graph_files(const request& r);

}  // namespace topbit::cli
