// The command that calls an operator with arguments written as text.
module topbit.cli:call_command;

import topbit.std;
import topbit.core;
import :command;

namespace topbit::cli {

// Calls the operator with the words behind its name, with the keys that the options add and hide; the results as text.
std::vector<std::string> make_call(const operator_handle& op, const request& r);

answer run_call(const request& r);

}  // namespace topbit::cli
