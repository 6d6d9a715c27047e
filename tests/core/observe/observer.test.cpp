#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/raw_entry.h"
#include "support/standard_error.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
namespace observe = topbit::observe;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"observe::leaf", int(const image&)> leaf;
inline constexpr tb::op<"observe::layered", int(const image&)> layered;
inline constexpr tb::op<"observe::parts", int(const image&)> parts;
inline constexpr tb::op<"observe::fails", void(const image&)> fails;
inline constexpr tb::op<"observe::boxed", int(const image&)> boxed;
inline constexpr tb::op<"observe::scaled", int(const image&, int, double)> scaled;
inline constexpr tb::op<"observe::pair", std::tuple<int, toy::tensor>(toy::tensor)> pair;
inline constexpr tb::op<"observe::listed", std::vector<std::int64_t>(const image&)> listed;
inline constexpr tb::op<"observe::written", toy::tensor&(toy::tensor&)> written;

inline constexpr tb::op<"observe::ends_range", int(const image&)> ends_range;
std::optional<tb::observe::profile_range>* range_to_end = nullptr;
int end_range(const image& i) {
  range_to_end->reset();
  return i.width;
}

int width(const image& i) { return i.width; }
int layered_autograd(key_set keys, const image& i) { return layered.redispatch(keys & tb::below(key::Autograd), i); }
int parts_kernel(const image& i) { return leaf(i) + layered(i); }
void failing(const image&) { throw std::runtime_error("no"); }
void boxed_width(const tb::operator_handle&, tb::boxed_stack& s) {
  const int w = s[s.size() - 1].get<image>().width;
  s.drop(1);
  s.push(w);
}
int times(const image& i, int n, double) { return i.width * n; }
std::tuple<int, toy::tensor> both(toy::tensor t) { return {7, std::move(t)}; }
std::vector<std::int64_t> list(const image&) { return {1, 2, 3}; }
toy::tensor& same(toy::tensor& t) { return t; }

constexpr auto A = std::source_location::current();

const auto kernels = tb::library("observe")
                         .def(leaf)
                         .impl<&width>(leaf, key::CPU, A)
                         .def(layered)
                         .impl<&width>(layered, key::CPU, A)
                         .impl<&layered_autograd>(layered, key::Autograd, A)
                         .def(parts)
                         .impl<&parts_kernel>(parts, key::CompositeImplicitAutograd, A)
                         .def(fails)
                         .impl<&failing>(fails, key::CPU, A)
                         .def(boxed)
                         .impl_boxed<&boxed_width>(boxed, key::CPU, A)
                         .def(scaled)
                         .impl<&times>(scaled, key::CPU, A)
                         .def(pair)
                         .impl<&both>(pair, key::CPU, A)
                         .def(listed)
                         .impl<&list>(listed, key::CPU, A)
                         .def(written)
                         .impl<&same>(written, key::CPU, A)
                         .def(ends_range)
                         .impl<&end_range>(ends_range, key::CPU, A);

const image on_cpu{key::CPU, 7, 0};
const image with_autograd{{key::CPU, key::AutogradCPU}, 7, 0};

// What began and ended, as a line each.
struct history {
  std::vector<std::string> lines;
  void begin(const observe::event& e) {
    lines.push_back(std::string(2 * e.depth(), ' ') + std::string(name_of(e.kind())) + " " + std::string(e.name()));
  }
  void end(const observe::event& e) {
    lines.push_back(std::string(2 * e.depth(), ' ') + "end " + std::string(e.name()) + (e.threw() ? ", threw" : ""));
  }
};

}  // namespace

TEST_CASE("observer: sees calls, redispatches and ranges begin and end, in their order", "[core][observe][PR1][PR6]") {
  history seen;
  {
    const observe::observer watching(seen);
    const tb::observe::profile_range range("step");
    CHECK(parts(with_autograd) == 14);
  }
  CHECK(parts(with_autograd) == 14);
  CHECK(seen.lines == std::vector<std::string>{"range step", "  call observe::parts", "    call observe::leaf",
                                               "    end observe::leaf", "    call observe::layered",
                                               "      redispatch observe::layered", "      end observe::layered",
                                               "    end observe::layered", "  end observe::parts", "end step"});
}

