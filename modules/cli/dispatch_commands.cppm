// Commands about what one operator does: its table, and where a call goes.
module topbit.cli:dispatch_commands;

import :command;

namespace topbit::cli {

answer run_table(const request& r);
answer run_explain(const request& r);

}  // namespace topbit::cli
