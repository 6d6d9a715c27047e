// Products of vectors, matrices and more dimensions in every dtype, against sums over indices. Small whole numbers, so
// that everything is exact.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "oracle/products.h"
#include "support/properties.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_in_place;
using support::check_out;
using support::check_tensor;
using support::get;
using support::listed;
using support::numbers;
using support::result_of;
using tb::arg;
using tb::dtype;
using tb::scalar;
using tb::shape;
using tb::tensor;
using integers = std::vector<std::int64_t>;
using list = std::vector<double>;

namespace {

// Products take every dtype but bool.
template <class Visit>
void for_numbers(unsigned seed, Visit visit) {
  support::for_every_dtype(seed, 25, [&](numbers& source, dtype t) {
    if (t != dtype::boolean) visit(source, t);
  });
}

tensor any(numbers& source, const shape& sizes, dtype t) { return support::any_whole_tensor(source, sizes, t, 0, 2); }
std::int64_t some(numbers& source) { return source.whole(0, 7) == 0 ? 0 : source.whole(1, 5); }
scalar factor(numbers& source) { return source.whole(0, 3); }

}  // namespace

TEST_CASE("product: sums of matrices and their products, in all forms", "[ops][linalg][property]") {
  for_numbers(1, [](numbers& source, dtype t) {
    const std::int64_t b = some(source), m = some(source), k = some(source), n = some(source);
    const scalar beta = factor(source), alpha = factor(source);
    const double by = beta.to_double(), times = alpha.to_double();
    const tensor x = any(source, {b, m, k}, t), y = any(source, {b, k, n}, t), left = any(source, {m, k}, t),
                 right = any(source, {k, n}, t);
    const auto product = [&](std::int64_t at, std::int64_t i, std::int64_t j) {
      return oracle::sum_of(k, [&](std::int64_t p) { return get(x, {at, i, p}) * get(y, {at, p, j}); }).value;
    };
    const auto matrix = [&](std::int64_t i, std::int64_t j) {
      return oracle::sum_of(k, [&](std::int64_t p) { return get(left, {i, p}) * get(right, {p, j}); }).value;
    };
    const tensor many = result_of(aten::bmm, x, y), one = result_of(aten::mm, left, right);
    check_tensor(many, {b, m, n}, t, listed({b, m, n}, [&](const shape& i) { return product(i[0], i[1], i[2]); }));
    check_tensor(one, {m, n}, t, listed({m, n}, [&](const shape& i) { return matrix(i[0], i[1]); }));
    check_out(source, aten::bmm_out, many, x, y);
    check_out(source, aten::mm_out, one, left, right);
    check_tensor(result_of(aten::linalg_matmul, left, right), {m, n}, t, support::values(one));
    check_out(source, aten::linalg_matmul_out, one, left, right);

    const tensor start = any(source, {b, m, n}, t), whole = any(source, {m, n}, t), row = any(source, {n}, t);
    const tensor added = result_of(aten::baddbmm, start, x, y, beta, alpha);
    check_tensor(added, {b, m, n}, t, listed({b, m, n}, [&](const shape& i) {
                   return by * get(start, i) + times * product(i[0], i[1], i[2]);
                 }));
    check_out(source, aten::baddbmm_out, added, start, x, y, beta, alpha);
    check_in_place(source, aten::baddbmm, aten::baddbmm_, start, x, y, beta, alpha);
    for (const tensor& self : {whole, row}) {
      const auto of_self = [&](const shape& i) { return by * get(self, support::broadcast_index(i, self.sizes())); };
      const tensor sum = result_of(aten::addmm, self, left, right, beta, alpha);
      check_tensor(sum, {m, n}, t,
                   listed({m, n}, [&](const shape& i) { return of_self(i) + times * matrix(i[0], i[1]); }));
      check_out(source, aten::addmm_out, sum, self, left, right, beta, alpha);
      const scalar less = static_cast<std::int64_t>(-times);
      const tensor below = aten::addmm(self, left, right, arg<"beta"> = beta, arg<"alpha"> = less),
                   cut = result_of(aten::_addmm_activation, self, left, right, beta, less, false);
      check_tensor(cut, {m, n}, t, support::values(aten::relu(below)));
      check_out(source, aten::_addmm_activation_out, cut, self, left, right, beta, less, false);
      if (tb::is_floating(t)) {
        const tensor bent = result_of(aten::_addmm_activation, self, left, right, beta, less, true);
        check_tensor(bent, {m, n}, t, support::values(aten::gelu(below)), support::tolerance_of(t));
        check_out(source, aten::_addmm_activation_out, bent, self, left, right, beta, less, true);
      }
      const list wanted = listed({m, n}, [&](const shape& i) {
        const auto all = oracle::sum_of(b, [&](std::int64_t at) { return product(at, i[0], i[1]); });
        return oracle::stored(t, of_self(i) + times * all.value);
      });
      // Up to 300, which bfloat16 rounds.
      const double near = t == dtype::bfloat16 ? support::tolerance_of(t) : 0;
      const tensor reduced = result_of(aten::addbmm, self, x, y, beta, alpha);
      check_tensor(reduced, {m, n}, t, wanted, near);
      check_out(source, aten::addbmm_out, reduced, self, x, y, beta, alpha);
    }
    check_in_place(source, aten::addmm, aten::addmm_, whole, left, right, beta, alpha);
    check_in_place(source, aten::addbmm, aten::addbmm_, whole, x, y, beta, alpha);
  });
}

