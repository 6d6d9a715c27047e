// Declarations that 'topbit generate' made of made.yaml.
#include <string>

#include <catch2/catch_test_macros.hpp>

import tables_test_made;
import topbit.core;
import topbit.tensor;
import topbit.tables;

namespace tb = topbit;

namespace {
const auto registered = tb::tables::library_from<made::table, made::kernel_list>("made");

tb::tensor values(float a, float b) { return tb::from_values<float>({a, b}, {2}); }
}  // namespace

TEST_CASE("tables generate: operators of the generated module are called", "[tables]") {
  CHECK(made::scaled_add(values(1, 2), values(10, 20), 0.5).data_ptr<float>()[1] == 12);
  CHECK(made::label() == "a \"b\"3");
}

TEST_CASE("tables: all forms of a structured group share the kernel of the out form", "[tables]") {
  tb::tensor a = values(1, 5), out = values(7, 7);
  const tb::tensor b = values(3, 4);
  CHECK(made::less(a, b).data_ptr<float>()[0] == 1);
  made::less_out(a, b, out);
  CHECK(out.data_ptr<float>()[1] == 0);
  CHECK(&made::less_(a, b) == &a);
  CHECK(a.data_ptr<float>()[0] == 1);
  CHECK(a.data_ptr<float>()[1] == 0);
  CHECK(tb::inspect::has_kernel(made::less_.handle(), tb::key::Meta));
}
