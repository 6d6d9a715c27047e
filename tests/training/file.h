// A file of a test's own, which goes with it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace training {

struct file {
  std::string path;

  explicit file(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("topbit-" + std::to_string(getpid()) + "-" + name)).string()) {}
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() { std::filesystem::remove(path); }

  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

}  // namespace training
