// How text reaches a person: colours, the length of lines, and text of others made harmless.
export module topbit.cli:screen;

import topbit.std;

namespace topbit::cli {

/// What the program finds around it.
export struct surroundings {
  bool terminal = false;        // the answer goes to one
  bool error_terminal = false;  // so does what went wrong
  bool no_color = false;        // NO_COLOR is set and not empty, or the terminal is a dumb one
  std::size_t columns = 0;      // how long the lines of a table may be; 0: unlimited
};

/// How long that is: what the variable COLUMNS says, else the terminal's width, else 100. Null for an absent variable,
/// 0 for no terminal. What is no number says nothing.
export std::size_t columns_for(const char* variable, std::size_t of_terminal) noexcept;

/// What an answer is written for.
export struct screen {
  bool colors = false;
  std::size_t columns = 0;
};

enum class style : std::uint8_t { plain, bold, dim, red, green, yellow, blue };
/// The text in this style, where there are colours.
std::string styled(const screen& s, style how, std::string_view text);

/// Colours an answer of the library by its layout: a line that begins at the margin is a heading, an indented one
/// begins with a label, places stand last.
std::string painted(const screen& s, std::string text);

/// The same for a table: its first line is a heading, as is one behind an empty line, its first column is left alone.
std::string painted_table(const screen& s, std::string text);

/// One line of it, of a length that can be read: bytes that are no UTF-8 and control characters as \xNN, the middle of
/// a long text left out.
export std::string printable(std::string_view text);

}  // namespace topbit::cli
