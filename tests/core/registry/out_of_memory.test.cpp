// Whatever allocation fails, a registration is there as a whole or not at all, and taking one back cannot fail.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"oom::width", int(const image&)> width;
inline constexpr tb::op<"oom::fresh(int n=1) -> int"> fresh;
template <int I>
int answer(const image&) {
  return I;
}
std::int64_t number(std::int64_t n) { return n; }
void boxed(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(3);
}

struct room {
  tb::registry r;
  tb::library_block library = tb::library("oom", r).def(width).impl<&answer<1>>(width, key::CPU);
  tb::registration heard = r.listen([](const tb::registry_event&) {});

  std::string seen() {
    std::string text = to_string(dump(r));
    for (const std::string& wrong : verify(r.find("oom::width"))) text += wrong + "\n";
    return text + std::to_string(r.find("oom::width").typed<int(const image&)>()(image{key::CPU, 0, 0}));
  }
};

using kept = std::vector<tb::registration>;
struct attempt {
  const char* what;
  std::function<void(room&, std::optional<tb::library_block>&, kept&)> run;
  bool shows = true;  // in what can be seen of the registry
};
const attempt attempts[] = {
    {"define", [](room& in, auto& block, kept&) { block = tb::fragment("oom", in.r).def(fresh); }},
    {"implement",
     [](room& in, auto& block, kept&) { block = tb::implement("oom", key::CUDA, in.r).impl<&answer<2>>(width); }},
    {"implement before defining",
     [](room& in, auto& block, kept&) { block = tb::implement("oom", key::CPU, in.r).impl<&number>(fresh); }},
    {"implement boxed",
     [](room& in, auto& block, kept&) {
       block = tb::implement("oom", std::nullopt, in.r).impl_boxed<&boxed>(width, key::CPU);
     }},
    {"replace", [](room& in, auto& block,
                   kept&) { block = tb::implement("oom", std::nullopt, in.r).replace<&answer<4>>(width, key::CPU); }},
    {"by a run-time name",
     [](room& in, auto& block, kept&) { block = tb::fragment("oom", in.r).def<&number>("made_up.name"); }},
    {"own a namespace", [](room& in, auto& block, kept&) { block = tb::library("oom2", in.r); }},
    {"fallback", [](room& in, auto&, kept& k) { k.push_back(tb::fallback<&boxed>(key::Autograd, in.r)); }},
    {"process-wide layer", [](room& in, auto&, kept& k) { k.push_back(in.r.include_always(key::BackendSelect)); }},
    {"listener", [](room& in, auto&, kept& k) { k.push_back(in.r.listen([](const tb::registry_event&) {})); }, false},
    {"rows",
     [](room& in, auto&, kept&) {
       static constexpr std::array rows{tb::author::define(fresh), tb::author::row<&number>(fresh, key::CPU),
                                        tb::author::row<&answer<5>>(width, key::Meta)};
       tb::author::register_rows(rows, in.r);
     }},
};

bool counted() {
  const std::size_t before = toy::allocations();
  ::operator delete(::operator new(1));
  return toy::allocations() != before;
}

}  // namespace

TEST_CASE("out of memory: a registration is there as a whole or not at all", "[core][memory][R16][R28]") {
  if (!counted()) SKIP("a sanitizer keeps operator new to itself");
  for (const attempt& each : attempts) {
    INFO(each.what);
    std::size_t failures = 0;
    for (std::size_t n = 1;; ++n) {
      REQUIRE(n < 1000);
      room in;
      const std::string before = in.seen();
      std::optional<tb::library_block> block;
      kept k;
      bool failed = false;
      toy::fail_allocation(n);
      try {
        each.run(in, block, k);
      } catch (const std::bad_alloc&) {
        failed = true;
      }
      toy::fail_allocation(0);
      if (!failed) break;
      ++failures;
      INFO("allocation " << n);
      CHECK(in.seen() == before);
      // And nothing stands in the way of doing it after all.
      each.run(in, block, k);
      if (each.shows) CHECK(in.seen() != before);
    }
    CHECK(failures > 0);
  }
}

TEST_CASE("out of memory: taking back works without memory", "[core][memory][D1]") {
  if (!counted()) SKIP("a sanitizer keeps operator new to itself");
  for (const attempt& each : attempts) {
    if (std::string(each.what) == "rows") continue;  // they stay for good
    INFO(each.what);
    room in;
    const std::string before = in.seen();
    std::optional<tb::library_block> block;
    kept k;
    each.run(in, block, k);
    if (each.shows) CHECK(in.seen() != before);
    for (std::size_t n = 1; n < 4; ++n) {
      toy::fail_allocation(n);
      block.reset();
      k.clear();
      toy::fail_allocation(0);
    }
    CHECK(in.seen() == before);
  }
}
