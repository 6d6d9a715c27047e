// The operators on the parts of sparse tensors, called by text, boxed or from a graph file: bad parts are errors, and
// no call reads or writes outside its tensors.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/scale.h"

import topbit;
import topbit.graphs;
import topbit.modes;
import topbit.sparse;

#include "operators.h"
#include "support/hostile_calls.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::tensor;

namespace {

std::string error_of_call(std::string_view op, std::initializer_list<std::string_view> arguments) {
  return error_of([&] { tb::call_text(tb::registry::process().find(op), arguments); });
}

// A matrix whose columns do not ascend: valid memory, and an error wherever the indices are checked.
tensor unsorted() {
  return tb::sparse::compressed_of(layout::sparse_csr, tb::tensor({0, 2, 3}), tb::tensor({2, 0, 1}),
                                   tb::tensor({1.f, 2.f, 3.f}), {2, 3});
}

// Reads the indices of a sparse tensor by what has kernels of its own for them.
void combine(const tensor& s) {
  try {
    const tensor full = tb::ones(s.sizes(), arg<"dtype"> = s.dtype());
    const tensor other = tb::to_sparse(full, arg<"layout"> = s.layout());
    tb::to_dense(tb::add(s, other));
    tb::to_dense(tb::mul(s, other));
    tb::to_dense(tb::mm(s, tb::t(other)));
    tb::mm(s, tb::t(full));
  } catch (const tb::error&) {
    // Not every operator takes every dtype and number of dimensions.
  }
}

}  // namespace

TEST_CASE("parts of sparse tensors: random calls return or throw", "[sparse][property]") {
  support::hostile_calls calls(71);
  calls.add_layout(tb::to_sparse(tb::ones({2, 2})));
  calls.add_layout(tb::to_sparse_csr(tb::ones({3, 3})));
  calls.read_layouts_by(&combine);
  support::make_hostile_calls(calls, scaled(1500));
}

