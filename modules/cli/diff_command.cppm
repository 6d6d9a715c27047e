// The command that compares two files of answers.
module topbit.cli:diff_command;

import :command;

namespace topbit::cli {

answer run_diff(const request& r);

}  // namespace topbit::cli
