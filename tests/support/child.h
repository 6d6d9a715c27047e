// A child of this process that has to end by itself.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace toy {

// Why no child of a fork runs under this sanitizer; null where it does.
#if __has_feature(thread_sanitizer)
inline constexpr const char* no_children =
    "the thread sanitizer's own locks are not free in a child of several threads";
#else
inline constexpr const char* no_children = nullptr;
#endif

/// True if a child does the work and ends. One that hangs is ended after half a minute.
template <class F>
bool child_ends(F&& work) {
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    int status = 1;
    try {
      work();
      status = 0;
    } catch (...) {
    }
    _exit(status);
  }
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return status == 0;
}

/// True if each of this many children does the work and ends; of fewer, where these take more than some seconds.
template <class F>
bool children_end(int forks, F&& work) {
  const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  for (int i = 0; i < forks && (i == 0 || std::chrono::steady_clock::now() < enough); ++i) {
    if (!child_ends(work)) return false;
  }
  return true;
}

/// The same while two threads of this process do it all the time.
template <class F>
bool children_end_beside_threads(int forks, F&& work) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) work();
    });
  }
  const bool all = children_end(forks, work);
  stop = true;
  for (std::thread& t : threads) t.join();
  return all;
}

}  // namespace toy
