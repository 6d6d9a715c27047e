// Matrix products in all variants of the kernel ABI, compared with a plain loop in long double.
#pragma once

#include <array>

#include "half.h"
#include "kernel_ops.h"
#include "oracle/functions.h"
#include "oracle/products.h"
#include "support.h"

namespace kernel_tests {

struct extent {
  std::int64_t m, n, k;
};

enum class order { rows, columns, rows_apart, backwards, repeated, columns_repeated, one };

struct strides {
  std::int64_t row, col, first, count;
};

// The strides of a [rows][cols] matrix in a storage order, the index of its first element, and the number of elements
// of its memory.
inline strides lay_out(order how, std::int64_t rows, std::int64_t cols) {
  const std::int64_t count = rows * cols;
  switch (how) {
    case order::rows: return {cols, 1, 0, count};
    case order::columns: return {1, rows, 0, count};
    case order::rows_apart:
      return {cols * 2 + 3, 2, 0, count == 0 ? 0 : (rows - 1) * (cols * 2 + 3) + (cols - 1) * 2 + 1};
    case order::backwards: return {-cols, -1, count == 0 ? 0 : count - 1, count};
    case order::repeated: return {0, 1, 0, cols};
    case order::columns_repeated: return {1, 0, 0, rows};
    case order::one: return {0, 0, 0, 1};
  }
  return {};
}

// An element type of the kernel ABI: conversions and compute type.
template <typename E>
struct element {
  using compute = E;
  static constexpr std::int32_t dtype = dtype_of<E>;
  static constexpr double rounding = 0;  // relative error of storing a result, in addition to computing it
  static E from(double x) { return E(x); }
  static E value(E x) { return x; }
};
template <>
struct element<tb_kernel::half> {
  using compute = float;
  static constexpr std::int32_t dtype = TB_F16;
  static constexpr double rounding = 0x1p-11;
  static tb_kernel::half from(double x) { return tb_kernel::to_half(float(x)); }
  static float value(tb_kernel::half x) { return tb_kernel::to_float(x); }
};
template <>
struct element<tb_kernel::bfloat16> {
  using compute = float;
  static constexpr std::int32_t dtype = TB_BF16;
  static constexpr double rounding = 0x1p-8;
  static tb_kernel::bfloat16 from(double x) { return tb_kernel::to_bfloat16(float(x)); }
  static float value(tb_kernel::bfloat16 x) { return tb_kernel::to_float(x); }
};

template <typename E>
void fill_elements(const array<E>& values, std::uint64_t seed) {
  random_numbers random(seed);
  for (E& x : values) x = element<E>::from(random.between(-9, 9));
}

enum class plus { nothing, result, other };  // the added matrix: none, the result, another one

// Options of a product beyond two matrices.
struct variant {
  double alpha = 1, beta = 1;
  plus added = plus::nothing;
  order added_order = order::rows;  // of plus::other
  std::int64_t batch = 1;
  bool shared_a = false;  // one a for all products of the batch
  bool shared_b = false;
  order out = order::rows;
  std::int64_t gap = 0;  // elements after each row of the result; order::rows only
  bool corners = false;  // a contains a NaN, b an infinity
  bool old_nan = false;  // the result contains NaN before the call
  std::int32_t activation = -1;
};

inline double activated(std::int32_t activation, double x) {
  switch (activation) {
    case TB_RELU: return x <= 0 ? 0 : x;
    case TB_SIGMOID: return oracle::sigmoid(x);
    case TB_TANH: return std::tanh(x);
    case TB_SILU: return oracle::silu(x);
    case TB_GELU: return oracle::gelu(x);
    case TB_GELU_TANH: return oracle::gelu_tanh(x);
    default: return x;
  }
}

// E: element type of a and b; O: of the result.
template <typename E, typename O = E>
std::string try_matmul(backend here, extent of, order a_order, order b_order, variant how) {
  using compute = typename element<E>::compute;
  stage memory(here);
  const strides a_is = lay_out(a_order, of.m, of.k), b_is = lay_out(b_order, of.k, of.n);
  const strides added_is = lay_out(how.added_order, of.m, of.n);
  strides out_is = lay_out(how.out, of.m, of.n);
  if (how.gap != 0) out_is = {of.n + how.gap, 1, 0, of.m * of.n == 0 ? 0 : (of.m - 1) * (of.n + how.gap) + of.n};
  const std::int64_t a_batch = how.shared_a ? 0 : a_is.count + 1, b_batch = how.shared_b ? 0 : b_is.count;
  const std::int64_t more_than_one = how.batch > 1 ? how.batch - 1 : 0;
  const auto a = memory.make<E>(a_is.count + a_batch * more_than_one);
  const auto b = memory.make<E>(b_is.count + b_batch * more_than_one);
  const auto out = memory.make<O>(out_is.count * how.batch);
  const auto more = memory.make<O>(added_is.count * how.batch);
  fill_elements(a, 1);
  fill_elements(b, 2);
  fill_elements(out, 3);
  fill_elements(more, 4);
  if constexpr (std::is_floating_point_v<E>) {
    if (how.corners && a.size() > 0) a[a.size() / 2] = std::numeric_limits<E>::quiet_NaN();
    if (how.corners && b.size() > 0) b[b.size() / 2] = std::numeric_limits<E>::infinity();
    if (how.old_nan) std::fill(out.begin(), out.end(), std::numeric_limits<E>::quiet_NaN());
  }
  const std::vector<O> before(out.begin(), out.end());

  tb_matmul product{};
  product.out = out.seen_by_kernel() + out_is.first;
  product.a = a.seen_by_kernel() + a_is.first;
  product.b = b.seen_by_kernel() + b_is.first;
  product.m = of.m;
  product.n = of.n;
  product.k = of.k;
  product.out_row = out_is.row;
  product.out_col = out_is.col;
  product.a_row = a_is.row;
  product.a_col = a_is.col;
  product.b_row = b_is.row;
  product.b_col = b_is.col;
  product.batch = how.batch;
  product.out_batch = out_is.count;
  product.a_batch = a_batch;
  product.b_batch = b_batch;
  const strides add = how.added == plus::other ? added_is : out_is;
  if (how.added != plus::nothing) {
    product.added = how.added == plus::other ? more.seen_by_kernel() + add.first : product.out;
    product.added_row = add.row;
    product.added_col = add.col;
    product.added_batch = add.count;
  }
  product.alpha = {how.alpha, std::int64_t(how.alpha)};
  product.beta = {how.beta, std::int64_t(how.beta)};
  product.dtype = element<E>::dtype;
  product.out_dtype = element<O>::dtype;
  product.activation = how.activation;
  CHECK(memory.run([&](const tb_kernels& k) { return k.matmul(&product, nullptr); }) == TB_OK);

  using total = std::conditional_t<std::is_floating_point_v<compute>, long double, std::int64_t>;
  using shown = std::conditional_t<std::is_floating_point_v<compute>, compute, std::int64_t>;
  std::vector<expected<shown>> want;
  for (const O x : before) want.push_back({total(element<O>::value(x))});
  for (std::int64_t s = 0; s < how.batch; ++s) {
    for (std::int64_t i = 0; i < of.m; ++i) {
      for (std::int64_t j = 0; j < of.n; ++j) {
        auto [sum, magnitude] = oracle::sum_of<total>(of.k, [&](std::int64_t p) {
          return total(element<E>::value(a[s * a_batch + a_is.first + i * a_is.row + p * a_is.col])) *
                 total(element<E>::value(b[s * b_batch + b_is.first + p * b_is.row + j * b_is.col]));
        });
        const std::int64_t at = s * out_is.count + out_is.first + i * out_is.row + j * out_is.col;
        const std::int64_t add_at = s * add.count + add.first + i * add.row + j * add.col;
        total old = 0;
        if (how.added == plus::result) old = total(how.beta) * total(element<O>::value(before[std::size_t(add_at)]));
        if (how.added == plus::other) old = total(how.beta) * total(element<O>::value(more[add_at]));
        magnitude = magnitude * std::fabs(how.alpha) + std::fabs(static_cast<long double>(old));
        sum = total(how.alpha) * sum + old;
        if (how.activation == TB_RELU) sum = sum <= 0 ? 0 : sum;
        if constexpr (std::is_floating_point_v<compute>) {
          if (how.activation >= 0 && how.activation != TB_RELU) sum = activated(how.activation, double(sum));
        }
        want[std::size_t(at)] = {sum, 0};
        if constexpr (std::is_floating_point_v<compute>) {
          want[std::size_t(at)].slack =
              ulps<compute>(4 + std::sqrt(double(of.k)), magnitude) + element<O>::rounding * std::fabs(sum);
          if (element<O>::rounding != 0) want[std::size_t(at)].slack += 0x1p-20L;  // subnormal float16
        }
      }
    }
  }
  differences<shown> found;
  for (std::size_t i = 0; i < want.size(); ++i) {
    found.add(std::int64_t(i), element<O>::value(out[std::int64_t(i)]), want[i]);
  }
  if (found.text() == "") return "";
  return found.text() + " in " + std::to_string(of.m) + "x" + std::to_string(of.k) + " by " + std::to_string(of.n) +
         " of dtype " + std::to_string(element<E>::dtype) + "\n";
}

// A single product of dense matrices.
inline tb_matmul plain(void* out, const void* a, const void* b, extent of, tb_dtype type) {
  tb_matmul product{};
  product.out = out;
  product.a = a;
  product.b = b;
  product.m = of.m;
  product.n = of.n;
  product.k = of.k;
  product.out_row = product.b_row = of.n;
  product.a_row = of.k;
  product.out_col = product.a_col = product.b_col = 1;
  product.batch = 1;
  product.alpha = product.beta = {1, 1};
  product.dtype = product.out_dtype = type;
  product.activation = -1;
  return product;
}

}  // namespace kernel_tests
