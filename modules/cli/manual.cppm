// The manual page, made from the descriptions of the commands.
module topbit.cli:manual;

import :command;

namespace topbit::cli {

/// roff with the macros of man(7).
answer run_man(const request& r);

}  // namespace topbit::cli
