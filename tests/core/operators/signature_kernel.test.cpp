// One kernel for many operators, compiled for each signature.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::tensor;

namespace {

inline constexpr tb::op<"signature::scale(Tensor self, int by, *, str mode=\"x\") -> Tensor"> scale;
inline constexpr tb::op<"signature::shift(Tensor self, int by, *, str mode=\"x\") -> Tensor"> shift;
inline constexpr tb::op<"signature::fill(Tensor(a!) self, int by) -> Tensor(a!)"> fill;
inline constexpr tb::op<"signature::both(Tensor self) -> (Tensor, Tensor)"> both;
inline constexpr tb::op<"signature::drop(Tensor self) -> ()"> drop;

tensor times(const tensor& t, std::int64_t by, std::string_view) { return tensor(t.keys(), t.value() * by); }
tensor plus(const tensor& t, std::int64_t by, std::string_view) { return tensor(t.keys(), t.value() + by); }
tensor& set(tensor& t, std::int64_t by) {
  t.set(by);
  return t;
}
std::tuple<tensor, tensor> twice(const tensor& t) { return {t, t}; }
void forget(const tensor&) {}

thread_local std::vector<std::string> seen;

struct watching {
  static constexpr tb::author::kernel_note note{"watches"};
  template <class R, class... A>
  R operator()(tb::typed_handle<R(A...)> op, key_set keys, A... a) const {
    seen.emplace_back(op.handle().name());
    return op.redispatch(keys.below_highest(), static_cast<A>(a)...);
  }
};

void boxed(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  seen.push_back("boxed " + std::string(op.name()));
  op.redispatch_boxed(keys.below_highest(), s);
}
// Leaves calls with an even number to a boxed kernel.
struct choosing {
  template <class R, class... A>
  R operator()(tb::typed_handle<R(A...)> op, key_set keys, A... a) const {
    const bool even = ((std::is_same_v<A, std::int64_t> && is_even(a)) || ...);
    if (even) return tb::author::call_boxed_kernel<&boxed>(op, keys, static_cast<A>(a)...);
    return watching{}.operator()<R, A...>(op, keys, static_cast<A>(a)...);
  }
  static bool is_even(std::int64_t n) { return n % 2 == 0; }
  template <class T>
  static bool is_even(const T&) {
    return false;
  }
};

const tb::author::kernel_row cpu_rows[] = {tb::author::define(scale),
                                           tb::author::define(shift),
                                           tb::author::define(fill),
                                           tb::author::define(both),
                                           tb::author::define(drop),
                                           tb::author::row<&times>(scale, key::CPU),
                                           tb::author::row<&plus>(shift, key::CPU),
                                           tb::author::row<&set>(fill, key::CPU),
                                           tb::author::row<&twice>(both, key::CPU),
                                           tb::author::row<&forget>(drop, key::CPU)};
template <auto Fn>
inline constexpr std::array layer_rows{
    tb::author::signature_row<Fn>(scale, key::Tracer), tb::author::signature_row<Fn>(shift, key::Tracer),
    tb::author::signature_row<Fn>(fill, key::Tracer), tb::author::signature_row<Fn>(both, key::Tracer),
    tb::author::signature_row<Fn>(drop, key::Tracer)};

template <auto Fn>
struct room {
  tb::static_dispatch::installation cpu = tb::static_dispatch::install(cpu_rows);
  tb::static_dispatch::installation layer = tb::static_dispatch::install(layer_rows<Fn>);
  room() { seen.clear(); }
};
const key_set traced{key::CPU, key::Tracer};

}  // namespace

TEST_CASE("signature kernel: one object serves operators of several signatures, and is told which was called",
          "[core][operators][B2]") {
  const room<watching{}> in;
  tensor t(traced, 6);
  CHECK(scale(t, 7).value() == 42);
  CHECK(shift(t, 7).value() == 13);
  CHECK(fill(t, 2).is_same(t));
  CHECK(t.value() == 2);
  CHECK(std::get<1>(both(t)).is_same(t));
  drop(t);
  CHECK(seen == std::vector<std::string>{"signature::scale", "signature::shift", "signature::fill", "signature::both",
                                         "signature::drop"});
  seen.clear();
  CHECK(scale(tensor(key::CPU, 6), 7).value() == 42);
  CHECK(seen.empty());
}

TEST_CASE("signature kernel: boxed calls, calls by name and redispatches reach it", "[core][operators][B2]") {
  const room<watching{}> in;
  const tb::operator_handle h = tb::registry::process().find("signature::shift");
  tb::boxed_stack s;
  s.push(tensor(traced, 1));
  s.push(std::int64_t{2});
  s.push(std::string("x"));
  h.call_boxed(s);
  CHECK(s.pop().get<tensor>().value() == 3);
  const auto typed = h.typed<tensor(const tensor&, std::int64_t, std::string_view)>();
  CHECK(typed(tensor(traced, 1), 4, "").value() == 5);
  CHECK(shift.redispatch(traced, tensor(key::CPU, 1), 8, "").value() == 9);
  CHECK(seen == std::vector<std::string>(3, "signature::shift"));
}

TEST_CASE("signature kernel: its note is shown", "[core][operators][B2]") {
  const room<watching{}> in;
  CHECK(to_string(dump(scale.handle())).find("watches") != std::string::npos);
  CHECK(verify(scale.handle()).empty());
}

TEST_CASE("signature kernel: it may leave a call to a boxed kernel", "[core][operators][B2]") {
  const room<choosing{}> in;
  tensor t(traced, 10);
  CHECK(scale(t, 3).value() == 30);
  CHECK(scale(t, 4).value() == 40);
  CHECK(fill(t, 6).is_same(t));
  CHECK(t.value() == 6);
  CHECK(seen == std::vector<std::string>{"signature::scale", "boxed signature::scale", "boxed signature::fill"});
}
