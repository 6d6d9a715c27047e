// The command that shows the pages published about operators.
module topbit.cli:doc_command;

import :command;

namespace topbit::cli {

answer run_doc(const request& r);

}  // namespace topbit::cli
