#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace casts = topbit::casts;
using support::values;
using tb::arg;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

tensor numbers(dtype t, std::vector<std::int64_t> sizes) {
  tb::manual_seed(7);
  return tb::to(aten::rand(sizes), t);
}
tensor square(dtype t = dtype::float32) { return numbers(t, {3, 3}); }

bool same_bits(const tensor& a, const tensor& b) { return a.dtype() == b.dtype() && values(a) == values(b); }

}  // namespace

TEST_CASE("layer: products run in the lower dtype, losses in float32, others as their arguments are",
          "[autocast][layer][M2]") {
  const tensor x = square(), low = square(dtype::bfloat16);
  const tb::autocast scope(backend::CPU);
  const std::pair<std::string, std::function<dtype(const tensor&)>> lowered[] = {
      {"mm", [](const tensor& t) { return aten::mm(t, t).dtype(); }},
      {"matmul", [](const tensor& t) { return aten::matmul(t, t).dtype(); }},
      {"linear", [](const tensor& t) { return aten::linear(t, t).dtype(); }},
      {"addmm", [](const tensor& t) { return aten::addmm(t, t, t).dtype(); }},
      {"operator", [](const tensor& t) { return tb::matmul(t, t).dtype(); }}};
  for (const auto& [name, call] : lowered) {
    INFO(name);
    CHECK(call(x) == dtype::bfloat16);
    CHECK(call(low) == dtype::bfloat16);
  }
  CHECK(aten::mse_loss(low, low).dtype() == dtype::float32);
  CHECK(aten::l1_loss(x, low).dtype() == dtype::float32);
  CHECK(aten::trace(low).dtype() == dtype::float32);
  CHECK(aten::prod(low).dtype() == dtype::float32);
  CHECK(aten::exp(low).dtype() == dtype::bfloat16);
  CHECK(aten::softmax_int(low, 0).dtype() == dtype::bfloat16);
  CHECK(aten::add_Tensor(x, x).dtype() == dtype::float32);
}

TEST_CASE("layer: float64 and integers keep their dtype", "[autocast][layer]") {
  const tb::autocast scope(backend::CPU);
  CHECK(aten::mm(square(dtype::float64), square(dtype::float64)).dtype() == dtype::float64);
  const tensor whole = tb::ones({2, 2}, tb::arg<"dtype"> = dtype::int64);
  CHECK(aten::mm(whole, whole).dtype() == dtype::int64);
}

TEST_CASE("layer: lists promote, whatever floating dtypes are in them", "[autocast][layer][M5]") {
  const tensor half = square(dtype::float16), low = square(dtype::bfloat16), x = square();
  const tb::autocast scope(backend::CPU);
  CHECK(aten::cat(std::array{low, x}).dtype() == dtype::float32);
  CHECK(aten::cat(std::array{low, low}).dtype() == dtype::bfloat16);
  CHECK(aten::cat(std::array{half, half}).dtype() == dtype::float32);
  CHECK(aten::stack(std::array{low, half}).dtype() == dtype::float32);
}

TEST_CASE("layer: results are those of casts written by hand, bitwise", "[autocast][layer]") {
  const auto lower = [](const tensor& t) { return tb::to(t, dtype::bfloat16); };
  const tensor x = numbers(dtype::float32, {2, 3, 8, 8}), w = numbers(dtype::float32, {4, 3, 3, 3}),
               bias = numbers(dtype::float32, {4}), m = square();
  const tensor by_hand = aten::conv2d(lower(x), lower(w), lower(bias));
  const tensor product = aten::linear(lower(m), lower(m), lower(numbers(dtype::float32, {3})));
  const tensor loss = aten::mse_loss(tb::to(product, dtype::float32), m);
  const tb::autocast scope(backend::CPU);
  CHECK(same_bits(aten::conv2d(x, w, bias), by_hand));
  const tensor found = aten::linear(m, m, numbers(dtype::float32, {3}));
  CHECK(same_bits(found, product));
  CHECK(same_bits(aten::mse_loss(found, m), loss));
}

TEST_CASE("layer: normalisations take activations in the lower dtype with parameters in float32", "[autocast][layer]") {
  const tensor x = square(dtype::bfloat16), w = numbers(dtype::float32, {3});
  const auto run = [&](bool rms, bool by_hand) {
    const tensor input = tb::require_grad(tb::clone(x)), weight = tb::require_grad(tb::clone(w)),
                 bias = tb::require_grad(tb::clone(w));
    const tensor y = by_hand ? tb::to(input, dtype::float32) : input;
    tensor normal = rms ? aten::rms_norm(y, tb::shape{3}, weight) : aten::layer_norm(y, tb::shape{3}, weight, bias);
    CHECK(normal.dtype() == y.dtype());
    normal = tb::to(normal, dtype::bfloat16);
    tb::backward(aten::sum(aten::mm(normal, x)));
    return std::array{normal, tb::leaf_grad(input), tb::leaf_grad(weight), tb::leaf_grad(bias)};
  };
  const tb::autocast scope(backend::CPU);
  for (const bool rms : {false, true}) {
    const auto found = run(rms, false), wanted = run(rms, true);
    for (std::size_t i = 0; i < found.size() - (rms ? 1 : 0); ++i) {
      INFO((rms ? "rms_norm " : "layer_norm ") << i);
      CHECK(same_bits(found[i], wanted[i]));
    }
    CHECK(found[2].dtype() == dtype::float32);
  }
}