TEST_CASE("product: a matrix and a vector, two vectors, in all forms", "[ops][linalg][property]") {
  for_numbers(2, [](numbers& source, dtype t) {
    const std::int64_t m = some(source), k = some(source);
    const scalar beta = factor(source), alpha = factor(source);
    const double by = beta.to_double(), times = alpha.to_double();
    const tensor left = any(source, {m, k}, t), right = any(source, {k}, t), other = any(source, {k}, t),
                 down = any(source, {m}, t), start = any(source, {m}, t), whole = any(source, {m, k}, t);
    const list column = listed({m}, [&](const shape& i) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += get(left, {i[0], p}) * get(right, {p});
      return sum;
    });
    double inner = 0;
    for (std::int64_t p = 0; p < k; ++p) inner += get(right, {p}) * get(other, {p});
    const tensor product = result_of(aten::mv, left, right), sum = result_of(aten::dot, right, other);
    check_tensor(product, {m}, t, column);
    check_tensor(sum, {}, t, {inner});
    check_tensor(result_of(aten::vdot, right, other), {}, t, {inner});
    check_tensor(result_of(aten::matmul, left, right), {m}, t, column);
    check_tensor(result_of(aten::matmul, right, other), {}, t, {inner});
    check_out(source, aten::mv_out, product, left, right);
    check_out(source, aten::dot_out, sum, right, other);
    check_out(source, aten::vdot_out, sum, right, other);
    check_out(source, aten::matmul_out, product, left, right);

    const tensor added = result_of(aten::addmv, start, left, right, beta, alpha);
    check_tensor(added, {m}, t, listed({m}, [&](const shape& i) {
                   return by * get(start, i) + times * column[static_cast<std::size_t>(i[0])];
                 }));
    check_out(source, aten::addmv_out, added, start, left, right, beta, alpha);
    check_in_place(source, aten::addmv, aten::addmv_, start, left, right, beta, alpha);
    const tensor plane = result_of(aten::addr, whole, down, right, beta, alpha);
    check_tensor(plane, {m, k}, t, listed({m, k}, [&](const shape& i) {
                   return by * get(whole, i) + times * get(down, {i[0]}) * get(right, {i[1]});
                 }));
    check_out(source, aten::addr_out, plane, whole, down, right, beta, alpha);
    check_in_place(source, aten::addr, aten::addr_, whole, down, right, beta, alpha);

    const tensor weight = any(source, {m, k}, t), bias = any(source, {m}, t),
                 input = any(source, {source.whole(1, 3), some(source), k}, t);
    shape sizes = input.sizes();
    sizes[2] = m;
    const tensor lines = result_of(aten::linear, input, weight, std::optional(bias));
    check_tensor(lines, sizes, t, listed(sizes, [&](const shape& i) {
                   const auto term = [&](std::int64_t p) {
                     return get(input, {i[0], i[1], p}) * get(weight, {i[2], p});
                   };
                   return get(bias, {i[2]}) + oracle::sum_of(k, term).value;
                 }));
    check_out(source, aten::linear_out, lines, input, weight, std::optional(bias));
  });
}

