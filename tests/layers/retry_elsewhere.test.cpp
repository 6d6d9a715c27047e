// Rules U1, U2, U3 and U5 of the reference, for the layer that runs on the CPU what a backend lacks.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#define main retry_main
#include "layers/retry_elsewhere.cpp"
#undef main
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace aten = topbit::aten;
using tb::tensor;

namespace {

using maybe = std::optional<tensor>;
inline constexpr tb::op<"away::next(Tensor self) -> Tensor"> next;
inline constexpr tb::op<"away::into(Tensor self, *, Tensor(a!) low, Tensor(b!) high) -> (Tensor(a!), Tensor(b!), int)">
    into;
inline constexpr tb::op<"away::total(Tensor[] all, Tensor?[] some, Tensor? one) -> Tensor[]"> total;
inline constexpr tb::op<"away::step_(Tensor(a!)[] all) -> ()"> step_;
inline constexpr tb::op<"away::made(int n, Device device) -> Tensor"> made;
inline constexpr tb::op<"away::like(Tensor self, Device device) -> Tensor"> like;
inline constexpr tb::op<"away::part(Tensor(a) self) -> Tensor(a)"> part;
inline constexpr tb::op<"away::bare", tensor(const tensor&)> bare;
inline constexpr tb::op<"away::fails_(Tensor(a!) self) -> Tensor(a!)"> fails_;
inline constexpr tb::op<"away::count(Tensor? one) -> int"> count;

std::vector<tb::device> seen;
void see(const tensor& t) { seen.push_back(t.device()); }

std::tuple<tensor&, tensor&, std::int64_t> into_cpu(const tensor& self, tensor& low, tensor& high) {
  see(self), see(low), see(high);
  aten::copy_(low, self - 1);
  aten::copy_(high, self + 1);
  return {low, high, 5};
}
std::vector<tensor> total_cpu(std::span<const tensor> all, std::span<const maybe> some, const maybe& one) {
  tensor sum = aten::clone(all[0]);
  for (const tensor& t : all.subspan(1)) {
    if (t.defined()) see(t), sum += t;
  }
  for (const maybe& t : some) {
    if (t) see(*t), sum += *t;
  }
  if (one) see(*one), sum += *one;
  return {sum, tensor()};
}
void step_cpu(std::vector<tensor>& all) {
  for (tensor& t : all) t += 1;
}
tensor next_cpu(const tensor& self) { return see(self), self + 1; }
tensor made_cpu(std::int64_t n, tb::device where) {
  seen.push_back(where);
  return aten::ones(std::vector<std::int64_t>{n}, tb::arg<"device"> = where);
}
tensor like_cpu(const tensor& self, tb::device where) { return see(self), seen.push_back(where), self + 1; }
tensor part_cpu(const tensor& self) { return self; }
tensor bare_cpu(const tensor& self) { return self; }
tensor& fails_cpu(tensor& self) {
  self += 1;
  throw std::runtime_error("half way");
}
std::int64_t count_cpu(const maybe& one) { return one.has_value() ? 1 : 0; }

const auto away = tb::library("away")
                      .def(next)
                      .impl<&next_cpu>(next, tb::key::CPU)
                      .def(into)
                      .impl<&into_cpu>(into, tb::key::CPU)
                      .def(total)
                      .impl<&total_cpu>(total, tb::key::CPU)
                      .def(step_)
                      .impl<&step_cpu>(step_, tb::key::CPU)
                      .def(made)
                      .impl<&made_cpu>(made, tb::key::CPU)
                      .def(like)
                      .impl<&like_cpu>(like, tb::key::CPU)
                      .def(part)
                      .impl<&part_cpu>(part, tb::key::CPU)
                      .def(bare)
                      .impl<&bare_cpu>(bare, tb::key::CPU)
                      .def(fails_)
                      .impl<&fails_cpu>(fails_, tb::key::CPU)
                      .def(count)
                      .impl<&count_cpu>(count, tb::key::CPU);

const tb::device npu{tb::backend::PrivateUse1};
using numbers = std::vector<double>;
tensor on_npu(std::vector<double> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  return tb::to(support::tensor_of(values, {n}), npu);
}
numbers values(const tensor& t) { return support::values(tb::to(t, tb::cpu)); }
bool all_on_cpu() {
  bool good = !seen.empty();
  for (tb::device d : seen) good = good && d == tb::cpu;
  seen.clear();
  return good;
}

}  // namespace

