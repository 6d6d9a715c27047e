module;

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

module topbit.profiler;

import topbit.std;
import topbit.core;
import :gzip;
import :shared_library;

namespace topbit::detail {

namespace {

// What zlib.h declares of files, as far as it is used.
struct zlib {
  void* (*open)(const char* path, const char* mode) = nullptr;
  int (*write)(void* file, const void* from, unsigned bytes) = nullptr;
  int (*read)(void* file, void* to, unsigned bytes) = nullptr;
  int (*close)(void* file) = nullptr;
};

const zlib& loaded_zlib(const std::string& path) {
  static const zlib z = [] {
    zlib found;
    void* const library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return found;
    find_function(found.write, library, "gzwrite");
    find_function(found.read, library, "gzread");
    find_function(found.close, library, "gzclose");
    if (found.write != nullptr && found.read != nullptr && found.close != nullptr)
      find_function(found.open, library, "gzopen");
    return found;
  }();
  if (z.open == nullptr) {
    throw error("'" + path +
                "': found no zlib (libz.so.1), wanted it for a compressed file; install zlib1g, or zlib-ng-compat on "
                "Fedora, or name a file that does not end with .gz");
  }
  return z;
}

std::string reason() { return errno == 0 ? "no memory" : strerror(errno); }

}  // namespace

text_writer::text_writer(std::string path)
    : path_(std::move(path)), part_(path_ + ".part"), compressed_(path_.ends_with(".gz")) {
  struct stat about{};
  if (stat(path_.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
    throw error("cannot write '" + path_ + "': it is not a file");
  errno = 0;
  // Level 4 takes half the time of the usual 6 and is 5 % larger.
  file_ = compressed_ ? loaded_zlib(path_).open(part_.c_str(), "wb4") : fopen(part_.c_str(), "wb");
  if (file_ == nullptr) throw error("cannot write '" + path_ + "': " + reason());
}

void text_writer::write(std::string_view text) {
  constexpr std::size_t most = std::size_t{1} << 20;
  errno = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, most);
    const bool done = compressed_ ? loaded_zlib(path_).write(file_, part.data(), static_cast<unsigned>(part.size())) > 0
                                  : fwrite(part.data(), 1, part.size(), static_cast<FILE*>(file_)) == part.size();
    if (!done) fail(reason());
    text.remove_prefix(part.size());
  }
}

void text_writer::finish() {
  errno = 0;
  void* const file = std::exchange(file_, nullptr);
  const bool done = compressed_ ? loaded_zlib(path_).close(file) == 0 : fclose(static_cast<FILE*>(file)) == 0;
  if (!done || rename(part_.c_str(), path_.c_str()) != 0) fail(reason());
  finished_ = true;
}

void text_writer::fail(std::string_view why) {
  throw error("cannot write '" + path_ + "': " + std::string(why) + "; nothing of it was kept");
}

text_writer::~text_writer() {
  if (file_ != nullptr) compressed_ ? loaded_zlib(path_).close(file_) : fclose(static_cast<FILE*>(file_));
  if (!finished_) unlink(part_.c_str());
}

std::string read_text(const std::string& path) {
  std::string text;
  std::vector<char> part(std::size_t{1} << 16);
  errno = 0;
  if (path.ends_with(".gz")) {
    const zlib& z = loaded_zlib(path);
    void* const file = z.open(path.c_str(), "rb");
    if (file == nullptr) throw error("cannot read '" + path + "': " + reason());
    int count = 0;
    while ((count = z.read(file, part.data(), static_cast<unsigned>(part.size()))) > 0)
      text.append(part.data(), static_cast<std::size_t>(count));
    const bool whole = z.close(file) == 0 && count == 0;
    if (!whole) throw error("cannot read '" + path + "': its compressed data are broken or cut off");
    return text;
  }
  FILE* const file = fopen(path.c_str(), "rb");
  if (file == nullptr) throw error("cannot read '" + path + "': " + reason());
  std::size_t count = 0;
  while ((count = fread(part.data(), 1, part.size(), file)) > 0) text.append(part.data(), count);
  const bool failed = ferror(file) != 0;
  const std::string why = reason();
  fclose(file);
  if (failed) throw error("cannot read '" + path + "': " + why);
  return text;
}

}  // namespace topbit::detail
