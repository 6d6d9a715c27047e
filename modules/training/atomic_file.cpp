module;

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

module topbit.training;

import topbit.std;
import topbit.core;
import :atomic_file;

namespace topbit::detail {

namespace {

constexpr int most_links = 40;                  // MAXSYMLINKS of Linux
constexpr int most_tries = 100;                 // attempts to find an unused name
constexpr std::size_t most_waiting = 1U << 16;  // bytes
constexpr std::size_t random_digits = 16;

std::string_view file_kind(const struct stat& s) {
  if (S_ISREG(s.st_mode)) return "a regular file";
  if (S_ISDIR(s.st_mode)) return "a folder";
  if (S_ISFIFO(s.st_mode)) return "a pipe";
  if (S_ISSOCK(s.st_mode)) return "a socket";
  return S_ISLNK(s.st_mode) ? "a symbolic link" : "a device";
}

// Prefix of temporary names for a target name. Cut at 200 bytes, so that prefix and digits stay within NAME_MAX.
std::string beginning_of_temporaries(std::string_view name) {
  return "." + std::string(name.substr(0, 200)) + ".topbit-";
}

bool is_temporary(std::string_view name, std::string_view beginning) {
  return name.starts_with(beginning) && name.size() == beginning.size() + random_digits &&
         name.find_first_not_of("0123456789abcdef", beginning.size()) == std::string_view::npos;
}

// Hexadecimal, least significant digit first.
std::string digits_of(std::uint64_t number) {
  std::string digits(random_digits, '0');
  for (char& digit : digits) digit = "0123456789abcdef"[std::exchange(number, number / 16) % 16];
  return digits;
}

struct closed_folder {
  void operator()(DIR* folder) const noexcept { closedir(folder); }
};

}  // namespace

descriptor::~descriptor() {
  if (is_open()) close(number_);
}

void atomic_file::refuse(const std::string& what, int error) const {
  throw topbit::error(who_ + what + (error == 0 ? "" : ": " + std::generic_category().message(error)), op_);
}

// The delegated constructor has completed, so the destructor cleans up if the body throws.
atomic_file::atomic_file(std::string_view op, const std::string& path) : atomic_file(op) {
  who_ = op_ + ": " + in_quotes(path) + ": ";
  open_folder(path);
  remove_abandoned();
  open_temporary();
}

atomic_file::~atomic_file() {
  if (!temporary_.empty()) unlinkat(folder_.number(), temporary_.c_str(), 0);
}

// --- resolving the target

// Follows symbolic links in the last path component; those in folders are followed by the system. All later calls use
// the folder's descriptor, so the folder may be moved meanwhile.
void atomic_file::open_folder(const std::string& path) {
  if (path.find('\0') != std::string::npos) refuse("found a path with a zero character, which no file has");
  std::string target = path;
  for (int links = 0;; ++links) {
    char next[PATH_MAX];
    const ssize_t size = readlink(target.c_str(), next, sizeof next);
    if (size < 0) break;
    if (links == most_links) refuse("cannot be written", ELOOP);
    const std::string_view to(next, static_cast<std::size_t>(size));
    // A path without a slash gives npos, and npos + 1 is 0.
    target = std::string(to.starts_with('/') ? "" : target.substr(0, target.rfind('/') + 1)).append(to);
  }
  const std::size_t slash = target.rfind('/');
  name_ = target.substr(slash + 1);
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  folder_ = descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) refuse("its folder cannot be opened", errno);
  target_exists();
}

