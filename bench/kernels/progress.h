// What a long run is at, on stderr: "[12/340] elementwise/add/given/1e5, 3 min left", over what stood there before on a
// terminal, else a line every few seconds.
#pragma once

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

namespace bench {

class progress {
 public:
  explicit progress(std::size_t steps) : steps_(steps) {}
  void next(const std::string& what) {
    const clock::time_point now = clock::now();
    const std::chrono::duration<double> spent = now - began_;
    const double left =
        done_ == 0 ? 0 : spent.count() / static_cast<double>(done_) * static_cast<double>(steps_ - done_);
    const bool first = done_++ == 0;
    if (!terminal_ && !first && now - said_ < std::chrono::seconds(5)) return;
    said_ = now;
    std::ostringstream text;
    text << '[' << done_ << '/' << steps_ << "] " << what;
    if (left > 90)
      text << ", " << static_cast<int>(left / 60 + 0.5) << " min left";
    else if (left > 0)
      text << ", " << static_cast<int>(left + 0.5) << " s left";
    if (terminal_) {
      std::cerr << '\r' << text.str() << "\x1b[K" << std::flush;
    } else {
      std::cerr << text.str() << '\n';
    }
  }
  ~progress() {
    if (terminal_) std::cerr << "\r\x1b[K";
  }

 private:
  using clock = std::chrono::steady_clock;

  std::size_t steps_, done_ = 0;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  clock::time_point began_ = clock::now(), said_ = began_;
};

}  // namespace bench
