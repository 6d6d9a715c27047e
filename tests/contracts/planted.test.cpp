// Kernels with planted faults: each is found, with the right rule and argument.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

import topbit;
import topbit.contracts;
import topbit.modes;
import topbit.transform;

namespace tb = topbit;
namespace contracts = topbit::contracts;
namespace modes = topbit::modes;
using contracts::rule;
using tb::tensor;

namespace {

inline constexpr tb::op<"planted::right(Tensor self) -> Tensor"> right;
inline constexpr tb::op<"planted::small_write(Tensor self) -> Tensor"> small_write;
inline constexpr tb::op<"planted::undone_write(Tensor self) -> Tensor"> undone_write;
inline constexpr tb::op<"planted::forgotten_(Tensor(a!) self) -> Tensor(a!)"> forgotten;
inline constexpr tb::op<"planted::clone_(Tensor(a!) self) -> Tensor(a!)"> returns_clone;
inline constexpr tb::op<"planted::outside_(Tensor(a!) self) -> Tensor(a!)"> outside;
inline constexpr tb::op<"planted::dice(Tensor self) -> Tensor"> dice;
inline constexpr tb::op<"planted::unwritten(Tensor self) -> Tensor"> unwritten;
inline constexpr tb::op<"planted::half_written(Tensor self) -> Tensor"> half_written;
inline constexpr tb::op<"planted::meta_strides(Tensor self) -> Tensor"> meta_strides;
inline constexpr tb::op<"planted::elsewhere(Tensor self) -> Tensor"> elsewhere;
inline constexpr tb::op<"planted::by_threads(Tensor self) -> Tensor"> by_threads;
inline constexpr tb::op<"planted::leaks_keys(Tensor self) -> Tensor"> leaks_keys;
inline constexpr tb::op<"planted::gives_back(Tensor self) -> Tensor"> gives_back;
inline constexpr tb::op<"planted::gives_view(Tensor self) -> Tensor"> gives_view;
inline constexpr tb::op<"planted::two_of_one(Tensor self) -> (Tensor, Tensor)"> two_of_one;
inline constexpr tb::op<"planted::retypes(Tensor self) -> Tensor"> retypes;
inline constexpr tb::op<"planted::throws_late_(Tensor(a!) self) -> Tensor(a!)"> throws_late;
inline constexpr tb::op<"planted::first_differs(Tensor self) -> Tensor"> first_differs;
inline constexpr tb::op<"planted::grows(Tensor self) -> Tensor"> grows;
inline constexpr tb::op<"planted::throws_again(Tensor self) -> Tensor"> throws_again;
inline constexpr tb::op<"planted::keeps_tensor(Tensor self) -> Tensor"> keeps_tensor;
inline constexpr tb::op<"planted::keeps_view(Tensor self) -> Tensor"> keeps_view;
inline constexpr tb::op<"planted::anything(Tensor self) -> Tensor(*)"> anything;
inline constexpr tb::op<"planted::by_alignment(Tensor self) -> Tensor"> by_alignment;
inline constexpr tb::op<"planted::meta_shares(Tensor(a) self) -> Tensor(a)"> meta_shares;
inline constexpr tb::op<"planted::meta_offset(Tensor(a) self) -> Tensor(a)"> meta_offset;
inline constexpr tb::op<"planted::meta_takes_all(Tensor self) -> Tensor"> meta_takes_all;
inline constexpr tb::op<"planted::reciprocal(Tensor self) -> Tensor"> reciprocal;
inline constexpr tb::op<"planted::never_shares(Tensor(a) self) -> Tensor(a)"> never_shares;
inline constexpr tb::op<"planted::declared_view(Tensor(a) self) -> Tensor(a)"> declared_view;

tensor given() { return tb::tensor({{1.5f, 2, 3}, {4, 5, 6}}); }
std::vector<tensor> kept_for_later;
tensor keep_tensor(const tensor& self) {
  kept_for_later.push_back(self);
  return tb::clone(self);
}
tensor keep_view(const tensor& self) {
  kept_for_later.push_back(tb::select(self, 0, 0));
  return tb::clone(self);
}
float* first_of(const tensor& t) { return t.data_ptr<float>(); }
tensor fresh(const tensor& like) { return tb::author::make_tensor(like.sizes(), like.dtype(), like.device()); }

tensor right_kernel(const tensor& self) { return self * 2.0; }
tensor small_write_kernel(const tensor& self) {
  first_of(self)[1] *= 1.000001f;
  return self * 2.0;
}
// The sum is rounded, so that the difference is another number.
tensor undone_write_kernel(const tensor& self) {
  float* const x = first_of(self);
  x[0] += 1e8f;
  const tensor y = self * 2.0;
  x[0] -= 1e8f;
  return y;
}
tensor& forgotten_kernel(tensor& self) { return self; }
tensor other;
tensor& returns_clone_kernel(tensor& self) {
  first_of(self)[0] = 7;
  other = tb::clone(self);
  return other;
}
tensor& outside_kernel(tensor& self) {
  first_of(self)[0] = 7;
  first_of(self)[self.numel()] = 7;
  return self;
}
tensor dice_kernel(const tensor& self) {
  static float state = 0;
  return self + static_cast<double>(state += 1);
}
tensor unwritten_kernel(const tensor& self) { return fresh(self); }
tensor half_written_kernel(const tensor& self) {
  tensor y = fresh(self);
  first_of(y)[0] = 1;
  return y;
}
tensor elsewhere_kernel(const tensor& self) { return tb::author::make_tensor(self.sizes(), self.dtype(), tb::meta); }
tensor by_threads_kernel(const tensor& self) { return self * static_cast<double>(tb::num_threads()); }
tensor leaks_keys_kernel(const tensor& self) {
  tensor y = right_kernel(self);
  static std::optional<tb::include_guard> kept;
  kept.emplace(tb::key::UserTop2);
  return y;
}
tensor gives_back_kernel(const tensor& self) { return self; }
tensor gives_view_kernel(const tensor& self) { return tb::author::make_alias(self); }
std::tuple<tensor, tensor> two_of_one_kernel(const tensor& self) {
  const tensor y = self * 1.0;
  return {y, tb::author::make_alias(y)};
}
tensor retypes_kernel(const tensor& self) {
  tb::author::record_of(self).type = tb::dtype::int32;
  return tb::author::make_tensor({0}, tb::dtype::float32, self.device());
}
tensor& throws_late_kernel(tensor& self) {
  first_of(self)[0] = 7;
  throw std::runtime_error("late");
}
tensor declared_view_kernel(const tensor& self) { return tb::author::make_alias(self); }
tensor first_differs_kernel(const tensor& self) {
  static bool first = true;
  return self + (std::exchange(first, false) ? 1.0 : 2.0);
}
tensor grows_kernel(const tensor&) {
  static std::int64_t size = 0;
  return tb::zeros({++size});
}
tensor throws_again_kernel(const tensor& self) {
  static bool first = true;
  if (!std::exchange(first, false)) throw std::runtime_error("again");
  return self * 1.0;
}
tensor by_alignment_kernel(const tensor& self) {
  return self + static_cast<double>(reinterpret_cast<std::uintptr_t>(self.data()) % 64);
}
tensor second_row(const tensor& self) { return tb::author::make_view(self, {self.size(1)}, {1}, self.size(1)); }
tensor first_row(const tensor& self) { return tb::author::make_view(self, {self.size(1)}, {1}, 0); }
tensor refuses_kernel(const tensor&) { throw tb::dtype_error("planted: refused"); }
tensor reciprocal_kernel(const tensor& self) {
  tensor y = fresh(self);
  for (std::int64_t i = 0; i < self.numel(); ++i) first_of(y)[i] = 1 / first_of(self)[i];
  return y;
}
tensor transposed_meta(const tensor& self) {
  return tb::author::make_view(fresh(self), self.sizes(), {1, self.size(0)}, 0);
}
tensor dense_meta(const tensor& self) { return fresh(self); }

const auto library = tb::library("planted")
                         .def(right)
                         .def(small_write)
                         .def(undone_write)
                         .def(forgotten)
                         .def(returns_clone)
                         .def(outside)
                         .def(dice)
                         .def(unwritten)
                         .def(half_written)
                         .def(meta_strides)
                         .def(elsewhere)
                         .def(by_threads)
                         .def(leaks_keys)
                         .def(gives_back)
                         .def(gives_view)
                         .def(two_of_one)
                         .def(retypes)
                         .def(throws_late)
                         .def(declared_view)
                         .def(anything)
                         .def(first_differs)
                         .def(grows)
                         .def(throws_again)
                         .def(keeps_tensor)
                         .def(keeps_view)
                         .def(by_alignment)
                         .def(meta_shares)
                         .def(meta_offset)
                         .def(meta_takes_all)
                         .def(reciprocal)
                         .def(never_shares);
const auto kernels = tb::implement("planted", tb::key::CPU)
                         .impl<&right_kernel>(right)
                         .impl<&small_write_kernel>(small_write)
                         .impl<&undone_write_kernel>(undone_write)
                         .impl<&forgotten_kernel>(forgotten)
                         .impl<&returns_clone_kernel>(returns_clone)
                         .impl<&outside_kernel>(outside)
                         .impl<&dice_kernel>(dice)
                         .impl<&unwritten_kernel>(unwritten)
                         .impl<&half_written_kernel>(half_written)
                         .impl<&right_kernel>(meta_strides)
                         .impl<&elsewhere_kernel>(elsewhere)
                         .impl<&by_threads_kernel>(by_threads)
                         .impl<&leaks_keys_kernel>(leaks_keys)
                         .impl<&gives_back_kernel>(gives_back)
                         .impl<&gives_view_kernel>(gives_view)
                         .impl<&two_of_one_kernel>(two_of_one)
                         .impl<&retypes_kernel>(retypes)
                         .impl<&throws_late_kernel>(throws_late)
                         .impl<&declared_view_kernel>(declared_view)
                         .impl<&declared_view_kernel>(anything)
                         .impl<&first_differs_kernel>(first_differs)
                         .impl<&grows_kernel>(grows)
                         .impl<&throws_again_kernel>(throws_again)
                         .impl<&keep_tensor>(keeps_tensor)
                         .impl<&keep_view>(keeps_view)
                         .impl<&by_alignment_kernel>(by_alignment)
                         .impl<&declared_view_kernel>(meta_shares)
                         .impl<&second_row>(meta_offset)
                         .impl<&refuses_kernel>(meta_takes_all)
                         .impl<&reciprocal_kernel>(reciprocal)
                         .impl<&right_kernel>(never_shares);
const auto meta_kernels = tb::implement("planted", tb::key::Meta)
                              .impl<&dense_meta>(right)
                              .impl<&dense_meta>(meta_shares)
                              .impl<&first_row>(meta_offset)
                              .impl<&dense_meta>(meta_takes_all)
                              .impl<&transposed_meta>(meta_strides);

// Not with the address sanitizer, where every tensor has memory of its own.
bool blocks_are_reused() {
  const tensor like = given();
  first_of(fresh(like))[0] = 123;
  return first_of(fresh(like))[0] == 123;
}

// The findings about one call of the operator.
template <class Op>
std::vector<contracts::finding> findings_of(const Op& op, contracts::options chosen, tensor x = given()) {
  contracts::checker check(chosen);
  {
    const modes::scope on(check, modes::below);
    try {
      op(x);
    } catch (const std::exception&) {
    }
  }
  return check.findings();
}
template <class Op>
std::vector<contracts::finding> findings_of(const Op& op, contracts::level depth, tensor x = given()) {
  return findings_of(op, contracts::options{.depth = depth}, x);
}
bool is_only(const std::vector<contracts::finding>& all, rule r, std::string_view subject) {
  for (const contracts::finding& f : all) UNSCOPED_INFO(tb::to_string(f));
  return all.size() == 1 && all[0].broken == r && all[0].subject == subject && all[0].times == 1;
}

}  // namespace