namespace {

inline constexpr auto wide_norms = casts::policies(casts::fp32<aten::layer_norm, aten::rms_norm, aten::group_norm>{});
inline constexpr auto low_norms =
    casts::policies(casts::unchanged<aten::layer_norm, aten::rms_norm, aten::group_norm>{});

}  // namespace

TEST_CASE("layer: of two tables with an operator the one installed last decides", "[autocast][layer]") {
  const tensor x = square(dtype::bfloat16), w = numbers(dtype::float32, {3});
  const auto type_of_all = [&] {
    const dtype type = aten::layer_norm(x, tb::shape{3}, w, w).dtype();
    CHECK(aten::rms_norm(x, tb::shape{3}, w).dtype() == type);
    CHECK(aten::group_norm(x, 1, w, w).dtype() == type);
    return type;
  };
  const tb::autocast scope(backend::CPU);
  const auto wide = tb::author::install_casts<backend::CPU, wide_norms>();
  CHECK(type_of_all() == dtype::float32);
  {
    const auto low = tb::author::install_casts<backend::CPU, low_norms>();
    CHECK(type_of_all() == dtype::bfloat16);
  }
  CHECK(type_of_all() == dtype::float32);
}

TEST_CASE("layer: einsum of several dtypes is cast where its products are", "[autocast][layer]") {
  const tensor low = square(dtype::bfloat16), x = square();
  const std::array<tensor, 2> mixed{low, x};
  CHECK(toy::text_of<tb::dtype_error>([&] { (void)aten::einsum("ij,jk->ik", mixed); }) ==
        "aten::einsum: in aten::bmm: found bfloat16 and float32, wanted one dtype; convert one with to()");
  const tensor wanted = aten::mm(low, tb::to(x, dtype::bfloat16));
  const tb::autocast scope(backend::CPU);
  CHECK(same_bits(aten::einsum("ij,jk->ik", mixed), wanted));
}

TEST_CASE("layer: forms that write are not cast", "[autocast][layer]") {
  const tensor x = square();
  tensor out = tb::zeros({3, 3}, tb::arg<"dtype"> = dtype::float32);
  const tb::autocast scope(backend::CPU);
  aten::mm_out(x, x, out);
  CHECK(out.dtype() == dtype::float32);
  CHECK(same_bits(out, [&] {
    const tb::autocast off(backend::CPU, {.enabled = false});
    return aten::mm(x, x);
  }()));
}

TEST_CASE("layer: backward gives the same bits inside and outside of the scope", "[autocast][layer]") {
  const auto gradient = [](bool inside) {
    const tensor w = tb::require_grad(square()), x = numbers(dtype::float32, {5, 3});
    std::optional<tb::autocast> scope;
    scope.emplace(backend::CPU);
    // mv has no policy on the CPU; the products of its gradient have one.
    const tensor y = aten::mm(x, w);
    const tensor loss = aten::add_Tensor(aten::sum(aten::mv(w, numbers(dtype::float32, {3}))), aten::mean(y));
    if (!inside) scope.reset();
    tb::backward(loss);
    return tb::leaf_grad(w);
  };
  const tensor in = gradient(true), out = gradient(false);
  CHECK(in.dtype() == dtype::float32);
  CHECK(same_bits(in, out));
}

namespace {

// Has no policy; its gradient is a product, which has one.
inline constexpr tb::op<"cast_test::negated(Tensor x) -> Tensor"> negated;
tensor negated_any(const tensor& x) { return aten::neg(x); }
struct negated_rule {
  tb::saved_tensor x;
  static negated_rule save(const tensor& x, const tensor&) { return {tb::saved_tensor(x)}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {aten::mm(g, x.get())}; }
};

}  // namespace

namespace {

inline constexpr tb::op<"cast_test::twice(Tensor x, Tensor? bias=None) -> Tensor"> twice;
tensor twice_any(const tensor& x, const std::optional<tensor>& bias) {
  const tensor y = aten::add_Tensor(x, x);
  return bias ? aten::add_Tensor(y, *bias) : y;
}
inline constexpr tb::op<"cast_test::product(Tensor x) -> Tensor"> product;
tensor product_any(const tensor& x) { return aten::mm(x, x); }
const auto definition = tb::library("cast_test").def(twice).def(product).def(negated);
const auto kernels =
    tb::implement("cast_test", tb::key::CompositeImplicitAutograd).impl<&twice_any>(twice).impl<&product_any>(product);
const auto negated_kernels =
    tb::implement("cast_test")
        .impl<&negated_any>(negated, tb::key::CPU)
        .impl<&tb::author::autograd_kernel<negated, negated_rule>::run>(negated, tb::key::Autograd);
inline constexpr auto own_casts = casts::policies(casts::lower<twice>{}, casts::fp32<product>{});

}  // namespace

