// What every operator of a backend refuses, and that it refuses before it writes.
#include <topbit/kernel_abi.h>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
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

tensor filled(const tb::shape& s, dtype t = dtype::float32) { return support::numbers(2).tensor(s, t); }

}  // namespace

TEST_CASE("backend: mismatched shapes are refused before anything is written", "[ops][backend][shape]") {
  const tensor four = filled({4}), wide = filled({4, 2, 3});
  const std::string apart =
      ": the shapes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4, wanted equal sizes or 1";
  const std::string grows = ": the result has sizes [4, 2, 3], the tensor to write [2, 3]";
  all_refuse({
      {"aten::add.Tensor" + apart, [&](tensor& out) { aten::add_Tensor(out, four); }},
      {"aten::mul.Tensor" + apart, [&](tensor& out) { aten::mul_Tensor(out, four); }},
      {"aten::eq.Tensor" + apart, [&](tensor& out) { aten::eq_Tensor(out, four); }},
      {"aten::threshold_backward" + apart, [&](tensor& out) { aten::threshold_backward(out, four, 0); }},
      {"aten::add_.Tensor" + apart, [&](tensor& out) { out += four; }},
      {"aten::sub_.Tensor" + grows, [&](tensor& out) { out -= wide; }},
      {"aten::mul_.Tensor" + grows, [&](tensor& out) { out *= wide; }},
      {"aten::div_.Tensor" + grows, [&](tensor& out) { out /= wide; }},
      {"aten::add.out" + grows, [&](tensor& out) { aten::add_out(wide, wide, 1, out); }},
      {"aten::sub.out: the result has sizes [3], the tensor to write [2, 3]",
       [&](tensor& out) { aten::sub_out(filled({3}), filled({3}), 1, out); }},
      {"aten::copy_: found source sizes [4, 2, 3], wanted them to broadcast to [2, 3]",
       [&](tensor& out) { aten::copy_(out, wide); }},
      {"aten::copy_: the shapes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4, wanted equal sizes or 1",
       [&](tensor& out) { aten::copy_(out, four); }},
  });
}

TEST_CASE("backend: tensors on two devices are refused before anything is written", "[ops][backend][device][Y8]") {
  const tensor there = tb::author::make_tensor({2, 3}, dtype::float32, tb::meta);
  const auto apart = [](const char* first, const char* where, const char* second, const char* other) {
    return std::string(": found argument ") + first + " on " + where + " and argument " + second + " on " + other +
           ", wanted one device; move one with to()";
  };
  const tensor labels = tb::author::make_tensor({2}, dtype::int64, tb::meta);
  all_refuse({
      {"aten::add.Tensor" + apart("1 'self'", "cpu", "2 'other'", "meta"),
       [&](tensor& out) { aten::add_Tensor(out, there); }},
      {"aten::add.Tensor" + apart("1 'self'", "meta", "2 'other'", "cpu"),
       [&](tensor& out) { aten::add_Tensor(there, out); }},
      {"aten::lt.Tensor" + apart("1 'self'", "cpu", "2 'other'", "meta"),
       [&](tensor& out) { aten::lt_Tensor(out, there); }},
      {"aten::mul_.Tensor" + apart("1 'self'", "cpu", "2 'other'", "meta"), [&](tensor& out) { out *= there; }},
      {"aten::mul.out" + apart("1 'self'", "meta", "3 'out'", "cpu"),
       [&](tensor& out) { aten::mul_out(there, there, out); }},
      {"aten::add.out" + apart("1 'self'", "meta", "4 'out'", "cpu"),
       [&](tensor& out) { aten::add_out(there, there, 1, out); }},
      {"aten::mm" + apart("1 'self'", "cpu", "2 'mat2'", "meta"), [&](tensor& out) { aten::mm(out, there); }},
      {"aten::matmul" + apart("1 'self'", "cpu", "2 'other'", "meta"), [&](tensor& out) { aten::matmul(out, there); }},
      {"aten::_log_softmax_backward_data" + apart("1 'grad_output'", "cpu", "2 'output'", "meta"),
       [&](tensor& out) { aten::_log_softmax_backward_data(out, there, 1, dtype::float32); }},
      {"aten::nll_loss" + apart("1 'self'", "cpu", "2 'target'", "meta"),
       [&](tensor& out) { aten::nll_loss(out, labels); }},
      {"aten::nll_loss_backward" + apart("1 'grad_output'", "cpu", "3 'target'", "meta"),
       [&](tensor& out) { aten::nll_loss_backward(out, out, labels, std::nullopt, 1, -100, out); }},
      {"aten::copy_: a meta tensor has no elements to copy", [&](tensor& out) { aten::copy_(out, there); }},
  });
}

