// The table of article.h, with functions for each key that it names: which function a call selects.
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "article.h"

namespace tb = topbit;
namespace tables = topbit::tables;

namespace article {

std::vector<std::string> called;

tb::tensor& zero_(tb::tensor& self) {
  called.push_back("zero_");
  for (std::int64_t i = 0; i < self.numel(); ++i) self.data_ptr<float>()[i] = 0;
  return self;
}
tb::tensor& zero_meta_(tb::tensor& self) {
  called.push_back("zero_meta_");
  return self;
}
tb::tensor& zero_sparse_(tb::tensor& self) {
  called.push_back("zero_sparse_");
  return self;
}
tb::tensor& mkldnn_zero_(tb::tensor& self) {
  called.push_back("mkldnn_zero_");
  return self;
}

tb::tensor sub_shape(const tb::tensor& self, const tb::tensor& other, const tb::scalar&) {
  called.push_back("sub_shape");
  if (self.sizes() != other.sizes()) throw tb::shape_error("article::sub: found two shapes, wanted one");
  return tb::author::make_tensor(self.sizes(), tb::dtype::float32, self.device());
}
tb::tensor& sub_out(const tb::tensor& self, const tb::tensor& other, const tb::scalar& alpha, tb::tensor& out) {
  called.push_back("sub_out");
  for (std::int64_t i = 0; i < self.numel(); ++i)
    out.data_ptr<float>()[i] =
        self.data_ptr<float>()[i] - static_cast<float>(alpha.to<double>()) * other.data_ptr<float>()[i];
  return out;
}
tb::tensor& sub_out_sparse(const tb::tensor&, const tb::tensor&, const tb::scalar&, tb::tensor& out) {
  called.push_back("sub_out_sparse");
  return out;
}
tb::tensor sub_sparse(const tb::tensor& self, const tb::tensor&, const tb::scalar&) {
  called.push_back("sub_sparse");
  return self;
}

}  // namespace article

using tables::named;

const auto registered =
    tables::library_from<article::list, named<"zero_", &article::zero_>, named<"zero_meta_", &article::zero_meta_>,
                         named<"zero_sparse_", &article::zero_sparse_>, named<"mkldnn_zero_", &article::mkldnn_zero_>,
                         named<"sub_out", &article::sub_out>, tables::shape<"sub.out", &article::sub_shape>,
                         named<"sub_out_sparse", &article::sub_out_sparse>, named<"sub_sparse", &article::sub_sparse>>(
        "article");

constexpr auto zero_ = tables::op_of<article::list, "zero_">;
constexpr auto sub = tables::op_of<article::list, "sub.Tensor">;
constexpr auto sub_out = tables::op_of<article::list, "article::sub.out">;

tb::tensor of_layout(tb::layout l, tb::device d) {
  return tb::author::make_opaque({2}, tb::dtype::float32, d, keys_of(l, d, tb::dtype::float32), {}, l);
}
tb::tensor of_keys(tb::key_set keys) { return tb::author::make_opaque({2}, tb::dtype::float32, tb::cpu, keys); }
tb::tensor values(float a, float b) { return tb::from_values<float>({a, b}, {2}); }
tb::tensor on_meta(std::int64_t n) {
  return tb::author::make_tensor({n}, tb::dtype::float32, tb::device{tb::device_type::Meta});
}

// What ran during the call.
template <class F>
std::vector<std::string> ran(F call) {
  article::called.clear();
  call();
  return article::called;
}
using list = std::vector<std::string>;

TEST_CASE("tables: operators of a table have the types of those declared by hand", "[tables]") {
  STATIC_REQUIRE(std::is_same_v<decltype(zero_), const tb::op<"article::zero_(Tensor(a!) self) -> Tensor(a!)">>);
  STATIC_REQUIRE(
      std::is_same_v<decltype(sub),
                     const tb::op<"article::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">>);
}

TEST_CASE("tables: zero_ of the article runs the function of each key", "[tables]") {
  tb::tensor x = values(1, 2), meta = on_meta(2);
  tb::tensor sparse = of_layout(tb::layout::sparse_coo, tb::cpu);
  tb::tensor sparse_cuda = of_keys(tb::key_set{tb::key::SparseCUDA}), mkldnn = of_keys(tb::key_set{tb::key::MkldnnCPU});
  CHECK(ran([&] { zero_(x); }) == list{"zero_"});
  CHECK(x.data_ptr<float>()[1] == 0);
  CHECK(ran([&] { zero_(meta); }) == list{"zero_meta_"});
  CHECK(ran([&] { zero_(sparse); }) == list{"zero_sparse_"});
  CHECK(ran([&] { zero_(sparse_cuda); }) == list{"zero_sparse_"});
  CHECK(ran([&] { zero_(mkldnn); }) == list{"mkldnn_zero_"});
}

TEST_CASE("tables: sub.out of the article runs the function of each key", "[tables]") {
  const tb::tensor a = values(5, 7), b = values(1, 2);
  tb::tensor out = values(0, 0), sparse = of_layout(tb::layout::sparse_coo, tb::cpu);
  CHECK(ran([&] { sub_out(a, b, 2, out); }) == list{"sub_out"});
  CHECK(out.data_ptr<float>()[0] == 3);
  CHECK(out.data_ptr<float>()[1] == 3);
  CHECK(ran([&] { sub_out(sparse, sparse, 1, sparse); }) == list{"sub_out_sparse"});
}

TEST_CASE("tables: a form that delegates has its dense kernels from the out form", "[tables]") {
  const tb::tensor a = values(5, 7), b = values(1, 2), sparse = of_layout(tb::layout::sparse_coo, tb::cpu);
  tb::tensor result;
  CHECK(ran([&] { result = sub(a, b, tb::arg<"alpha"> = 2); }) == list{"sub_shape", "sub_out"});
  CHECK(result.data_ptr<float>()[0] == 3);
  CHECK(result.data_ptr<float>()[1] == 3);
  CHECK(ran([&] { sub(sparse, sparse); }) == list{"sub_sparse"});
  CHECK_THROWS_AS(sub(a, tb::from_values<float>({1}, {1})), tb::shape_error);
}

TEST_CASE("tables: the forms of a structured group have Meta kernels, which only ask for the shape", "[tables]") {
  const tb::tensor m = on_meta(3);
  tb::tensor out = on_meta(3), result;
  CHECK(ran([&] { result = sub(m, m); }) == list{"sub_shape"});
  CHECK(result.sizes() == tb::shape{3});
  CHECK(ran([&] { sub_out(m, m, 1, out); }) == list{"sub_shape"});
}

TEST_CASE("tables: CUDA functions of the article are registered for CUDA", "[tables]") {
  for (const char* name : {"article::zero_", "article::sub.out", "article::sub.Tensor"}) {
    CHECK(tb::inspect::has_kernel(tb::find(name), tb::key::CUDA));
    CHECK(tb::inspect::has_kernel(tb::find(name), tb::key::SparseCUDA));
  }
}

TEST_CASE("tables: what an entry says is there to be asked", "[tables]") {
  constexpr auto& e = tables::entry_of<article::list, "sub.out">();
  STATIC_REQUIRE(e.structured);
  STATIC_REQUIRE(!e.checks_devices);
  STATIC_REQUIRE(e.structured_inherits.name == "TensorIteratorBase");
  STATIC_REQUIRE(tables::entry_of<article::list, "sub.Tensor">().is_method);
}
