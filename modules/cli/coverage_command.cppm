// The command that shows operators by keys, as text, as JSON and as a page.
module topbit.cli:coverage_command;

import :command;

namespace topbit::cli {

answer run_coverage(const request& r);

}  // namespace topbit::cli
