// The command that prints the table of a trace file.
module topbit.cli:profile_command;

import :command;

namespace topbit::cli {

answer run_profile(const request& r);

}  // namespace topbit::cli
