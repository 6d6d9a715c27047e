// The kernel for one key, called directly: no set, no composite, nothing that is passed through.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <utility>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace call_at_ops {

inline constexpr tb::op<"at::seen", key_set(const image&)> seen;
inline constexpr tb::op<"at::where", int(toy::device)> where;
inline constexpr tb::op<"at::never", key_set(const image&)> never;
constexpr auto answers = [](key_set keys, const image&) { return keys; };
constexpr auto elsewhere = [](const image&) { return key_set(key::Meta); };
void boxed(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(keys);
}

struct room {
  tb::registry r;
  tb::library_block base = tb::library("at", r)
                               .def(seen)
                               .impl<answers>(seen, key::CPU)
                               .impl<elsewhere>(seen, key::CompositeExplicitAutograd)
                               .impl<elsewhere>(seen, key::Autograd)
                               .fallthrough(seen, key::Tracer);
  tb::operator_handle op = r.find("at::seen");
  tb::typed_handle<key_set(const image&)> call = op.typed<key_set(const image&)>();

  // Both forms, which have to agree.
  key_set at(tb::dispatch_key k, const image& i = {}) {
    tb::boxed_stack s;
    s.push(i);
    op.call_boxed_at(k, s);
    const key_set found = call.call_at(k, i);
    CHECK(s.size() == 1);
    CHECK(s[0].get<key_set>() == found);
    return found;
  }
  std::string error_at(tb::dispatch_key k) {
    tb::boxed_stack s;
    s.push(image{});
    const std::string text = toy::without_places(toy::text_of<tb::no_kernel>([&] { op.call_boxed_at(k, s); }));
    CHECK(s.size() == 1);  // untouched
    CHECK(toy::without_places(toy::text_of<tb::no_kernel>([&] { (void)call.call_at(k, image{}); })) == text);
    return text;
  }
};
constexpr const char* kernels = "; there are kernels for CPU (HERE), CompositeExplicitAutograd (HERE), Autograd (HERE)";

}  // namespace call_at_ops
using namespace call_at_ops;

TEST_CASE("call at: the key's own kernel, which receives the key alone", "[core][call][C9]") {
  room in;
  CHECK(in.at(key::CPU, image{{key::CUDA, key::AutogradCUDA, key::Tracer}, 0, 0}) == key_set(key::CPU));
  const tb::include_guard thread(key::Tracer);
  const auto always = in.r.include_always(key::UserTop1);
  CHECK(in.at(key::CPU) == key_set(key::CPU));
}

TEST_CASE("call at: the newest kernel of the key", "[core][call][C9][R12]") {
  room in;
  {
    const auto newer = tb::implement("at", key::CPU, in.r).impl<elsewhere>(seen);
    CHECK(in.at(key::CPU) == key_set(key::Meta));
  }
  CHECK(in.at(key::CPU) == key_set(key::CPU));
}

TEST_CASE("call at: kernels of aliases are not considered", "[core][call][C9]") {
  room in;
  CHECK(in.call(image{key::CUDA, 0, 0}) == key_set(key::Meta));
  CHECK(in.error_at(key::CUDA) ==
        "at::seen: no kernel and no fallback is registered for CUDA itself" + std::string(kernels));
  CHECK(in.error_at(key::AutogradCPU) ==
        "at::seen: no kernel and no fallback is registered for AutogradCPU itself" + std::string(kernels));
  CHECK(in.error_at(key::Undefined) ==
        "at::seen: no kernel and no fallback is registered for Undefined itself" + std::string(kernels));
}

TEST_CASE("call at: without a kernel the key's fallback runs, boxed as it is", "[core][call][C9][P8]") {
  room in;
  auto back = tb::fallback<&boxed>(key::Autograd, in.r);
  CHECK(in.at(key::AutogradCUDA) == key_set(key::AutogradCUDA));
  {
    const auto own = tb::implement("at", key::AutogradCUDA, in.r).impl<elsewhere>(seen);
    CHECK(in.at(key::AutogradCUDA) == key_set(key::Meta));
  }
  CHECK(in.at(key::AutogradCUDA) == key_set(key::AutogradCUDA));
  back.reset();
  CHECK(in.error_at(key::AutogradCUDA) ==
        "at::seen: no kernel and no fallback is registered for AutogradCUDA itself" + std::string(kernels));
}

