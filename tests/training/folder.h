// A folder of a test's own, which goes with it and with all that is in it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

namespace training {

struct folder {
  std::filesystem::path path;

  explicit folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("topbit-" + std::to_string(getpid()) + "-" + name)) {
    std::filesystem::create_directory(path);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }

  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path)) all.insert(entry.path().filename().string());
    return all;
  }
};

}  // namespace training
