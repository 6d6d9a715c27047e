// The files of this folder as data: what README.md says of their lines, and nothing of tensors or operators.
#pragma once

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "golden/data.h"

namespace layout_golden {

using golden::split;

/// "arguments => results", "arguments => results => gradient of the first result => gradients of the arguments", or of
/// a deviation "arguments => PyTorch's answer => the wanted one".
struct one_case {
  std::string line, because;
  std::vector<std::string> arguments;
  std::vector<std::vector<std::string>> sections;  // what stands behind each arrow, by "; "

  bool is_error(std::size_t section) const { return sections[section][0].starts_with("error"); }
};

struct block {
  std::string name;
  golden::rules how;
  std::vector<one_case> cases;
};

inline one_case case_of(const std::string& line, const std::string& because) {
  const std::vector<std::string> parts = split(line, " => ");
  one_case c{line, because, split(parts[0], "; "), {}};
  for (std::size_t i = 1; i < parts.size(); ++i) c.sections.push_back(split(parts[i], "; "));
  return c;
}

/// All operators of a file. Throws std::runtime_error for a line that is none.
inline std::vector<block> read_blocks(const std::filesystem::path& file) {
  std::vector<block> blocks;
  golden::rules of_file;
  std::string because;
  for (const std::string& line : golden::lines_of(file)) {
    golden::rules& how = blocks.empty() ? of_file : blocks.back().how;
    std::istringstream words(line);
    std::string word, type;
    words >> word;
    if (line.find(" => ") != line.npos && !blocks.empty()) {
      blocks.back().cases.push_back(case_of(line, because));
    } else if (word == "operator") {
      blocks.push_back({line.substr(9), of_file, {}});
    } else if (golden::tolerance t; word == "within" && words >> type >> t.relative >> t.absolute) {
      how.within[type] = t;
    } else if (line == "exact") {
      how.within.clear();
    } else if (word == "because") {
      because = line.substr(8);
    } else {
      golden::refuse(file, line);
    }
  }
  return blocks;
}

/// The text between the braces of "coo{a | b}", by " | "; empty if the text is none of that kind.
inline std::vector<std::string> parts_in(std::string_view text, std::string_view kind) {
  if (!text.starts_with(kind) || !text.substr(kind.size()).starts_with('{') || !text.ends_with('}')) return {};
  return split(text.substr(kind.size() + 1, text.size() - kind.size() - 2), " | ");
}

/// Of a list of tensors of which some are not strided, "[coo{..} & [1, 2]]"; empty for another text.
inline std::vector<std::string> list_in(std::string_view text) {
  if (!text.starts_with('[') || text.find('{') == text.npos) return {};
  return split(text.substr(1, text.size() - 2), " & ");
}

}  // namespace layout_golden
