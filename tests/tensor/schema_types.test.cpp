#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::read_text;

namespace {
template <class T>
std::string written(const T& x) {
  return to_string(tb::value(x));
}
template <class T>
std::string refusal(std::string_view text) {
  return toy::text_of<tb::bad_argument>([&] { (void)read_text<T>(text); });
}
}  // namespace

TEST_CASE("schema_types: a dtype is read by its name and by those of schemas", "[tensor][text]") {
  for (const tb::dtype t : {tb::dtype::boolean, tb::dtype::int64, tb::dtype::float32, tb::dtype::float64}) {
    CHECK(written(t) == name_of(t));
    CHECK(read_text<tb::dtype>(written(t)) == t);
  }
  CHECK(read_text<tb::dtype>("long") == tb::dtype::int64);
  CHECK(refusal<tb::dtype>("int") ==
        "found 'int' at column 1, wanted one of bool, int64, float32, float64, long, float, double");
}

TEST_CASE("schema_types: a device is read as it is written", "[tensor][text]") {
  for (const tb::device d : {tb::cpu, tb::meta, tb::cuda(1), tb::device{tb::backend::PrivateUse1, 127}}) {
    CHECK(read_text<tb::device>(written(d)) == d);
  }
  CHECK(read_text<std::vector<tb::device>>("[cuda:0, cpu]") == std::vector<tb::device>{tb::cuda(0), tb::cpu});
  CHECK(refusal<tb::device>(" gpu:1") ==
        "found 'gpu:1' at column 2, wanted a device: cpu, cuda, cuda:N, meta, or another backend's name");
}

TEST_CASE("schema_types: layouts and memory formats have their names", "[tensor][text]") {
  for (const tb::layout l : {tb::layout::strided, tb::layout::sparse_coo, tb::layout::sparse_csr}) {
    CHECK(read_text<tb::layout>(written(l)) == l);
  }
  CHECK(written(tb::layout::strided) == "strided");
  CHECK(written(tb::memory_format::preserve) == "preserve_format");
  CHECK(read_text<tb::memory_format>("contiguous_format") == tb::memory_format::contiguous);
  CHECK(written(static_cast<tb::layout>(9)) == "9");
  CHECK(refusal<tb::layout>("9") == "found '9' at column 1, wanted one of strided, sparse_coo, sparse_csr");
}

TEST_CASE("schema_types: a scalar keeps its category", "[tensor][text]") {
  for (const tb::scalar s : {tb::scalar(true), tb::scalar(2), tb::scalar(2.0), tb::scalar(0.1),
                             tb::scalar(std::numeric_limits<std::int64_t>::min())}) {
    CHECK(read_text<tb::scalar>(written(s)) == s);
  }
  CHECK(written(tb::scalar(2.0)) == "2.0");
  CHECK(written(tb::scalar(true)) == "True");
  CHECK(refusal<tb::scalar>("two") == "found 'two' at column 1, wanted a number");
}
