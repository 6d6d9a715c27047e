module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace {

// Escapes text for roff: minus signs, backslashes, and a dot at the start of a line, which would be a request.
std::string escaped(std::string_view text) {
  std::string all;
  for (char c : text) {
    if (c == '\\')
      all += "\\e";
    else if (c == '-')
      all += "\\-";
    else if (c == '\'')
      all += "\\(aq";
    else if (c == '.' && all.empty())
      all += "\\&.";
    else if (c == '~')
      all += "\\(ti";
    else
      all += c;
  }
  return all;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string entry_of(const option& o) {
  return ".TP\n" + bold(o.name) + (o.value.empty() ? "" : " " + italic(o.value)) + "\n" + escaped(o.help) + "\n";
}

std::string section_of(const command& c) {
  std::string text = ".SS " + escaped(c.name);
  for (const argument& a : c.arguments) {
    const std::string name = std::string(a.name) + (a.most == 0 ? "..." : "");
    text += a.least == 0 ? " [" + name + "]" : " " + name;
  }
  text += "\n";
  bool first = true;
  for (std::string_view paragraph : c.description) {
    text += (std::exchange(first, false) ? "" : ".PP\n") + escaped(paragraph) + "\n";
  }
  for (const argument& a : c.arguments) text += ".TP\n" + italic(a.name) + "\n" + escaped(a.help) + "\n";
  for (const option& o : c.options) text += entry_of(o);
  return text;
}

}  // namespace

answer run_man(const request&) {
  std::string text =
      ".TH TOPBIT 1 \"\" \"topbit " + std::string(version) + "\" \"User Commands\"\n" +
      ".SH NAME\ntopbit \\- answer questions about operators and their kernels\n" +
      ".SH SYNOPSIS\n.B topbit\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n" + ".SH DESCRIPTION\n" +
      "Which kernel a call takes and why, what is registered and where, what is missing, what would be different. The "
      "program\nknows the operators of topbit; plugins bring others.\n.SH COMMANDS\n";
  for (const command& c : commands()) text += section_of(c);
  text += ".SH OPTIONS\nEvery command takes these.\n";
  for (const option& o : common_options()) text += entry_of(o);
  text += ".SH EXIT STATUS\n.TP\n.B 0\nan answer was given\n.TP\n.B 1\nan answer was given, and it is no\n";
  text +=
      ".TP\n.B 2\nthe arguments, a file or a plugin were not accepted; the error output has one sentence that says "
      "why\n";
  text += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nwhere it is set and not empty, there are no colours unless " +
          bold("--color") + " asks for them\n" +
          ".TP\n.B COLUMNS\nhow long the lines of a table may be, 0 for any length; without it the terminal's width, "
          "or 100 " +
          "where there is none\n";
  text += ".SH EXAMPLES\n";
  for (const command& c : commands()) {
    for (const example& e : c.examples)
      text += ".TP\n" + bold("topbit " + std::string(e.words)) + "\n" + escaped(e.shows) + "\n";
  }
  return {text};
}

}  // namespace topbit::cli
