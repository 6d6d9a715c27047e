module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace {

std::string joined(std::span<const std::string> words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// What completions offer for a word of this kind: a list of words, or the shell code that prints one in each line.
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
  if (o.value.empty()) return {};
  const std::string words = words_of(o.kind);
  return "    " + std::string(o.name) + ") " +
         (o.kind == word_kind::file ? "_topbit_files" : "_topbit_words \"" + words + "\"") + "; return ;;\n";
}

std::string bash_script() {
  std::vector<std::string> names;
  std::string values, cases;
  for (const option& o : common_options()) values += bash_case(o);
  for (const command& c : commands()) {
    names.emplace_back(c.name);
    for (const option& o : c.options) {
      const std::string line = bash_case(o);
      if (values.find(line) == std::string::npos) values += line;
    }
    cases += "    " + std::string(c.name) + ")\n      options=\"" + joined(names_of_options(c)) + "\"\n      kinds=(";
    for (const argument& a : c.arguments) {
      if (&a != c.arguments.data()) cases += " ";
      cases += a.kind == word_kind::file ? "'-files'" : "'" + [&] {
        std::string text;  // a single quote inside single quotes
        for (char ch : words_of(a.kind)) text += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
        return text;
      }() + "'";
    }
    cases += ") ;;\n";
  }
  std::vector<std::string> common;
  for (const option& o : common_options()) common.emplace_back(o.name);
  return R"sh(# bash completion for topbit; made by: topbit completions bash

# Offers words. Bash takes a name such as aten::add for three words, so the part before the last colon, which stands
# there already, is taken off; after a comma the next of several keys begins.
_topbit_words() {
  local head=
  [[ $word != *,* ]] || head=${word%,*},
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "${word#"$head"}")
  COMPREPLY=("${COMPREPLY[@]/#/$head}")
  [[ $word != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
}
_topbit_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
_topbit() {
  # The words as the user sees them, up to the cursor.
  local line=${COMP_LINE:0:COMP_POINT} words word before options= kinds=() i command= given=0
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line != *' ' ]] || words+=('')
  word=${words[-1]} before=
  ((${#words[@]} < 2)) || before=${words[-2]}
  case $before in
)sh" + values +
         R"sh(  esac
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case ${words[i]} in
      )sh" +
         [&] {
           std::vector<std::string> with_value;
           for (const option& o : common_options()) {
             if (!o.value.empty()) with_value.emplace_back(o.name);
           }
           for (const command& c : commands()) {
             for (const option& o : c.options) {
               const std::string name(o.name);
               if (!o.value.empty() && std::find(with_value.begin(), with_value.end(), name) == with_value.end())
                 with_value.push_back(name);
             }
           }
           return joined(with_value, " | ");
         }() +
         R"sh() ((++i)) ;;
      -?*) ;;
      *) if [[ -z $command ]]; then command=${words[i]}; else ((++given)); fi ;;
    esac
  done
  case $command in
    '') _topbit_words ")sh" +
         joined(names) + " " + joined(common) + R"sh("; return ;;
)sh" + cases +
         R"sh(    *) return ;;
  esac
  if [[ $word == -* ]]; then
    _topbit_words "$options"
  elif ((${#kinds[@]} > 0)); then
    ((given < ${#kinds[@]})) || given=$((${#kinds[@]} - 1))
    case ${kinds[given]} in
      -files) _topbit_files ;;
      *) _topbit_words "$(eval "printf '%s ' ${kinds[given]}")" ;;
    esac
  fi
}
complete -F _topbit topbit
)sh";
}

// ----------------------------------------------------------------------------------------------------------- zsh

// Text in single quotes of a specification of _arguments.
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
  return R"sh(#compdef topbit
# zsh completion for topbit; made by: topbit completions zsh

_topbit_ops() { local -a all=(${(f)"$(topbit ops --names 2>/dev/null)"}); compadd -- $all }
_topbit_keys() { compset -P '*,'; local -a all=(${(f)"$(topbit keys --names 2>/dev/null)"}); compadd -- $all }
_topbit_changes() {
  compset -P '*:' || compadd -S : -- kernel fallthrough fallback remove remove-fallback
  _topbit_keys
}
_topbit() {
  local curcontext=$curcontext state line
  local -a commands=(
)sh" + list +
         R"sh(  )
  local -a common=()sh" +
         common + R"sh(
  )
  _arguments -C $common '1: :->command' '*:: :->words'
  case $state in
    command) _describe command commands; return ;;
    words) ;;
    *) return ;;
  esac
  case $words[1] in
)sh" + cases +
         R"sh(  esac
}
_topbit "$@"
)sh";
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
  // Fish spells a command's output without the dollar sign.
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