TEST_CASE("parts of sparse tensors: each bad part is a sentence", "[sparse]") {
  CHECK(error_of_call("topbit::_spmm", {"[0, 1]", "[100000000]", "[1.5]", "[[1.5], [2.5]]"}) ==
        "topbit::_spmm: found 100000000 in plain at entry 0 of row 0, wanted 0 to below the number of columns, 2");
  CHECK(error_of_call("topbit::_spmm", {"[0, 1]", "[-1]", "[1.5]", "[[1.5], [2.5]]"}) ==
        "topbit::_spmm: found -1 in plain at entry 0 of row 0, wanted 0 to below the number of columns, 2");
  CHECK(error_of_call("topbit::_spmm", {"[1, 1]", "[0]", "[1.5]", "[[1.5]]"}) ==
        "topbit::_spmm: found 1 as first element of compressed, wanted 0");
  CHECK(error_of_call("topbit::_spmm", {"[0, 7]", "[0]", "[1.5]", "[[1.5]]"}) ==
        "topbit::_spmm: found 7 as last element of compressed, wanted the number of entries, 1");
  CHECK(error_of_call("topbit::_spmm", {"[0, 1]", "[0]", "[1.5, 2.5]", "[[1.5]]"}) ==
        "topbit::_spmm: found 1 elements in plain and 2 values, wanted as many of both");
  CHECK(error_of_call("topbit::_spmm", {"[0.5, 1]", "[0]", "[1.5]", "[[1.5]]"}) ==
        "topbit::_spmm: found compressed of dtype float32 and plain of dtype int64, wanted int32 or int64; "
        "to(x, dtype::int64) converts");
  CHECK(
      error_of_call("topbit::_spmm", {"[0, 1]", "[0]", "[1.5]", "[[1]]"}) ==
      "topbit::_spmm: found values of dtype float32 and dense of dtype int64, wanted one dtype; convert one with to()");
  CHECK(error_of_call("topbit::_spmm", {"[0, 1]", "[0]", "[1.5]", "[1.5]"}) ==
        "topbit::_spmm: found dense of sizes [1], wanted 2 dimensions");
  CHECK(error_of_call("topbit::_sddmm", {"[0, 1]", "[5]", "[[1.5]]", "[[1.5]]"}) ==
        "topbit::_sddmm: found 5 in plain at entry 0 of row 0, wanted 0 to below the number of columns, 1");
  CHECK(error_of_call("topbit::_sddmm", {"[0, 1]", "[0]", "[[1.5]]", "[[1.5, 2.5]]"}) ==
        "topbit::_sddmm: found left [1, 1] and right [1, 2] for 1 rows, wanted [rows, k] and [columns, k]");
  CHECK(error_of_call("topbit::_spmm_reduce", {"[0, 2]", "[0, 0]", "[1.5, 2.5]", "[[1.5], [2.5]]", "\"amax\""}) ==
        "topbit::_spmm_reduce: found 0 in plain at entry 1 of row 0, which is not greater than the one before, wanted "
        "them to ascend without repetition in each row");
  CHECK(error_of_call("topbit::_spmm_reduce", {"[0, 1]", "[0]", "[1.5]", "[[1.5]]", "\"sum\""}) ==
        "topbit::_spmm_reduce: found reduction 'sum', wanted mean, amax or amin");
  CHECK(error_of_call("topbit::_spgemm", {"[0, 1]", "[0]", "[1.5]", "[0, 1]", "[9]", "[1.5]", "9"}) ==
        "topbit::_spgemm: found 9 in other_plain at entry 0 of row 0, wanted 0 to below the number of columns, 9");
  CHECK(error_of_call("topbit::_spgemm", {"[0, 1]", "[0]", "[1.5]", "[0, 1]", "[0]", "[1.5]", "-1"}) ==
        "topbit::_spgemm: found sizes [1, -1], wanted none below 0");
  CHECK(error_of_call("topbit::_row_softmax", {"[0, 9, 1]", "[1.5]", "False"}) ==
        "topbit::_row_softmax: found 9 in compressed at 1, wanted 0 to the number of entries, 1");
  CHECK(error_of_call("topbit::_row_sums", {"[0, 100000000]", "[1.5]"}) ==
        "topbit::_row_sums: found 100000000 as last element of compressed, wanted the number of entries, 1");
  CHECK(error_of_call("topbit::_rows_at", {"1.5", "[0]"}) ==
        "topbit::_rows_at: found a zero-dimensional self, wanted a dimension for the rows");
  CHECK(error_of_call("topbit::_coo", {"[[5]]", "[1.5]", "[3]", "False"}) ==
        "topbit::_coo: found index 5 in dimension 0 of entry 0, wanted 0 to below its size, 3");
  CHECK(error_of_call("topbit::_coo", {"[[1, 1]]", "[1.5, 2.5]", "[3]", "True"}).find("found is_coalesced=True") !=
        std::string::npos);
  CHECK(error_of_call("topbit::_compressed", {"[0, 1]", "[3]", "[1.5]", "[1, 3]", "sparse_csr"}) ==
        "topbit::_compressed: found 3 in col_indices at entry 0 of row 0, wanted 0 to below the number of columns, 3");
  CHECK(error_of_call("topbit::_compressed", {"[0, 1]", "[0]", "[1.5]", "[1, 3]", "strided"}) ==
        "topbit::_compressed: found layout strided, wanted sparse_csr or sparse_csc");
  CHECK(error_of_call("topbit::_spmm", {"[0, 1]", "[0]", "[1.5]", "[[2.0, 3.0]]"}) == "no error");
}

TEST_CASE("parts of sparse tensors: more columns than memory cost none", "[sparse]") {
  const tensor offsets = tb::tensor({0, 1}), plain = tb::tensor({0}), far = tb::tensor({std::int64_t{1} << 50}),
               two = tb::tensor({2.f});
  tb::boxed_stack stack;
  for (const tensor& t : {offsets, plain, two, offsets, far, two}) stack.push(t);
  stack.push(std::int64_t{1} << 51);
  tb::registry::process().find("topbit::_spgemm").call_boxed(stack);
  CHECK(doubles(stack[2].get<tensor>()) == std::vector<double>{4});
  CHECK(integers(stack[1].get<tensor>()) == std::vector<std::int64_t>{std::int64_t{1} << 50});
}

