// What --help prints, made from the descriptions of the commands.
module topbit.cli:help;

import topbit.std;
import :command;
import :terminal;

namespace topbit::cli {

std::string help_of_program(const style& s);
std::string help_of(const style& s, const command& c);

}  // namespace topbit::cli
