// The same operators on devices of other projects, where operators on the parts do what the CPU's kernels do, and on
// meta tensors, which have no elements and no entries.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.sparse;

#include "operators.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::tensor;

namespace {

// Of a sparse matrix [4, 4] and a strided one.
struct example {
  const char* name;
  tensor (*run)(const tensor& s, const tensor& d);
};
const example examples[] = {
    {"sin", [](const tensor& s, const tensor&) { return tb::sin(s); }},
    {"relu", [](const tensor& s, const tensor&) { return tb::relu(s); }},
    {"isnan", [](const tensor& s, const tensor&) { return tb::isnan(s); }},
    {"pow", [](const tensor& s, const tensor&) { return tb::pow(s, 2); }},
    {"neg", [](const tensor& s, const tensor&) { return tb::neg(s); }},
    {"s + s", [](const tensor& s, const tensor&) { return s + tb::sin(s); }},
    {"s + t(s)", [](const tensor& s, const tensor&) { return tb::to_sparse_csr(s) + tb::to_sparse_csr(tb::t(s)); }},
    {"s - d", [](const tensor& s, const tensor& d) { return s - d; }},
    {"d + s", [](const tensor& s, const tensor& d) { return d + s; }},
    {"s * d", [](const tensor& s, const tensor& d) { return s * d; }},
    {"s * row", [](const tensor& s, const tensor& d) { return s * tb::select(d, 0, 0); }},
    {"s * t(s)", [](const tensor& s, const tensor&) { return tb::to_sparse_csr(s) * tb::to_sparse_csr(tb::t(s)); }},
    {"s / 2", [](const tensor& s, const tensor&) { return s / 2; }},
    {"add_",
     [](const tensor& s, const tensor& d) {
       tensor written = tb::clone(d);
       return tensor(tb::add_(written, s));
     }},
    {"mul_",
     [](const tensor& s, const tensor& d) {
       tensor written = tb::clone(s);
       return tensor(tb::mul_(written, d));
     }},
    {"sum", [](const tensor& s, const tensor&) { return tb::sum(s); }},
    {"sum 0", [](const tensor& s, const tensor&) { return tb::sum(s, 0); }},
    {"sum 1", [](const tensor& s, const tensor&) { return tb::sum(s, 1, true); }},
    {"mean", [](const tensor& s, const tensor&) { return tb::mean(s); }},
    {"any", [](const tensor& s, const tensor&) { return tb::any(s); }},
    {"any 1", [](const tensor& s, const tensor&) { return tb::any(s, 1); }},
    {"amax", [](const tensor& s, const tensor&) { return tb::amax(s); }},
    {"amin 0", [](const tensor& s, const tensor&) { return tb::amin(s, 0); }},
    {"norm", [](const tensor& s, const tensor&) { return tb::norm(s); }},
    {"softmax 0", [](const tensor& s, const tensor&) { return tb::softmax(s, 0); }},
    {"softmax 1", [](const tensor& s, const tensor&) { return tb::softmax(s, 1); }},
    {"log_softmax", [](const tensor& s, const tensor&) { return tb::log_softmax(s, 1); }},
    {"sparse_mask", [](const tensor& s, const tensor& d) { return tb::sparse_mask(d, s); }},
    {"mm", [](const tensor& s, const tensor& d) { return tb::mm(s, d); }},
    {"mm from the left", [](const tensor& s, const tensor& d) { return tb::mm(d, s); }},
    {"mm of sparse", [](const tensor& s, const tensor&) { return tb::mm(s, s); }},
    {"mv", [](const tensor& s, const tensor& d) { return tb::mv(s, tb::select(d, 0, 1)); }},
    {"addmm", [](const tensor& s, const tensor& d) { return tb::addmm(d, s, d); }},
    {"linear", [](const tensor& s, const tensor& d) { return tb::linear(d, s, tb::select(d, 0, 1)); }},
    {"mean of rows", [](const tensor& s, const tensor& d) { return tb::mm_reduce(s, d, "mean"); }},
    {"amax of rows", [](const tensor& s, const tensor& d) { return tb::mm_reduce(s, d, "amax"); }},
    {"amin of rows", [](const tensor& s, const tensor& d) { return tb::mm_reduce(s, d, "amin"); }},
    {"sampled_addmm", [](const tensor& s, const tensor& d) { return tb::sampled_addmm(s, d, d); }},
};

std::vector<tensor> matrices(dtype type) {
  random_tensors random(31);
  const tensor s = random.coo({4, 4}, 2, type, 9);
  return {s, tb::coalesce(s), tb::to_sparse_csr(s), tb::to_sparse_csc(s), random.coo({4, 4}, 2, type, 0)};
}

tensor elements(const tensor& t) { return t.layout() == layout::strided ? t : image(t); }

}  // namespace

TEST_CASE("sparse operators: every device gives what the CPU gives", "[sparse][operators]") {
  for (const char* name : {"npu", "chip"}) {
    const tb::device device = tb::parse_device(name);
    for (const dtype type : {dtype::float32, dtype::float16}) {
      for (const tensor& s : matrices(type)) {
        for (const example& e : examples) {
          INFO(e.name << " of " << name_of(type) << " " << name_of(s.layout()) << " on " << name);
          const tensor d = random_tensors(32).values({4, 4}, type);
          const tensor wanted = e.run(s, d), found = e.run(tb::to(s, device), tb::to(d, device));
          CHECK(found.device() == device);
          CHECK(found.layout() == wanted.layout());
          CHECK(difference(elements(tb::to(found, tb::cpu)), elements(wanted), type) == "");
        }
      }
    }
  }
}

TEST_CASE("sparse operators: gradients are the same on every device", "[sparse][operators]") {
  const tb::device npu = tb::parse_device("npu");
  for (const layout how : {layout::sparse_coo, layout::sparse_csr, layout::sparse_csc}) {
    for (const example& e : examples) {
      const std::string_view name = e.name;
      if (name.starts_with("any") || name == "isnan") continue;
      INFO(e.name << " of " << name_of(how));
      const auto gradients = [&](tb::device device) {
        const tensor s = tb::to_sparse(matrices(dtype::float32)[1], arg<"layout"> = how);
        const tensor d = random_tensors(33).values({4, 4}, dtype::float32) + 0.25;
        const std::array<tensor, 2> in{tb::require_grad(tb::to(s, device)), tb::require_grad(tb::to(d, device))};
        const tensor y = tb::to_dense(e.run(in[0], in[1]));
        return tb::grad(std::array{tb::sum(y * y)}, in, {.allow_unused = true});
      };
      const std::vector<tensor> wanted = gradients(tb::cpu), found = gradients(npu);
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(found[i].defined() == wanted[i].defined());
        if (!wanted[i].defined()) continue;
        CHECK(found[i].layout() == (i == 0 ? how : layout::strided));
        CHECK(difference(elements(tb::to(found[i], tb::cpu)), elements(wanted[i]), dtype::float32) == "");
      }
    }
  }
}

TEST_CASE("sparse operators: meta tensors give the sizes, layout and dtype", "[sparse][operators]") {
  for (const tensor& s : matrices(dtype::float32)) {
    for (const example& e : examples) {
      INFO(e.name << " of " << name_of(s.layout()));
      const tensor d = random_tensors(32).values({4, 4}, dtype::float32);
      const tensor wanted = e.run(s, d), found = e.run(tb::to(s, tb::meta), tb::to(d, tb::meta));
      CHECK(found.device() == tb::meta);
      CHECK(found.layout() == wanted.layout());
      CHECK(found.sizes() == wanted.sizes());
      CHECK(found.dtype() == wanted.dtype());
    }
  }
}
