// Who listens to a registry hears of definitions and of their ends, in order and outside its lock.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"hear::a", int(const image&)> a;
inline constexpr tb::op<"hear::b", int(const image&)> b;
inline constexpr tb::op<"hear::c", int(const image&)> c;
inline constexpr tb::op<"hear::a", int(int)> a_otherwise;
int width(const image& i) { return i.width; }
void boxed(const tb::operator_handle&, tb::boxed_stack&) {}

using events = std::vector<std::string>;
std::string text(const tb::registry_event& e) {
  return (e.what == tb::registry_event::kind::defined ? "+" : "-") + std::string(e.op.name());
}
auto into(events& heard) {
  return [&heard](const tb::registry_event& e) { heard.push_back(text(e)); };
}

}  // namespace

TEST_CASE("listener: it is told first of what is defined already, in the order of the first definitions",
          "[core][listener][R25]") {
  tb::registry r;
  const auto block = tb::library("hear", r).def(b).def(a).impl<&width>(c, key::CPU);
  auto gone = tb::fragment("hear", r).def(c);
  gone.reset();
  events heard;
  const auto listening = r.listen(into(heard));
  CHECK(heard == events{"+hear::b", "+hear::a"});
}

TEST_CASE("listener: it is told of definitions and of the ends of them, in order", "[core][listener][R25]") {
  tb::registry r;
  events heard;
  const auto listening = r.listen(into(heard));
  CHECK(heard.empty());
  {
    const auto block = tb::library("hear", r).def(a).def(b);
    CHECK(heard == events{"+hear::a", "+hear::b"});
  }
  CHECK(heard.size() == 4);
  heard.clear();
  auto again = tb::fragment("hear", r).def(a);
  again.reset();
  const auto by_name = tb::fragment("hear", r).def<&width>("made");
  CHECK(heard == events{"+hear::a", "-hear::a", "+hear::made"});
}

TEST_CASE("listener: kernels, fallbacks, layers, claims and names are none of its business", "[core][listener][R25]") {
  tb::registry r;
  const auto defined = tb::library("hear", r).def(a);
  events heard;
  const auto listening = r.listen(into(heard));
  heard.clear();
  {
    const auto kernels = tb::implement("hear", std::nullopt, r)
                             .impl<&width>(a, key::CPU)
                             .impl<&width>(b, key::CPU)
                             .fallthrough(a, key::Tracer)
                             .replace<&width>(a, key::CPU);
    const auto back = tb::fallback<&boxed>(key::UserTop1, r);
    const auto passing = tb::fallthrough(key::UserTop2, r);
    const auto layer = r.include_always(key::Tracer);
    const auto owner = tb::library("quiet", r);
    const auto name = tb::name_backend(tb::backend::PrivateUse7, "Quiet");
    const auto other = r.listen([](const tb::registry_event&) {});
  }
  CHECK(heard.empty());
}

TEST_CASE("listener: definitions that are merged are one, and a refused one is none", "[core][listener][R25][R6]") {
  tb::registry r;
  events heard;
  const auto listening = r.listen(into(heard));
  auto first = tb::library("hear", r).def(a);
  auto second = tb::fragment("hear", r).def(a);
  CHECK_THROWS_AS(tb::fragment("hear", r).def(a_otherwise), tb::bad_registration);
  CHECK(heard == events{"+hear::a"});
  first.reset();
  CHECK(heard == events{"+hear::a"});
  second.reset();
  CHECK(heard == events{"+hear::a", "-hear::a"});
}

TEST_CASE("listener: a batch is told when all of it is there, and one that is refused not at all",
          "[core][listener][R25][R28]") {
  static constexpr std::array good{tb::author::define(a), tb::author::define(b), tb::author::row<&width>(b, key::CPU)};
  static constexpr std::array bad{tb::author::define(c), tb::author::define(a_otherwise)};
  tb::registry r;
  events heard;
  int answers = 0;
  const auto listening = r.listen([&](const tb::registry_event& e) {
    heard.push_back(text(e));
    answers += r.find("hear::b").typed<int(const image&)>()(image{key::CPU, 7, 0});
  });
  tb::author::register_rows(good, r);
  CHECK(heard == events{"+hear::a", "+hear::b"});
  CHECK(answers == 14);
  CHECK_THROWS_AS(tb::author::register_rows(bad, r), tb::bad_registration);
  CHECK(heard.size() == 2);
}

TEST_CASE("listener: several are told, in the order in which they came", "[core][listener][R25]") {
  tb::registry r;
  events heard;
  const auto tagged = [&](std::string tag) {
    return [&heard, tag](const tb::registry_event& e) { heard.push_back(tag + text(e)); };
  };
  auto first = r.listen(tagged("1"));
  const auto second = r.listen(tagged("2"));
  auto block = tb::library("hear", r).def(a);
  first.reset();
  block.reset();
  CHECK(heard == events{"1+hear::a", "2+hear::a", "2-hear::a"});
}

