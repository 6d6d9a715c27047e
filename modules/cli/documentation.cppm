// The command that shows the pages published about operators.
export module topbit.cli:documentation;

import :command;

namespace topbit::cli {

answer run_doc(const request& r);

}  // namespace topbit::cli
