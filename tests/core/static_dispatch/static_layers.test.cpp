#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "support/toy.h"

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"layer::width(int n, int by=2) -> int"> plain;
inline constexpr tb::op<"layer::area", int(const image&, int)> area;
inline constexpr tb::op<"layer::grow", void(image&)> grow;

constexpr long plain_cpu(long n, long by) { return n * by; }
int area_cpu(const image& i, int by) { return i.width * i.height * by; }
void grow_cpu(image& i) { ++i.width; }

inline constexpr auto cpu = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<plain, &plain_cpu>,
                                                                   tb::static_dispatch::bind<area, &area_cpu>,
                                                                   tb::static_dispatch::bind<grow, &grow_cpu>);

std::string seen;
struct logging {
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    seen += Op::name();
    seen += ' ';
    return next(std::forward<A>(a)...);
  }
};
struct counting {
  static inline int calls = 0;
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    seen += "count ";
    ++calls;
    return next(std::forward<A>(a)...);
  }
};
template <long By>
struct plus {
  template <class Op>
  static constexpr bool handles = std::same_as<Op, std::remove_const_t<decltype(plain)>>;
  template <class Op, class Next>
  static constexpr long run(Next next, long n, long by) {
    return next(n, by) + By;
  }
};
template <long By>
struct times {
  template <class Op>
  static constexpr bool handles = std::same_as<Op, std::remove_const_t<decltype(plain)>>;
  template <class Op, class Next>
  static constexpr long run(Next next, long n, long by) {
    return next(n, by) * By;
  }
};

}  // namespace

TEST_CASE("static_layers: the first layer sees a call first, and the kernel last", "[core][static_layers]") {
  seen.clear();
  counting::calls = 0;
  CHECK(tb::static_dispatch::layered<cpu, logging, counting>.call<area>(image{key::CPU, 2, 3}, 2) == 12);
  CHECK(seen == "layer::area count ");
  CHECK(counting::calls == 1);
  static_assert(tb::static_dispatch::layered<cpu, plus<1>, times<10>>.call<plain>(3) == 61);
  static_assert(tb::static_dispatch::layered<cpu, times<10>, plus<1>>.call<plain>(3) == 70);
  static_assert(tb::static_dispatch::layered<cpu>.call<plain>(3) == 6, "no layer at all");
}

TEST_CASE("static_layers: a call behind layers has the operator's defaults and keywords", "[core][static_layers]") {
  static_assert(tb::static_dispatch::layered<cpu, plus<1>>.call<plain>(3, tb::arg<"by"> = 5) == 16);
  static_assert(tb::static_dispatch::layered<cpu, plus<1>>.call<plain, key::CPU>(3) == 7);
  SUCCEED();
}

TEST_CASE("static_layers: a layer that is not for an operator is passed by", "[core][static_layers]") {
  image i{key::CPU, 1, 1};
  tb::static_dispatch::layered<cpu, plus<1>, counting>.call<grow>(i);
  CHECK(i.width == 2);
}

TEST_CASE("static_layers: the same layer is a kernel for a key of the table", "[core][static_layers]") {
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<area, grow>{});
  const auto below = tb::static_dispatch::install(cpu);
  static constexpr auto layer = tb::static_dispatch::layer_kernels<logging, key::Autograd>(area, grow);
  static_assert(tb::static_dispatch::kernel_set_type<decltype(layer)> && layer.size() == 2);
  const auto above = tb::static_dispatch::install(layer);
  image i{{key::CPU, key::AutogradCPU}, 2, 3};
  seen.clear();
  CHECK(area(i, 1) == 6);
  CHECK(seen == "layer::area ");
  grow(i);
  CHECK(i.width == 3);
  CHECK(seen == "layer::area layer::grow ");
  i.keys = key::CPU;
  CHECK(area(i, 1) == 9);
  CHECK(seen == "layer::area layer::grow ");
}

TEST_CASE("static_layers: a layer has no kernels for what it does not handle", "[core][static_layers]") {
  static_assert(tb::static_dispatch::layer_kernels<plus<1>, key::UserTop1>(plain, area).size() == 1);
  SUCCEED();
}

namespace {

// Says what it does.
struct noted {
  template <class Op>
  static constexpr std::string_view note = "adds 1";
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    return next(std::forward<A>(a)...) + 1;
  }
};

}  // namespace

TEST_CASE("static_layers: what a layer does is shown where its kernels are", "[core][static_layers]") {
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<area, grow>{});
  const auto below = tb::static_dispatch::install(cpu);
  const auto with = tb::static_dispatch::install(tb::static_dispatch::layer_kernels<noted, key::UserTop1>(area));
  const auto without = tb::static_dispatch::install(tb::static_dispatch::layer_kernels<logging, key::UserTop2>(area));
  const image i{{key::CPU}, 2, 3};
  const tb::include_guard layers(tb::key_set(key::UserTop1) | tb::key_set(key::UserTop2));
  const tb::inspect::explanation e = tb::explain(area, i, 1);
  REQUIRE(e.candidates.size() == 1);
  CHECK(e.candidates[0].note == "");
  const tb::exclude_guard hidden(key::UserTop2);
  const std::string text = to_string(tb::explain(area, i, 1));
  INFO(text);
  CHECK(text.find("takes     UserTop1: kernel (adds 1), registered at") != std::string::npos);
  const auto kernels = tb::dump(area.handle()).kernels;
  CHECK(std::ranges::count(kernels, "adds 1", &tb::inspect::kernel_dump::note) == 1);
  CHECK(tb::inspect::to_json(e).find("note") == std::string::npos);
  CHECK(tb::inspect::to_json(tb::explain(area, i, 1)).find("\"note\":\"adds 1\"") != std::string::npos);
  const auto row = tb::inspect::computed_row(area.handle(), key::UserTop1);
  CHECK(to_string(row).starts_with("UserTop1: kernel (adds 1), registered at"));
  const tb::trace_session trace = tb::trace_session::this_thread();
  (void)area(i, 1);
  CHECK(trace.events().front().selected_kernel.note == "adds 1");
}
