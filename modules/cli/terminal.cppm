// Terminal output: colours, line lengths, and untrusted text made printable.
export module topbit.cli:terminal;

import topbit.std;

namespace topbit::cli {

/// The terminal that the program writes to.
export struct terminal {
  bool output_is_terminal = false;  // standard output is a terminal
  bool error_is_terminal = false;   // standard error is one
  bool no_color = false;            // NO_COLOR is set and not empty, or the terminal is a dumb one
  std::size_t columns = 0;          // most columns of a table; 0: unlimited
};

/// The width of tables: the variable COLUMNS, else the terminal's width, else 100. `variable` is null if it is unset,
/// `of_terminal` 0 without a terminal. A value that is not a number is ignored.
export std::size_t columns_for(const char* variable, std::size_t of_terminal) noexcept;

/// How an answer is formatted.
export struct style {
  bool colors = false;
  std::size_t columns = 0;
};

enum class emphasis : std::uint8_t { plain, bold, dim, red, green, yellow, blue };
/// The text with this emphasis, if colours are on.
std::string styled(const style& s, emphasis how, std::string_view text);

/// Colours an answer of the library by its layout: a line that begins at the margin is a heading, an indented one
/// begins with a label, places stand last.
std::string painted(const style& s, std::string text);

/// The same for a table: its first line is a heading, as is one behind an empty line, its first column is left alone.
std::string painted_table(const style& s, std::string text);

/// One printable line: bytes that are not UTF-8 and control characters as \xNN, the middle of a long text elided.
export std::string printable(std::string_view text);

}  // namespace topbit::cli
