// Elementwise test plans: shapes, operands with their strides, and a reference iteration over their positions.
//
// The iteration is an odometer over indices, independent of the kernels' address arithmetic.
#pragma once

#include "support.h"
#include "support/scale.h"

namespace kernel_tests {

struct shape {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> strides;  // result, first input, second input
};

inline std::vector<shape> shapes() {
  std::vector<shape> all;
  for (const std::int64_t n : awkward_sizes) all.push_back({"dense", {n}, {{1}, {1}, {1}}});
  for (const std::int64_t n : {1, 7, 16, 33, 129}) {
    all.push_back({"apart", {n}, {{2}, {3}, {1}}});
    all.push_back({"dense result", {n}, {{1}, {5}, {2}}});
    all.push_back({"backwards", {n}, {{-1}, {-1}, {-1}}});
    all.push_back({"backwards inputs", {n}, {{1}, {-2}, {-3}}});
    all.push_back({"first repeated", {n}, {{1}, {0}, {1}}});
    all.push_back({"second repeated", {n}, {{1}, {1}, {0}}});
    all.push_back({"both repeated", {n}, {{1}, {0}, {0}}});
    all.push_back({"repeated, result apart", {n}, {{2}, {0}, {1}}});
    all.push_back({"rows repeated", {n, 3}, {{1, n}, {1, 0}, {1, n}}});
    all.push_back({"columns repeated", {n, 3}, {{1, n}, {1, n}, {0, 1}}});
    all.push_back({"transposed", {n, 5}, {{1, n}, {5, 1}, {1, n}}});
    all.push_back({"transposed result", {n, 5}, {{5, 1}, {1, n}, {5, 1}}});
    all.push_back({"rows backwards", {n, 4}, {{1, n}, {1, -n}, {-1, n}}});
  }
  all.push_back({"a scalar", {1}, {{7}, {0}, {-3}}});
  all.push_back({"three dimensions", {4, 3, 5}, {{1, 4, 12}, {2, 0, 9}, {15, 5, 1}}});
  all.push_back(
      {"six dimensions", {2, 3, 2, 1, 2, 3}, {{1, 2, 6, 12, 12, 24}, {36, 12, 6, 6, 3, 1}, {0, 1, 3, 0, 0, 6}}});
  all.push_back({"empty rows", {0, 4}, {{1, 0}, {1, 0}, {0, 1}}});
  all.push_back({"no rows", {4, 0}, {{1, 4}, {1, 4}, {1, 4}}});
  return all;
}

// An operand: the memory from its lowest to its highest address, and the index of its first element.
template <typename T>
struct operand {
  array<T> memory;
  std::int64_t first = 0;
  std::vector<std::int64_t> strides;

  tb_operand described() const {
    tb_operand result{};
    result.data = memory.seen_by_kernel() + first;
    std::copy(strides.begin(), strides.end(), result.strides);
    result.dtype = dtype_of<T>;
    return result;
  }
};

template <typename T>
operand<T> make_operand(stage& here, const shape& of, std::size_t which) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool empty = false;
  for (std::size_t d = 0; d < of.sizes.size(); ++d) {
    const std::int64_t reach = (of.sizes[d] - 1) * of.strides[which][d];
    (reach < 0 ? low : high) += reach;
    empty = empty || of.sizes[d] == 0;
  }
  operand<T> result;
  result.memory = here.make<T>(empty ? 0 : high - low + 1);
  result.first = empty ? 0 : -low;
  result.strides = of.strides[which];
  return result;
}

template <typename... Operand>
tb_plan make_plan(const shape& of, const Operand&... operands) {
  tb_plan plan{};
  plan.ndim = static_cast<std::int32_t>(of.sizes.size());
  plan.operands = sizeof...(Operand);
  std::copy(of.sizes.begin(), of.sizes.end(), plan.sizes);
  int next = 0;
  ((plan.operand[next++] = operands.described()), ...);
  return plan;
}

