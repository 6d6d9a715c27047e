// The commands about operator tables: declarations for one, and a list against what is registered.
module topbit.cli:table_commands;

import :command;

namespace topbit::cli {

answer run_generate(const request& r);
answer run_difference(const request& r);

}  // namespace topbit::cli
