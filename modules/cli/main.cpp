// The program topbit: passes terminal properties and arguments to topbit.cli and writes its output.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

import topbit;
import topbit.operator_docs;
import topbit.cuda;
import topbit.cli;

namespace {

topbit::cli::terminal around() {
  topbit::cli::terminal found;
  found.output_is_terminal = isatty(STDOUT_FILENO) != 0;
  found.error_is_terminal = isatty(STDERR_FILENO) != 0;
  const char *no_color = std::getenv("NO_COLOR"), *term = std::getenv("TERM");
  found.no_color = (no_color != nullptr && *no_color != '\0') || (term != nullptr && std::strcmp(term, "dumb") == 0);
  winsize size{};
  const bool has_size = found.output_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  found.columns = topbit::cli::columns_for(std::getenv("COLUMNS"), has_size ? size.ws_col : 0);
  return found;
}

// False if not all of the text could be written; errno has the reason.
bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(file, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  // A reader that closes the pipe early, such as head, is not an error: write fails with EPIPE instead of raising
  // SIGPIPE.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::vector<std::string> all(words + (count > 0 ? 1 : 0), words + count);
    const topbit::cli::outcome done = topbit::cli::run(all, around());
    write_all(STDERR_FILENO, done.error);
    if (write_all(STDOUT_FILENO, done.out) || errno == EPIPE) return done.exit_status;
    write_all(STDERR_FILENO, "topbit: cannot write the answer: " + std::string(std::strerror(errno)) + "\n");
  } catch (const std::bad_alloc&) {
    write_all(STDERR_FILENO, "topbit: found no memory left, wanted some for the answer\n");
  }
  return 2;
}
