module topbit.cli;

import topbit.std;
import topbit.core;
import :embedded;

namespace topbit::cli {

namespace {

std::string joined(std::span<const std::string> words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// Replaces each mark of the template by its text. Texts contain no marks.
std::string filled(std::string_view script, std::initializer_list<std::pair<std::string_view, std::string>> texts) {
  std::string all(script);
  for (const auto& [mark, text] : texts) all.replace(all.find(mark), mark.size(), text);
  return all;
}

// Completions for a word of this kind: a list of words, or shell code that prints one per line.
std::string words_of(word_kind kind) {
  switch (kind) {
    case word_kind::op: return "$(topbit ops --names 2>/dev/null)";
    case word_kind::key: return "$(topbit keys --names 2>/dev/null)";
    case word_kind::change:
      return "$(topbit keys --names 2>/dev/null | sed "
             "'p;s/^/remove:/;p;s/^remove:/fallthrough:/;p;s/^fallthrough:/fallback:/')";
    case word_kind::shell: return "bash zsh fish";
    case word_kind::color: return "auto always never";
    case word_kind::text:
    case word_kind::file: break;
  }
  return {};
}

std::vector<std::string> names_of_options(const command& c) {
  std::vector<std::string> names;
  for (const auto& options : {c.options, common_options()}) {
    for (const option& o : options) names.emplace_back(o.name);
  }
  return names;
}

// ---------------------------------------------------------------------------------------------------------- bash

std::string bash_case(const option& o) {
  const std::string words = words_of(o.kind);
  return "    " + std::string(o.name) + ") " +
         (o.kind == word_kind::file ? "_topbit_files" : "_topbit_words \"" + words + "\"") + "; return ;;\n";
}

// Single-quoted for the shell; single quotes inside are escaped.
std::string bash_quoted(std::string_view text) {
  std::string all = "'";
  for (char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string bash_script() {
  std::vector<std::string> names, with_value;
  std::string values, cases;
  const auto add_value = [&](const option& o) {
    if (o.value.empty() || std::ranges::count(with_value, o.name) != 0) return;
    with_value.emplace_back(o.name);
    values += bash_case(o);
  };
  for (const option& o : common_options()) add_value(o);
  for (const command& c : commands()) {
    names.emplace_back(c.name);
    std::vector<std::string> kinds;
    for (const option& o : c.options) add_value(o);
    for (const argument& a : c.arguments) {
      kinds.push_back(bash_quoted(a.kind == word_kind::file ? "-files" : words_of(a.kind)));
    }
    cases += "    " + std::string(c.name) + ")\n      options=\"" + joined(names_of_options(c)) + "\"\n      kinds=(" +
             joined(kinds) + ") ;;\n";
  }
  for (const option& o : common_options()) names.emplace_back(o.name);
  return filled(bash_template, {{"@values@", values},
                                {"@options_with_value@", joined(with_value, " | ")},
                                {"@commands_and_options@", joined(names)},
                                {"@cases@", cases}});
}

// ----------------------------------------------------------------------------------------------------------- zsh

// Escapes text for a single-quoted specification of _arguments.
std::string zsh_text(std::string_view text) {
  std::string all;
  for (char c : text) {
    if (c == '\'')
      all += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      all += std::string("\\") + c;
    else
      all += c;
  }
  return all;
}

std::string zsh_action(word_kind kind) {
  if (kind == word_kind::file) return "_files";
  if (kind == word_kind::op) return "_topbit_ops";
  if (kind == word_kind::key) return "_topbit_keys";
  if (kind == word_kind::change) return "_topbit_changes";
  const std::string words = words_of(kind);
  return words.empty() ? " " : "(" + words + ")";
}

std::string zsh_option(const option& o) {
  return "'" + std::string(o.repeats ? "*" : "") + std::string(o.name) + "[" + zsh_text(o.help) + "]" +
         (o.value.empty() ? "" : ":" + zsh_text(o.value) + ":" + zsh_action(o.kind)) + "'";
}

std::string zsh_script() {
  std::string list, cases, common;
  for (const option& o : common_options()) common += " \\\n    " + zsh_option(o);
  for (const command& c : commands()) {
    list += "    '" + std::string(c.name) + ":" + zsh_text(c.summary) + "'\n";
    cases += "    " + std::string(c.name) + ")\n      _arguments $common";
    for (const option& o : c.options) cases += " \\\n        " + zsh_option(o);
    unsigned place = 1;
    for (const argument& a : c.arguments) {
      const std::string where = a.most == 0 ? "*" : std::to_string(place++) + (a.least == 0 ? ":" : "");
      cases += " \\\n        '" + where + ":" + zsh_text(a.name) + ":" + zsh_action(a.kind) + "'";
    }
    cases += "\n      ;;\n";
  }
  return filled(zsh_template, {{"@commands@", list}, {"@common@", common}, {"@cases@", cases}});
}

// ---------------------------------------------------------------------------------------------------------- fish

std::string fish_quoted(std::string_view text) {
  std::string all = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + "'";
}

std::string fish_words(word_kind kind) {
  if (kind == word_kind::file) return " -rF";
  std::string words = words_of(kind);
  // Fish command substitution is (...), without a dollar sign.
  if (words.starts_with("$(")) words.erase(0, 1);
  return words.empty() ? " -x" : " -xa " + fish_quoted(words);
}

std::string fish_option(const std::string& condition, const option& o) {
  return "complete -c topbit" + condition + " -l " + std::string(o.name.substr(2)) +
         (o.value.empty() ? "" : fish_words(o.kind)) + " -d " + fish_quoted(o.help) + "\n";
}

std::string fish_script() {
  std::string text = "# fish completion for topbit; made by: topbit completions fish\n\ncomplete -c topbit -f\n";
  for (const option& o : common_options()) text += fish_option("", o);
  for (const command& c : commands()) {
    text += "complete -c topbit -n __fish_use_subcommand -a " + std::string(c.name) + " -d " + fish_quoted(c.summary) +
            "\n";
  }
  for (const command& c : commands()) {
    const std::string condition = " -n '__fish_seen_subcommand_from " + std::string(c.name) + "'";
    for (const option& o : c.options) text += fish_option(condition, o);
    for (const argument& a : c.arguments) {
      const std::string words = fish_words(a.kind);
      if (a.kind == word_kind::file)
        text += "complete -c topbit" + condition + " -F\n";
      else if (words.starts_with(" -xa "))
        text += "complete -c topbit" + condition + " -a " + words.substr(5) + "\n";
    }
  }
  return text;
}

}  // namespace

answer run_completions(const request& r) {
  const std::string& shell = r.words.front();
  if (shell == "bash") return {bash_script()};
  if (shell == "zsh") return {zsh_script()};
  if (shell == "fish") return {fish_script()};
  throw bad_request("completions: found the shell '" + shell + "', wanted bash, zsh or fish");
}

}  // namespace topbit::cli
