// What a test of a backend is asked to do, and what it found.
export module topbit.backend_test:report;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::backend_test {

/// What a backend cannot do, and says so: then a difference in a call of that operator on levels 4 to 9 is no failure.
/// A hole that works is one, so that the list stays true; so is one of which no call was made.
struct hole {
  std::string op;                          // "aten::lgamma", or the beginning of names and '*'
  std::optional<topbit::dtype> type = {};  // of an argument; all of them if none is given
  std::string reason = {};
};

struct options {
  bool quick = false;  // a few cases of everything, in a few seconds
  int first_level = 0, last_level = 15;
  std::uint64_t seed = 1;
  std::vector<hole> holes = {};
};

struct failure {
  std::string what;       // "aten::neg: element 3 of the result: found 2, wanted -2"
  std::string reproduce;  // a command or lines of C++; empty if there is no shorter way than the level
};

struct level_result {
  int level = 0;
  std::string name;
  std::uint64_t checks = 0;
  std::uint64_t failed = 0;
  std::vector<failure> failures = {};  // the first twenty
  double seconds = 0;
};

struct report {
  device where;
  std::uint64_t seed = 0;
  std::vector<level_result> levels = {};
  std::vector<std::string> false_holes = {};  // sentences
  /// No level has failures, no hole is false, and something was checked.
  bool passed() const noexcept;
};

/// Runs the levels, each of which needs those before it: a level with failures is the last.
///
///   0 memory: alignment, sizes, exhaustion, statistics
///   1 copies to and from the device, also of parts of blocks, and empty ones
///   2 views, and copies between memory orders and all pairs of dtypes
///   3 factories
///   4 pointwise operators, by dtype and arrangement in memory
///   5 reductions and rows, likewise
///   6 products, convolution, pooling, attention
///   7 indices, and errors about them
///   8 random numbers
///   9 every operator, as its page shows it
///  10 gradients
///  11 random programs of operators, views and writes
///  12 training steps by SGD, Adam and AdamW
///  13 threads
///  14 streams and events
///  15 kernels registered once for a layout: AnySparse, AnySparseCsr, AnyQuantized
///
/// Results are compared with the CPU's: integers, booleans, copies, random numbers and NaN positions are equal;
/// floating-point elements of pointwise operators differ by at most 4 units in the last place, of others by at most 64
/// units of float32 (float64 for float64) of the largest element more. Throws device_error if the device is unknown.
report test(device where, const options& how = {});

std::string to_string(const report& r);
std::string to_json(const report& r);
/// For tools that read JUnit's XML: a suite for the backend, a case for each level.
std::string to_junit(const report& r);

/// The same as a program: prints the report, and takes --quick, --level N or N-M, --seed N, --json FILE, --junit FILE,
/// --help. Returns 0 if everything passed, 1 if something failed, 2 for a wrong argument or an unknown device.
int run(std::string_view name, int count, char** words, const options& how = {});

}  // namespace topbit::backend_test
