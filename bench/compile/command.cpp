#include "command.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace command {

namespace {

namespace fs = std::filesystem;

// As a shell takes a line apart, as far as CMake writes one: blanks, quotes and backslashes.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

// The list that CMake makes of the modules a unit imports, lines of -fmodule-file=<module>:<partition>=<file>.
std::map<std::string, module_size> modules_in(const fs::path& list, const fs::path& folder) {
  std::ifstream in(list);
  if (!in) throw std::runtime_error("found no '" + list.string() + "', wanted the list of modules the build makes");
  std::map<std::string, module_size> modules;
  const std::string_view begin = "-fmodule-file=";
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(begin, 0) != 0) continue;
    const std::size_t equals = line.find('=', begin.size());
    if (equals == std::string::npos) continue;
    const std::string name = line.substr(begin.size(), equals - begin.size());
    module_size& m = modules[name.substr(0, name.find(':'))];
    m.files += 1;
    m.bytes += fs::file_size(folder / line.substr(equals + 1));
  }
  return modules;
}

}  // namespace

std::vector<std::string> compile::of(const std::string& source, const std::string& object) const {
  std::vector<std::string> all = words;
  all.insert(all.end(), {"-o", object, "-c", source});
  return all;
}

std::string compile::flags() const {
  std::string text;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i][0] != '-' || words[i].find('/') != std::string::npos) continue;
    text += (text.empty() ? "" : " ") + words[i];
  }
  return text;
}

compile find(const std::string& commands, const std::string& source) {
  std::ifstream in(commands);
  if (!in) throw std::runtime_error("found no '" + commands + "', wanted the commands that CMake writes for Ninja");
  const nlohmann::json entries = nlohmann::json::parse(in, nullptr, false);
  if (!entries.is_array()) throw std::runtime_error("'" + commands + "' is no list of compile commands");
  for (const auto& entry : entries) {
    if (entry.value("file", "") != source) continue;
    compile found{entry.value("directory", ""), {}, {}};
    const std::vector<std::string> all = words_of(entry.value("command", ""));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == "-o" || all[i] == "-c") {
        ++i;
        continue;
      }
      if (all[i][0] == '@') found.modules = modules_in(fs::path(found.folder) / all[i].substr(1), found.folder);
      found.words.push_back(all[i]);
    }
    if (found.modules.empty()) throw std::runtime_error("the command for '" + source + "' names no list of modules");
    return found;
  }
  throw std::runtime_error("found no command for '" + source + "' in '" + commands + "'");
}

}  // namespace command
