// Level 14: streams and events. On a device without streams the same programs run in its default one.
module;

#include <thread>

module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

// Steps of one computation on streams by turns, each of which waits for the one before.
tensor relay(session& s, const tensor& start, std::span<const stream> streams, int steps) {
  tensor x = start;
  event ready = stream::current(s.where()).record();
  for (int i = 0; i < steps; ++i) {
    const stream& here = streams[static_cast<std::size_t>(i) % streams.size()];
    here.wait(ready);
    const stream_guard guard(here);
    record_stream(x, here);  // its memory is another stream's
    x = sum(x * 2 + i, {0}, true) / 8 + x;
    ready = here.record();
  }
  stream::current(s.where()).wait(ready);
  record_stream(x, stream::current(s.where()));
  return x;
}

tensor relay_here(const tensor& start, int steps) {
  tensor x = start;
  for (int i = 0; i < steps; ++i) x = sum(x * 2 + i, {0}, true) / 8 + x;
  return x;
}

}  // namespace

void test_streams(session& s) {
  const device d = s.where();
  s.part("current stream", [&] {
    const stream first = stream::current(d), other = stream::from_pool(d);
    s.check(first == stream::default_stream(d), "stream: found another than the default stream at first");
    {
      const stream_guard guard(other);
      s.check(stream::current(d) == other, "stream_guard: found another stream than its own");
      bool is_first = false;
      ::std::thread([&] { s.part("current stream", [&] { is_first = stream::current(d) == first; }); }).join();
      s.check(is_first, "stream_guard: found its stream on another thread");
    }
    s.check(stream::current(d) == first, "stream_guard: found its stream after its scope");
    if (other.native() != nullptr) {
      s.check(stream::of_native(d, other.native()) == other, "of_native: found another stream than the one given");
    }
  });
  s.part("events", [&] {
    const stream here = stream::from_pool(d);
    tensor x;
    event e;
    {
      const stream_guard guard(here);
      x = ones({300}, arg<"device"> = d);
      for (int i = 0; i < 100; ++i) x = x + 1;
      e = here.record();
    }
    e.synchronize();
    s.check(e.done(), "event: found one that is not done after synchronize()");
    // Read in another stream, which does not wait for the first.
    s.compare("a hundred additions before an event", x, full({300}, 101.0F), exactly);
    {
      const stream_guard guard(here);
      for (int i = 0; i < 100; ++i) x = x + 1;
    }
    here.synchronize();
    s.check(here.done(), "stream: found one that is not done after synchronize()");
    s.compare("a hundred additions in a stream", x, full({300}, 201.0F), exactly);
    {
      const stream_guard guard(here);
      for (int i = 0; i < 100; ++i) x = x + 1;
    }
    synchronize(d);
    s.compare("a hundred additions before synchronize()", x, full({300}, 301.0F), exactly);
  });
  s.part("asking an event", [&] {
    const stream here = stream::from_pool(d);
    tensor x;
    event from, to;
    {
      const stream_guard guard(here);
      from = here.record(true);
      x = ones({300}, arg<"device"> = d);
      for (int i = 0; i < 200; ++i) x = x + 1;
      to = here.record(true);
    }
    while (!to.done()) ::std::this_thread::yield();
    s.compare("two hundred additions before an event that is done", x, full({300}, 201.0F), exactly);
    try {
      s.check(milliseconds_between(from, to) >= 0, "milliseconds_between: found less than 0");
    } catch (const device_error&) {  // no clock
    }
  });
  for (int i = 0; i < s.cases(24); ++i) {
    s.part("streams that wait for each other", [&] {
      std::vector<stream> streams;
      for (int n = 2 + s.any(3); n > 0; --n) streams.push_back(stream::from_pool(d, s.any(2) == 0));
      const tensor here = arranged(s, {40, 50}, dtype::float32, 0);
      const int steps = 1 + s.any(12);
      s.compare(std::to_string(steps) + " steps on " + std::to_string(streams.size()) + " streams",
                relay(s, s.there(here), streams, steps), relay_here(here, steps), summed);
    });
  }
  s.part("memory of a stream", [&] {
    const stream one = stream::from_pool(d);
    for (int i = 0; i < s.cases(16); ++i) {
      tensor y;
      {
        const stream_guard guard(one);
        tensor x = full({1000}, 3.0F, arg<"device"> = d);
        for (int n = 0; n < 20; ++n) x = x + 1;
        y = x * 2;
        const stream_guard back(stream::default_stream(d));
        x = {};  // while its stream may not have read it
        const tensor other = full({1000}, -1.0F, arg<"device"> = d);
      }
      one.synchronize();
      s.compare("a tensor that ended in another stream", y, full({1000}, 46.0F), exactly);
    }
  });
  s.part("streams of threads", [&] {
    constexpr std::size_t count = 4;
    std::array<tensor, count> found, wanted;
    std::vector<::std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        s.part("streams of threads", [&] {
          const tensor start = full({20, 30}, static_cast<float>(i));
          wanted[i] = relay_here(start, 20);
          const stream_guard guard(stream::from_pool(d));
          found[i] = relay_here(to(start, d), 20);
          stream::current(d).synchronize();
        });
      });
    }
    for (::std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < count; ++i) s.compare("a stream of each thread", found[i], wanted[i], summed);
  });
}

}  // namespace topbit::backend_test
