// The cases of a program. A case is one body, which runs over Google Benchmark's rounds when it is timed and over a
// plain number of rounds when its instructions are counted, so both measure the same code. Knows nothing of what is
// measured: the program for topbit and the one for libtorch share it.
#pragma once

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace cases {

// A number of rounds to run through, like benchmark::State.
class counted {
 public:
  struct [[maybe_unused]] round {};
  class iterator {
   public:
    explicit iterator(std::uint64_t left) : left_(left) {}
    bool operator!=(const iterator& other) const { return left_ != other.left_; }
    void operator++() { --left_; }
    round operator*() const { return {}; }

   private:
    std::uint64_t left_;
  };
  explicit counted(std::uint64_t rounds) : rounds_(rounds) {}
  iterator begin() const { return iterator(rounds_); }
  iterator end() const { return iterator(0); }

  double units = 1;  // how many of what is measured one round does

 private:
  std::uint64_t rounds_;
};

// Says that one round does so many of what is measured.
inline void units_per_round(counted& rounds, double units) { rounds.units = units; }
inline void units_per_round(benchmark::State& state, double units) {
  state.counters["each"] =
      benchmark::Counter(units, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// A loop of a nanosecond takes longer or shorter by where in a cache line it lies. So there are four of each, in
// different places, and the repetitions take turns: a median is one of the places, not the luck of a build. `body`
// takes the place as a constant and calls lie_at() with it before its loop.
template <int Place>
inline void lie_at(std::integral_constant<int, Place>) {
  asm volatile(".p2align 6\n\t.skip %c0, 0x90" ::"i"(16 * Place));
}
template <class Rounds, class Body>
bool in_turn(Rounds&, Body body) {
  if constexpr (std::is_same_v<Rounds, benchmark::State>) {
    static std::atomic<unsigned> turn{0};  // this case's: each has a body of its own
    switch (turn++ % 4) {
      case 1: return body(std::integral_constant<int, 1>());
      case 2: return body(std::integral_constant<int, 2>());
      case 3: return body(std::integral_constant<int, 3>());
    }
  }
  return body(std::integral_constant<int, 0>());
}

// Seconds of this thread's processor time that the work took, for sections that a case times itself. Asking for it is a
// system call: let the work be long.
template <class Work>
double seconds(Work work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const double began = now();
  work();
  return now() - began;
}

// Bytes the allocator has handed out, its own bookkeeping included. Memory that comes from elsewhere is not seen.
inline double bytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// How many more bytes are in use after the work. It runs in a thread of its own, whose cache of free blocks, which
// count as in use, begins empty.
template <class Work>
double bytes_kept(Work work) {
  double bytes = 0;
  std::thread([&] {
    const double before = bytes_in_use();
    work();
    bytes = bytes_in_use() - before;
  }).join();
  return bytes;
}

// Bodies return whether the result was right.
struct one {
  std::string name;
  std::function<bool(benchmark::State&)> time;
  std::function<void(benchmark::internal::Benchmark*)> arrange = [](benchmark::internal::Benchmark*) {};
  std::function<bool(counted&)> count;  // empty: instructions are not counted
  std::uint64_t few = 0, many = 0;      // rounds whose difference is counted
};

std::vector<one>& all();

inline one& add_timed(std::string name, std::function<bool(benchmark::State&)> body) {
  one& added = all().emplace_back();
  added.name = std::move(name);
  added.time = std::move(body);
  return added;
}

// For a body that takes either kind of rounds. The numbers of rounds suit work of nanoseconds.
template <class Body>
one& add(std::string name, Body body) {
  one& added = add_timed(std::move(name), body);
  added.count = body;
  added.few = 4096;
  added.many = 12288;
  return added;
}

// Google Benchmark's flags and, of this program's own:
//   --table-only           the cost table without the report of each case
//   --no-table             the report of each case without the cost table
//   --json FILE            writes the medians, and the table's lines
//   --icount FILE          instructions per call, as icount.sh writes them
//   --libtorch FILE        the medians of libtorch's program, for a column of the table
//   --libtorch-icount FILE the same for its instructions
//   --count [CASE]...      runs cases a fixed number of times, for icount.sh
// Returns the status of the process: 1 for a result that was wrong or an argument nobody knows, never for a time.
int run(int argc, char** argv);

}  // namespace cases
