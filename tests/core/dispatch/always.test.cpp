// Layers that are switched on for the whole process: keys that every call of every operator has.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"always::seen", key_set(const image&)> seen;
inline constexpr tb::op<"always::later", key_set(const image&)> later;
inline constexpr tb::op<"always::on_device", key_set(toy::device)> on_device;
constexpr auto answers = [](key_set keys, const image&) { return keys; };
constexpr auto device_answers = [](key_set keys, toy::device) { return keys; };
using of_image = key_set(const image&);

struct room {
  tb::registry r;
  tb::library_block base = tb::library("always", r)
                               .def(seen)
                               .impl<answers>(seen, key::CPU)
                               .impl<answers>(seen, key::Tracer)
                               .impl<answers>(seen, key::UserTop1);
  tb::typed_handle<of_image> call = r.find("always::seen").typed<of_image>();
};
const image on_cpu{key::CPU, 0, 0};

}  // namespace

TEST_CASE("always: its keys are in every call until it is unregistered", "[core][registry][T1][T2]") {
  room in;
  {
    const auto on = in.r.include_always(key::Tracer);
    CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer});
    tb::boxed_stack s;
    s.push(on_cpu);
    in.r.find("always::seen").call_boxed(s);
    CHECK(s[0].get<key_set>() == key_set{key::CPU, key::Tracer});
  }
  CHECK(in.call(on_cpu) == key_set(key::CPU));
}

TEST_CASE("always: every thread has them, the thread's own state stays empty", "[core][registry][T1][T10][H6]") {
  room in;
  const auto on = in.r.include_always(key::Tracer);
  key_set found, included;
  std::thread([&] {
    found = in.call(on_cpu);
    included = tb::current_thread_keys().include;
  }).join();
  CHECK(found == key_set{key::CPU, key::Tracer});
  CHECK(included.empty());
}

TEST_CASE("always: a key stays as long as one registration includes it", "[core][registry][T1][D2]") {
  room in;
  auto first = in.r.include_always(key::Tracer);
  auto second = in.r.include_always({key::Tracer, key::UserTop1});
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
  first.reset();
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
  first = in.r.include_always(key::Tracer);
  second.reset();
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer});
  first.reset();
  CHECK(in.call(on_cpu) == key_set(key::CPU));
}

TEST_CASE("always: what several include is added up, whichever came last", "[core][registry][T1][D2]") {
  room in;
  const auto traced = in.r.include_always(key::Tracer);
  const auto top = in.r.include_always(key::UserTop1);
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
  {
    const auto again = in.r.include_always(key::Tracer);
    CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
  }
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
}

TEST_CASE("always: operators that come later have them too, and those that come back", "[core][registry][T1]") {
  room in;
  const auto on = in.r.include_always(key::Tracer);
  auto block = tb::fragment("always", in.r).def(later).impl<answers>(later, key::Tracer);
  const auto call = in.r.find("always::later").typed<of_image>();
  CHECK(call(on_cpu) == key_set{key::CPU, key::Tracer});
  block.reset();
  CHECK(toy::text_of<tb::no_kernel>([&] { (void)call(on_cpu); }) ==
        "always::later: was withdrawn: its library is gone or was reset");
  block = tb::fragment("always", in.r).def(later).impl<answers>(later, key::Tracer);
  CHECK(call(on_cpu) == key_set{key::CPU, key::Tracer});
}

TEST_CASE("always: a thread that excludes the key is left out", "[core][registry][T2]") {
  room in;
  const auto on = in.r.include_always({key::Tracer, key::UserTop1});
  {
    const tb::exclude_guard without(key::Tracer);
    CHECK(in.call(on_cpu) == key_set{key::CPU, key::UserTop1});
    const tb::include_guard with(key::Tracer);
    CHECK(in.call(on_cpu) == key_set{key::CPU, key::UserTop1});
  }
  CHECK(in.call(on_cpu) == key_set{key::CPU, key::Tracer, key::UserTop1});
}

TEST_CASE("always: a redispatch takes its set as it is", "[core][registry][C4]") {
  room in;
  const auto on = in.r.include_always(key::Tracer);
  CHECK(in.call.redispatch(key::CPU, on_cpu) == key_set(key::CPU));
}

TEST_CASE("always: what the operator passes through is taken out again", "[core][registry][T2][F1]") {
  room in;
  const auto on = in.r.include_always(key::UserTop2);
  CHECK_THROWS_AS(in.call(on_cpu), tb::no_kernel);
  const auto passing = tb::fallthrough(key::UserTop2, in.r);
  CHECK(in.call(on_cpu) == key_set(key::CPU));
}

TEST_CASE("always: calls with no key of their own have them too", "[core][registry][T2][X5]") {
  room in;
  const auto more = tb::fragment("always", in.r)
                        .def(on_device)
                        .impl<device_answers>(on_device, key::CUDA)
                        .impl<device_answers>(on_device, key::UserTop1);
  const auto call = in.r.find("always::on_device").typed<key_set(toy::device)>();
  CHECK(call(toy::device{tb::backend::CUDA}) == key_set(key::CUDA));
  const auto on = in.r.include_always(key::UserTop1);
  CHECK(call(toy::device{tb::backend::CUDA}).highest() == key::UserTop1);
  CHECK(in.call(image{}).highest() == key::UserTop1);
}

TEST_CASE("always: an operator that is not defined says so, whatever is included", "[core][registry][T1][R11]") {
  tb::registry r;
  const auto kernels = tb::implement("always", key::Tracer, r).impl<answers>(later);
  auto defined = tb::library("always", r).def(later);
  const auto call = r.find("always::later").typed<of_image>();
  defined.reset();
  const auto on = r.include_always(key::Tracer);
  CHECK(toy::text_of<tb::no_kernel>([&] { (void)call(on_cpu); }) ==
        "always::later: was withdrawn: its library is gone or was reset");
  CHECK(toy::text_of<tb::unknown_operator>([&] {
          r.find("always::nowhere");
        }).starts_with("always::nowhere: no operator of this name is registered"));
}

TEST_CASE("always: no keys, and blocks of keys, can be included", "[core][registry][T1]") {
  room in;
  const auto nothing = in.r.include_always({});
  CHECK(in.call(on_cpu) == key_set(key::CPU));
  const auto backend = in.r.include_always(key_set(tb::backend::CUDA));
  CHECK_THROWS_AS(in.call(on_cpu), tb::no_kernel);
  const auto kernel = tb::implement("always", key::CUDA, in.r).impl<answers>(seen);
  CHECK(in.call(on_cpu).highest() == key::CUDA);
}
