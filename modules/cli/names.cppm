// Operators by pattern, and the words of a command line that name operators, keys and files.
export module topbit.cli:names;

import topbit.std;
import topbit.core;

namespace topbit::cli {

/// Does the pattern match the whole name? '*' stands for any text, '?' for one character; a pattern without either
/// matches names that contain it. Cost: the product of both lengths at most.
export bool matches(std::string_view pattern, std::string_view name);

/// The operators that are defined and match, by name. Without a pattern: all.
std::vector<operator_handle> operators_matching(std::span<const std::string> pattern);

/// One set for each word: "CPU", "CPU,AutogradCPU", or "-" for none.
std::vector<key_set> key_sets_of(std::span<const std::string> words);

/// Every key of an option's values, each a list of names with commas between; in the order given.
std::vector<dispatch_key> keys_listed(std::span<const std::string> values);

/// All sets of an option's values together.
key_set union_of(std::span<const std::string> values);

/// What is in the file. Throws bad_request with the command in front where it cannot be read.
std::string content_of(std::string_view command, const std::string& path);

/// Makes the file, or replaces what is in it. Throws bad_request with the command in front where it cannot be written.
void write_file(std::string_view command, const std::string& path, std::string_view text);

}  // namespace topbit::cli