TEST_CASE("call at: a boxed kernel for the operator alone is one of its kernels", "[core][call][C9]") {
  room in;
  const auto own = tb::implement("at", std::nullopt, in.r).impl_boxed<&boxed>(seen, key::SparseCUDA);
  CHECK(in.at(key::SparseCUDA) == key_set(key::SparseCUDA));
}

TEST_CASE("call at: what is passed through is no kernel", "[core][call][C9][F1]") {
  room in;
  CHECK(in.error_at(key::Tracer) == "at::seen: Tracer is passed through, as registered at HERE" + std::string(kernels));
  const auto passing = tb::fallthrough(key::UserTop1, in.r);
  CHECK(in.error_at(key::UserTop1) ==
        "at::seen: UserTop1 is passed through, as registered at HERE" + std::string(kernels));
  // Nobody registered anything for a key that calls pass by itself.
  CHECK(in.error_at(key::ADInplaceOrView) ==
        "at::seen: no kernel and no fallback is registered for ADInplaceOrView itself" + std::string(kernels));
}

TEST_CASE("call at: a key of a functionality without a backend has no kernel", "[core][call][C9][K19]") {
  room in;
  CHECK(in.error_at(tb::dispatch_key{tb::functionality::Sparse}) ==
        "at::seen: no kernel and no fallback is registered for Sparse (no backend) itself" + std::string(kernels));
}

TEST_CASE("call at: an operator that is not defined says so", "[core][call][C9][D5]") {
  room in;
  in.base.reset();
  CHECK(in.error_at(key::CPU) == "at::seen: was withdrawn: its library is gone or was reset");
  const auto kernel = tb::implement("at", key::CPU, in.r).impl<answers>(seen);
  CHECK(in.error_at(key::CPU) == "at::seen: was withdrawn: its library is gone or was reset");
}

TEST_CASE("call at: the error carries the operator and the key", "[core][call][C9][E1]") {
  room in;
  try {
    (void)in.call.call_at(key::CUDA, image{});
    FAIL("nothing was thrown");
  } catch (const tb::no_kernel& e) {
    CHECK(e.op() == "at::seen");
    CHECK(e.keys() == key_set(key::CUDA));
  }
}

TEST_CASE("call at: a stack with too little, or with something else, is refused", "[core][call][C9][B3]") {
  room in;
  tb::boxed_stack s;
  CHECK_THROWS_AS(in.op.call_boxed_at(key::CPU, s), tb::bad_argument);
  s.push(1);
  CHECK_THROWS_AS(in.op.call_boxed_at(key::CPU, s), tb::bad_argument);
}

TEST_CASE("call at: the kernel made from the signature counts", "[core][call][C9][X5]") {
  tb::registry r;
  const auto block = tb::library("at", r).def(where).impl<[](toy::device) { return 5; }>(where, key::CUDA);
  CHECK(r.find("at::where").typed<int(toy::device)>().call_at(key::BackendSelect, toy::device{tb::backend::CUDA}) == 5);
}

TEST_CASE("call at: an operator declared in code, bound or not", "[core][op][C9]") {
  CHECK(toy::without_places(toy::text_of<tb::no_kernel>([&] {
          (void)never.call_at(key::CPU, image{});
        })).starts_with("at::never: declared, never registered: was its object linked?"));
  const auto block = tb::library("at").def(seen).impl<answers>(seen, key::CPU);
  CHECK(seen.call_at(key::CPU, image{{key::CUDA, key::Tracer}, 0, 0}) == key_set(key::CPU));
  CHECK_THROWS_AS(seen.call_at(key::CUDA, image{}), tb::no_kernel);
}
