// The program: parses arguments and returns text and an exit status. It writes nothing itself but the file of --html.
export module topbit.cli:run;

import topbit.std;
import :terminal;

namespace topbit::cli {

export struct outcome {
  std::string out, error;
  int exit_status = 0;
};

/// Runs `topbit` with these arguments. Never throws, but for std::bad_alloc. Plugins that it loads are withdrawn
/// again.
export outcome run(std::span<const std::string> words, const terminal& around);

}  // namespace topbit::cli
