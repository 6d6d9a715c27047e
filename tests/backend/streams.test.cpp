// Streams, events, pinned memory, statistics and the number of devices, for every backend.
#include <topbit/kernel_abi.h>

#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "queued.h"
#include "support/raises.h"
#include "support/tensor_values.h"

import topbit;
import topbit.backend;
import topbit.backend_test;

namespace tb = topbit;
using support::values;
using toy::text_of;

namespace {

tb::device chip() { return tb::parse_device("chip"); }
tb::tensor twos(tb::device d, std::int64_t n = 1000) { return tb::full({n}, 2.0F, tb::arg<"device"> = d); }

}  // namespace

TEST_CASE("streams: a device without streams has one, in which everything is done", "[backend][streams]") {
  for (const tb::device d : {tb::cpu, chip()}) {
    const tb::stream one = tb::stream::from_pool(d);
    CHECK(one == tb::stream::default_stream(d));
    CHECK(one.native() == nullptr);
    CHECK(one.device() == d);
    const tb::stream_guard guard(one);
    const tb::tensor x = twos(d) * 2;
    const tb::event e = one.record();
    CHECK(e.done());
    CHECK(e.device() == d);
    one.wait(e);
    one.synchronize();
    tb::record_stream(x, one);
    tb::synchronize(d);
    CHECK(text_of<tb::device_error>([&] {
            (void)tb::milliseconds_between(e, e);
          }).ends_with("wanted two of one device that measures time"));
  }
  CHECK(tb::event().done());
  CHECK(tb::event().device() == tb::cpu);
}

TEST_CASE("streams: work in a stream is asynchronous, and what waits sees it", "[backend][streams]") {
  const tb::device d = queued::device();
  const tb::stream one = tb::stream::from_pool(d), other = tb::stream::from_pool(d);
  REQUIRE(one != other);
  tb::tensor x;
  tb::event from, to;
  {
    const queued::held meanwhile(one.native());
    const tb::stream_guard guard(one);
    CHECK(tb::stream::current(d) == one);
    CHECK(tb::author::current_stream(d) == one.native());
    from = one.record(true);
    x = twos(d);
    for (int i = 0; i < 50; ++i) x = x + 1;
    to = one.record(true);
    CHECK_FALSE(to.done());
  }
  CHECK(tb::stream::current(d) == tb::stream::default_stream(d));
  other.wait(to);
  const tb::stream_guard guard(other);
  tb::record_stream(x, other);
  const tb::tensor y = x * 2;
  x = {};
  CHECK(values(tb::to(y, tb::cpu)) == std::vector<double>(1000, 104));
  CHECK(to.done());
  CHECK(tb::milliseconds_between(from, to) > 0);
}

TEST_CASE("streams: guards nest, by device and by thread", "[backend][streams]") {
  const tb::device d = queued::device();
  const tb::stream a = tb::stream::from_pool(d), b = tb::stream::from_pool(d);
  const tb::stream_guard outer(a);
  {
    const tb::stream_guard of_host(tb::stream::current(tb::cpu));
    const tb::stream_guard inner(b);
    CHECK(tb::stream::current(d) == b);
    CHECK(tb::stream::current(chip()) == tb::stream::default_stream(chip()));
    std::thread([&] { CHECK(tb::stream::current(d) == tb::stream::default_stream(d)); }).join();
  }
  CHECK(tb::stream::current(d) == a);
}

TEST_CASE("streams: guards may end in any order", "[backend][streams]") {
  const tb::device d = queued::device();
  const tb::stream a = tb::stream::from_pool(d), b = tb::stream::from_pool(d);
  std::optional<tb::stream_guard> first(a), second(b);
  first.reset();
  CHECK(tb::stream::current(d) == b);
  second.reset();
  CHECK(tb::stream::current(d) == tb::stream::default_stream(d));
}