// Calls visit(offset of operand 0, 1, 2) for every position.
template <typename Visit>
void each_position(const shape& of, const std::vector<std::int64_t>& first, Visit visit) {
  if (std::count(of.sizes.begin(), of.sizes.end(), 0) > 0) return;
  std::vector<std::int64_t> index(of.sizes.size(), 0);
  for (;;) {
    std::int64_t offset[3] = {};
    for (std::size_t o = 0; o < first.size(); ++o) {
      offset[o] = first[o];
      for (std::size_t d = 0; d < index.size(); ++d) offset[o] += index[d] * of.strides[o][d];
    }
    visit(offset[0], offset[1], offset[2]);
    std::size_t d = 0;
    while (d < index.size() && ++index[d] == of.sizes[d]) index[d++] = 0;
    if (d == index.size()) return;
  }
}

// Kernels and models are passed as std::function: a test body is compiled once per table, and templates on its lambdas
// would make these the slowest files of the project to compile.
using launch_plan = std::function<tb_status(const tb_kernels&, const tb_plan*)>;

// Runs an elementwise kernel on one shape and compares the result's memory: elements of the plan with the model, all
// others with their previous values.
template <typename Out, typename In>
std::string try_unary(backend here, const shape& of, const launch_plan& launch,
                      const std::function<expected<Out>(In)>& model) {
  stage memory(here);
  const auto in = make_operand<In>(memory, of, 1);
  const auto out = make_operand<Out>(memory, of, 0);
  fill_with_samples(in.memory, 1);
  fill_with_samples(out.memory, 2);
  std::vector<expected<Out>> want;
  for (const Out x : out.memory) want.push_back({x});
  each_position(of, {out.first, in.first},
                [&](std::int64_t o, std::int64_t a, std::int64_t) { want[std::size_t(o)] = model(in.memory[a]); });
  const tb_plan plan = make_plan(of, out, in);
  CHECK(memory.run([&](const tb_kernels& kernels) { return launch(kernels, &plan); }) == TB_OK);
  differences<Out> found;
  for (std::int64_t i = 0; i < out.memory.size(); ++i) found.add(i, out.memory[i], want[std::size_t(i)]);
  return found.text();
}

template <typename Out, typename In>
std::string try_binary(backend here, const shape& of, const launch_plan& launch,
                       const std::function<expected<Out>(In, In)>& model) {
  stage memory(here);
  const auto a = make_operand<In>(memory, of, 1);
  const auto b = make_operand<In>(memory, of, 2);
  const auto out = make_operand<Out>(memory, of, 0);
  fill_with_samples(a.memory, 1);
  fill_with_samples(b.memory, 2);
  fill_with_samples(out.memory, 3);
  std::vector<expected<Out>> want;
  for (const Out x : out.memory) want.push_back({x});
  each_position(of, {out.first, a.first, b.first}, [&](std::int64_t o, std::int64_t left, std::int64_t right) {
    want[std::size_t(o)] = model(a.memory[left], b.memory[right]);
  });
  const tb_plan plan = make_plan(of, out, a, b);
  CHECK(memory.run([&](const tb_kernels& kernels) { return launch(kernels, &plan); }) == TB_OK);
  differences<Out> found;
  for (std::int64_t i = 0; i < out.memory.size(); ++i) found.add(i, out.memory[i], want[std::size_t(i)]);
  return found.text();
}

// One message per failing shape, so that a check prints all of them.
inline std::string over_shapes(const std::function<std::string(const shape&)>& attempt) {
  std::string failures;
  static sampled_cases drawn;  // other shapes for each attempt
  for (const shape& of : shapes()) {
    if (!drawn.is_drawn()) continue;
    const std::string text = attempt(of);
    if (text.empty()) continue;
    failures += of.name + " [";
    for (const std::int64_t n : of.sizes) failures += std::to_string(n) + " ";
    failures += "] " + text + "\n";
  }
  return failures;
}

}  // namespace kernel_tests
