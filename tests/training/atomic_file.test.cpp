// How files are replaced: what others find while it goes on and after it failed, what is done in which order, and what
// is left alone.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
#include "training/folder.h"
import topbit;

namespace tb = topbit;
namespace fs = std::filesystem;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using names = std::set<std::string>;

// --- what the system is asked to do: the test's own functions stand before those of the C library

namespace {

struct recorder {
  bool is_on = false;
  std::vector<std::string> done;
  std::string refused;  // of these, the one that fails
};
recorder calls;

int record(const std::string& call) {
  if (!calls.is_on) return 0;
  calls.done.push_back(call);
  if (call != calls.refused) return 0;
  errno = EIO;
  return -1;
}

struct recording {
  explicit recording(std::string refused = {}) { calls = {true, {}, std::move(refused)}; }
  ~recording() { calls = {}; }
};

}  // namespace

extern "C" int fsync(int file) {
  struct stat found;
  const bool is_folder = fstat(file, &found) == 0 && S_ISDIR(found.st_mode);
  const int refused = record(is_folder ? "fsync folder" : "fsync file");
  return refused != 0 ? refused : static_cast<int>(syscall(SYS_fsync, file));
}
extern "C" int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  const int refused = record("rename");
  return refused != 0 ? refused : static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

namespace {

void save(const std::string& path, double value = 1, std::int64_t count = 1) {
  tb::save_tensors(path, std::vector<tb::named_tensor>{{"x", tb::aten::full(tb::shape{count}, value)}});
}
// The first element of what save() wrote.
double loaded(const std::string& path) { return values(tb::load_tensors(path).at(0).value).at(0); }
std::string save_refused(const std::string& path, std::int64_t count = 1) {
  const std::string text = text_of<tb::error>([&] { save(path, 2, count); });
  const std::string begin = "save_tensors: '" + path + "': ";
  return text.starts_with(begin) ? text.substr(begin.size()) : text;
}
void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
mode_t mode_of(const std::string& path) {
  struct stat found{};
  REQUIRE(lstat(path.c_str(), &found) == 0);
  return found.st_mode & 07777;
}

// No file of this process may get larger.
struct size_limit {
  rlimit before{};
  explicit size_limit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit wanted{bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &wanted);
  }
  ~size_limit() { setrlimit(RLIMIT_FSIZE, &before); }
};

}  // namespace

TEST_CASE("atomic_file: a file and its name are synced before a save returns", "[training][atomic_file]") {
  const training::folder in("order");
  const recording on;
  save(in / "x");
  CHECK(calls.done == std::vector<std::string>{"fsync file", "rename", "fsync folder"});
}

