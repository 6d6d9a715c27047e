// The golden files as data: what README.md says of their lines, and nothing of tensors or operators.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace golden {

struct tolerance {
  double relative = 0, absolute = 0;
};

/// Whether a file of the folder holds cases.
inline bool is_data(std::string_view file) {
  return file.ends_with(".txt") && file != "pending.txt" && file != "uncovered.txt" && file != "CMakeLists.txt";
}

/// What is asked of every case of an operator.
struct rules {
  std::map<std::string, tolerance, std::less<>> within;  // by dtype; none: exact
  bool elementwise = false;                              // a further dimension changes nothing but the sizes
  bool signed_zeros = false;
  bool no_elements = false;   // what the elements are is not asked: chance, or nobody, wrote them
  bool dense = false;         // strides are part of what is asked: no other arrangement
  bool meta_raises = false;   // the sizes of the results depend on elements
  bool first_result = false;  // the others are of use to its gradient alone, and not asked
};

struct one_case {
  std::string line;
  std::vector<std::string> arguments, results;
  std::string error;  // its kind; empty where there are results
};

struct block {
  std::string name;
  rules how;
  std::vector<one_case> cases;
};

/// What is known to be missing: operators, dtypes, and single cases as "<operator> <line>".
struct pending {
  std::set<std::string, std::less<>> operators, dtypes, cases;
};

inline std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + separator.size());
  }
  return parts;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("found no file " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

[[noreturn]] inline void refuse(const std::filesystem::path& file, const std::string& line) {
  throw std::runtime_error(file.string() + ": found the line '" + line + "', wanted one that README.md describes");
}

inline one_case case_of(const std::string& line, std::size_t arrow) {
  one_case c{line, split(std::string_view(line).substr(0, arrow), "; "), {}, {}};
  const std::string_view after = std::string_view(line).substr(arrow + 3);
  if (after.starts_with("error "))
    c.error = after.substr(6);
  else
    c.results = split(after, "; ");
  if (!c.arguments.empty() && c.arguments.back().ends_with(' ')) c.arguments.back().pop_back();
  return c;
}

/// All operators of a file. Throws std::runtime_error for a line that is none.
inline std::vector<block> read_blocks(const std::filesystem::path& file) {
  std::vector<block> blocks;
  rules of_file;
  for (const std::string& line : lines_of(file)) {
    rules& how = blocks.empty() ? of_file : blocks.back().how;
    std::istringstream words(line);
    std::string word, type;
    words >> word;
    if (const std::size_t arrow = line.find("=> "); arrow != line.npos) {
      if (blocks.empty()) refuse(file, line);
      blocks.back().cases.push_back(case_of(line, arrow));
    } else if (word == "operator") {
      blocks.push_back({line.substr(9), of_file, {}});
    } else if (tolerance t; word == "within" && words >> type >> t.relative >> t.absolute) {
      how.within[type] = t;
    } else if (line == "exact") {
      how.within.clear();
    } else if (line == "elementwise") {
      how.elementwise = true;
    } else if (line == "no elements") {
      how.no_elements = true;
    } else if (line == "dense") {
      how.dense = true;
    } else if (line == "signed zeros") {
      how.signed_zeros = true;
    } else if (line == "meta raises") {
      how.meta_raises = true;
    } else if (line == "first result") {
      how.first_result = true;
    } else {
      refuse(file, line);
    }
  }
  return blocks;
}

inline pending read_pending(const std::filesystem::path& file) {
  pending p;
  for (const std::string& line : lines_of(file)) {
    if (line.starts_with("operator "))
      p.operators.insert(line.substr(9));
    else if (line.starts_with("dtype "))
      p.dtypes.insert(line.substr(6));
    else if (line.starts_with("case "))
      p.cases.insert(line.substr(5));
    else
      refuse(file, line);
  }
  return p;
}

/// Whether a text has this word: no letter, digit or underscore beside it.
inline bool has_word(std::string_view text, std::string_view word) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace golden
