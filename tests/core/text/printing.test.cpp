// What goes to a stream: each type that has a name or a text.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <ostream>
#include <sstream>
#include <string>

import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace {

template <class T>
std::string streamed_text(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

inline constexpr tb::op<"printing_test::twice(int x) -> int"> twice;
std::int64_t twice_kernel(std::int64_t x) { return 2 * x; }

}  // namespace

TEST_CASE("printing: keys and key sets go to a stream", "[printing]") {
  CHECK(streamed_text(key::AutogradCPU) == "AutogradCPU");
  CHECK(streamed_text(tb::key_set{key::CPU, key::CUDA}) == "{CPU, CUDA}");
  CHECK(streamed_text(key::CompositeImplicitAutograd) == "CompositeImplicitAutograd");
  CHECK(streamed_text(tb::key_target(key::CPU)) == "CPU");
  CHECK(streamed_text(tb::backend::CUDA) == "CUDA");
  CHECK(streamed_text(tb::functionality::Sparse) == "Sparse");
}

TEST_CASE("printing: answers go to a stream", "[printing]") {
  const auto block = tb::library("printing_test").def(twice).impl<&twice_kernel>(twice);
  const auto why = tb::explain(twice, 2);
  CHECK(streamed_text(why) == to_string(why));
  const tb::operator_handle op = tb::find("printing_test::twice");
  const auto table = computed_table(op);
  CHECK(streamed_text(table) == to_string(table));
  CHECK(streamed_text(table.front()) == to_string(table.front()));
  CHECK(streamed_text(dump(op)) == to_string(dump(op)));
  CHECK(streamed_text(tb::describe_keys()) == to_string(tb::describe_keys()));
  CHECK(streamed_text(tb::value(3)) == "3");
  CHECK(streamed_text(tb::author::schema_view(twice.schema())) == "printing_test::twice(int x) -> int");
}