TEST_CASE("backend: an undefined tensor is refused before anything is written", "[ops][backend]") {
  const tensor none;
  tensor written;
  const std::string why = ": found an undefined tensor";
  all_refuse({
      {"aten::add.Tensor" + why, [&](tensor& out) { aten::add_Tensor(out, none); }},
      {"aten::add.Tensor" + why, [&](tensor& out) { aten::add_Tensor(none, out); }},
      {"aten::eq.Tensor" + why, [&](tensor& out) { aten::eq_Tensor(out, none); }},
      {"aten::mul_.Tensor" + why, [&](tensor& out) { out *= none; }},
      {"aten::mul_.Tensor" + why, [&](tensor& out) { written *= out; }},
      {"aten::div.out" + why, [&](tensor& out) { aten::div_out(out, out, written); }},
      {"aten::div.out" + why, [&](tensor& out) { aten::div_out(tensor_of({1}, {}), none, out); }},
      {"aten::mm" + why, [&](tensor& out) { aten::mm(out, none); }},
      {"aten::copy_" + why, [&](tensor& out) { aten::copy_(out, none); }},
      {"aten::copy_" + why, [&](tensor& out) { aten::copy_(written, out); }},
      {"aten::threshold_backward" + why, [&](tensor& out) { aten::threshold_backward(none, out, 0); }},
      {"aten::_log_softmax_backward_data" + why,
       [&](tensor& out) { aten::_log_softmax_backward_data(out, none, -1, dtype::float32); }},
      {"aten::nll_loss" + why, [&](tensor& out) { aten::nll_loss(out, none); }},
      {"aten::nll_loss_backward" + why,
       [&](tensor& out) {
         aten::nll_loss_backward(none, out, tensor_of({0, 1}, {2}, dtype::int64), std::nullopt, 1, -100, out);
       }},
  });
  CHECK_FALSE(written.defined());
}

TEST_CASE("backend: only undefined tensors bring no key, and the error says so", "[ops][backend]") {
  const tensor none;
  const std::string text = toy::text_of<tb::no_kernel>([&] { aten::exp(none); });
  INFO(text);
  CHECK(text.starts_with("aten::exp: "));
}

TEST_CASE("backend: elements that share memory are not written", "[ops][backend][overlap]") {
  const tensor row = filled({1, 3});
  tensor repeated = aten::expand(row, sizes{2, 3});
  const auto before = support::bytes(row);
  const std::string why =
      ": writes to a tensor float32 [2, 3] whose elements share memory, with strides [0, 1]; clone() it first";
  const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
  const tensor other = filled({2, 3});
  CHECK(text([&] { aten::fill_Scalar_(repeated, 1); }) == "aten::fill_.Scalar" + why);
  CHECK(text([&] { aten::zero_(repeated); }) == "aten::zero_" + why);
  CHECK(text([&] { aten::copy_(repeated, other); }) == "aten::copy_" + why);
  CHECK(text([&] { repeated += other; }) == "aten::add_.Tensor" + why);
  CHECK(text([&] { aten::mul_out(other, other, repeated); }) == "aten::mul.out" + why);
  CHECK(support::bytes(row) == before);
  tensor same = aten::expand(row, sizes{1, 3});  // nothing is repeated
  aten::zero_(same);
  CHECK(support::values(row) == std::vector<double>(3, 0));
}

