#include <catch2/catch_test_macros.hpp>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/raw_entry.h"
#include "support/toy.h"

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"install::width", int(const image&)> width;
inline constexpr tb::op<"install::height", int(const image&)> height;
inline constexpr tb::op<"install::height", long(const image&)> other_height;

int width_cpu(const image& i) { return i.width; }
int height_cpu(const image& i) { return i.height; }
int nothing(const image&) { return 0; }

inline constexpr auto cpu = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<width, &width_cpu>,
                                                                   tb::static_dispatch::bind<height, &height_cpu>);

}  // namespace

TEST_CASE("installation: the table's slots hold the very records of the set", "[core][installation]") {
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<width, height>{});
  const auto live = tb::static_dispatch::install(cpu);
  const auto row = tb::key_set(key::CPU).row();
  CHECK(raw_entry::of(width.handle()).rows[row].load() == cpu.rows[0].impl);
  CHECK(raw_entry::of(height.handle()).rows[row].load() == cpu.rows[1].impl);
  CHECK(width(image{key::CPU, 3, 4}) == 3);
  CHECK(height(image{key::CPU, 3, 4}) == 4);
}

TEST_CASE("installation: what was installed goes with its object", "[core][installation]") {
  tb::registry r;
  const std::string before = tb::to_string(tb::dump(r));
  {
    auto live = tb::static_dispatch::install(cpu, r);
    const auto moved = std::move(live);
    const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<width, height>{}, r);
    CHECK(r.find("install::width").is_defined());
    CHECK(r.find("install::width").kernels().size() == 1);
  }
  CHECK(tb::to_string(tb::dump(r)) == before);
  auto again = tb::static_dispatch::install(cpu, r);
  again.reset();
  CHECK(tb::to_string(tb::dump(r)) == before);
  again = tb::static_dispatch::install(tb::static_dispatch::operators<width>{}, r);
  again.keep();
  again = {};
  CHECK(r.find("install::width").is_defined());
}

TEST_CASE("installation: kernels are said to come from where they were installed", "[core][installation]") {
  tb::registry r;
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<width, height>{}, r);
  const auto line = std::source_location::current().line() + 1;
  const auto live = tb::static_dispatch::install(cpu, r);
  const auto records = r.find("install::height").kernels();
  REQUIRE(records.size() == 1);
  CHECK(records[0].target == tb::key_target(key::CPU));
  CHECK(tb::to_string(tb::dump(r.find("install::height"))).find("installation.test.cpp:" + std::to_string(line)) !=
        std::string::npos);
}

TEST_CASE("installation: installing defines no operator", "[core][installation]") {
  tb::registry r;
  const auto live = tb::static_dispatch::install(cpu, r);
  CHECK_FALSE(r.try_find("install::width").has_value());
}

TEST_CASE("installation: a set that is refused leaves nothing", "[core][installation]") {
  tb::registry r;
  const auto other_one = tb::static_dispatch::install(tb::static_dispatch::operators<other_height>{}, r);
  const std::string before = tb::to_string(tb::dump(r));
  const std::string text = toy::text_of<tb::bad_registration>([&] { (void)tb::static_dispatch::install(cpu, r); });
  CHECK(text.starts_with("install::height: implemented for CPU at "));
  CHECK(tb::to_string(tb::dump(r)) == before);
}

TEST_CASE("installation: of what is refused nothing is seen meanwhile", "[core][installation]") {
  tb::registry r;
  const auto other_one = tb::static_dispatch::install(tb::static_dispatch::operators<other_height>{}, r);
  int heard = 0;
  const auto listening = r.listen([&](const tb::registry_event&) { ++heard; });
  CHECK(heard == 1);
  CHECK_THROWS_AS((void)tb::static_dispatch::install(tb::static_dispatch::operators<width, height>{}, r),
                  tb::bad_registration);
  CHECK(heard == 1);
}

TEST_CASE("installation: a set over another is active until it goes", "[core][installation]") {
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<width>{});
  const auto live = tb::static_dispatch::install(cpu);
  static constexpr auto over = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<width, &nothing>);
  const image i{key::CPU, 3, 4};
  {
    const auto newer = tb::static_dispatch::install(over);
    CHECK(width(i) == 0);
  }
  CHECK(width(i) == 3);
}

TEST_CASE("installation: a set of nothing installs nothing", "[core][installation]") {
  tb::registry r;
  const std::string before = tb::to_string(tb::dump(r));
  static constexpr auto none = tb::static_dispatch::kernels<key::CPU>();
  const auto live = tb::static_dispatch::install(none, r);
  CHECK(tb::to_string(tb::dump(r)) == before);
}
