// Operators of other libraries on a device of four functions: arguments that share memory, views, lists, written
// arguments, and what cannot be moved.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"

import topbit;
import topbit.backend;

namespace tb = topbit;
using tb::backends::fallback_policy;

namespace {

inline constexpr tb::op<"guest::swap(Tensor(a!) self, Tensor(b!) other) -> ()"> swap_them;
inline constexpr tb::op<"guest::evens(Tensor(a) self) -> Tensor(a)"> evens;
inline constexpr tb::op<"guest::add_all_(Tensor(a!) self, Tensor[] others) -> Tensor(a!)"> add_all_;
inline constexpr tb::op<"guest::split_in_two(Tensor self, Tensor? bias) -> (Tensor, Tensor)"> split_in_two;
inline constexpr tb::op<"guest::ramp(int n, *, Device? device=None) -> Tensor"> ramp;
inline constexpr tb::op<"guest::exchange_(Tensor(a!) self, Tensor(b!) other) -> (Tensor(b!), Tensor(a!))"> exchange_;
inline constexpr tb::op<"guest::twice_(Tensor(a|b!) self) -> (Tensor(b|a!), Tensor(b!))"> twice_;
inline constexpr tb::op<"guest::nowhere(Tensor self) -> Tensor"> nowhere;

void swap_cpu(tb::tensor& a, tb::tensor& b) {
  const tb::tensor kept = tb::clone(a);
  tb::copy_(a, b);
  tb::copy_(b, kept);
}
tb::tensor evens_cpu(const tb::tensor& self) { return tb::slice(self, 0, 0, std::nullopt, 2); }
tb::tensor& add_all_cpu(tb::tensor& self, std::span<const tb::tensor> others) {
  for (const tb::tensor& o : others) self += o;
  return self;
}
std::tuple<tb::tensor, tb::tensor> split_cpu(const tb::tensor& self, const std::optional<tb::tensor>& bias) {
  const tb::tensor shifted = bias.has_value() ? self + *bias : tb::clone(self);
  return {tb::slice(shifted, 0, 0, 1), tb::slice(shifted, 0, 1)};  // they share memory
}
tb::tensor ramp_cpu(std::int64_t n, std::optional<tb::device>) { return tb::arange(n); }

std::tuple<tb::tensor&, tb::tensor&> exchange_cpu(tb::tensor& a, tb::tensor& b) {
  swap_cpu(a, b);
  return {b, a};
}
std::tuple<tb::tensor&, tb::tensor&> twice_cpu(tb::tensor& self) {
  self += self;
  return {self, self};
}

const auto guest = tb::library("guest")
                       .def(exchange_)
                       .impl<&exchange_cpu>(exchange_, tb::key::CPU)
                       .def(twice_)
                       .impl<&twice_cpu>(twice_, tb::key::CPU)
                       .def(swap_them)
                       .impl<&swap_cpu>(swap_them, tb::key::CPU)
                       .def(evens)
                       .impl<&evens_cpu>(evens, tb::key::CPU)
                       .def(add_all_)
                       .impl<&add_all_cpu>(add_all_, tb::key::CPU)
                       .def(split_in_two)
                       .impl<&split_cpu>(split_in_two, tb::key::CPU)
                       .def(ramp)
                       .impl<&ramp_cpu>(ramp, tb::key::CPU)
                       .def(nowhere);

tb::device chip() {
  const tb::device d = tb::parse_device("chip");
  tb::backends::set_fallback_policy(d.type, fallback_policy::allow, "guest::*");
  return d;
}
tb::tensor moved(const tb::tensor& t) { return tb::to(t, chip()); }
std::vector<double> values(const tb::tensor& t) { return support::values(tb::to(t, tb::cpu)); }
using list = std::vector<double>;

}  // namespace

TEST_CASE("boxed fallback: arguments that share memory are moved once", "[backend][boxed_fallback]") {
  tb::tensor x = moved(tb::tensor({1.F, 2, 3, 4}));
  tb::tensor head = tb::slice(x, 0, 0, 2), tail = tb::slice(x, 0, 2, 4);
  swap_them(head, tail);
  CHECK(values(x) == list{3, 4, 1, 2});
  const std::vector<tb::tensor> twice{x, x};
  tb::backends::reset_fallback_report();
  add_all_(x, twice);
  CHECK(values(x) == list{12, 16, 4, 8});  // as on the CPU: the second sees the first sum
  const auto report = tb::backends::fallback_report();
  const auto row = std::ranges::find(report, "guest::add_all_", &tb::backends::fallback_row::op);
  REQUIRE(row != report.end());
  CHECK((row->entry.empty() && row->reason == "no kernel"));
  CHECK((row->bytes_out == 16 && row->bytes_in == 16));
}

