// Element types: which one a result has, what float16 and bfloat16 represent; and shapes: broadcasting, einsum.
#include <cstdio>
#include <string>
#include <vector>

import topbit;
namespace tb = topbit;
using tb::dtype;

static void print(const tb::tensor& t) { std::puts(to_string(t, {.one_line = true}).c_str()); }
static tb::tensor ones(dtype type) { return tb::ones({2}, tb::arg<"dtype"> = type); }

int main() {
  // 1. Two tensors promote to the smallest type that holds both; int64 with float16 gives float16.
  print(ones(dtype::uint8) + ones(dtype::int8));        // prints: [2, 2] (int16 [2])
  print(ones(dtype::int64) + ones(dtype::float16));     // prints: [2, 2] (float16 [2])
  print(ones(dtype::float16) + ones(dtype::bfloat16));  // prints: [2, 2] (float32 [2])

  // 2. A number, or a zero-dimensional tensor, promotes by category only: bool, integer, floating. The quotient of
  // integers is floating.
  print(ones(dtype::int8) + 100);                // prints: [101, 101] (int8 [2])
  print(ones(dtype::float16) * 1.5);             // prints: [1.5, 1.5] (float16 [2])
  print(ones(dtype::int8) / ones(dtype::int8));  // prints: [1, 1] (float32 [2])

  // 3. float16 has 11 bits and ends at 65504; bfloat16 has 8 bits and the range of float32.
  const tb::tensor big = tb::from_values<float>({2049, 70000}, {2});
  print(tb::to(big, dtype::float16));   // prints: [2048, inf] (float16 [2])
  print(tb::to(big, dtype::bfloat16));  // prints: [2048, 70144] (bfloat16 [2])

  // 4. Sums of integers are int64, of float16 and bfloat16 computed in float32 and rounded once.
  print(tb::sum(tb::full({300}, 200, tb::arg<"dtype"> = dtype::uint8)));      // prints: 60000 (int64 [])
  print(tb::sum(tb::full({4096}, 0.25, tb::arg<"dtype"> = dtype::float16)));  // prints: 1024 (float16 [])

  // 5. In place the type stays, and a lower category is refused.
  tb::tensor counts = ones(dtype::int32);
  try {
    counts *= 0.5;
  } catch (const tb::dtype_error& e) {
    // prints: aten::mul_.Scalar: in aten::mul_.Tensor: the result is float32 and cannot be written to int32
    std::puts(e.what());
  }

  // 6. Shapes align at the end, and a size of 1 is repeated: a table from a column and a row.
  const tb::tensor numbers = tb::arange(1, 4);
  print(tb::unsqueeze(numbers, 1) * numbers);  // prints: [[1, 2, 3], [2, 4, 6], [3, 6, 9]] (int64 [3, 3])

  // 7. einsum names the dimensions: those that are not in the result are summed over.
  const tb::tensor a = tb::reshape(tb::arange(6, tb::arg<"dtype"> = dtype::float64), {2, 3});
  print(tb::einsum("ij,kj->ik", {a, a}));  // prints: [[5, 14], [14, 50]] (float64 [2, 2])
  print(tb::einsum("ij->j", {a}));         // prints: [3, 5, 7] (float64 [3])
  print(tb::einsum("ij,ij->", {a, a}));    // prints: 55 (float64 [])
}