TEST_CASE("observer: an exception ends the call, and the event says so", "[core][observe][PR2]") {
  history seen;
  const observe::observer watching(seen);
  CHECK_THROWS_AS(fails(on_cpu), std::runtime_error);
  CHECK(leaf(on_cpu) == 7);
  CHECK(seen.lines == std::vector<std::string>{"call observe::fails", "end observe::fails, threw", "call observe::leaf",
                                               "end observe::leaf"});
}

TEST_CASE("observer: a lambda sees beginnings, and what begin() returns comes back", "[core][observe][PR1]") {
  std::vector<std::string> names;
  const observe::observer lambda([&](const observe::event& e) { names.emplace_back(e.name()); });
  struct numbered {
    std::uint32_t next = 0;
    std::vector<std::uint32_t> ended;
    std::uint32_t begin(const observe::event&) { return ++next; }
    void end(const observe::event&, std::uint32_t number) { ended.push_back(number); }
  } numbers;
  const observe::observer counting(numbers);
  CHECK(parts(on_cpu) == 14);
  CHECK(names == std::vector<std::string>{"observe::parts", "observe::leaf", "observe::layered"});
  CHECK(numbers.ended == std::vector<std::uint32_t>{2, 3, 1});
}

TEST_CASE("observer: one that sees only ends has the time and the kernel of each", "[core][observe]") {
  struct ends {
    std::vector<std::string> kernels;
    std::int64_t last = 0;
    std::vector<std::uint64_t> ids;
    bool in_order = true;
    void end(const observe::event& e) {
      kernels.push_back(to_string(e.kernel()));
      ids.push_back(e.id());
      in_order = in_order && e.start_ns() >= 0 && e.duration_ns() >= 0 && e.start_ns() + e.duration_ns() >= last;
      last = e.start_ns() + e.duration_ns();
      in_order = in_order && e.op().name() == e.name() && e.keys() == key_set(key::CPU);
    }
  } seen;
  const observe::observer watching(seen);
  CHECK(parts(on_cpu) == 14);
  CHECK(seen.in_order);
  REQUIRE(seen.kernels.size() == 3);
  CHECK(seen.kernels[0].starts_with("CPU: kernel, registered at "));
  CHECK(seen.ids[2] < seen.ids[0]);  // the outer call began first
  CHECK(seen.ids[0] < seen.ids[1]);
}

TEST_CASE("observer: arguments and results are there for who wants them", "[core][observe][PR8]") {
  struct values {
    std::string text;
    void begin(const observe::event& e) {
      text += std::string(e.name()) + "(";
      for (const tb::value& v : e.arguments()) text += v.is<image>() ? "image " : to_string(v) + " ";
      text += ")";
    }
    void end(const observe::event& e) {
      text += " -> ";
      for (const tb::value& v : e.results()) text += v.is<toy::tensor>() ? "tensor " : to_string(v) + " ";
    }
  } all, none;
  const observe::observer watching(all, {.arguments = true, .results = true});
  const observe::observer other(none);
  toy::tensor t(key::CPU, 1);
  CHECK(scaled(on_cpu, 3, 0.5) == 21);
  (void)pair(t);
  CHECK(&written(t) == &t);
  CHECK(listed(on_cpu).size() == 3);
  CHECK(boxed(on_cpu) == 7);
  CHECK(all.text == "observe::scaled(image 3 0.5 ) -> 21 observe::pair(" + to_string(tb::value(t)) +
                        " ) -> 7 tensor observe::written(" + to_string(tb::value(t)) +
                        " ) -> tensor observe::listed(image ) -> [1, 2, 3] observe::boxed(image ) -> 7 ");
  CHECK(none.text ==
        "observe::scaled() -> observe::pair() -> observe::written() -> observe::listed() -> observe::boxed() -> ");
}

