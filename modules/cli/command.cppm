// What a command is: its words as data, from which parsing, --help, the manual page and completions are made, and the
// function that answers it.
export module topbit.cli:command;

import topbit.std;
import topbit.core;

namespace topbit::cli {

/// What a word is a name of: what completions offer for it.
export enum class word_kind : std::uint8_t { text, op, key, change, file, shell, color };

export struct argument {
  std::string_view name, help;
  word_kind kind = word_kind::text;
  unsigned least = 1, most = 1;  // most 0: any number
};

export struct option {
  std::string_view name;   // "--keys"
  std::string_view value;  // "KEYS"; empty for one without a value
  std::string_view help;
  word_kind kind = word_kind::text;
  bool repeats = false;
};

export struct example {
  std::string_view words, shows;
};

/// The process's exit status.
export enum class status : std::uint8_t {
  answered,  // 0
  negative,  // 1: answered, and the answer is no
  refused    // 2: the arguments, a file or a plugin were not accepted
};

export struct answer {
  std::string text;
  status ends = status::answered;
};

export struct request;

export struct command {
  std::string_view name, summary;
  std::span<const std::string_view> description;  // paragraphs
  std::span<const argument> arguments;
  std::span<const option> options;
  std::span<const example> examples;
  answer (*run)(const request& r);
};

/// All commands, in the order in which they are listed.
export std::span<const command> commands() noexcept;
/// What every command takes.
export std::span<const option> common_options() noexcept;

/// Words that no command takes, or a file that is not what it has to be.
export class bad_request : public error {
 public:
  using error::error;
};

/// How a command is written: "explain OP [KEYS...] [OPTIONS]".
std::string usage_of(const command& c);

}  // namespace topbit::cli
