// Scripts that complete words for a shell, made from the descriptions of the commands. Names of operators and keys are
// asked of the program itself.
module topbit.cli:completions;

import :command;

namespace topbit::cli {

answer run_completions(const request& r);

}  // namespace topbit::cli
