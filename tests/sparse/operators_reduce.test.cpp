// Sums, extremes, norms, softmax and masks of sparse tensors against those of their images, and what they refuse.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

import topbit;
import topbit.sparse;

#include "operators.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::shape, tb::tensor;

namespace {

const dtype dtypes[] = {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16,
                        dtype::int64,   dtype::int32,   dtype::uint8,   dtype::boolean};

std::string text_of(const tensor& t) {
  return std::string(name_of(t.dtype())) + " " + std::string(name_of(t.layout())) + " " + to_string(t.sizes());
}

// The elements of a result, which is strided or sparse.
tensor elements(const tensor& t) { return t.layout() == layout::strided ? t : image(t); }

// Every set of dimensions.
std::vector<shape> dimension_lists(const tensor& t) {
  std::vector<shape> all;
  for (unsigned bits = 1; bits < (1U << t.dim()); ++bits) {
    shape dims;
    for (std::int64_t d = 0; d < t.dim(); ++d) {
      if ((bits >> d & 1U) != 0) dims.push_back(bits % 2 == 0 ? d - t.dim() : d);
    }
    all.push_back(dims);
  }
  return all;
}

bool is_empty(const tensor& t) { return t.numel() == 0; }

}  // namespace

TEST_CASE("sparse reductions: sums are those of the elements", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const tensor& s : samples(type)) {
      INFO(text_of(s));
      const tensor x = image(s);
      CHECK(difference(tb::sum(s), tb::sum(x), type) == "");
      CHECK(difference(tb::sum(s, arg<"dtype"> = dtype::float64), tb::sum(x, arg<"dtype"> = dtype::float64), type) ==
            "");
      if (tb::is_floating(type)) CHECK(difference(tb::mean(s), tb::mean(x), type) == "");
      CHECK(same(tb::any(s), tb::any(x)));
      for (const shape& dims : dimension_lists(s)) {
        for (const bool keepdim : {false, true}) {
          INFO("over " << to_string(dims) << (keepdim ? ", kept" : ""));
          const tensor found = tb::sum(s, dims, keepdim);
          CHECK(difference(elements(found), tb::sum(x, dims, keepdim), type) == "");
          if (tb::sparse::is_compressed(s) && !keepdim) CHECK(found.layout() == layout::strided);
          if (tb::is_floating(type))
            CHECK(difference(elements(tb::mean(s, dims, keepdim)), tb::mean(x, dims, keepdim), type) == "");
          if (dims.size() == 1) CHECK(same(tb::any(s, dims[0], keepdim), tb::any(x, dims[0], keepdim)));
        }
      }
    }
  }
}

TEST_CASE("sparse reductions: a sum is sparse if sparse dimensions are left", "[sparse][operators]") {
  const tensor hybrid = random_tensors(4).coo({3, 4, 2}, 2, dtype::float32, 6);
  const auto layout_of = [&](const shape& dims) { return tb::sum(hybrid, dims).layout(); };
  CHECK(layout_of({0}) == layout::sparse_coo);
  CHECK(layout_of({2}) == layout::sparse_coo);
  CHECK(layout_of({0, 1}) == layout::strided);
  CHECK(layout_of({0, 1, 2}) == layout::strided);
  CHECK(tb::is_coalesced(tb::sum(tb::coalesce(hybrid), 2)));
  const tensor csr = tb::to_sparse_csr(tb::sum(hybrid, 2));
  CHECK(tb::sum(csr, 1).sizes() == shape{3});
  CHECK(tb::sum(csr, 1, true).layout() == layout::sparse_csr);
  tensor out = tb::zeros({3});
  tb::sum(csr, 1, arg<"out"> = out);
  CHECK(same(out, tb::sum(csr, 1)));
}

TEST_CASE("sparse reductions: entries that cancel are zero", "[sparse][operators]") {
  const tensor s = tb::sparse_coo_tensor(tb::tensor({{0, 0, 1}}), tb::tensor({1.0, -1.0, 0.0}), {2});
  CHECK_FALSE(tb::item<bool>(tb::any(s)));
  CHECK_FALSE(tb::item<bool>(tb::any(s, 0)));
  CHECK(doubles(tb::amax(s)) == std::vector<double>{0});
  for (const double p : {0.0, 1.0, 2.0}) CHECK(doubles(tb::norm(s, p)) == std::vector<double>{0});
}