TEST_CASE("backend: meta refuses what the CPU refuses, with the same message", "[ops][backend][meta]") {
  const auto text = [](auto f) { return toy::text_of<tb::error>(f); };
  const auto same = [&](auto call) {
    const std::string on_cpu = text([&] { call(tb::cpu); });
    CHECK(on_cpu != "nothing was thrown");
    CHECK(text([&] { call(tb::meta); }) == on_cpu);
  };
  const auto make = [](const tb::shape& s, dtype t, tb::device d) { return tb::author::make_tensor(s, t, d); };
  const auto each_pair = [&](auto op, dtype t) {
    same([&](tb::device d) { op(make({2, 3}, t, d), make({2, 4}, t, d)); });
  };
  each_pair([](const tensor& a, const tensor& b) { a + b; }, dtype::float32);
  each_pair([](const tensor& a, const tensor& b) { aten::sub_Tensor(a, b); }, dtype::boolean);
  each_pair([](const tensor& a, const tensor& b) { aten::ge_Tensor(a, b); }, dtype::int64);
  each_pair([](const tensor& a, const tensor& b) { aten::mm(a, b); }, dtype::float32);
  each_pair([](tensor a, const tensor& b) { a /= b; }, dtype::int64);
  each_pair([](tensor a, const tensor& b) { aten::copy_(a, b); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { aten::threshold_backward(a, a, 0); }, dtype::boolean);
  each_pair([](const tensor& a, const tensor&) { -a; }, dtype::boolean);
  each_pair([](const tensor& a, const tensor&) { aten::mean(a); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { aten::transpose_int(a, 0, 5); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { aten::view(aten::t(a), sizes{6}); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { aten::reshape(a, sizes{7}); }, dtype::int64);
  each_pair([](const tensor& a, const tensor&) { tb::sum(a, {0, 0}); }, dtype::int64);
}

TEST_CASE("backend: a tensor that is not strided is refused by operator and argument", "[ops][backend][layout]") {
  const auto hollow = [](const tb::shape& s, dtype t) {
    return tb::author::make_opaque(s, t, tb::cpu, tb::key_set(tb::key::CPU));
  };
  const tensor m = hollow({2, 3}, dtype::float32), labels = hollow({2}, dtype::int64);
  const tensor real = support::numbers(1).tensor({2, 3}, dtype::float32, support::arrangement::dense);
  const tensor right = tensor_of({0, 1}, {2}, dtype::int64);
  tensor written = m, out = real;
  const std::vector<tensor> list{real, m};
  struct refused {
    const char* begin;
    std::function<void()> call;
  };
  const refused calls[] = {
      {"aten::add.Tensor: found argument 1 'self'", [&] { aten::add_Tensor(m, real); }},
      {"aten::add.Tensor: found argument 2 'other'", [&] { aten::add_Tensor(real, m); }},
      {"aten::add.Scalar: in aten::add.Tensor: found argument 1 'self'", [&] { m + 1; }},
      {"aten::exp: found argument 1 'self'", [&] { aten::exp(m); }},
      {"aten::exp.out: found argument 1 'self'", [&] { aten::exp_out(m, out); }},
      {"aten::exp.out: found argument 2 'out'", [&] { aten::exp_out(real, written); }},
      {"aten::lt.Tensor: found argument 1 'self'", [&] { aten::lt_Tensor(m, real); }},
      {"aten::sum: found argument 1 'self'", [&] { aten::sum(m); }},
      {"aten::sum.dim_IntList: found argument 1 'self'", [&] { tb::sum(m, {0}); }},
      {"aten::argmax: found argument 1 'self'", [&] { aten::argmax(m, 1); }},
      {"aten::mm: found argument 2 'mat2'", [&] { aten::mm(real, hollow({3, 1}, dtype::float32)); }},
      {"aten::log_softmax.int: in aten::_log_softmax: found argument 1 'self'", [&] { aten::log_softmax_int(m, 1); }},
      {"aten::nll_loss: in aten::nll_loss_forward: found argument 1 'self'", [&] { aten::nll_loss(m, right); }},
      {"aten::nll_loss: in aten::nll_loss_forward: found argument 2 'target'", [&] { aten::nll_loss(real, labels); }},
      {"aten::cat: found argument 1 'tensors'", [&] { aten::cat(list); }},
      {"aten::nonzero: found argument 1 'self'", [&] { aten::nonzero(m); }},
      {"aten::clone: found argument 1 'self'", [&] { aten::clone(m); }},
      {"aten::_to_copy: found argument 1 'self'", [&] { tb::to(m, dtype::float64); }},
      {"aten::contiguous: found argument 1 'self'", [&] { aten::contiguous(m); }},
      {"aten::reshape: found argument 1 'self'", [&] { aten::reshape(m, sizes{6}); }},
      {"aten::fill_.Scalar: found argument 1 'self'", [&] { aten::fill_Scalar_(written, 1); }},
      {"aten::zero_: found argument 1 'self'", [&] { aten::zero_(written); }},
      {"aten::add_.Tensor: found argument 1 'self'", [&] { aten::add_Tensor_(written, real); }},
      {"aten::copy_: found argument 1 'self'", [&] { aten::copy_(written, real); }},
      {"aten::copy_: found argument 2 'src'", [&] { aten::copy_(out, m); }},
  };
  for (const refused& r : calls) {
    CHECK(toy::text_of<tb::layout_error>(r.call) ==
          std::string(r.begin) +
              " of layout opaque, wanted strided; its backend needs its own kernel for the operator");
  }
  CHECK(out.version() == 0);
  CHECK(m.version() == 0);
}

namespace {

struct number_data : tb::tensor_extension {
  explicit number_data(double x) : value(x) {}
  double value;
};
constexpr tb::device own_data{tb::backend::PrivateUse1, 0};
tensor number_of_its_own(double x) {
  return tb::author::make_opaque({}, dtype::float64, own_data,
                                 tb::keys_of(tb::layout::opaque, own_data, dtype::float64),
                                 tb::intrusive_ptr<tb::tensor_extension>(new number_data(x)));
}
tensor half_of(const tensor& self) { return number_of_its_own(self.payload<number_data>().value / 2); }

}  // namespace

TEST_CASE("backend: a backend's kernel gets the payload of an opaque tensor", "[ops][backend][layout]") {
  const auto block = std::move(tb::implement("aten", tb::key::PrivateUse1).impl<&half_of>(aten::sqrt));
  const tensor x = number_of_its_own(6);
  CHECK_FALSE(tb::requires_grad(x));
  CHECK(aten::sqrt(x).payload<number_data>().value == 3);
}

namespace {
// A kernel that finds no memory, on a device that says so and on the host.
tb_kernels full_table(const char* (*last_error)()) {
  tb_kernels k{};
  k.size = sizeof(tb_kernels);
  k.version = TB_ABI_VERSION;
  k.name = "full";
  k.elementwise = [](const tb_elementwise*, const tb_call*) { return TB_OUT_OF_MEMORY; };
  k.last_error = last_error;
  return k;
}
const tb_kernels full_device = full_table([] { return "all 4 bytes are in use"; });
const tb_kernels full_host = full_table(nullptr);

constexpr auto here = std::source_location::current();
void take(tb::dispatch_key k, const tb_kernels& table) { tb::author::register_strided_backend(table, k); }
}  // namespace

TEST_CASE("backend: the kernels of a table have the source location of their registration", "[ops][backend]") {
  take(tb::key::PrivateUse5, full_device);
  std::size_t found = 0;
  for (const tb::inspect::kernel_dump& k : tb::dump(tb::find("aten::exp")).kernels) {
    if (!(k.key == tb::key_target(tb::key::PrivateUse5))) continue;
    CHECK(k.place.line == here.line() + 1);
    CHECK(std::string(here.file_name()).ends_with(k.place.file));
    ++found;
  }
  CHECK(found > 0);
}

TEST_CASE("backend: a key has one backend kernel table", "[ops][backend]") {
  take(tb::key::PrivateUse5, full_device);
  take(tb::key::PrivateUse5, full_device);
  CHECK(toy::text_of<tb::bad_registration>([] { take(tb::key::PrivateUse5, full_host); }) ==
        "register_strided_backend: found the kernels of full for PrivateUse5 already, wanted a key without; "
        "register kernels of your own with implement()");
  CHECK_THROWS_AS(take(tb::key::CPU, full_host), tb::bad_registration);
  tensor t = tensor_of({1, 2}, {2});
  CHECK(support::values(t + t) == std::vector<double>{2, 4});
}

TEST_CASE("backend: out of memory on a device is a device_error, on the host out_of_memory", "[ops][backend]") {
  tensor t = tensor_of({1, 2}, {2});
  take(tb::key::PrivateUse5, full_device);
  CHECK(toy::text_of<tb::device_error>([&] { aten::fill_Scalar_.call_at(tb::key::PrivateUse5, t, 1); }) ==
        "aten::fill_.Scalar: full: all 4 bytes are in use");
  take(tb::key::PrivateUse6, full_host);
  CHECK(toy::text_of<tb::out_of_memory>([&] { aten::fill_Scalar_.call_at(tb::key::PrivateUse6, t, 1); }) ==
        "aten::fill_.Scalar: full found no host memory for float64 [2]");
}

TEST_CASE("backend: the CPU kernels have a name, and a problem only if they are not the requested ones",
          "[ops][backend]") {
  CHECK(tb_cpu_kernels_for(std::string(tb::cpu_isa()).c_str()) == tb_cpu_kernels());
  const char* text = tb_cpu_error();
  CHECK(tb::cpu_isa_problem() == (text != nullptr ? text : ""));
}

TEST_CASE("backend: the number of threads can be set; an invalid one is refused and changes nothing",
          "[ops][backend]") {
  const int before = tb::num_threads();
  CHECK(before >= 1);
  CHECK(toy::text_of<tb::bad_argument>([] { tb::set_num_threads(0); }) == "set_num_threads: found 0, wanted 1 to 1024");
  CHECK(toy::text_of<tb::bad_argument>([] { tb::set_num_threads(1025); }) ==
        "set_num_threads: found 1025, wanted 1 to 1024");
  CHECK(tb::num_threads() == before);
  CHECK_NOTHROW(tb::set_num_threads(1024));
  tb::set_num_threads(1);
  CHECK(tb::num_threads() == 1);
  tb::set_num_threads(before);
  CHECK(tb::num_threads() == before);
  const char* text = tb_cpu_threads_error();
  CHECK(tb::num_threads_problem() == (text != nullptr ? text : ""));
}

TEST_CASE("backend: out of memory names the operator, the tensor and its bytes, and can be caught by each of its types",
          "[ops][backend]") {
  const std::vector<std::int64_t> sizes{1LL << 29, 1LL << 29};
  const std::string one =
      "found no memory for a tensor float32 [536870912, 536870912], wanted 1152921504606846976 bytes of host memory";
  const auto zeros = [&] { aten::zeros(sizes); };
  CHECK(toy::text_of<tb::error>(zeros) == "aten::zeros: in aten::empty.memory_format: " + one);
  CHECK(toy::text_of<std::bad_alloc>(zeros) == "aten::zeros: in aten::empty.memory_format: " + one);
  try {
    zeros();
    FAIL("nothing was thrown");
  } catch (const std::exception& e) {
    CHECK(e.what() == "aten::zeros: in aten::empty.memory_format: " + one);
  }
  const tensor row = tensor_of({1}, {1}, tb::dtype::float32), wide = aten::expand(row, sizes);
  CHECK(toy::text_of<tb::out_of_memory>([&] { wide + wide; }) == "aten::add.Tensor: " + one);
  CHECK(toy::text_of<tb::out_of_memory>([&] { aten::relu6(wide); }) == "aten::relu6: in aten::clamp: " + one);
  std::exception_ptr kept;
  try {
    zeros();
  } catch (const tb::out_of_memory& e) {
    CHECK(e.bytes() == std::size_t{1} << 60);
    CHECK(e.op() == "aten::zeros");
    kept = std::current_exception();
  }
  CHECK_THROWS_AS(std::rethrow_exception(kept), std::exception);
  CHECK_THROWS_AS(std::rethrow_exception(kept), std::bad_alloc);
}
