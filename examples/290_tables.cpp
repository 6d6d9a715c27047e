// Operators from a list in YAML, which the compiler reads: examples/tables/ops.yaml, one place to review them.
#include <cstdint>
#include <iostream>

#include "ops.yaml.h"  // the text of ops.yaml as a constant, made by topbit_table_text() in CMake

import topbit;
import topbit.tables;
namespace tb = topbit;
namespace tables = topbit::tables;

// 1. The table: its operators are demo::scaled_add and demo::midpoint.
inline constexpr tables::table ops{"demo", ops_yaml, "ops.yaml"};

// 2. Operators by their names: the same types as those of `op<"demo::scaled_add(...) -> Tensor">`.
inline constexpr auto scaled_add = tables::op_of<ops, "scaled_add">;
inline constexpr auto midpoint = tables::op_of<ops, "midpoint">;

// 3. The functions that the table names, with the C++ types of its schemas.
static tb::tensor scaled_add_cpu(const tb::tensor& self, const tb::tensor& other, double scale) {
  tb::tensor result = tb::empty_like(self);
  for (std::int64_t i = 0; i < self.numel(); ++i)
    result.data_ptr<float>()[i] = self.data_ptr<float>()[i] + static_cast<float>(scale) * other.data_ptr<float>()[i];
  return result;
}
static tb::tensor scaled_add_meta(const tb::tensor& self, const tb::tensor&, double) { return tb::empty_like(self); }
static tb::tensor midpoint_of(const tb::tensor& self, const tb::tensor& other) { return (self + other) / 2; }

// 4. Each name of the table has a function here, each function is named, and each fits its schema, or this does not
// compile. A name that is misspelt in ops.yaml is an error with its line and column there.
const auto library =
    tables::library_from<ops, tables::named<"scaled_add_cpu", &scaled_add_cpu>,
                         tables::named<"scaled_add_meta", &scaled_add_meta>, tables::named<"midpoint", &midpoint_of>>(
        "demo");

int main() {
  const tb::tensor x = tb::from_values<float>({1, 2}, {2}), y = tb::from_values<float>({10, 20}, {2});
  std::cout << scaled_add(x, y) << '\n';                                      // prints: [11., 22.] (float32 [2])
  std::cout << scaled_add(x, y, tb::arg<"scale"> = 0.5) << '\n';              // prints: [ 6., 12.] (float32 [2])
  std::cout << scaled_add(tb::to(x, tb::meta), tb::to(y, tb::meta)) << '\n';  // prints: (float32 [2] on meta)
  std::cout << midpoint(x, y) << '\n';                                        // prints: [ 5.5, 11. ] (float32 [2])

  // 5. What the table says of an operator is there to be asked, and so is what it registered.
  std::cout << tables::entry_of<ops, "scaled_add">().at.line << '\n';   // prints: 2
  std::cout << to_string(tb::find("demo::scaled_add").tags()) << '\n';  // prints: pointwise
}
