// What is measured, as data, and who computes it. A problem is one row of the report: an operation on arrays of given
// sizes. A peer is a library that may know how to do it. Knows no library.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bench {

enum class element { float32, float64, bfloat16, int64 };
std::size_t bytes_of(element type);
std::string name_of(element type);

// What an array of a problem is filled with.
enum class content {
  symmetric,  // -4..4
  positive,   // 0.1..4
  labels,     // whole numbers from 0 to below `below`
  near_one,   // 0.9995..1.0005, of which a thousand factors stay a number
  weights,    // -0.25..0.25
};

// Row-major; `transposed` swaps the last two dimensions in memory, so that the array is a transposed view.
struct array {
  std::vector<std::int64_t> sizes = {};
  element type = element::float32;
  content filled = content::symmetric;
  std::int64_t below = 0;
  bool transposed = false;
  void* data = nullptr;

  std::int64_t count() const;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};
// The element at a place, whatever its type; the place counts in memory.
double value_at(const array& a, std::int64_t place);
std::uint16_t bfloat16_of(float value);
float float_of(std::uint16_t bfloat16);

enum class form {
  given,     // into a result that is there
  fresh,     // a new result, dropped after each call
  unmapped,  // a new result in pages the system has just given
  in_place,
};
std::string name_of(form how);

struct problem {
  std::string family = {}, operation = {};
  form how = form::given;
  std::string label = {};  // what distinguishes it among the rows of its operation
  std::int64_t size = 0;   // the same as a number, for an axis
  std::vector<array> inputs = {};
  array result = {};
  // Of a convolution: stride, padding. Of a chain: nodes, whether both inputs are recorded. Of a step: the widths.
  std::vector<std::int64_t> options = {};
  bool limit = false;                         // of the machine: for yardsticks alone
  int threads = 1;                            // more: peers that can are asked for one thread and for so many
  double bytes = 0, flops = 0, elements = 0;  // of one call, for rates; flops only where they have an agreed number
  double parts = 1;                           // of one call, of which a time is given: nodes of a chain
  // The rate that is shown: GB/s, GF/s, Ge/s; or ns or us for the time of a part of a call; or bytes that a part keeps,
  // for which no clock is needed.
  std::string unit = "GB/s";

  std::string name() const;  // family/operation/form/label
  double per_call() const;   // what a call does of the unit, in 1e9; 0 for ns, us and bytes
  bool timed() const { return unit != "bytes"; }
};

// A problem that a peer is ready to do.
struct work {
  std::function<void(std::int64_t times)> run;
  // Does it once more, and says where the result lies until the next call. Dense, row-major.
  std::function<array()> result;
  double flops = 0;  // of one call, where that is not the problem's number
  double bytes = 0;  // that a part keeps, where no time is asked for
};

// The call is inlined into a loop, so that a call through std::function is paid once for many.
template <class Call>
std::function<void(std::int64_t)> repeat(Call call) {
  return [call = std::move(call)](std::int64_t times) mutable {
    for (std::int64_t i = 0; i < times; ++i) call();
  };
}

struct peer {
  std::string name = {};
  std::string version = {};
  std::string setting = {};   // how it runs in this process: "AVX-512", "as it picks", ...
  bool yardstick = false;     // a loop of this program: a limit, not a library
  bool has_settings = false;  // environment variables choose its kernels: measured with the best and with none
  std::function<std::optional<work>(const problem&)> prepare = {};
  std::function<void(int)> set_threads = {};  // empty: knows one thread only
};

}  // namespace bench
