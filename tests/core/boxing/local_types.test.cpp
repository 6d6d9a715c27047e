// Types of unnamed namespaces: two source files may each have one of the same name, and they are two types.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "local_types.h"
import topbit.core;

namespace {

struct state {
  std::string text;
  int number = 0;
};

}  // namespace

TEST_CASE("local_types: a value of one file's type is none of another file's", "[core][value]") {
  const topbit::value v = local_types::made_elsewhere();
  CHECK(v.type_name() == topbit::value(state()).type_name());
  CHECK_FALSE(v.is<state>());
  CHECK(topbit::value(state()).is<state>());
}

TEST_CASE("local_types: nor is a signature with it that of another file's", "[core][op][E6]") {
  const topbit::operator_handle h = local_types::declared_elsewhere();
  CHECK_THROWS_AS(h.typed<int(const state&)>(), topbit::bad_argument);
}