TEST_CASE("streams: an event is its backend's, also after the hook was replaced", "[backend][streams]") {
  static int destroyed = 0;
  destroyed = 0;
  constexpr tb::backend b = tb::backend::VE;
  tb::set_memory_hook(b, far_memory::hook);
  tb::set_device_hook(b, {.streams = {.make = [](tb::device, bool) -> void* { return &destroyed; },
                                      .record = [](tb::device, void*, bool) -> void* { return &destroyed; },
                                      .destroy_event = [](tb::device, void*) noexcept { ++destroyed; },
                                      .wait = [](tb::device, void*, void*) {},
                                      .done = [](tb::device, void*) { return true; },
                                      .synchronize = [](tb::device, void*) {}}});
  {
    const tb::event e = tb::stream::from_pool({b}).record();
    tb::set_device_hook(b, {});
    CHECK(e.done());
    e.synchronize();
    tb::stream::current({b}).wait(e);
    CHECK(tb::stream::from_pool({b}).native() == nullptr);
  }
  CHECK(destroyed == 1);
  CHECK(text_of<tb::device_error>([] { (void)tb::stream::of_native({b}, &destroyed); }) ==
        "stream: found a native stream for ve:0, which has none, wanted null");
}

TEST_CASE("streams: the pool has 32 streams, and a stream of another library is one too", "[backend][streams]") {
  const tb::device d = queued::device();
  std::vector<tb::stream> some;
  for (int i = 0; i < 64; ++i) some.push_back(tb::stream::from_pool(d, true));
  for (std::size_t i = 0; i < 32; ++i) CHECK(some[i] == some[i + 32]);
  CHECK(tb::stream::of_native(d, some[3].native()) == some[3]);
  CHECK(tb::stream::of_native(d, nullptr) == tb::stream::default_stream(d));
}

TEST_CASE("streams: what belongs to another device is refused", "[backend][streams]") {
  const tb::device d = queued::device();
  const tb::tensor x = twos(d);
  CHECK(text_of<tb::device_error>([&] { tb::record_stream(x, tb::stream::current(tb::cpu)); }) ==
        "record_stream: found a tensor on queued:0 and a stream of cpu, wanted one device");
  CHECK(text_of<tb::device_error>([&] { tb::record_stream({}, tb::stream::current(d)); }) ==
        "record_stream: found an undefined tensor and a stream of queued:0, wanted one device");
  const tb::device missing{d.type, 4};
  for (const std::string& text : {text_of<tb::device_error>([&] { (void)tb::stream::current(missing); }),
                                  text_of<tb::device_error>([&] { (void)tb::stream::from_pool(missing); }),
                                  text_of<tb::device_error>([&] { tb::synchronize(missing); }),
                                  text_of<tb::device_error>([&] { (void)tb::device_memory(missing); }),
                                  text_of<tb::device_error>([&] { tb::release_cached_memory(missing); }),
                                  text_of<tb::device_error>([&] { tb::set_memory_limit(missing, 1); }),
                                  text_of<tb::device_error>([&] { (void)tb::pin_memory(tb::ones({2}), missing); })}) {
    CHECK(text == "found queued:4, wanted queued:0");
  }
  CHECK(text_of<tb::device_error>([&] {
          (void)tb::empty({0}, tb::arg<"device"> = missing);
        }).ends_with("found queued:4, wanted queued:0"));
  CHECK(text_of<tb::device_error>([] { tb::synchronize({tb::backend::HIP}); }).find("no memory hook is installed") !=
        std::string::npos);
}

TEST_CASE("streams: pinned memory is the host's, and belongs to a backend that has it", "[backend][streams]") {
  const tb::device d = queued::device();
  const tb::tensor pinned = tb::pin_memory(tb::transpose(tb::from_values<float>({1, 2, 3, 4}, {2, 2}), 0, 1), d);
  CHECK(tb::is_pinned(pinned));
  CHECK(pinned.device() == tb::cpu);
  CHECK(values(pinned) == std::vector<double>{1, 3, 2, 4});
  CHECK_FALSE(tb::is_pinned(tb::ones({2})));
  CHECK_FALSE(tb::is_pinned(twos(d)));
  CHECK_FALSE(tb::is_pinned({}));
  CHECK(text_of<tb::device_error>([&] { (void)tb::pin_memory(tb::ones({2}), chip()); }) ==
        "pin_memory: found chip:0, wanted a device whose backend has pinned memory");
  CHECK(text_of<tb::device_error>([&] { (void)tb::pin_memory(twos(d), d); }) ==
        "pin_memory: found a tensor on queued:0, wanted a host tensor");
}