TEST_CASE("product: outer and kron promote, of any dtypes", "[ops][linalg][property]") {
  support::for_every_dtype(3, 25, [](numbers& source, dtype t) {
    const dtype other = source.whole(0, 1) == 0 ? t : tb::all_dtypes[static_cast<std::size_t>(source.whole(0, 9))];
    const dtype type = oracle::naive_promote(t, other);
    const tensor x = any(source, {some(source)}, t), y = any(source, {some(source)}, other);
    const shape sizes{x.numel(), y.numel()};
    const tensor plane = result_of(aten::outer, x, y);
    check_tensor(plane, sizes, type, listed(sizes, [&](const shape& i) { return get(x, {i[0]}) * get(y, {i[1]}); }));
    check_tensor(result_of(aten::ger, x, y), sizes, type, support::values(plane));
    check_out(source, aten::outer_out, plane, x, y);
    check_out(source, aten::ger_out, plane, x, y);

    const tensor a = any(source, support::any_shape(source, 1, 3, 3), t),
                 b = any(source, support::any_shape(source, 1, 3, 3), other);
    const std::size_t rank = std::max(a.sizes().size(), b.sizes().size());
    const auto size = [&](const tensor& of, std::size_t d) {
      return d + of.sizes().size() < rank ? 1 : of.sizes()[d + of.sizes().size() - rank];
    };
    shape wide;
    for (std::size_t d = 0; d < rank; ++d) wide.push_back(size(a, d) * size(b, d));
    const tensor blocks = result_of(aten::kron, a, b);
    check_tensor(blocks, wide, type, listed(wide, [&](const shape& i) {
                   shape in_a, in_b;
                   for (std::size_t d = 0; d < rank; ++d) {
                     if (d + a.sizes().size() >= rank) in_a.push_back(i[d] / size(b, d));
                     if (d + b.sizes().size() >= rank) in_b.push_back(i[d] % size(b, d));
                   }
                   return get(a, in_a) * get(b, in_b);
                 }));
    check_out(source, aten::kron_out, blocks, a, b);
  });
}

TEST_CASE("product: trace, inner and tensordot contract equal indices", "[ops][linalg][einsum][property]") {
  for_numbers(4, [](numbers& source, dtype t) {
    const tensor square = any(source, {some(source), some(source)}, t);
    double diagonal = 0;
    for (std::int64_t i = 0; i < std::min(square.sizes()[0], square.sizes()[1]); ++i) diagonal += get(square, {i, i});
    check_tensor(result_of(aten::trace, square), {}, tb::is_floating(t) ? t : dtype::int64, {diagonal});

    const std::int64_t m = some(source), k = some(source), n = some(source), p = some(source);
    const tensor x = any(source, {m, k}, t), y = any(source, {n, p, k}, t);
    const list sums = listed({m, n, p}, [&](const shape& i) {
      return oracle::sum_of(k, [&](std::int64_t q) { return get(x, {i[0], q}) * get(y, {i[1], i[2], q}); }).value;
    });
    const tensor inner = result_of(aten::inner, x, y);
    check_tensor(inner, {m, n, p}, t, sums);
    check_out(source, aten::inner_out, inner, x, y);
    check_tensor(result_of(aten::tensordot, x, y, integers{1}, integers{-1}), {m, n, p}, t, sums);
    check_tensor(
        result_of(aten::einsum, std::string("mk,npk->mnp"), std::vector<tensor>{x, y}, std::optional<integers>()),
        {m, n, p}, t, sums);
    const tensor z = any(source, {k, m, p}, t);
    const tensor both = result_of(aten::tensordot, x, z, integers{1, 0}, integers{0, 1});
    check_tensor(both, {p}, t, listed({p}, [&](const shape& i) {
                   const auto term = [&](std::int64_t at) {
                     return get(x, {at / k, at % k}) * get(z, {at % k, at / k, i[0]});
                   };
                   return oracle::sum_of(m * k, term).value;
                 }));
    check_out(source, aten::tensordot_out, both, x, z, integers{1, 0}, integers{0, 1});
  });
}
