// The short way of elementwise calls and the long one give the same: what is decided is which calls take it.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <span>
#include <vector>

import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::tensor;
using sizes = std::vector<std::int64_t>;

namespace {

tensor numbers(const sizes& size) {
  const std::int64_t n = tb::numel(tb::shape(std::span<const std::int64_t>(size)));
  return aten::reshape(aten::arange(n, tb::arg<"dtype"> = tb::dtype::float32), size);
}

std::vector<float> values(const tensor& t) {
  const tensor dense = aten::contiguous(t);
  const float* const at = dense.data_ptr<float>();
  return {at, at + dense.numel()};
}

}  // namespace

TEST_CASE("fast path: the result of dense operands is dense, new, and of their dtype and keys", "[ops][quick]") {
  const tensor a = numbers({2, 3}), b = numbers({2, 3});
  const tensor sum = aten::add_Tensor(a, b, tb::arg<"alpha"> = 2);
  CHECK(values(sum) == std::vector<float>{0, 3, 6, 9, 12, 15});
  CHECK(sum.is_contiguous());
  CHECK(sum.keys() == a.keys());
  CHECK(aten::eq_Tensor(a, b).dtype() == tb::dtype::boolean);
  const tensor halves = tb::to(a, tb::dtype::bfloat16);
  CHECK(aten::mul_Tensor(halves, halves).dtype() == tb::dtype::bfloat16);
}

TEST_CASE("fast path: operands of other shapes, memory orders and dtypes give the result of the general path",
          "[ops][quick]") {
  const tensor a = numbers({2, 3});
  CHECK(values(aten::add_Tensor(a, numbers({3}))) == std::vector<float>{0, 2, 4, 3, 5, 7});
  CHECK(values(aten::add_Tensor(numbers({3, 2}), aten::t(a))) == std::vector<float>{0, 4, 3, 7, 6, 10});
  CHECK(aten::add_Tensor(a, tb::to(a, tb::dtype::float64)).dtype() == tb::dtype::float64);
  CHECK(aten::sqrt(tb::to(a, tb::dtype::int32)).dtype() == tb::dtype::float32);
  const tensor one = tb::from_values<float>({1}, {});
  CHECK(values(aten::sub_Tensor(one, a)) == std::vector<float>{1, 0, -1, -2, -3, -4});
  CHECK(values(aten::sub_Tensor(a, one)) == std::vector<float>{-1, 0, 1, 2, 3, 4});
  CHECK(aten::sub_Tensor(one, one).dim() == 0);
  const tensor wide = tb::from_values<double>({1}, {});
  CHECK(aten::sub_Tensor(a, wide).dtype() == tb::dtype::float32);
  CHECK(aten::add_Tensor(numbers({0, 3}), numbers({0, 3})).sizes() == tb::shape{0, 3});
}

TEST_CASE("fast path: the stride of a dimension of size 1 does not matter", "[ops][quick]") {
  const tensor column = aten::as_strided(numbers({8}), sizes{3, 1}, sizes{1, 7});
  CHECK(values(aten::neg(column)) == std::vector<float>{0, -1, -2});
  CHECK(aten::neg(column).strides() == tb::shape{1, 1});
}

TEST_CASE("fast path: the result may be an operand, but not overlap one partly", "[ops][quick]") {
  const tensor memory = numbers({8});
  tensor front = aten::slice_Tensor(memory, 0, 0, 4), shifted = aten::slice_Tensor(memory, 0, 1, 5);
  aten::add_Tensor_(front, front);
  CHECK(values(memory) == std::vector<float>{0, 2, 4, 6, 4, 5, 6, 7});
  aten::add_out(front, front, tb::arg<"out"> = shifted);
  CHECK(values(memory) == std::vector<float>{0, 0, 4, 8, 12, 5, 6, 7});
  tensor whole = memory;
  const tensor first = aten::select_int(memory, 0, 3);
  aten::mul_Tensor_(whole, first);
  CHECK(values(memory) == std::vector<float>{0, 0, 32, 64, 96, 40, 48, 56});
}