TEST_CASE("retry_elsewhere: the kernel sees tensors of the CPU, its result is on the caller's device",
          "[layers][retry_elsewhere][U1][U2]") {
  const tensor out = next(on_npu({1, 2}));
  CHECK(all_on_cpu());
  CHECK(out.device() == npu);
  CHECK(values(out) == numbers{2, 3});
  CHECK(to_string(tb::explain(next, out).selected) == "Autogradnpu");
  const tb::no_grad below;
  CHECK(to_string(tb::explain(next, out).selected) == "npu");
}

TEST_CASE("retry_elsewhere: writes go to the caller's tensors, which are the results",
          "[layers][retry_elsewhere][U1][U5]") {
  const tensor self = on_npu({1, 2});
  tensor low = on_npu({0, 0}), high = on_npu({0, 0});
  const std::uint32_t version = high.version();
  const auto [a, b, n] = into(self, low, high);
  CHECK(all_on_cpu());
  CHECK(&a == &low);
  CHECK(&b == &high);
  CHECK(n == 5);
  CHECK(values(low) == numbers{0, 1});
  CHECK(values(high) == numbers{2, 3});
  CHECK(high.device() == npu);
  CHECK(high.version() == version + 1);
}

TEST_CASE("retry_elsewhere: a view is read and written in place", "[layers][retry_elsewhere][U1]") {
  tensor whole = on_npu({1, 2, 3, 4});
  tensor odd = aten::slice_Tensor(whole, 0, 1, std::nullopt, 2);
  twice(odd);
  CHECK(values(whole) == numbers{1, 4, 3, 8});
}

TEST_CASE("retry_elsewhere: lists are copied tensor by tensor, absent and undefined ones are kept",
          "[layers][retry_elsewhere][U1][U2]") {
  const std::vector<tensor> all{on_npu({1}), on_npu({2}), tensor()};
  const std::vector<maybe> some{std::nullopt, on_npu({3})};
  const std::vector<tensor> out = total(all, some, on_npu({4}));
  CHECK(all_on_cpu());
  REQUIRE(out.size() == 2);
  CHECK(values(out[0]) == numbers{10});
  CHECK(out[0].device() == npu);
  CHECK_FALSE(out[1].defined());
  CHECK(values(all[0]) == numbers{1});
  CHECK(values(total(all, {}, std::nullopt)[0]) == numbers{3});
}

TEST_CASE("retry_elsewhere: a mutable list is written tensor by tensor", "[layers][retry_elsewhere][U5]") {
  std::vector<tensor> all{on_npu({1}), on_npu({2, 3})};
  step_(all);
  CHECK(values(all[0]) == numbers{2});
  CHECK(values(all[1]) == numbers{3, 4});
}

TEST_CASE("retry_elsewhere: a device argument is replaced by the CPU, and selects the device of the result",
          "[layers][retry_elsewhere][U1][U2]") {
  const tensor out = made(3, npu);
  CHECK(all_on_cpu());
  CHECK(out.device() == npu);
  CHECK(values(out) == numbers{1, 1, 1});
  CHECK(like(on_npu({1}), npu).device() == npu);
  CHECK(like(on_npu({1}), tb::cpu).device() == tb::cpu);
  CHECK(all_on_cpu());
}

TEST_CASE("retry_elsewhere: a view, a missing schema and tensors of two devices are refused",
          "[layers][retry_elsewhere][U3]") {
  const auto text = [](auto f) { return toy::text_of<tb::error>(f); };
  const tensor t = on_npu({1});
  CHECK(text([&] { part(t); }) == "away::part: not for the CPU: a result is a view");
  CHECK(text([&] { bare(t); }) == "away::bare: not for the CPU: no schema says what it writes");
  tensor low = on_npu({0}), high = support::tensor_of({0}, {1});
  CHECK(text([&] { into(t, low, high); }) == "away::into: not for the CPU: its tensors are on several devices");
}

TEST_CASE("retry_elsewhere: a kernel that throws leaves the caller's tensor unchanged",
          "[layers][retry_elsewhere][U1]") {
  tensor t = on_npu({1, 2});
  CHECK_THROWS_AS(fails_(t), std::runtime_error);
  CHECK(values(t) == numbers{1, 2});
  CHECK(tb::author::record_of(t).references == 1);
}

TEST_CASE("retry_elsewhere: a gradient through it is an error and not a wrong number", "[layers][retry_elsewhere]") {
  const tensor t = on_npu({1, 2});
  tb::require_grad(t);
  CHECK(toy::text_of<tb::error>([&] { tb::backward(aten::sum(next(t))); }).starts_with("away::next: has no gradient"));
}
