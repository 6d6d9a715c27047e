#include <catch2/catch_test_macros.hpp>
#include <type_traits>

import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace casts = topbit::casts;
using tb::author::cast_policy;

TEST_CASE("policy: a table has the policy of each operator in it, none of others", "[autocast][policy]") {
  constexpr auto table = casts::policies(casts::lower<aten::mm, aten::bmm>{}, casts::fp32<aten::exp>{});
  using table_type = decltype(table);
  STATIC_CHECK(table_type::policy<std::remove_const_t<decltype(aten::bmm)>> == cast_policy::lower);
  STATIC_CHECK(table_type::policy<std::remove_const_t<decltype(aten::exp)>> == cast_policy::fp32);
  STATIC_CHECK(table_type::policy<std::remove_const_t<decltype(aten::log)>> == cast_policy::none);
  STATIC_CHECK(table_type::size == 3);
}

TEST_CASE("policy: both tables are kernels for their backends' Autocast keys", "[autocast][policy]") {
  for (const char* name : {"aten::mm", "aten::cat", "aten::mse_loss"}) {
    INFO(name);
    CHECK(tb::inspect::computed_row(tb::find(name), tb::key::AutocastCPU).why == tb::inspect::row_reason::kernel);
    CHECK(tb::inspect::computed_row(tb::find(name), tb::key::AutocastXLA).passes);
  }
}
