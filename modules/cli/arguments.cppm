// Command-line arguments, parsed by the descriptions of the commands. Only arguments.cpp knows the parser library.
export module topbit.cli:arguments;

import topbit.std;
import :command;
import :terminal;

namespace topbit::cli {

/// A parsed command line.
export struct request {
  const command* what = nullptr;  // null: help or the version is asked for, of the program
  std::vector<std::string> words;
  std::map<std::string, std::vector<std::string>> options;  // by name; a flag has no value
  style to{};

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

/// Throws bad_request unless the arguments match the description of the command.
request parse_args(std::span<const std::string> words);

}  // namespace topbit::cli
