// The command that says which operators declare their gradients.
module topbit.cli:gradients_command;

import :command;

namespace topbit::cli {

answer run_gradients(const request& r);

}  // namespace topbit::cli
