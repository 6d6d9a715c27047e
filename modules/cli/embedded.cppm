// Files of this folder that the program carries, with @marks@ where text is put in.
module topbit.cli:embedded;

import topbit.std;

namespace topbit::cli {

extern const std::string_view coverage_template;  // coverage.html
extern const std::string_view bash_template;      // completion.bash
extern const std::string_view zsh_template;       // completion.zsh

}  // namespace topbit::cli
