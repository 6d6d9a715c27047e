// Operators that move elements: creation, copies, views, indexing.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set sml{&matrices, {"S", "M", "L"}};
const shape_set m_1e6{&matrices, {"M", "1e6"}};
const shape_set sml_images{&images, {"S 2x8x8x8", "M 4x32x28x28", "L 16x64x96x96"}};

void add_creation(family f) {
  f.add("arange i64", {}, [](args a) { return lib::arange(a.n(0) * a.n(1)); });
  f.add("empty 8", {&matrices, {"S"}}, {}, [](args) { return lib::empty({8}); }).compared(check::sizes);
  f.add("eye", {}, [](args a) { return lib::eye(a.n(0)); });
  f.add("full", {}, [](args a) { return lib::full({a.n(0), a.n(1)}, 1.5); });
  f.add("linspace", {}, [](args a) { return lib::linspace(0, 1, a.n(0) * a.n(1)); });
  f.add("zeros", {}, [](args a) { return lib::zeros({a.n(0), a.n(1)}); });
}

void add_views(family f) {
  f.add("expand", {sized({0, -1})}, [](args a) { return lib::expand(a[0], {a.n(0), a.n(1)}); });
  f.add("permute", {in()}, [](args a) { return lib::permute(a[0], {1, 0}); });
  f.add("select", {in()}, [](args a) { return lib::select(a[0], 0, 1); });
  f.add("slice", {in()}, [](args a) { return lib::slice(a[0], 0, 1, 5); });
  f.add("transpose", {in()}, [](args a) { return lib::transpose(a[0], 0, 1); });
  f.add("unsqueeze", {in()}, [](args a) { return lib::unsqueeze(a[0], 0); });
  f.add("view", {in()}, [](args a) { return lib::view(a[0], {a.n(0) * a.n(1)}); });
}

void add_copies(family f) {
  const input upper = sized({half_rows, 1}), left = sized({0, half_columns});
  f.add("NCHW->NHWC copy", sml_images, {in().seen([](const tensor& x) { return lib::permute(x, {0, 2, 3, 1}); })},
        [](args a) { return lib::contiguous(a[0]); });
  f.add("NHWC->NCHW copy", sml_images,
        {sized({0, 2, 3, 1}).seen([](const tensor& x) { return lib::permute(x, {0, 3, 1, 2}); })},
        [](args a) { return lib::contiguous(a[0]); });
  f.add("a.t().contiguous()", {in().seen([](const tensor& x) { return lib::t(x); })},
        [](args a) { return lib::contiguous(a[0]); });
  f.recorded("a.t().contiguous()", m_1e6, {in()}, [](args a) { return lib::contiguous(lib::t(a[0])); });
  f.add("a[:, ::2].contiguous()", {in().seen(lib::every_other)}, [](args a) { return lib::contiguous(a[0]); });
  f.add("cat dim0", {upper, upper}, [](args a) { return lib::cat({a[0], a[1]}, 0); });
  f.both("cat dim1", {left, left}, [](args a) { return lib::cat({a[0], a[1]}, 1); });
  f.add("clone", {in()}, [](args a) { return lib::clone(a[0]); });
  f.add("flip dim0", {in()}, [](args a) { return lib::flip(a[0], {0}); });
  f.both("flip dim1", {in()}, [](args a) { return lib::flip(a[0], {1}); });
  f.recorded("narrow", m_1e6, {in()}, [](args a) { return lib::narrow(a[0], 1, 5, a.n(1) / 2); });
  f.both("pad", {in()}, [](args a) { return lib::pad(a[0], {1, 1, 1, 1}); });
  f.add("pad2d zeros", sml_images, {in()}, [](args a) { return lib::pad(a[0], {1, 1, 1, 1}); });
  f.add("permute bhsd copy", {&sequences, {"S", "M", "L"}},
        {in().seen([](const tensor& x) { return lib::permute(x, {0, 2, 1, 3}); })},
        [](args a) { return lib::contiguous(a[0]); });
  f.add("reflection_pad2d", sml_images, {in()}, [](args a) { return lib::reflection_pad2d(a[0], {1, 1, 1, 1}); });
  f.add("repeat 2,2", {sized({half_rows, half_columns})}, [](args a) { return lib::repeat(a[0], {2, 2}); });
  f.add("repeat_interleave", {upper}, [](args a) { return lib::repeat_interleave(a[0], 2, 0); });
  f.add("roll dim0", {in()}, [](args a) { return lib::roll(a[0], {3}, {0}); });
  f.both("roll dim1", {in()}, [](args a) { return lib::roll(a[0], {3}, {1}); });
  f.add("rot90", {in()}, [](args a) { return lib::rot90(a[0]); });
  f.add("stack dim-1", {upper, upper}, [](args a) { return lib::stack({a[0], a[1]}, -1); });
  f.add("stack dim0", {upper, upper}, [](args a) { return lib::stack({a[0], a[1]}, 0); });
  f.recorded("stack", m_1e6, {upper, upper}, [](args a) { return lib::stack({a[0], a[1]}, 0); });
  f.both("tril", {in()}, [](args a) { return lib::tril(a[0]); });
}