TEST_CASE("observer: boxed calls are seen with their values too", "[core][observe]") {
  int arguments = 0, results = 0;
  struct {
    int &a, &r;
    void begin(const observe::event& e) { a += static_cast<int>(e.arguments().size()); }
    void end(const observe::event& e) { r += static_cast<int>(e.results().size()); }
  } counts{arguments, results};
  const observe::observer watching(counts, {.arguments = true, .results = true});
  tb::boxed_stack s;
  s.push(on_cpu);
  s.push(3);
  s.push(0.5);
  scaled.handle().call_boxed(s);
  CHECK(s[0].get<int>() == 21);
  CHECK(arguments == 3);
  CHECK(results == 1);
}

TEST_CASE("observer: sees no call that an observer makes, and may begin and end others", "[core][observe][PR2]") {
  int inside = 0, outside = 0;
  std::optional<observe::observer> late;
  const observe::observer calling([&](const observe::event&) {
    ++outside;
    if (!late) late.emplace([&](const observe::event&) { ++inside; });
    CHECK(leaf(on_cpu) == 7);
  });
  CHECK(leaf(on_cpu) == 7);
  CHECK(outside == 1);
  CHECK(inside == 0);
  CHECK(leaf(on_cpu) == 7);
  CHECK(outside == 2);
  CHECK(inside == 1);
  late.reset();
  std::optional<observe::observer> itself;
  int once = 0;
  itself.emplace([&](const observe::event&) {
    ++once;
    itself->stop();
  });
  CHECK(parts(on_cpu) == 14);
  CHECK(once == 1);
}

TEST_CASE("observer: one that throws is told of nothing more, and calls go on", "[core][observe][PR2]") {
  int calls = 0;
  std::string said;
  {
    const observe::observer healthy([&](const observe::event&) { ++calls; });
    const observe::observer throwing([](const observe::event&) { throw std::runtime_error("full"); }, {}, A);
    said = toy::standard_error_of([] {
      CHECK(leaf(on_cpu) == 7);
      CHECK(leaf(on_cpu) == 7);
    });
  }
  CHECK(calls == 2);
  CHECK(said == "topbit: the observer made at " + std::string(A.file_name()) + ":" + std::to_string(A.line()) +
                    " threw: full; it is told of nothing more\n");
}

TEST_CASE("observer: drawn calls are one in so many, with the calls inside them", "[core][observe][PR5]") {
  constexpr unsigned calls = 30'000, one_in = 10;
  int outer = 0, inner = 0, ranges = 0;
  const observe::observer drawing(
      [&](const observe::event& e) {
        ++(!e.is_call() ? ranges : e.name() == "observe::parts" ? outer : inner);
      },
      {.one_in = one_in});
  for (unsigned i = 0; i < calls; ++i) {
    const tb::observe::profile_range range("round");
    (void)parts(on_cpu);
  }
  CHECK(ranges == calls);
  // One in ten of the outer calls is drawn, and brings both inner ones; of the other inner ones one in ten is.
  CHECK(outer > 2700);
  CHECK(outer < 3300);
  const double of_inner = 2 * calls * (0.1 + 0.9 * 0.1);
  CHECK(inner > 0.95 * of_inner);
  CHECK(inner < 1.05 * of_inner);
}

TEST_CASE("observer: two draw other calls, and a range that ends inside a call changes no draw",
          "[core][observe][PR5]") {
  std::vector<int> first, second;
  int round = 0, seen = 0;
  const observe::observer a([&](const observe::event&) { first.push_back(round); }, {.ranges = false, .one_in = 10});
  const observe::observer b([&](const observe::event&) { second.push_back(round); }, {.ranges = false, .one_in = 10});
  for (; round < 1000; ++round) (void)leaf(on_cpu);
  CHECK(first != second);
  std::optional<tb::observe::profile_range> open;
  struct {
    std::optional<tb::observe::profile_range>& open;
    int& seen;
    void begin(const observe::event& e) { seen += e.is_call(); }
  } counting{open, seen};
  const observe::observer c(counting, {.one_in = 2});
  range_to_end = &open;
  for (int i = 0; i < 1000; ++i) {
    open.emplace("open");
    (void)ends_range(on_cpu);
  }
  CHECK(seen > 350);
  CHECK(seen < 650);
  CHECK_THROWS_AS(observe::observer([](const observe::event&) {}, {.one_in = 0}), tb::error);
}