TEST_CASE("boxed fallback: a result that is a view of an argument is one on the device", "[backend][boxed_fallback]") {
  const tb::tensor x = moved(tb::tensor({1.F, 2, 3, 4, 5}));
  tb::tensor view = evens(x);
  CHECK(view.device() == chip());
  CHECK(tb::author::share_memory(view, x));
  tb::fill_(view, 0);
  CHECK(values(x) == list{0, 2, 0, 4, 0});
}

TEST_CASE("boxed fallback: a written result is the argument of its alias set", "[backend][boxed_fallback]") {
  tb::tensor x = moved(tb::tensor({1.F, 2})), y = moved(tb::tensor({3.F, 4}));
  const auto [first, second] = exchange_(x, y);
  CHECK((&first == &y && &second == &x));
  CHECK((values(x) == list{3, 4} && values(y) == list{1, 2}));
  // The same one twice, whose sets are named in other orders.
  const auto [once, again] = twice_(x);
  CHECK((&once == &x && &again == &x));
  CHECK(values(x) == list{6, 8});
  // With boxed arguments, which are owned.
  tb::boxed_stack s;
  s.push(tb::value(x));
  twice_.handle().call_boxed(s);
  REQUIRE(s.size() == 2);
  CHECK((s[0].get<tb::tensor>().same_as(x) && s[1].get<tb::tensor>().same_as(x)));
  CHECK(values(x) == list{12, 16});
}

TEST_CASE("boxed fallback: results go to the device, undefined arguments stay undefined", "[backend][boxed_fallback]") {
  const tb::tensor x = moved(tb::tensor({1.F, 2, 3}));
  const auto [first, rest] = split_in_two(x, std::nullopt);
  CHECK((first.device() == chip() && rest.device() == chip()));
  CHECK((values(first) == list{1} && values(rest) == list{2, 3}));
  CHECK(tb::author::record_of(first).data == tb::author::record_of(rest).data);  // as on the CPU
  const auto [shifted, others] = split_in_two(x, x);
  CHECK((values(shifted) == list{2} && values(others) == list{4, 6}));
  const tb::tensor made = ramp(3, tb::arg<"device"> = chip());
  CHECK(made.device() == chip());
  CHECK(values(made) == list{0, 1, 2});
}

TEST_CASE("boxed fallback: writes count, and read-only memory stays as it is", "[backend][boxed_fallback]") {
  tb::tensor x = moved(tb::tensor({1.F, 2, 3, 4}));
  const auto before = x.version();
  add_all_(x, std::vector<tb::tensor>{x});
  CHECK(x.version() == before + 1);
  // What autograd saved is known to have changed.
  tb::tensor w = moved(tb::tensor({1.F, 1, 1, 1}));
  tb::require_grad(w);
  const tb::tensor y = tb::sum(w * x);
  add_all_(x, std::vector<tb::tensor>{x});
  CHECK_THROWS_AS(tb::backward(y), tb::error);
  tb::author::make_read_only(x);
  const list kept = values(x);
  CHECK_THROWS_AS(add_all_(x, std::vector<tb::tensor>{x}), tb::error);
  CHECK(values(x) == kept);
}

TEST_CASE("boxed fallback: only the bytes that an operator may write are copied back", "[backend][boxed_fallback]") {
  tb::tensor x = moved(tb::tensor({1.F, 2, 3, 4}));
  tb::tensor head = tb::slice(x, 0, 0, 2);
  tb::backends::reset_fallback_report();
  add_all_(head, std::vector<tb::tensor>{tb::slice(x, 0, 2, 4)});
  CHECK(values(x) == list{4, 6, 3, 4});
  const auto report = tb::backends::fallback_report();
  const auto row = std::ranges::find(report, "guest::add_all_", &tb::backends::fallback_row::op);
  REQUIRE(row != report.end());
  CHECK((row->bytes_out == 16 && row->bytes_in == 8));
}

TEST_CASE("boxed fallback: what cannot run on the host is refused in a sentence", "[backend][boxed_fallback]") {
  tb::tensor x = moved(tb::tensor({1.F, 2}));
  CHECK(toy::text_of<tb::no_kernel>([&] { nowhere(x); }) ==
        "guest::nowhere: found no kernel for this device, and it cannot run on the host: the CPU has no kernel either");
  tb::backends::set_fallback_policy(chip().type, fallback_policy::refuse, "guest::add_all_");
  CHECK(toy::text_of<tb::no_kernel>([&] {
          add_all_(x, std::vector<tb::tensor>{x});
        }).starts_with("guest::add_all_: found no kernel for chip, and running on the host is refused; "));
  CHECK(values(x) == list{1, 2});
  const tb::tensor here = tb::tensor({1.F, 2});
  tb::backends::set_fallback_policy(chip().type, fallback_policy::allow, "guest::add_all_");
  CHECK(toy::text_of<tb::no_kernel>([&] { add_all_(x, std::vector<tb::tensor>{here}); }) ==
        "guest::add_all_: found no kernel for this device, and it cannot run on the host: its tensors are on several "
        "devices");
}