TEST_CASE("contracts: kernels that keep them", "[contracts]") {
  CHECK(findings_of(right, contracts::level::repeated).empty());
  CHECK(findings_of(declared_view, contracts::level::repeated).empty());
  CHECK(findings_of(anything, contracts::level::metadata).empty());
  // The stride of one element does not matter.
  CHECK(findings_of(meta_strides, contracts::level::repeated, tb::tensor({{1.f}, {2}, {3}})).empty());
}

TEST_CASE("contracts: arguments that share memory are no fault", "[contracts]") {
  contracts::checker check({.depth = contracts::level::repeated});
  {
    const modes::scope above(check, modes::above), below(check, modes::below);
    tensor x = given(), y = given();
    tb::add_(x, x);
    tb::add_(x, tb::select(x, 0, 0));
    tb::expand_as(x, x);
    tb::mul(x, y, tb::arg<"out"> = x);
    tb::split(x, 1);
  }
  for (const contracts::finding& f : check.findings()) FAIL_CHECK(tb::to_string(f));
}

TEST_CASE("contracts: what is batched is not called again", "[contracts]") {
  contracts::checker check({.depth = contracts::level::repeated});
  const tensor y = tb::tensor({1.f, 2, 3});
  tensor sum;
  {
    const modes::scope above(check, modes::above);
    sum = tb::vmap([&](const tensor& row) {
      tensor z = tb::clone(row);
      tb::add_(z, y);
      return z;
    })(given());
  }
  CHECK(tb::equal(sum, given() + y));
  CHECK(check.findings().empty());
}