TEST_CASE("streams: memory is counted for a device that does not count it", "[backend][streams]") {
  const tb::device d = chip();
  const tb::device_memory_statistics before = tb::device_memory(d);
  {
    const tb::tensor x = twos(d), y = tb::transpose(x.defined() ? twos(d, 500) : x, 0, 0);
    const tb::device_memory_statistics with = tb::device_memory(d);
    CHECK(with.bytes_in_use == before.bytes_in_use + 6000);
    CHECK(with.allocations >= before.allocations + 2);
    CHECK(with.peak_bytes_in_use >= with.bytes_in_use);
  }
  CHECK(tb::device_memory(d).bytes_in_use == before.bytes_in_use);
  CHECK(tb::device_memory(tb::cpu).bytes_in_use == tb::host_memory().bytes_in_use);
  tb::release_cached_memory(d);
  CHECK(text_of<tb::device_error>([&] { tb::set_memory_limit(d, 1); }) ==
        "set_memory_limit: found chip:0, wanted a device whose backend has such a limit");
}

TEST_CASE("streams: a device says how many there are", "[backend][streams]") {
  CHECK(tb::device_count(tb::backend::CPU) == 1);
  CHECK(tb::device_count(tb::backend::Meta) == 1);
  CHECK(tb::device_count(chip().type) == 1);
  CHECK(tb::device_count(tb::backend::HIP) == 0);
}

TEST_CASE("streams: functions that belong together are set together", "[backend][streams]") {
  CHECK(
      text_of<tb::bad_registration>([] {
        tb::author::register_backend("half",
                                     {.memory = far_memory::hook, .device = {.streams = {.make = queued::make}}});
      })
          .ends_with(
              "found streams.make without streams.record, wanted all of the functions that belong together, or none"));
  CHECK(text_of<tb::bad_registration>([] {
          tb::author::register_backend(
              "half", {.memory = far_memory::hook, .device = {.allocate_pinned = queued::allocate_pinned}});
        })
            .ends_with("found allocate_pinned without release_pinned, wanted all of the functions that belong "
                       "together, or none"));
  CHECK_THROWS_AS(tb::parse_device("half"), tb::device_error);
  CHECK(text_of<tb::device_error>([] { tb::set_device_hook(tb::backend::CPU, {}); }) ==
        "set_device_hook: found cpu, wanted a device type other than cpu and meta");
}

TEST_CASE("streams: tensors go from one private device to another", "[backend][streams]") {
  const tb::tensor x = twos(queued::device()) + 1, y = tb::to(x, chip()), z = tb::to(y * 2, queued::device());
  CHECK(y.device() == chip());
  CHECK(values(tb::to(z, tb::cpu)) == std::vector<double>(1000, 6));
  CHECK(text_of<tb::device_error>([&] { (void)(x + y); }).find("wanted one device") != std::string::npos);
}

TEST_CASE("streams: the conformance test finds each fault of streams at its level", "[backend][streams]") {
  namespace kit = topbit::backend_test;
  const tb::device d = queued::device();
  const kit::options streams_alone{.first_level = 14, .last_level = 14};
  CHECK(kit::to_string(kit::test(d, streams_alone)).find("failed") == std::string::npos);
  for (const queued::fault f :
       {queued::waits_for_nothing, queued::is_always_done, queued::synchronizes_nothing, queued::reads_early,
        queued::frees_early, queued::forgets_owners, queued::ignores_streams}) {
    INFO(f);
    queued::planted = f;
    const kit::report r = kit::test(d, streams_alone);
    queued::planted = queued::none;
    tb::synchronize(d);
    CHECK_FALSE(r.passed());
  }
}
