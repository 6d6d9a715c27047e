// What goes to a stream.
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

import topbit;

namespace tb = topbit;

namespace {

template <class T>
concept streamed = requires(std::ostream& out, const T& x) { out << x; };

struct stranger {};
struct with_own_text {};
[[maybe_unused]] std::string to_string(const with_own_text&) { return "own"; }
static_assert(!streamed<stranger> && !streamed<with_own_text> && !streamed<std::vector<tb::tensor>>);
static_assert(!tb::printable<int> && !tb::printable<bool> && !tb::printable<std::string> &&
              !tb::printable<const char*> && !tb::printable<with_own_text>);

template <class T>
std::string streamed_text(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

TEST_CASE("printing: a stream takes a tensor and what it is made of", "[tensor][printing]") {
  const tb::tensor t({{1, 2}, {3, 4}});
  CHECK(streamed_text(t) == "[[1, 2],\n [3, 4]] (int64 [2, 2])");
  CHECK(streamed_text(t.sizes()) == "[2, 2]");
  CHECK(streamed_text(t.dtype()) == "int64");
  CHECK(streamed_text(t.device()) == "cpu");
  CHECK(streamed_text(tb::cuda(1)) == "cuda:1");
  CHECK(streamed_text(t.layout()) == "strided");
  CHECK(streamed_text(tb::memory_format::contiguous) == "contiguous_format");
  CHECK(streamed_text(tb::scalar(2.5)) == "2.5");
  CHECK(streamed_text(tb::tensor()) == "undefined tensor");
}

TEST_CASE("printing: what has a name has a text", "[tensor][printing]") {
  CHECK(to_string(tb::dtype::bfloat16) == "bfloat16");
  CHECK(to_string(tb::layout::opaque) == "opaque");
  for (const tb::layout l : tb::all_layouts) CHECK(tb::author::schema_default<tb::layout>::from(name_of(l)) == l);
  CHECK(to_string(tb::backend::CUDA) == "CUDA");
}

TEST_CASE("printing: width and fill are those of strings", "[tensor][printing]") {
  std::ostringstream out;
  out << std::setw(8) << std::setfill('.') << tb::dtype::int8;
  CHECK(out.str() == "....int8");
}