TEST_CASE("contracts: several threads repeat calls, and keep the number of threads", "[contracts]") {
  contracts::checker check({.depth = contracts::level::repeated});
  const int before = tb::num_threads();
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([&] {
      const modes::scope below(check, modes::below);
      for (int n = 0; n < 20; ++n) right(given());
    });
  }
  for (std::thread& t : all) t.join();
  CHECK(tb::num_threads() == before);
  CHECK(check.findings().empty());
}

TEST_CASE("contracts: planted faults are found", "[contracts]") {
  using contracts::level;
  CHECK(is_only(findings_of(small_write, level::bytes), rule::unwritten, "argument 'self'"));
  CHECK(is_only(findings_of(undone_write, level::bytes), rule::unwritten, "argument 'self'"));
  CHECK(is_only(findings_of(returns_clone, level::metadata), rule::argument, "result 0"));
  CHECK(is_only(findings_of(outside, level::bytes, tb::select(given(), 0, 0)), rule::within_view, "argument 'self'"));
  CHECK(is_only(findings_of(dice, level::repeated), rule::repeatable, "result tensor 0"));
  if (blocks_are_reused()) {
    CHECK(is_only(findings_of(unwritten, level::repeated), rule::initialised, "result tensor 0"));
    CHECK(is_only(findings_of(half_written, level::repeated), rule::initialised, "result tensor 0"));
  }
  CHECK(is_only(findings_of(meta_strides, level::repeated), rule::metadata, "result 0"));
  CHECK(is_only(findings_of(elsewhere, level::metadata), rule::placement, "result 0"));
  CHECK(is_only(findings_of(by_threads, level::repeated), rule::threads, "result tensor 0"));
  CHECK(is_only(findings_of(gives_back, level::metadata), rule::alias, "result 0"));
  CHECK(is_only(findings_of(gives_view, level::metadata), rule::alias, "result 0"));
  CHECK(is_only(findings_of(two_of_one, level::metadata), rule::alias, "result 1"));
  CHECK(is_only(findings_of(retypes, level::metadata), rule::geometry, "argument 'self'"));
  CHECK(is_only(findings_of(throws_late, level::bytes), rule::exception, "argument 'self'"));
  const tb::force_guard restored(tb::current_thread_keys());
  CHECK(is_only(findings_of(leaks_keys, level::metadata), rule::thread, ""));
  CHECK(is_only(findings_of(first_differs, level::repeated), rule::repeatable, "result tensor 0"));
  CHECK(is_only(findings_of(grows, level::repeated), rule::repeatable, "result tensor 0"));
  CHECK(is_only(findings_of(throws_again, level::repeated), rule::repeatable, ""));
  CHECK(is_only(findings_of(keeps_tensor, level::repeated), rule::keeps, "argument 'self'"));
  CHECK(is_only(findings_of(keeps_view, level::repeated), rule::keeps, "argument 'self'"));
  CHECK(is_only(findings_of(by_alignment, level::repeated), rule::alignment, "result tensor 0"));
  CHECK(is_only(findings_of(meta_shares, level::repeated), rule::metadata, "result 0"));
  CHECK(is_only(findings_of(meta_offset, level::repeated), rule::metadata, "result 0"));
  CHECK(is_only(findings_of(meta_takes_all, level::repeated), rule::metadata, ""));
  // Through another mode.
  contracts::checker check;
  {
    const modes::scope outer([](modes::call& c) { c.proceed(); }, modes::below);
    const modes::scope on(check, modes::below);
    leaks_keys(given());
  }
  CHECK(is_only(check.findings(), rule::thread, ""));
}

