// Matrix products and what is made of them.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set squares{&products, {"32", "64", "128", "256", "512"}};

// {rows, inner dimension}, {inner dimension, columns}
const input left = sized({0, 1}), right = sized({1, 2});
const input left_batch = sized({0, 1, 2}), right_batch = sized({0, 2, 3});

tensor transposed(const tensor& x) { return lib::transpose(x, -1, -2); }

void add_matrix_products(family f) {
  const auto mm = [](args a) { return lib::mm(a[0], a[1]); };
  f.add("mm",
        {&products,
         {"32", "64", "128", "256", "512", "1024", "1000x1000x10", "16x100000x16", "1x768x768", "4096x16x4096",
          "4096x4096x8", "8x4096x4096"}},
        {left, right}, mm)
      .within(30);
  f.recorded("mm", {&products, {"64", "256", "512"}}, {left, right}, mm).within(30);
  f.add("mm a.t()", {&products, {"32", "64", "128", "256", "512", "1024"}}, {sized({1, 0}).seen(transposed), right}, mm)
      .within(30);
  f.add("mm bf16", squares, {left.as(lib::bf16), right.as(lib::bf16)}, mm);
  f.add("mm f16", {&products, {"256"}}, {left.as(lib::f16), right.as(lib::f16)}, mm);
  f.add("mm f64", squares, {left.as(lib::f64), right.as(lib::f64)}, mm);
  f.add("mm i64", {&products, {"128"}}, {whole(-100, {0, 1}), whole(-100, {1, 2})}, mm);
  f.add("addmm", {&products, {"256"}}, {sized({0, 2}), left, right}, [](args a) {
     return lib::addmm(a[0], a[1], a[2]);
   }).within(30);
  f.add("matmul 3d@2d", {&any_numbers, {"8x128x256 @ 256x256"}}, {sized({0, 1, 2}), sized({3, 4})}, [](args a) {
     return lib::matmul(a[0], a[1]);
   }).within(30);
  f.add("matmul 4d@4d", {&any_numbers, {"8x12x128x32"}}, {in(), in().seen(transposed)}, [](args a) {
     return lib::matmul(a[0], a[1]);
   }).within(30);
}

void add_batches(family f) {
  const auto bmm = [](args a) { return lib::bmm(a[0], a[1]); };
  f.add("bmm", {&batches, {"1000 of 8", "64 of 32", "8 of 256x64x256"}}, {left_batch, right_batch}, bmm).within(10);
  f.recorded("bmm", {&batches, {"8 of 256x64x256"}}, {left_batch, right_batch}, bmm).within(30);
  f.add("bmm a@b.t()", {&any_numbers, {"96 of 128x32"}}, {in(), in().seen(transposed)}, bmm).within(10);
  f.add("baddbmm", {&batches, {"8 of 256x64x256"}}, {sized({0, 1, 3}), left_batch, right_batch}, [](args a) {
     return lib::baddbmm(a[0], a[1], a[2]);
   }).within(10);
  f.add("einsum bij,bjk->bik", {&batches, {"32 of 64"}}, {left_batch, right_batch}, [](args a) {
     return lib::einsum("bij,bjk->bik", {a[0], a[1]});
   }).within(10);
  f.add("einsum bhid,bhjd->bhij", {&any_numbers, {"8x8x64x32"}}, {in(), in()}, [](args a) {
     return lib::einsum("bhid,bhjd->bhij", {a[0], a[1]});
   }).within(10);
}

void add_linears(family f) {
  // {rows, inputs, outputs}; weights are {outputs, inputs}
  const input weight = sized({2, 1}, -0.1, 0.1), bias = sized({2});
  const auto linear = [](args a) { return lib::linear(a[0], a[1], a[2]); };
  f.add(
       "linear",
       {&products,
        {"1024x768->3072", "128x1536->384", "128x384->1536", "1x4096->4096", "1x768->768", "32x64->10", "4x768->3072"}},
       {left, weight, bias}, linear)
      .within(30);
  f.recorded("linear", {&products, {"32x64->128", "128x384->1536"}}, {left, weight, bias}, linear).within(30);
  const std::vector<input> deep{sized({0, 1, 2}), sized({3, 2}, -0.1, 0.1), sized({3})};
  f.add("linear 3-d", {&batches, {"8x128x256->768"}}, deep, linear).within(30);
  f.recorded("linear 3-d", {&batches, {"8x128x256->768"}}, deep, linear).within(30);
  f.add("linear bf16", {&products, {"128x384->1536", "1x4096->4096"}},
        {left.as(lib::bf16), weight.as(lib::bf16), bias.as(lib::bf16)}, linear);
}

void add_vectors(family f) {
  const auto mv = [](args a) { return lib::mv(a[0], a[1]); };
  const input vector = sized({1});
  f.add("mv", {&products, {"100", "1000", "4096"}}, {left, vector}, mv).within(30);
  f.add("mv a.t()", {&products, {"4096"}}, {sized({1, 0}).seen(transposed), vector}, mv).within(30);
  f.add("dot", {&any_numbers, {"1e3"}}, {sized({-1000}, -1, 3), sized({-1000}, -1, 3)},
        [](args a) { return lib::dot(a[0], a[1]); });
  f.add("dot", {&any_numbers, {"1e6"}}, {sized({-1000000}, -1, 3), sized({-1000000}, -1, 3)}, [](args a) {
     return lib::dot(a[0], a[1]);
   }).within(10);
  f.add("outer", {&products, {"1000"}}, {sized({0}), sized({2})}, [](args a) { return lib::outer(a[0], a[1]); });
  f.add("cdist", {&any_numbers, {"500x500x64"}}, {sized({0, 2}), sized({1, 2})}, [](args a) {
     return lib::cdist(a[0], a[1]);
   }).within(30);
  f.add("cosine_similarity", {&any_numbers, {"1000x384"}}, {in(), in()},
        [](args a) { return lib::cosine_similarity(a[0], a[1]); });
}

}  // namespace

void add_products(std::vector<cell>& all) {
  add_matrix_products({all, "matmul", {}});
  add_batches({all, "matmul", {}});
  add_linears({all, "matmul", {}});
  add_vectors({all, "matmul", {}});
}

}  // namespace bench::operators
