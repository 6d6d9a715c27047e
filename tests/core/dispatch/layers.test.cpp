// Layers on layers: what boxed fallbacks cost together, and what an exception in the middle of them leaves behind.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::boxed_stack;
using tb::key_set;
using tb::operator_handle;
using toy::tensor;

namespace {

inline constexpr tb::op<"layers::add(Tensor a, Tensor b) -> Tensor"> add;
inline constexpr tb::op<"layers::fill(Tensor(a!) self, int n) -> Tensor(a!)"> fill;
using add_signature = tensor(const tensor&, const tensor&);
using fill_signature = tensor&(tensor&, std::int64_t);

thread_local int to_go = 0, ran = 0;
// Calls itself again, as the next layer of as many as are wanted.
void again(const operator_handle& op, key_set keys, boxed_stack& s) {
  ++ran;
  op.redispatch_boxed(--to_go > 0 ? keys : keys & tb::below(key::UserMiddle1), s);
}

// What throws, and when: the kernel, or the layer in the middle before or after what is below it.
enum class moment { never, before, kernel, after, no_memory };
thread_local moment when = moment::never;
[[noreturn]] void fail() { throw std::runtime_error("in the middle"); }

tensor add_cpu(const tensor& a, const tensor& b) {
  if (when == moment::kernel) fail();
  return tensor(a.keys(), a.value() + b.value());
}
tensor& fill_cpu(tensor& self, std::int64_t n) {
  if (when == moment::kernel) fail();
  return self.set(n), self;
}
void outer(const operator_handle& op, key_set keys, boxed_stack& s) {
  ++ran;
  op.redispatch_boxed(keys & tb::below(key::UserTop1), s);
  ++ran;
}
// Takes what it gets out of the stack and owns it, which an exception has to give back.
void middle(const operator_handle& op, key_set keys, boxed_stack& s) {
  ++ran;
  const tb::value held = s.top(1)[0];
  s.top(op.argument_count())[0].make_owned();
  if (when == moment::before) fail();
  if (when == moment::no_memory) throw std::bad_alloc();
  op.redispatch_boxed(keys & tb::below(key::UserMiddle1), s);
  if (when == moment::after) fail();
  ++ran;
}
void inner(const operator_handle& op, key_set keys, boxed_stack& s) {
  ++ran;
  op.redispatch_boxed(keys & tb::below(key::UserBottom1), s);
  ++ran;
}

struct three_layers {
  tb::registry r;
  tb::library_block block =
      tb::library("layers", r).def(add).impl<&add_cpu>(add, key::CPU).def(fill).impl<&fill_cpu>(fill, key::CPU);
  tb::registration one = tb::fallback<&outer>(key::UserTop1, r), two = tb::fallback<&middle>(key::UserMiddle1, r),
                   three = tb::fallback<&inner>(key::UserBottom1, r);
};
constexpr key_set all_three{key::UserTop1, key::UserMiddle1, key::UserBottom1};

}  // namespace

TEST_CASE("layers: a hundred of them deep, a call takes no memory and no reference", "[core][layers][C4]") {
  tb::registry r;
  const auto block = tb::library("layers", r).def(add).impl<&add_cpu>(add, key::CPU);
  const auto layer = tb::fallback<&again>(key::UserMiddle1, r);
  const auto call = r.find("layers::add").typed<add_signature>();
  const tensor a(key::CPU, 1), b(key::CPU, 2);
  const tb::include_guard layers(key::UserMiddle1);
  to_go = 1;
  call(a, b);
  to_go = 1;
  std::size_t asked = toy::allocations();
  call(a, b);
  const std::size_t with_one = toy::allocations() - asked;  // the kernel's own result
  to_go = 100;
  ran = 0;
  const std::int64_t taken = tensor::references_taken;
  asked = toy::allocations();
  const tensor sum = call(a, b);
  CHECK(toy::allocations() - asked == with_one);
  CHECK(tensor::references_taken == taken);
  CHECK(ran == 100);
  CHECK(sum.value() == 3);
  CHECK(sum.count() == 1);
}

TEST_CASE("layers: an exception in the middle of three leaves no value, no reference and no memory",
          "[core][layers][C4]") {
  three_layers all;
  const auto sum = all.r.find("layers::add").typed<add_signature>();
  const auto set = all.r.find("layers::fill").typed<fill_signature>();
  const operator_handle by_name = all.r.find("layers::add");
  const tensor a(key::CPU, 1), b(key::CPU, 2);
  tensor out(key::CPU, 3);
  const tb::include_guard layers(all_three);
  const auto calls = [&] {
    sum(a, b);
    set(out, 7);
    boxed_stack s;
    s.push(a);
    s.push(b);
    by_name.call_boxed(s);
  };
  const auto each_throws = [&] {
    const auto text = [](auto call) { return toy::text_of<std::runtime_error>(call); };
    const std::string wanted = when == moment::no_memory ? "another type of error: std::bad_alloc" : "in the middle";
    CHECK(text([&] { sum(a, b); }) == wanted);
    CHECK(text([&] { set(out, 7); }) == wanted);
    boxed_stack s;
    s.push(a);
    s.push(b);
    CHECK(text([&] { by_name.call_boxed(s); }) == wanted);
  };
  when = moment::never;
  ran = 0;
  calls();
  CHECK(ran == 18);
  for (moment m : {moment::before, moment::kernel, moment::after, moment::no_memory}) {
    when = m;
    each_throws();  // what is made once is made
    const std::ptrdiff_t before = toy::live_bytes();
    for (int i = 0; i < 3; ++i) each_throws();
    CHECK(toy::live_bytes() == before);
    CHECK(a.count() == 1);
    CHECK(b.count() == 1);
    CHECK(out.count() == 1);
    CHECK(tb::current_thread_keys().include == all_three);
  }
  when = moment::never;
  CHECK(sum(a, b).value() == 3);
  CHECK(&set(out, 8) == &out);
  CHECK(out.value() == 8);
}