TEST_CASE("sparse reductions: extremes count unspecified zeros", "[sparse][operators]") {
  for (const dtype type : {dtype::float64, dtype::float32, dtype::bfloat16, dtype::int64, dtype::uint8}) {
    for (const tensor& s : samples(type)) {
      if (is_empty(s)) continue;
      const tensor x = image(s);
      // All elements negative where they are specified, too.
      for (const bool negative : {false, true}) {
        if (negative && type == dtype::uint8) continue;
        const tensor t = negative ? tb::neg(tb::abs(s)) : s, y = negative ? tb::neg(tb::abs(x)) : x;
        INFO(text_of(t) << negative);
        CHECK(same(tb::amax(t), tb::amax(y)));
        CHECK(same(tb::amin(t), tb::amin(y)));
        for (const shape& dims : dimension_lists(t)) {
          for (const bool keepdim : {false, true}) {
            INFO("over " << to_string(dims) << (keepdim ? ", kept" : ""));
            CHECK(same(elements(tb::amax(t, dims, keepdim)), tb::amax(y, dims, keepdim)));
            CHECK(same(elements(tb::amin(t, dims, keepdim)), tb::amin(y, dims, keepdim)));
          }
        }
      }
    }
  }
  const tensor full = tb::to_sparse_csr(tb::tensor({{-1.0, -2.0}, {-3.0, -4.0}}));
  CHECK(doubles(tb::amax(full)) == std::vector<double>{-1});
  CHECK(doubles(tb::amax(full, 1)) == std::vector<double>{-1, -3});
}

TEST_CASE("sparse reductions: norms are those of the elements", "[sparse][operators]") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const dtype type : {dtype::float64, dtype::float32}) {
    for (const tensor& s : samples(type)) {
      const tensor x = image(s);
      for (const double p : {0.0, 1.0, 2.0, 3.0, inf}) {
        INFO(text_of(s) << " order " << p);
        CHECK(difference(tb::norm(s, p), tb::norm(x, p), type) == "");
        CHECK(difference(tb::linalg_vector_norm(s, p), tb::linalg_vector_norm(x, p), type) == "");
        for (const shape& dims : dimension_lists(s)) {
          CHECK(difference(elements(tb::norm(s, p, dims, true)), tb::norm(x, p, dims, true), type) == "");
        }
      }
    }
  }
}

TEST_CASE("sparse softmax: over the specified elements alone", "[sparse][operators]") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const dtype type : {dtype::float64, dtype::float32, dtype::float16, dtype::bfloat16}) {
    for (const tensor& s : samples(type)) {
      const tensor ones = tb::sparse::with_values(s, tb::ones_like(tb::sparse::raw_values(s)));
      const tensor places = tb::ne(image(ones), 0), x = tb::where(places, image(s), -inf);
      for (std::int64_t dim = -1; dim < s.dim(); ++dim) {
        INFO(text_of(s) << " dim " << dim);
        const tensor found = tb::softmax(s, dim), logs = tb::log_softmax(s, dim);
        CHECK(found.layout() == s.layout());
        CHECK(tb::nnz(found) == tb::nnz(tb::sparse::coalesced(s)));
        CHECK(difference(image(found), tb::where(places, tb::softmax(x, dim), 0), type) == "");
        CHECK(difference(image(logs), tb::where(places, tb::log_softmax(x, dim), 0), type) == "");
      }
    }
  }
  // Without overflow, with dense dimensions and without.
  for (const shape& dense : {shape{}, shape{1}}) {
    shape sizes{2}, all{3};
    for (std::int64_t d : dense) {
      sizes.push_back(d);
      all.push_back(d);
    }
    const tensor far =
        tb::sparse_coo_tensor(tb::tensor({{0, 2}}), tb::reshape(tb::tensor({1000.0, -1000.0}), sizes), all);
    CHECK(doubles(tb::values(tb::softmax(far, 0))) == std::vector<double>{1, 0});
  }
  const tensor one = tb::sparse_coo_tensor(tb::tensor({{1}, {2}}), tb::tensor({-3.0}), {2, 4});
  CHECK(doubles(tb::values(tb::softmax(one, 1))) == std::vector<double>{1});
  CHECK(tb::softmax(tb::to(one, dtype::float16), 1, arg<"dtype"> = dtype::float32).dtype() == dtype::float32);
}

