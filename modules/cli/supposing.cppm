// The command that tries registrations out.
export module topbit.cli:supposing;

import :command;

namespace topbit::cli {

answer run_what_if(const request& r);

}  // namespace topbit::cli
