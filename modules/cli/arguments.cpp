module;

#include <CLI/CLI.hpp>

module topbit.cli;

import topbit.std;

namespace topbit::cli {

namespace {

std::string listed_commands() {
  std::string text;
  for (const command& c : commands())
    text += (text.empty() ? "" : &c == &commands().back() ? " or " : ", ") + std::string(c.name);
  return text;
}

// CLI11 parses options only: as positional values, it would split a word such as [1,2] at its commas. Positional words
// are taken from the remaining arguments.
void declare(CLI::App& parser, std::span<const option> options, request& r) {
  for (const option& o : options) {
    const std::string name(o.name);
    const std::string names = name == "--help" ? "-h,--help" : name;
    if (o.value.empty()) {
      parser.add_flag_callback(names, [&r, name] { r.options[name]; });
    } else {
      parser
          .add_option_function<std::vector<std::string>>(names,
                                                         [&r, name](const std::vector<std::string>& given) {
                                                           auto& all = r.options[name];
                                                           all.insert(all.end(), given.begin(), given.end());
                                                         })
          ->allow_extra_args(false)
          ->take_all();
    }
  }
}

// Takes the positional arguments from the remaining words. A word that begins with a dash is an unknown option, except
// "-" and numbers.
void take_words(const std::vector<std::string>& left, request& r) {
  for (const std::string& word : left) {
    const bool number = word.size() > 1 && (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
    if (word.size() > 1 && word[0] == '-' && !number) {
      std::string wanted;
      for (const auto& options : {r.what->options, common_options()}) {
        for (const option& o : options) wanted += (wanted.empty() ? "" : ", ") + std::string(o.name);
      }
      throw bad_request(std::string(r.what->name) + ": found the option '" + word + "', wanted one of " + wanted +
                        "; arguments that begin with a dash go after --");
    }
    r.words.push_back(word);
  }
}

void check_count(const request& r) {
  unsigned least = 0, most = 0;
  bool any = false;
  for (const argument& a : r.what->arguments) {
    if (r.words.size() < least + a.least) {
      throw bad_request(std::string(r.what->name) + ": found no " + std::string(a.name) + ", wanted " +
                        usage_of(*r.what));
    }
    least += a.least;
    most += a.most;
    any |= a.most == 0;
  }
  if (!any && r.words.size() > most) {
    throw bad_request(std::string(r.what->name) + ": found '" + r.words[most] + "' after its last argument, wanted " +
                      usage_of(*r.what));
  }
}

}  // namespace

request parse_args(std::span<const std::string> words) {
  request r;
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  parser.require_subcommand(0, 1);
  declare(parser, common_options(), r);
  std::map<const CLI::App*, const command*> known;
  for (const command& c : commands()) {
    CLI::App* one = parser.add_subcommand(std::string(c.name));
    one->set_help_flag();
    one->allow_extras();
    declare(*one, c.options, r);
    declare(*one, common_options(), r);
    known[one] = &c;
  }

  // Everything after -- is positional; CLI11 would assign it to the program instead of the command. CLI11 reads the
  // vector from the end.
  const auto behind = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> reversed(words.begin(), behind);
  std::reverse(reversed.begin(), reversed.end());
  try {
    parser.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& e) {
    const std::string text = e.what();
    throw bad_request("found " + text.substr(0, text.find(':')) + " without its value, wanted one after it");
  } catch (const CLI::ParseError& e) {
    throw bad_request("found arguments that cannot be parsed: " + std::string(e.what()));
  }

  for (const CLI::App* one : parser.get_subcommands()) r.what = known.at(one);
  const std::vector<std::string> before = parser.remaining();
  if (!before.empty()) {
    const bool is_option = before.front().starts_with('-');
    throw bad_request("found the " + std::string(is_option ? "option '" : "command '") + before.front() + "', wanted " +
                      (is_option ? "a command first; topbit --help lists what there is" : listed_commands()));
  }
  if (r.what != nullptr) {
    for (const CLI::App* one : parser.get_subcommands()) take_words(one->remaining(), r);
    if (behind != words.end()) r.words.insert(r.words.end(), behind + 1, words.end());
    if (!r.has("--help")) check_count(r);
  } else if (behind != words.end()) {
    throw bad_request("found -- before a command, wanted " + listed_commands());
  }
  return r;
}

}  // namespace topbit::cli