TEST_CASE("parts of sparse tensors: the layouts' own calls do not check indices again", "[sparse]") {
  const tensor s = unsorted(), v = tb::tensor({{1.f}, {10.f}, {100.f}});
  const tensor c = tb::crow_indices(s), p = tb::col_indices(s);
  const auto refused = [](const auto& call) {
    return error_of(call).find("wanted them to ascend") != std::string::npos;
  };
  CHECK(doubles(tb::mm(s, v)) == std::vector<double>{102, 30});
  CHECK(doubles(tb::mm_reduce(s, v, "amax")) == std::vector<double>{100, 30});
  CHECK(doubles(tb::sum(s, {1})) == std::vector<double>{3, 3});
  CHECK(doubles(tb::sparse::raw_values(tb::sampled_addmm(s, tb::ones({2, 1}), tb::t(v), arg<"beta"> = 0))) ==
        std::vector<double>{100, 1, 10});
  CHECK(refused([&] { tb::sparse::spmm_op(c, p, tb::sparse::raw_values(s), v); }));
  // Nor do gradients, and those of gradients.
  const tensor w = tb::require_grad(tb::clone(s)), x = tb::require_grad(tb::clone(v));
  const tensor g = tb::grad(tb::sum(tb::square(tb::mm(w, x))), x, {.create_graph = true});
  tb::backward(tb::sum(tb::square(g)));
}

TEST_CASE("parts of sparse tensors: a call inside one of the layouts' own is checked", "[sparse]") {
  const tensor s = tb::to_sparse_csr(tb::tensor({{0.f, 2.f}, {3.f, 0.f}})), v = tb::tensor({{1.f}, {10.f}});
  const tensor c = tb::crow_indices(s), p = tb::col_indices(s), far = tb::tensor({1, 100000000});
  std::vector<std::string> found;
  const auto inner = [&](const tensor& compressed, const tensor& plain, const tensor& dense) {
    found.push_back(error_of([&] { tb::sparse::spmm_op(compressed, plain, tb::sparse::raw_values(s), dense); }));
  };
  {
    const auto see = [&](tb::modes::call& call) {
      if (call.op().name() == "topbit::_spmm" && found.empty()) {
        inner(c, far, v);
        inner(tb::flip(c, {0}), p, v);
        inner(c, p, tb::narrow(v, 0, 0, 1));  // fewer columns than were known
        inner(c, p, v);
      }
      call.proceed();
    };
    const tb::modes::scope scope(see, tb::modes::below);
    tb::mm(s, v);
  }
  REQUIRE(found.size() == 4);
  CHECK(found[0].find("found 100000000 in plain") != std::string::npos);
  CHECK(found[1].find("as first element of compressed") != std::string::npos);
  CHECK(found[2].find("found 1 in plain at entry 0 of row 0") != std::string::npos);
  CHECK(found[3] == "no error");
}

TEST_CASE("parts of sparse tensors: gradients keep the indices that were checked", "[sparse]") {
  tensor plain = tb::tensor({0, 1});
  const tensor compressed = tb::tensor({0, 1, 2}), values = tb::require_grad(tb::tensor({2.f, 3.f}));
  const tensor dense = tb::require_grad(tb::tensor({{1.f}, {10.f}}));
  const tensor loss = tb::sum(tb::sparse::spmm_op(compressed, plain, values, dense));
  tb::fill_(plain, 100000000);
  const std::vector<tensor> g = tb::grad({loss}, {values, dense});
  CHECK(doubles(g[0]) == std::vector<double>{1, 10});
  CHECK(doubles(g[1]) == std::vector<double>{2, 3});
}

TEST_CASE("parts of sparse tensors: a graph file with a bad call is an error when it is replayed", "[sparse][graphs]") {
  namespace graphs = tb::graphs;
  const tensor compressed = tb::tensor({0, 1}), plain = tb::tensor({0}), values = tb::tensor({2.f}),
               dense = tb::tensor({{3.f}});
  graphs::recorder r({.inputs = {{"compressed", compressed}, {"plain", plain}, {"values", values}, {"dense", dense}}});
  const tensor product = tb::sparse::spmm_op(compressed, plain, values, dense);
  const tensor made = tb::sparse::compressed_op(compressed, plain, values, tb::shape{1, 1}, layout::sparse_csr);
  const graphs::graph recorded = r.finish({{"product", product}, {"dense", tb::to_dense(made)}});
  const std::string path = (std::filesystem::temp_directory_path() / "topbit_sparse_parts.safetensors").string();
  graphs::save_graph(path, recorded);
  const graphs::graph g = graphs::load_graph(path);
  std::filesystem::remove(path);
  CHECK(doubles(graphs::replay(g, {compressed, plain, values, dense})[0]) == std::vector<double>{6});
  CHECK(error_of([&] {
          graphs::replay(g, {compressed, tb::tensor({100000000}), values, dense});
        }).find("found 100000000 in plain at entry 0 of row 0") != std::string::npos);
  CHECK(error_of([&] {
          graphs::replay(g, {tb::tensor({0, 7}), plain, values, dense});
        }).find("found 7 as last element of compressed") != std::string::npos);
}
