// The command that calls an operator with arguments written as text.
module topbit.cli:call_command;

import :command;

namespace topbit::cli {

answer run_call(const request& r);

}  // namespace topbit::cli
