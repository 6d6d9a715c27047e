// The words of a command line, read by the descriptions of the commands. The one place that knows the parser's library
// is arguments.cpp.
export module topbit.cli:arguments;

import topbit.std;
import :command;
import :screen;

namespace topbit::cli {

/// A command line that was understood.
export struct request {
  const command* what = nullptr;  // null: help or the version is asked for, of the program
  std::vector<std::string> words;
  std::map<std::string, std::vector<std::string>> options;  // by name; a flag has no value
  screen to{};

  bool has(const std::string& option) const { return options.contains(option); }
  /// All values of an option, in order.
  std::span<const std::string> values(const std::string& option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::span<const std::string>() : std::span<const std::string>(found->second);
  }
  /// The last value, which is the one that counts; empty where the option is not given.
  std::string value(const std::string& option) const {
    const auto all = values(option);
    return all.empty() ? std::string() : all.back();
  }
};

/// Throws bad_request. Number of words and values of options are as the command's description has them.
request understood(std::span<const std::string> words);

}  // namespace topbit::cli
