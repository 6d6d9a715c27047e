module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace {

constexpr std::size_t width = 100;

// Wraps text at word boundaries. Lines are indented by `indent`; the first one continues a line of `used` characters.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  std::string all(used < indent ? indent - used : 0, ' ');
  std::size_t column = std::max(used, indent);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!first && column + 1 + end > width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    all += (first ? "" : " ") + std::string(text.substr(0, end));
    column += end + (first ? 0 : 1);
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all + "\n";
}

struct entry {
  std::string name;
  std::string_view help;
};

std::string section(const style& s, std::string_view title, std::span<const entry> entries) {
  if (entries.empty()) return {};
  std::size_t longest = 0;
  for (const entry& e : entries) longest = std::max(longest, e.name.size());
  std::string text = "\n" + styled(s, emphasis::bold, title) + "\n";
  for (const entry& e : entries) {
    text += "  " + styled(s, emphasis::green, e.name) + wrapped(e.help, longest + 4, e.name.size() + 2);
  }
  return text;
}

std::vector<entry> entries_of(std::span<const option> options) {
  std::vector<entry> all;
  for (const option& o : options) {
    all.push_back({std::string(o.name) + (o.value.empty() ? "" : " " + std::string(o.value)), o.help});
  }
  return all;
}

}  // namespace

std::string help_of_program(const style& s) {
  std::string text =
      "Answers questions about operators: which kernel a call takes, what is registered, what is missing.\n";
  text += "\n" + styled(s, emphasis::bold, "usage") + "\n  topbit [OPTIONS] COMMAND ...\n";
  std::vector<entry> listed;
  for (const command& c : commands()) listed.push_back({std::string(c.name), c.summary});
  text += section(s, "commands", listed) + section(s, "options, of every command", entries_of(common_options()));
  text += "\n" + styled(s, emphasis::bold, "exit status") + "\n";
  text += "  0 with an answer, 1 where the answer is no, 2 where arguments, a file or a plugin were not accepted\n";
  return text + "\ntopbit COMMAND --help says more of one.\n";
}

std::string help_of(const style& s, const command& c) {
  std::string text;
  for (std::string_view paragraph : c.description) text += wrapped(paragraph, 0, 0) + "\n";
  text += styled(s, emphasis::bold, "usage") + "\n  " + usage_of(c) + " [OPTIONS]\n";
  std::vector<entry> words;
  for (const argument& a : c.arguments) words.push_back({std::string(a.name), a.help});
  text += section(s, "words", words) + section(s, "options", entries_of(c.options));
  text += section(s, "options, of every command", entries_of(common_options()));
  if (!c.examples.empty()) text += "\n" + styled(s, emphasis::bold, "examples") + "\n";
  for (const example& e : c.examples) text += "  topbit " + std::string(e.words) + "\n" + wrapped(e.shows, 6, 0);
  return text;
}

}  // namespace topbit::cli