// Throws for anything but a regular file: a pipe or device must not be replaced by a file.
bool atomic_file::target_exists() const {
  struct stat found;
  const char* const name = name_.empty() ? "." : name_.c_str();
  if (fstatat(folder_.number(), name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    refuse("cannot be written", errno);
  }
  if (!S_ISREG(found.st_mode)) {
    refuse("found " + std::string(file_kind(found)) + ", wanted a regular file or none; only such a file is replaced");
  }
  return true;
}

// --- the temporary file

// Removes temporary files of processes that have ended: their lock is free. A file that was just renamed has no entry
// left to remove.
void atomic_file::remove_abandoned() const {
  const int again = openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) refuse("its folder cannot be read", errno);
  const std::unique_ptr<DIR, closed_folder> names(fdopendir(again));
  if (!names) {
    close(again);
    throw std::bad_alloc();  // the only remaining cause
  }
  const std::string beginning = beginning_of_temporaries(name_);
  while (const dirent* const entry = readdir(names.get())) {
    if (!is_temporary(entry->d_name, beginning)) continue;
    const descriptor file(
        openat(folder_.number(), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat found;
    if (file.is_open() && fstat(file.number(), &found) == 0 && S_ISREG(found.st_mode) &&
        flock(file.number(), LOCK_EX | LOCK_NB) == 0) {
      unlinkat(folder_.number(), entry->d_name, 0);
    }
  }
}

void atomic_file::open_temporary() {
  const bool is_replacement = target_exists();
  for (int i = 0; i < most_tries; ++i) {
    if (try_to_open_temporary(is_replacement)) return;
  }
  refuse("cannot be written", EEXIST);
}

// A replacement is private to the owner until take_mode_of_target() sets its mode. A new file gets mode 0666 and the
// process's umask.
bool atomic_file::try_to_open_temporary(bool is_replacement) {
  std::uint64_t number = 0;
  if (getentropy(&number, sizeof number) != 0) refuse("found no random number for the name of a file", errno);
  const std::string name = beginning_of_temporaries(name_) + digits_of(number);
  descriptor file(openat(folder_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         is_replacement ? 0600 : 0666));
  if (!file.is_open()) {
    if (errno == EEXIST) return false;
    refuse("cannot be written; check the permissions of its folder", errno);
  }
  temporary_ = name;
  file_ = std::move(file);
  // remove_abandoned() of another process may take the lock first and remove the file; then the name is retried. On a
  // file system without locks no process gets one, and nothing is removed.
  struct stat made;
  const bool is_ours = flock(file_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (is_ours && fstat(file_.number(), &made) == 0 && made.st_nlink != 0) return true;
  unlinkat(folder_.number(), std::exchange(temporary_, {}).c_str(), 0);
  return false;
}

// --- writing

void atomic_file::write(const void* bytes, std::size_t size) {
  if (waiting_.size() + size > most_waiting) flush();
  const char* const first = static_cast<const char*>(bytes);
  if (size > most_waiting) {
    put(first, size);
  } else {
    waiting_.append(first, size);
  }
}

void atomic_file::flush() {
  put(waiting_.data(), waiting_.size());
  waiting_.clear();
}

void atomic_file::put(const char* bytes, std::size_t size) const {
  while (size != 0) {
    const ssize_t written = ::write(file_.number(), bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      refuse("cannot be written completely", errno);
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

// --- replacing the target

// If the group cannot be kept, the group permissions would apply to another group: they become those of others.
void atomic_file::take_mode_of_target() const {
  struct stat old, made;
  if (fstatat(folder_.number(), name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (fstat(file_.number(), &made) != 0) refuse("cannot be replaced", errno);
  mode_t mode = old.st_mode & 0777;
  if ((made.st_uid != old.st_uid || made.st_gid != old.st_gid) && fchown(file_.number(), old.st_uid, old.st_gid) != 0 &&
      fchown(file_.number(), static_cast<uid_t>(-1), old.st_gid) != 0) {
    mode = (mode & 0707) | ((mode & 07) << 3);
  }
  if (fchmod(file_.number(), mode) != 0) refuse("cannot be given the mode of the old file", errno);
}

void atomic_file::replace() {
  flush();
  if (target_exists()) take_mode_of_target();
  if (fsync(file_.number()) != 0) refuse("cannot be written completely", errno);
  if (renameat(folder_.number(), temporary_.c_str(), folder_.number(), name_.c_str()) != 0) {
    refuse("cannot be replaced", errno);
  }
  temporary_.clear();
  // Some file systems do not support fsync on a folder and return EINVAL or ENOTSUP; this is not an error.
  if (fsync(folder_.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    refuse("was replaced, but its folder could not be written; the old file may be back after a power failure", errno);
  }
}

}  // namespace topbit::detail
