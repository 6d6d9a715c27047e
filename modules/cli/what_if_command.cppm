// The command that tries registrations out.
module topbit.cli:what_if_command;

import :command;

namespace topbit::cli {

answer run_what_if(const request& r);

}  // namespace topbit::cli
