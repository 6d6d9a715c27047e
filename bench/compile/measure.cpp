#include "measure.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>

namespace measure {

namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

}  // namespace

run once(const std::vector<std::string>& words, const std::string& folder, const std::string& messages) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);

  const auto began = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("could not start a process");
  if (child == 0) {
    const int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || chdir(folder.c_str()) != 0) _exit(127);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0) {
    if (errno != EINTR) throw std::runtime_error("could not wait for a process");
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
  // Linux counts memory in KiB.
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, wall.count(), seconds(used.ru_utime), seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) * 1024};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace measure