TEST_CASE("fast path: a result of another shape or dtype is refused or converted as in the general path",
          "[ops][quick]") {
  const tensor a = numbers({2, 3});
  tensor small = numbers({2}), wide = tb::to(a, tb::dtype::float64), bools = aten::eq_Tensor(a, a);
  CHECK_THROWS_AS(aten::add_out(a, a, tb::arg<"out"> = small), tb::shape_error);
  CHECK_THROWS_AS(aten::add_out(a, a, tb::arg<"out"> = bools), tb::dtype_error);
  aten::add_out(a, a, tb::arg<"out"> = wide);
  CHECK(values(tb::to(wide, tb::dtype::float32)) == std::vector<float>{0, 2, 4, 6, 8, 10});
  tensor repeated = aten::expand(numbers({1}), sizes{4});
  CHECK_THROWS_AS(aten::neg_(repeated), tb::shape_error);
  CHECK_THROWS_AS(aten::add_Tensor(a, tensor()), tb::error);
  CHECK_THROWS_AS(aten::bitwise_and_Tensor(a, a), tb::dtype_error);
}

TEST_CASE("fast path: writes are counted, and integers divided by zero refused before anything is written",
          "[ops][quick]") {
  tensor a = tb::from_values<std::int64_t>({6, 7}, {2});
  const tensor b = tb::from_values<std::int64_t>({2, 0}, {2});
  const auto version = a.version();
  CHECK_THROWS_AS(aten::remainder_Tensor_(a, b), tb::error);
  CHECK(a.data_ptr<std::int64_t>()[0] == 6);
  aten::add_Tensor_(a, b);
  CHECK(a.version() > version);
}

TEST_CASE("fast path: a number is broadcast to any number of elements", "[ops][quick][number]") {
  for (const std::int64_t n : {1, 255, 256, 257, 600, 40000}) {
    const tensor a = numbers({n}), more = a + 1, less = 1 - a, few = a < 300;
    CHECK(more.dtype() == tb::dtype::float32);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<float>(i);
      wrong += more.data_ptr<float>()[i] != x + 1 || less.data_ptr<float>()[i] != 1 - x ||
               few.data_ptr<bool>()[i] != (x < 300);
    }
    CHECK(wrong == 0);
    tensor changed = aten::clone(a);
    changed *= 3;
    CHECK(values(changed).back() == 3 * values(a).back());
  }
}

TEST_CASE("fast path: a number promotes as in PyTorch, without losing precision", "[ops][quick][number]") {
  using tb::dtype;
  const auto one = [](dtype t) { return aten::ones(sizes{2}, tb::arg<"dtype"> = t); };
  const auto type_of = [&](dtype t, const tb::scalar& s) { return (one(t) + s).dtype(); };
  CHECK(type_of(dtype::boolean, true) == dtype::boolean);
  CHECK(type_of(dtype::boolean, 1) == dtype::int64);
  CHECK(type_of(dtype::uint8, 1) == dtype::uint8);
  CHECK(type_of(dtype::int32, true) == dtype::int32);
  CHECK(type_of(dtype::int16, 1.0) == dtype::float32);
  CHECK(type_of(dtype::bfloat16, 1.0) == dtype::bfloat16);
  CHECK(type_of(dtype::float64, 1) == dtype::float64);
  // 0.1 is not rounded to a half before it is used, nor 2^53 + 1 to a double.
  const tensor half = aten::full(sizes{2}, 3, tb::arg<"dtype"> = dtype::float16);
  CHECK(values(tb::to(half * 0.1, dtype::float32))[0] == static_cast<float>(tb::half(3 * 0.1F)));
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  CHECK((one(dtype::int64) * odd).data_ptr<std::int64_t>()[1] == odd);
  CHECK(values(one(dtype::float32) * odd)[1] == static_cast<float>(odd));
  CHECK((one(dtype::uint8) * 300).data_ptr<std::uint8_t>()[0] == 300 % 256);
}
