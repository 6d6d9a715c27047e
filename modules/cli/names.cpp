module;

#include <cerrno>
#include <cstdio>
#include <cstring>

module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.find_first_of("*?") == std::string_view::npos) return name.find(pattern) != std::string_view::npos;
  // Backtracking to the last star suffices: `star` is its index, `after` the end of the text it matches so far.
  std::size_t p = 0, n = 0, star = std::string_view::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<operator_handle> operators_matching(std::span<const std::string> pattern) {
  std::vector<operator_handle> found;
  for (const std::string& name : registry::process().operators()) {
    if (pattern.empty() || matches(pattern.front(), name)) found.push_back(find(name));
  }
  return found;
}

std::vector<key_set> key_sets_of(std::span<const std::string> words) {
  std::vector<key_set> sets;
  for (const std::string& word : words) sets.push_back(word == "-" ? key_set() : key_set_named(word));
  return sets;
}

std::vector<dispatch_key> keys_listed(std::span<const std::string> values) {
  std::vector<dispatch_key> keys;
  for (const std::string& names : values) {
    for (std::string_view left = names;;) {
      const std::size_t comma = std::min(left.find(','), left.size());
      const key_target key = key_named(left.substr(0, comma));
      if (key.is_alias()) {
        throw bad_request("found the alias '" + to_string(key) +
                          "', wanted a dispatch key: a column is one slot of each table");
      }
      keys.push_back(key.row);
      if (comma == left.size()) break;
      left.remove_prefix(comma + 1);
    }
  }
  return keys;
}

key_set union_of(std::span<const std::string> values) {
  key_set all;
  for (const std::string& names : values) all = all | key_set_named(names);
  return all;
}

std::string content_of(std::string_view command, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  std::string text;
  if (file != nullptr) {
    char part[65536];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, file)) != 0;) text.append(part, n);
  }
  const int error = errno;
  const bool read = file != nullptr && std::ferror(file) == 0;
  if (file != nullptr) std::fclose(file);
  if (!read) throw bad_request(std::string(command) + ": cannot read '" + path + "': " + std::strerror(error));
  return text;
}

void write_file(std::string_view command, const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (file != nullptr) written = std::fclose(file) == 0 && written;
  if (!written) throw bad_request(std::string(command) + ": cannot write '" + path + "': " + std::strerror(error));
}

}  // namespace topbit::cli