void add_indexing(family f) {
  const input rows = whole(0, {0}), columns = whole(1, {1});
  f.add("a[i,j] elements", {in(), whole(0, {all_elements}), whole(1, {all_elements})},
        [](args a) { return lib::elements_at(a[0], a[1], a[2]); });
  f.both("a[i] rows", {in(), rows}, [](args a) { return lib::rows_at(a[0], a[1]); }, m_1e6, 10);
  f.add("embedding", {&lookups, {"S", "M", "L", "30000x384, 128", "30000x384, 8192"}}, {sized({0, 1}), whole(0, {2})},
        [](args a) { return lib::embedding(a[0], a[1]); });
  f.recorded("embedding", {&lookups, {"1000x256, 1024", "30000x384, 1024"}}, {sized({0, 1}), whole(0, {2})},
             [](args a) { return lib::embedding(a[0], a[1]); })
      .within(10);
  f.add("gather dim0", {in(), whole(0)}, [](args a) { return lib::gather(a[0], 0, a[1]); });
  f.both("gather dim1", {in(), whole(1)}, [](args a) { return lib::gather(a[0], 1, a[1]); }, m_1e6, 10);
  f.add("index_add dim0", {in(), rows, in()}, [](args a) { return lib::index_add(a[0], 0, a[1], a[2]); }).within(10);
  f.add("index_fill dim0", {in(), rows}, [](args a) { return lib::index_fill(a[0], 0, a[1], 0.5); });
  f.add("index_put acc rows", {in(), rows, in()}, [](args a) {
     return lib::put_rows(a[0], a[1], a[2], true);
   }).within(10);
  f.both("index_select dim0", {in(), rows}, [](args a) { return lib::index_select(a[0], 0, a[1]); }, m_1e6, 10);
  f.add("index_select dim1", {in(), columns}, [](args a) { return lib::index_select(a[0], 1, a[1]); });
  f.add("one_hot", {&any_numbers, {"10000 of 100"}}, {whole(1, {0})},
        [](args a) { return lib::one_hot(a[0], a.n(1)); });
  f.add("scatter_add dim0", {in(), whole(0), in()}, [](args a) {
     return lib::scatter_add(a[0], 0, a[1], a[2]);
   }).within(10);
  f.both(
      "scatter_add dim1", {in(), whole(1), in()}, [](args a) { return lib::scatter_add(a[0], 1, a[1], a[2]); }, m_1e6,
      10);
  f.add("take", {in(), whole(all_elements, {all_elements})}, [](args a) { return lib::take(a[0], a[1]); });
}

}  // namespace

void add_shapes(std::vector<cell>& all) {
  add_creation({all, "create", sml});
  add_views({all, "view", {&matrices, {"S"}}});
  add_copies({all, "shape", sml});
  add_indexing({all, "index", sml});
}

}  // namespace bench::operators