TEST_CASE("listener: it may look up, define and withdraw while it is told", "[core][listener][H7]") {
  tb::registry r;
  events heard;
  std::optional<tb::library_block> answer;
  const auto listening = r.listen([&](const tb::registry_event& e) {
    heard.push_back(text(e) + (e.op.is_defined() ? "" : "?"));
    if (text(e) == "+hear::a") {
      CHECK(r.find("hear::a") == e.op);
      CHECK(r.operators() == std::vector<std::string>{"hear::a"});
      CHECK(e.op.kernels().empty());
      answer = tb::fragment("hear", r).def(b).impl<&width>(b, key::CPU).impl<&width>(a, key::CPU);
      CHECK(heard.size() == 1);  // what it causes is told after what it is told
    }
    if (text(e) == "-hear::a") answer.reset();
  });
  auto block = tb::library("hear", r).def(a);
  CHECK(r.find("hear::a").typed<int(const image&)>()(image{key::CPU, 7, 0}) == 7);
  block.reset();
  CHECK(heard == events{"+hear::a", "+hear::b", "-hear::a?", "-hear::b?"});
  CHECK(r.operators().empty());
}

TEST_CASE("listener: it may take itself back, or another one, while it is told", "[core][listener][H7]") {
  tb::registry r;
  events heard;
  tb::registration self, other;
  self = r.listen([&](const tb::registry_event& e) {
    heard.push_back("self" + text(e));
    self.reset();
    other.reset();
    heard.push_back("still here");
  });
  other = r.listen([&](const tb::registry_event& e) { heard.push_back("other" + text(e)); });
  const auto block = tb::library("hear", r).def(a).def(b);
  CHECK(heard == events{"self+hear::a", "still here"});
}

TEST_CASE("listener: one that begins to listen while another is told hears of each operator once",
          "[core][listener][R25][H7]") {
  tb::registry r;
  events heard;
  tb::registration late;
  const auto first = r.listen([&](const tb::registry_event& e) {
    if (text(e) == "+hear::a") late = r.listen(into(heard));
  });
  const auto block = tb::library("hear", r).def(a).def(b);
  CHECK(heard == events{"+hear::a", "+hear::b"});
}

TEST_CASE("listener: what it holds is destroyed with it", "[core][listener][H5]") {
  tb::registry r;
  auto held = std::make_shared<int>(0);
  auto listening = r.listen([held](const tb::registry_event&) { ++*held; });
  const auto block = tb::library("hear", r).def(a);
  CHECK(*held == 1);
  listening.reset();
  CHECK(held.use_count() == 1);
}

TEST_CASE("listener: events still pending when it is unregistered are not delivered", "[core][listener][R25]") {
  tb::registry r;
  events heard;
  tb::registration other;
  const auto first = r.listen([&](const tb::registry_event&) { other.reset(); });
  other = r.listen(into(heard));
  const auto block = tb::library("hear", r).def(a);
  CHECK(heard.empty());
}

TEST_CASE("listener: definitions from several threads are told one after another, each operator's in turns",
          "[core][listener][threads][R25][H7]") {
  constexpr int threads = 4, rounds = 500;
  tb::registry r;
  std::map<std::string, events> heard;  // without a lock of its own: it is never told from two threads at once
  const auto listening =
      r.listen([&](const tb::registry_event& e) { heard[std::string(e.op.name())].push_back(text(e).substr(0, 1)); });
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&r, t] {
      const std::string mine = "of" + std::to_string(t);
      for (int i = 0; i < rounds; ++i) {
        const auto block = tb::fragment("hear", r).def(a).def<&width>(mine);
      }
    });
  }
  for (std::thread& t : all) t.join();
  REQUIRE(heard.size() == threads + 1);
  for (const auto& [name, told] : heard) {
    INFO(name);
    REQUIRE(told.size() % 2 == 0);
    bool in_turns = true;
    for (std::size_t i = 0; i < told.size(); ++i) in_turns &= told[i] == (i % 2 == 0 ? "+" : "-");
    CHECK(in_turns);
    if (name != "hear::a") CHECK(told.size() == 2 * rounds);
  }
}

TEST_CASE("listener: once unregistered it is not running and never runs again", "[core][listener][threads][H5][H7]") {
  tb::registry r;
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0, told = 0;
  // As often and no more: who listens tells also what others define meanwhile, and they do not wait for it.
  std::thread defining([&] {
    for (int i = 0; i < 5000; ++i) {
      const auto block = tb::fragment("hear", r).def(a).def(b);
    }
    done = true;
  });
  for (int i = 0; i < 300 || !done; ++i) {
    struct state {
      std::atomic<bool> over = false;
    };
    const auto mine = std::make_unique<state>();  // freed at once, so that a late call is found by the sanitizers too
    auto listening = r.listen([&wrong, &told, s = mine.get()](const tb::registry_event&) {
      wrong += s->over;
      ++told;
      wrong += s->over;
    });
    for (int before = told; i % 2 == 0 && told == before && !done;) std::this_thread::yield();
    listening.reset();
    mine->over = true;
  }
  defining.join();
  CHECK(wrong == 0);
  CHECK(told > 0);
}