TEST_CASE("layer: in front of a kernel set the same casts need no dispatch", "[autocast][layer]") {
  static constexpr auto set = tb::static_dispatch::kernels<tb::key::CPU>(
      tb::static_dispatch::bind<twice, &twice_any>, tb::static_dispatch::bind<product, &product_any>);
  static constexpr auto cast = tb::static_dispatch::layered<set, tb::autocasting<backend::CPU, own_casts>>;
  const tensor x = square();
  CHECK(cast.call<twice>(x).dtype() == dtype::float32);
  const tb::autocast scope(backend::CPU);
  CHECK(cast.call<twice>(x).dtype() == dtype::bfloat16);
  CHECK(cast.call<product>(x).dtype() == dtype::float32);
  const tb::autocast island(backend::CPU, {.enabled = false});
  CHECK(cast.call<twice>(x).dtype() == dtype::float32);
}

TEST_CASE("layer: gradient rules run without autocast", "[autocast][layer]") {
  const tensor x = tb::require_grad(square()), g = square();
  const tb::autocast scope(backend::CPU);
  tb::backward(negated(x), g);
  const tb::autocast off(backend::CPU, {.enabled = false});
  CHECK(same_bits(tb::leaf_grad(x), aten::mm(g, x)));
}

TEST_CASE("layer: an operator of one's own gets a policy", "[autocast][layer]") {
  const tensor x = square(), bias = square();
  CHECK(twice(x).dtype() == dtype::float32);
  {
    const auto installed = tb::author::install_casts<backend::CPU, own_casts>();
    CHECK(twice(x).dtype() == dtype::float32);
    const tb::autocast scope(backend::CPU);
    CHECK(twice(x).dtype() == dtype::bfloat16);
    CHECK(twice(x, bias).dtype() == dtype::bfloat16);
    CHECK(product(x).dtype() == dtype::float32);  // its part, mm, is not cast
  }
  const tb::autocast scope(backend::CPU);
  CHECK(product(x).dtype() == dtype::bfloat16);
  CHECK(twice(x).dtype() == dtype::float32);
}

namespace {

// The layer called as a kernel set calls it: `next` is the kernel.
template <auto Op, auto Table, class... A>
auto run_layer(A&&... a) {
  return tb::autocasting<backend::CPU, Table>::template run<decltype(Op)>(Op, std::forward<A>(a)...);
}

constexpr auto of_cuda = casts::policies(casts::set_dtype<aten::softmax_int, aten::sum>{},
                                         casts::append_dtype<aten::norm_Scalar, aten::norm_ScalarOpt_dtype>{},
                                         casts::banned<aten::binary_cross_entropy>{}, casts::promote<aten::addcmul>{});

}  // namespace

TEST_CASE("layer: policies that only CUDA's table has", "[autocast][layer]") {
  const tensor low = square(dtype::bfloat16), wide = square(dtype::float64);
  const tb::autocast scope(backend::CPU);
  CHECK(run_layer<aten::softmax_int, of_cuda>(low, std::int64_t{0}, std::optional<dtype>()).dtype() == dtype::float32);
  CHECK(run_layer<aten::softmax_int, of_cuda>(low, std::int64_t{0}, std::optional(dtype::float16)).dtype() ==
        dtype::float16);
  CHECK(run_layer<aten::sum, of_cuda>(wide, std::optional<dtype>()).dtype() == dtype::float64);
  CHECK(run_layer<aten::norm_Scalar, of_cuda>(low, tb::scalar(2)).dtype() == dtype::float32);
  CHECK(run_layer<aten::norm_Scalar, of_cuda>(wide, tb::scalar(2)).dtype() == dtype::float64);
  CHECK(run_layer<aten::addcmul, of_cuda>(low, square(), low, tb::scalar(1)).dtype() == dtype::float32);
  const auto loss = [&] {
    return run_layer<aten::binary_cross_entropy, of_cuda>(low, low, std::optional<tensor>(), std::int64_t{1});
  };
  CHECK(loss().dtype() == dtype::float32);
  const tb::autocast half(backend::CPU, {.lower = dtype::float16});
  CHECK(toy::text_of<tb::dtype_error>(loss) ==
        "aten::binary_cross_entropy: may overflow in float16 under autocast; call binary_cross_entropy_with_logits on "
        "the "
        "values before the sigmoid, or end autocast for this call");
}