TEST_CASE("sparse_mask: the elements at the places of a mask", "[sparse][operators]") {
  for (const dtype type : dtypes) {
    for (const tensor& mask : samples(dtype::float32)) {
      const tensor d = random_tensors(9).values(mask.sizes(), type);
      INFO(text_of(mask) << " of " << name_of(type));
      const tensor found = tb::sparse_mask(d, mask);
      CHECK(found.layout() == mask.layout());
      CHECK(found.dtype() == type);
      CHECK(tb::nnz(found) == tb::nnz(mask));
      const tensor ones = tb::sparse::with_values(mask, tb::ones_like(tb::sparse::raw_values(mask)));
      const bool repeats = mask.layout() == layout::sparse_coo && !tb::is_coalesced(mask);
      const tensor places = tb::ne(image(ones), 0), wanted = tb::where(places, d, tb::zeros_like(d));
      if (!repeats) CHECK(same(image(found), wanted));
      for (const tensor& s : samples(type)) {
        if (s.sizes() != mask.sizes() || repeats) continue;
        CHECK(same(image(tb::sparse_mask(s, mask)), tb::where(places, image(s), tb::zeros_like(d))));
      }
    }
  }
  // Entries at one place get one value each.
  const tensor repeated = tb::sparse_coo_tensor(tb::tensor({{1, 1}}), tb::tensor({1.0, 1.0}), {2});
  CHECK(doubles(tb::_values(tb::sparse_mask(tb::tensor({5.0, 7.0}), repeated))) == std::vector<double>{7, 7});
}

TEST_CASE("sparse reductions: say what they refuse", "[sparse][operators]") {
  const tensor s = tb::sparse_coo_tensor(tb::tensor({{0, 1}, {1, 0}}), tb::tensor({1.0, 2.0}), {2, 3});
  const tensor csr = tb::to_sparse_csr(s), ints = tb::to(s, dtype::int64);
  const tensor empty = tb::zeros({0, 3}, arg<"layout"> = layout::sparse_coo);
  struct refused {
    std::function<void()> call;
    const char* text;
  };
  tensor out = tb::zeros({2});
  const refused all[] = {
      {[&] { tb::sum(s, 2); }, "aten::sum.dim_IntList: found dimension 2 of a tensor of 2 dimensions, wanted -2 to 1"},
      {[&] { tb::sum(s, shape{0, -2}); }, "aten::sum.dim_IntList: found dimension -2 twice, wanted each once"},
      {[&] { tb::sum(csr, arg<"dtype"> = dtype::boolean); }, "aten::sum: found dtype bool, wanted a number"},
      {[&] { tb::sum(s, 1, arg<"out"> = out); }, "aten::sum.IntList_out: found a result of layout sparse_coo and a "},
      {[&] { tb::mean(ints); }, "aten::mean: found int64, wanted a floating dtype"},
      {[&] { tb::amax(empty); }, "aten::amax: found sizes [0, 3], wanted at least one element to reduce"},
      {[&] { tb::norm(ints); }, "aten::norm.Scalar: found int64 and dtype int64, wanted floating dtypes"},
      {[&] { tb::norm(s, -1.0); }, "of a sparse tensor, wanted 0 or more: zeros count; to_dense(x) takes any"},
      {[&] { tb::softmax(ints, 0); }, "aten::_softmax: found int64, wanted a floating dtype; convert it with to()"},
      {[&] { tb::log_softmax(csr, 2); },
       "aten::_log_softmax: found dimension 2 of a tensor of 2 dimensions, wanted -2 to 1"},
      {[&] { tb::sparse_mask(tb::zeros({3, 2}), s); },
       "aten::sparse_mask: found sizes [3, 2] and a mask of sizes [2, 3]"},
      {[&] { tb::sparse_mask(s, tb::zeros({2, 3})); }, "aten::sparse_mask: found layout strided, wanted sparse_coo"},
      {[&] { tb::sparse_mask(tb::zeros({2, 3}, arg<"device"> = tb::meta), s); },
       "aten::sparse_mask: found argument 1 "},
      {[&] { tb::max(s); }, "aten::max: found argument 1 'self' of layout sparse_coo, wanted strided; to_dense(x) "},
      {[&] { tb::argmax(csr); }, "aten::argmax: found argument 1 'self' of layout sparse_csr, wanted strided; "},
      {[&] { tb::prod(s); }, "aten::prod: found argument 1 'self' of layout sparse_coo, wanted strided; to_dense(x) "},
      {[&] { tb::cumsum(s, 0); }, "aten::cumsum: found argument 1 'self' of layout sparse_coo, wanted strided; "},
  };
  for (const refused& r : all) {
    const std::string found = error_of(r.call);
    INFO(found);
    CHECK(found.find(r.text) != std::string::npos);
  }
}