TEST_CASE("atomic_file: if the device or the system fails, only the old file stays", "[training][atomic_file]") {
  const training::folder in("refused");
  const std::string path = in / "x";
  save(path, 1);
  {
    const recording on("fsync file");
    CHECK(save_refused(path) == "cannot be written completely: Input/output error");
    CHECK(calls.done == std::vector<std::string>{"fsync file"});
  }
  {
    const recording on("rename");
    CHECK(save_refused(path) == "cannot be replaced: Input/output error");
  }
  {
    const size_limit limit(200'000);
    const auto kept = signal(SIGXFSZ, SIG_IGN);
    CHECK(save_refused(path, 100'000) == "cannot be written completely: File too large");
    signal(SIGXFSZ, kept);
  }
  CHECK(loaded(path) == 1);
  CHECK(in.names() == names{"x"});
  // Here the new file is there, and the caller is told what is not sure.
  const recording on("fsync folder");
  CHECK(save_refused(path) ==
        "was replaced, but its folder could not be written; the old file may be back after a power failure: "
        "Input/output error");
  CHECK(loaded(path) == 2);
  CHECK(in.names() == names{"x"});
}

TEST_CASE("atomic_file: with several writers every reader finds a complete file, and no save fails",
          "[training][atomic_file]") {
  const training::folder in("writers");
  const std::string path = in / "x";
  save(path, 0, 20'000);
  std::atomic<int> running = 3, loads = 0;
  std::atomic<bool> failed = false;
  const auto unless_failed = [&](const auto& work) {
    try {
      work();
    } catch (const std::exception& e) {
      if (!failed.exchange(true)) std::fprintf(stderr, "%s\n", e.what());
    }
  };
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 40; ++i) unless_failed([&] { save(path, writer, 20'000); });
      --running;
    });
  }
  threads.emplace_back([&] {
    while (running > 0 || loads == 0) {
      unless_failed([&] {
        const tensor x = tb::load_tensors(path).at(0).value;
        const std::vector<double> all = values(x);
        if (all != std::vector<double>(20'000, all[0])) throw tb::error("found elements of two files");
      });
      ++loads;
    }
  });
  for (std::thread& t : threads) t.join();
  CHECK_FALSE(failed);
  CHECK(in.names() == names{"x"});
}

TEST_CASE("atomic_file: other files stay, whatever their name", "[training][atomic_file]") {
  const training::folder in("others");
  const std::string path = in / "x";
  write(in / "x.tmp", "mine");
  write(in / "victim", "also mine");
  fs::create_symlink("victim", in / ".x.topbit-0123456789abcdef");
  write(in / ".x.topbit-0123456789abcdeX", "no digits");
  write(in / ".x.topbit-0123", "too short");
  save(path);
  CHECK(read(in / "x.tmp") == "mine");
  CHECK(read(in / "victim") == "also mine");
  CHECK(in.names() ==
        names{"x", "x.tmp", "victim", ".x.topbit-0123456789abcdef", ".x.topbit-0123456789abcdeX", ".x.topbit-0123"});
  fs::remove(in / "x.tmp");
  fs::create_symlink("victim", in / "x.tmp");
  save(path);
  CHECK(fs::is_symlink(in / "x.tmp"));
  CHECK(read(in / "victim") == "also mine");
}

TEST_CASE("atomic_file: temporary files of a dead process are removed, those of a living one are not",
          "[training][atomic_file]") {
  const training::folder in("dead");
  const std::string path = in / "x";
  // Killed by the system in the middle of its file.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);
    const rlimit none{}, small{100'000, 100'000};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &small);
    save(path, 1, 100'000);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  const names left = in.names();
  REQUIRE(left.size() == 1);

  const std::string living = in / ".x.topbit-0123456789abcdef", of_other = in / ".y.topbit-0123456789abcdef";
  write(living, "half of");
  write(of_other, "half of");
  const int file = open(living.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(flock(file, LOCK_EX | LOCK_NB) == 0);
  save(path);
  CHECK(in.names() == names{"x", ".x.topbit-0123456789abcdef", ".y.topbit-0123456789abcdef"});
  close(file);
  save(path);
  CHECK(in.names() == names{"x", ".y.topbit-0123456789abcdef"});
}

TEST_CASE("atomic_file: the mode of a file stays, and a new one has the mode of the process",
          "[training][atomic_file]") {
  const training::folder in("mode");
  const std::string path = in / "x";
  const mode_t kept = umask(027);
  save(path);
  umask(kept);
  CHECK(mode_of(path) == 0640);
  for (const mode_t mode : {0600U, 0644U, 0666U, 0400U}) {
    REQUIRE(chmod(path.c_str(), mode) == 0);
    save(path);
    CHECK(mode_of(path) == mode);
  }
}

TEST_CASE("atomic_file: owner and group of a file stay where that is allowed", "[training][atomic_file]") {
  if (geteuid() != 0) SKIP("only root gives files away");
  const training::folder in("owner");
  const std::string path = in / "x";
  save(path);
  REQUIRE(chown(path.c_str(), 1234, 2345) == 0);
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  save(path);
  struct stat found{};
  REQUIRE(stat(path.c_str(), &found) == 0);
  CHECK(found.st_uid == 1234);
  CHECK(found.st_gid == 2345);
  CHECK(mode_of(path) == 0640);
}

TEST_CASE("atomic_file: a symbolic link stays, and its target is replaced", "[training][atomic_file]") {
  const training::folder in("links");
  fs::create_directory(in / "store");
  save(in / "store/real", 1);
  REQUIRE(chmod((in / "store/real").c_str(), 0600) == 0);
  fs::create_symlink("real", in / "store/second");
  fs::create_symlink("store/second", in / "first");
  fs::create_symlink(in / "store/new", in / "dangling");
  fs::create_symlink("circle", in / "circle");
  save(in / "first", 3);
  CHECK(loaded(in / "store/real") == 3);
  CHECK(mode_of(in / "store/real") == 0600);
  save(in / "dangling", 4);
  CHECK(loaded(in / "store/new") == 4);
  CHECK((fs::is_symlink(in / "first") && fs::is_symlink(in / "store/second") && fs::is_symlink(in / "dangling")));
  CHECK(save_refused(in / "circle") == "cannot be written: Too many levels of symbolic links");
  CHECK(in.names() == names{"store", "first", "dangling", "circle"});
}

TEST_CASE("atomic_file: only a regular file is replaced", "[training][atomic_file]") {
  const training::folder in("kinds");
  const auto refusal = [](const std::string& kind) {
    return "found " + kind + ", wanted a regular file or none; only such a file is replaced";
  };
  REQUIRE(mkfifo((in / "pipe").c_str(), 0600) == 0);
  fs::create_directory(in / "folder");
  fs::create_symlink("pipe", in / "link");
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE((in / "socket").size() < sizeof address.sun_path);
  std::strncpy(address.sun_path, (in / "socket").c_str(), sizeof address.sun_path - 1);
  REQUIRE(bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(save_refused(in / "pipe") == refusal("a pipe"));
  CHECK(save_refused(in / "link") == refusal("a pipe"));
  CHECK(save_refused(in / "folder") == refusal("a folder"));
  CHECK(save_refused(in / "folder/") == refusal("a folder"));
  CHECK(save_refused(in / "socket") == refusal("a socket"));
  CHECK((fs::is_fifo(in / "pipe") && fs::is_directory(in / "folder") && fs::is_socket(in / "socket")));
  CHECK(in.names() == names{"pipe", "folder", "link", "socket"});
  close(server);
}

TEST_CASE("atomic_file: paths may be relative, and names as long as the file system takes", "[training][atomic_file]") {
  const training::folder in("paths");
  const fs::path before = fs::current_path();
  fs::current_path(in.path);
  save("here", 5);
  fs::current_path(before);
  CHECK(loaded(in / "here") == 5);
  const std::string longest(255, 'n');
  save(in / longest, 6);
  CHECK(loaded(in / longest) == 6);
  CHECK(save_refused(in / (longest + "n")) == "cannot be written: File name too long");
  CHECK(save_refused(in / "none/x") == "its folder cannot be opened: No such file or directory");
  const std::string cut = (in / "cut") + std::string("\0 here", 6);
  CHECK(text_of<tb::error>([&] { save(cut); }).ends_with("found a path with a zero character, which no file has"));
  CHECK(in.names() == names{"here", longest});
}
