// The command that calls an operator and holds its kernels to their schemas.
module topbit.cli:check_command;

import :command;

namespace topbit::cli {

answer run_check(const request& r);

}  // namespace topbit::cli
