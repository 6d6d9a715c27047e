// Commands that list: what operators there are, what is registered, which keys there are.
module topbit.cli:list_commands;

import :command;

namespace topbit::cli {

answer run_ops(const request& r);
answer run_dump(const request& r);
answer run_keys(const request& r);

}  // namespace topbit::cli
