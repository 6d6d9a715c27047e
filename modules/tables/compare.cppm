// A list in the form of PyTorch's native_functions.yaml against what is registered.
export module topbit.tables:compare;

import topbit.std;
import topbit.core;
import :position;

export namespace topbit::tables {

/// One operator of a list.
struct list_difference {
  std::string op;            // "aten::sub.out"
  position at;               // of its schema
  std::string theirs, ours;  // the schemas; without what is not there
  std::string reason;        // why theirs is refused, or the first thing in which the two differ
};

/// What compare_with_list() finds. Every entry is counted once: same, differs, missing or refused.
struct list_comparison {
  std::size_t entries = 0, same = 0;
  std::vector<list_difference> differs;  // the operator has another schema here
  std::vector<list_difference> missing;  // there is none of this name here
  std::vector<list_difference> refused;  // the schema is not one in topbit's language
  /// Reasons of the refused, each with how often it was found; the most frequent first.
  std::vector<std::pair<std::string, std::size_t>> reasons;
};

/// Reads a list of operators, taking keys of entries that it does not know, and compares each schema with that of the
/// operator of this name; names without a namespace are those of `ns`. Throws bad_argument with "file:line:column: "
/// where the text is not the YAML of tables. Cost: some microseconds an entry.
list_comparison compare_with_list(std::string_view text, std::string_view file, std::string_view ns = "aten",
                                  registry& r = registry::process());

/// "2590 entries: 900 the same, 10 differ, 1670 missing, 10 refused", then a line for each that differs, is missing or
/// refused. Without `missing_too` the missing are only counted.
std::string to_string(const list_comparison& c, bool missing_too = true);

}  // namespace topbit::tables
