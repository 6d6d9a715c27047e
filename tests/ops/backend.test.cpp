// What every operator of a backend refuses, and that it refuses before it writes.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::tensor_of;
using tb::dtype;
using tb::tensor;
using sizes = std::vector<std::int64_t>;

namespace {

struct refusal {
  std::string text;
  std::function<void(tensor& out)> call;
};

// `out` is float32 [2, 3]; each call must throw and leave it, and its version, as they were.
void all_refuse(const std::vector<refusal>& refusals) {
  for (const refusal& r : refusals) {
    tensor out = support::numbers(1).tensor({2, 3}, dtype::float32, support::arrangement::sliced);
    const auto before = support::bytes(out);
    CHECK(toy::text_of<tb::error>([&] { r.call(out); }) == r.text);
    CHECK(support::bytes(out) == before);
    CHECK(out.version() == 0);
  }
}

tensor filled(const tb::dims& s, dtype t = dtype::float32) { return support::numbers(2).tensor(s, t); }

}  // namespace

TEST_CASE("backend: shapes that do not fit are refused before anything is written", "[ops][backend][shape]") {
  const tensor four = filled({4}), wide = filled({4, 2, 3});
  const std::string apart = ": the shapes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4, wanted equal sizes or 1";
  const std::string grows = ": the result has sizes [4, 2, 3], the tensor to write [2, 3]";
  all_refuse({
      {"aten::add.Tensor" + apart, [&](tensor& out) { ops::add(out, four); }},
      {"aten::mul.Tensor" + apart, [&](tensor& out) { ops::mul(out, four); }},
      {"aten::eq.Tensor" + apart, [&](tensor& out) { ops::eq(out, four); }},
      {"topbit::relu_backward" + apart, [&](tensor& out) { ops::relu_backward(out, four); }},
      {"aten::add_.Tensor" + apart, [&](tensor& out) { out += four; }},
      {"aten::sub_.Tensor" + grows, [&](tensor& out) { out -= wide; }},
      {"aten::mul_.Tensor" + grows, [&](tensor& out) { out *= wide; }},
      {"aten::div_.Tensor" + grows, [&](tensor& out) { out /= wide; }},
      {"aten::add.out" + grows, [&](tensor& out) { ops::add_out(wide, wide, 1, out); }},
      {"aten::sub.out: the result has sizes [3], the tensor to write [2, 3]",
       [&](tensor& out) { ops::sub_out(filled({3}), filled({3}), 1, out); }},
      {"aten::copy_: found source sizes [4, 2, 3], wanted them to broadcast to [2, 3]", [&](tensor& out) { ops::copy_(out, wide); }},
      {"aten::copy_: the shapes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4, wanted equal sizes or 1",
       [&](tensor& out) { ops::copy_(out, four); }},
  });
}

TEST_CASE("backend: tensors on two devices are refused before anything is written", "[ops][backend][device]") {
  const tensor there = tb::author::make_tensor({2, 3}, dtype::float32, tb::meta);
  const std::string apart = ": found tensors on cpu and meta, wanted one device; move one with to()";
  const std::string other = ": found tensors on meta and cpu, wanted one device; move one with to()";
  all_refuse({
      {"aten::add.Tensor" + apart, [&](tensor& out) { ops::add(out, there); }},
      {"aten::add.Tensor" + other, [&](tensor& out) { ops::add(there, out); }},
      {"aten::lt.Tensor" + apart, [&](tensor& out) { ops::lt(out, there); }},
      {"aten::mul_.Tensor" + apart, [&](tensor& out) { out *= there; }},
      {"aten::mul.out" + other, [&](tensor& out) { ops::mul_out(there, there, out); }},
      {"aten::mm" + apart, [&](tensor& out) { ops::mm(out, there); }},
      {"aten::_log_softmax_backward_data" + apart, [&](tensor& out) { ops::log_softmax_backward(out, there, 1, dtype::float32); }},
      {"topbit::nll_loss_mean" + apart,
       [&](tensor& out) { ops::nll_loss(out, tb::author::make_tensor({2}, dtype::int64, tb::meta)); }},
      {"aten::copy_: a meta tensor has no elements to copy", [&](tensor& out) { ops::copy_(out, there); }},
  });
}