TEST_CASE("contracts: a NaN or an infinity that a kernel makes", "[contracts]") {
  const contracts::options looks{.depth = contracts::level::metadata, .finite = true};
  const tensor zero = tb::tensor({1.f, 0}), infinite = tb::tensor({0.f, std::numeric_limits<float>::infinity()});
  const auto found = findings_of(reciprocal, looks, zero);
  CHECK(is_only(found, rule::finite, "result 0"));
  CHECK(found[0].text.starts_with("element 1 is NaN or infinite"));
  CHECK(is_only(findings_of(tb::log, looks, tb::to(zero, tb::dtype::float16)), rule::finite, "result 0"));
  CHECK(findings_of(reciprocal, looks).empty());
  // Carried on, or not asked for.
  CHECK(findings_of(reciprocal, looks, infinite).empty());
  CHECK(findings_of(reciprocal, contracts::level::bytes, zero).empty());
  // What `out` held is no argument, infinity as one is meant.
  contracts::checker check(looks);
  {
    const modes::scope on(check, modes::below);
    tensor out = tb::clone(infinite);
    tb::masked_fill(zero, zero == 0.0, -std::numeric_limits<double>::infinity());
    tb::log(zero, tb::arg<"out"> = out);
  }
  REQUIRE(check.findings().size() == 1);
  CHECK(check.findings()[0].op == "aten::log.out");
}