TEST_CASE("observer: a range that an exception leaves says so", "[core][observe][PR2]") {
  history seen;
  const observe::observer watching(seen);
  try {
    const tb::observe::profile_range range("left");
    throw std::runtime_error("no");
  } catch (const std::runtime_error&) {
  }
  CHECK(seen.lines == std::vector<std::string>{"range left", "end left, threw"});
}

TEST_CASE("observer: ranges can be left out, and carry what they are about", "[core][observe][PR7]") {
  int calls = 0;
  std::vector<std::uint64_t> about;
  const observe::observer no_ranges([&](const observe::event&) { ++calls; }, {.ranges = false});
  const observe::observer ranges([&](const observe::event& e) {
    if (!e.is_call()) about.push_back(e.about());
  });
  const tb::observe::profile_range outer("outer", observe::kind::backward, 42);
  CHECK(leaf(on_cpu) == 7);
  CHECK(calls == 1);
  CHECK(about == std::vector<std::uint64_t>{42});
}

TEST_CASE("observer: one of ranges alone is told of no call, and calls stay as they are", "[core][observe][PR3][PR7]") {
  const auto& slot = raw_entry::of(leaf.handle()).rows[key_set(key::CPU).row()];
  const void* const before = slot.load();
  history seen, all;
  const observe::observer ranges(seen, {.arguments = true, .calls = false});
  CHECK(slot.load() == before);
  {
    const tb::observe::profile_range outer("outer");
    CHECK(leaf(on_cpu) == 7);
  }
  CHECK(seen.lines == std::vector<std::string>{"range outer", "end outer"});
  // Beside one of calls.
  std::optional<observe::observer> calls(std::in_place, all);
  CHECK(slot.load() != before);
  CHECK(leaf(on_cpu) == 7);
  CHECK(seen.lines.size() == 2);
  CHECK(all.lines == std::vector<std::string>{"call observe::leaf", "end observe::leaf"});
  calls.reset();
  CHECK(slot.load() == before);
}

TEST_CASE("observer: ranges that end in another order leave the others as they are", "[core][observe][PR7]") {
  history seen;
  const observe::observer watching(seen);
  std::optional<tb::observe::profile_range> a(std::in_place, "a"), b(std::in_place, "b");
  a.reset();
  CHECK(leaf(on_cpu) == 7);
  b.reset();
  CHECK(seen.lines ==
        std::vector<std::string>{"range a", "  range b", "end a", "call observe::leaf", "end observe::leaf"});
}

TEST_CASE("observer: one that begins inside a call is not told of its end", "[core][observe]") {
  history seen;
  std::optional<observe::observer> late;
  struct {
    std::optional<observe::observer>& late;
    history& seen;
    void end(const observe::event& e) {
      if (e.name() == "observe::leaf" && !late) late.emplace(seen);
    }
  } starts{late, seen};
  const observe::observer first(starts);
  CHECK(parts(on_cpu) == 14);
  CHECK(seen.lines == std::vector<std::string>{"call observe::layered", "end observe::layered"});
}

TEST_CASE("observer: slots are as before once the last one ended", "[core][observe][PR3]") {
  const auto& slot = raw_entry::of(leaf.handle()).rows[key_set(key::CPU).row()];
  const void* const before = slot.load();
  observe::observer watching([](const observe::event&) {});
  CHECK(slot.load() != before);
  observe::observer moved = std::move(watching);
  CHECK(slot.load() != before);
  moved.stop();
  moved.stop();
  CHECK(slot.load() == before);
  CHECK(verify(leaf.handle()).empty());
}