TEST_CASE("backend: an undefined tensor is refused before anything is written", "[ops][backend]") {
  const tensor none;
  tensor written;
  const std::string why = ": found an undefined tensor";
  all_refuse({
      {"aten::add.Tensor" + why, [&](tensor& out) { ops::add(out, none); }},
      {"aten::add.Tensor" + why, [&](tensor& out) { ops::add(none, out); }},
      {"aten::eq.Tensor" + why, [&](tensor& out) { ops::eq(out, none); }},
      {"aten::mul_.Tensor" + why, [&](tensor& out) { out *= none; }},
      {"aten::mul_.Tensor" + why, [&](tensor& out) { written *= out; }},
      {"aten::div.out" + why, [&](tensor& out) { ops::div_out(out, out, written); }},
      {"aten::div.out" + why, [&](tensor& out) { ops::div_out(tensor_of({1}, {}), none, out); }},
      {"aten::mm" + why, [&](tensor& out) { ops::mm(out, none); }},
      {"aten::copy_" + why, [&](tensor& out) { ops::copy_(out, none); }},
      {"aten::copy_" + why, [&](tensor& out) { ops::copy_(written, out); }},
      {"topbit::relu_backward" + why, [&](tensor& out) { ops::relu_backward(none, out); }},
      {"aten::_log_softmax_backward_data" + why, [&](tensor& out) { ops::log_softmax_backward(out, none, -1, dtype::float32); }},
      {"topbit::nll_loss_mean" + why, [&](tensor& out) { ops::nll_loss(out, none); }},
      {"topbit::nll_loss_mean_backward" + why,
       [&](tensor& out) { ops::nll_loss_mean_backward(none, out, tensor_of({0, 1}, {2}, dtype::int64)); }},
  });
  CHECK_FALSE(written.defined());
}

TEST_CASE("backend: only an undefined tensor brings no key, and the error says so", "[ops][backend]") {
  const tensor none;
  const std::string text = toy::text_of<tb::no_kernel>([&] { ops::exp(none); });
  INFO(text);
  CHECK(text.starts_with("aten::exp: "));
}

TEST_CASE("backend: elements that share memory are not written", "[ops][backend][overlap]") {
  const tensor row = filled({1, 3});
  tensor repeated = ops::expand(row, sizes{2, 3});
  const auto before = support::bytes(row);
  const std::string why = ": writes to a tensor whose elements share memory (expanded); clone() it first";
  const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
  const tensor other = filled({2, 3});
  CHECK(text([&] { ops::fill_(repeated, 1); }) == "aten::fill_.Scalar" + why);
  CHECK(text([&] { ops::zero_(repeated); }) == "aten::zero_" + why);
  CHECK(text([&] { ops::copy_(repeated, other); }) == "aten::copy_" + why);
  CHECK(text([&] { repeated += other; }) == "aten::add_.Tensor" + why);
  CHECK(text([&] { ops::mul_out(other, other, repeated); }) == "aten::mul.out" + why);
  CHECK(support::bytes(row) == before);
  tensor same = ops::expand(row, sizes{1, 3});  // nothing is repeated
  ops::zero_(same);
  CHECK(support::values(row) == std::vector<double>(3, 0));
}

TEST_CASE("backend: meta refuses what the CPU refuses, in the same words", "[ops][backend][meta]") {
  const auto text = [](auto f) { return toy::text_of<tb::error>(f); };
  const auto same = [&](auto call) {
    const std::string on_cpu = text([&] { call(tb::cpu); });
    CHECK(on_cpu != "nothing was thrown");
    CHECK(text([&] { call(tb::meta); }) == on_cpu);
  };
  const auto make = [](const tb::dims& s, dtype t, tb::device d) { return tb::author::make_tensor(s, t, d); };
  const auto each_pair = [&](auto op, dtype t) {
    same([&](tb::device d) { op(make({2, 3}, t, d), make({2, 4}, t, d)); });
  };
  each_pair([](const tensor& a, const tensor& b) { a + b; }, dtype::float32);
  each_pair([](const tensor& a, const tensor& b) { ops::sub(a, b); }, dtype::boolean);
  each_pair([](const tensor& a, const tensor& b) { ops::ge(a, b); }, dtype::int64);
  each_pair([](const tensor& a, const tensor& b) { ops::mm(a, b); }, dtype::float32);
  each_pair([](tensor a, const tensor& b) { a /= b; }, dtype::int64);
  each_pair([](tensor a, const tensor& b) { ops::copy_(a, b); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { ops::relu_backward(a, a); }, dtype::boolean);
  each_pair([](const tensor& a, const tensor&) { -a; }, dtype::boolean);
  each_pair([](const tensor& a, const tensor&) { ops::mean(a); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { ops::transpose(a, 0, 5); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { ops::view(ops::t(a), sizes{6}); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { ops::reshape(a, sizes{7}); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { tb::sum(a, {0, 0}); }, dtype::int64);
}
