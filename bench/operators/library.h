// One of the two libraries that are compared, as the program sees it. All that passes is plain, so that a shared
// library may be compiled with another compiler, another standard library's ABI and other options.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench::operators {

// A tensor that a cell has computed, row-major. `precision`: how far two correct results may be apart, of their size; 0
// for whole numbers and bool.
struct result_view {
  const double* values;
  std::int64_t count;
  double precision;
};

class library {
 public:
  virtual const char* name() = 0;
  virtual const char* version() = 0;
  virtual const char* setting() = 0;  // the kernels that it has chosen
  virtual void set_threads(int count) = 0;

  // The operators it was compiled with, in the order of the sources.
  virtual std::size_t count() = 0;
  virtual const char* family(std::size_t index) = 0;
  virtual const char* name(std::size_t index) = 0;

  // Makes the inputs of an operator for the numbers of a shape; those of both libraries are equal. Null, or why it
  // failed, until the next call.
  virtual const char* prepare(std::size_t index, const std::int64_t* numbers, std::size_t count) = 0;
  // So many calls. Null, or why it failed.
  virtual const char* run(std::int64_t times) = 0;
  // One more call, whose results live until drop(). Null, or why it failed.
  virtual const char* compute() = 0;
  virtual std::size_t results() = 0;
  virtual result_view result(std::size_t index) = 0;
  virtual void drop_results() = 0;
  virtual void drop() = 0;

  // Of the largest input or result that lives.
  virtual std::int64_t elements() = 0;

 protected:
  ~library() = default;
};

// What a shared library exports, under this name. A file of another checkout may be loaded, so the name changes when
// class library does.
using library_function = library* (*)();
inline constexpr const char* library_function_name = "topbit_bench_library";

}  // namespace bench::operators