TEST_CASE("contracts: what a schema lets a kernel do, and no call does", "[contracts]") {
  contracts::checker check;
  tensor x = given();
  {
    const modes::scope on(check, modes::below);
    for (int i = 0; i < 100; ++i) {
      forgotten(x);
      never_shares(x);
      tb::add_(x, 1.0);
      // Shares, if it can.
      tb::reshape(i == 50 ? x : tb::transpose(x, 0, 1), {6});
    }
  }
  CHECK(check.findings().empty());
  CHECK(check.hints(101).empty());
  const std::vector<contracts::finding> hints = check.hints();
  for (const contracts::finding& f : hints) UNSCOPED_INFO(tb::to_string(f));
  REQUIRE(hints.size() == 2);
  CHECK(tb::to_string(hints[0]) ==
        "planted::forgotten_: argument 'self': was not written, although the schema says so (writes; 100 times)");
  CHECK(tb::to_string(hints[1]) ==
        "planted::never_shares: result 0: shared no memory with an argument, although the schema says so (shares; 100 "
        "times)");
}

TEST_CASE("contracts: hints count the calls of several threads", "[contracts]") {
  contracts::checker check;
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([&] {
      tensor x = given();
      const modes::scope on(check, modes::below);
      for (int n = 0; n < 50; ++n) {
        forgotten(x);
        never_shares(x);
      }
    });
  }
  for (std::thread& t : all) t.join();
  const std::vector<contracts::finding> hints = check.hints();
  REQUIRE(hints.size() == 2);
  CHECK(hints[0].times == 200);
  CHECK(hints[1].times == 200);
}

TEST_CASE("contracts: a finding says operator, argument, kernel and how often", "[contracts]") {
  contracts::checker check;
  const tensor x = given();
  {
    const modes::scope on(check, modes::below);
    small_write(x);
    small_write(x);
  }
  REQUIRE(check.findings().size() == 1);
  const std::string text = tb::to_string(check.findings()[0]);
  INFO(text);
  CHECK(
      text.starts_with("planted::small_write: argument 'self': was written, at byte 4 of 24 (unwritten; CPU kernel, "
                       "registered at "));
  CHECK(text.ends_with("; 2 times)"));
  CHECK(text.find("planted.test.cpp:") != std::string::npos);
}

TEST_CASE("contracts: a checker can stop at the first finding", "[contracts]") {
  contracts::checker check({.raises = true});
  const modes::scope on(check, modes::below);
  CHECK_THROWS_AS(small_write(given()), contracts::contract_error);
  CHECK_NOTHROW(right(given()));
}
