// Streams and events.
#include <thread>

#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEST_CASE("stream: a guard sets the stream of its thread for a scope", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  const tb::stream first = tb::stream::current(where), other = tb::stream::from_pool(where);
  CHECK(first == tb::stream::default_stream(where));
  CHECK(other != first);
  {
    const tb::stream_guard guard(other);
    CHECK(tb::stream::current(where) == other);
    std::thread([&] { CHECK(tb::stream::current(where) == first); }).join();
    CHECK(cuda_tests::values(cuda_tests::filled({3}, 1, where) + 1) == std::vector<double>(3, 2));
  }
  CHECK(tb::stream::current(where) == first);
}

TEST_CASE("stream: one that waits for an event sees earlier work", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  const tb::stream a = tb::stream::from_pool(where), b = tb::stream::from_pool(where);
  REQUIRE(a != b);
  tb::tensor x, y;
  for (int round = 0; round < 20; ++round) {
    {
      const tb::stream_guard guard(a);
      x = cuda_tests::filled({1 << 16}, round, where);
      for (int i = 0; i < 20; ++i) x += 1;
    }
    b.wait(a.record());
    {
      const tb::stream_guard guard(b);
      y = x * 2;
      tb::record_stream(x, b);
    }
    x = {};
    b.synchronize();
    CHECK(b.done());
    const tb::stream_guard guard(b);
    CHECK(cuda_tests::values(aten::amax(y)) == std::vector<double>{2.0 * (round + 20)});
  }
}

TEST_CASE("stream: memory used by another stream is not reused before that is done", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  const tb::stream other = tb::stream::from_pool(where);
  // Tens of milliseconds on a GPU; its model waits until somebody asks.
  const std::int64_t n = tb::properties_of(where).memory_bytes > std::uint64_t{8} << 30 ? 1 << 26 : 1 << 10;
  const tb::tensor busy = cuda_tests::filled({n}, 1, where);
  tb::tensor x = cuda_tests::filled({1 << 20}, 1, where);
  tb::synchronize(where);
  const void* const data = x.data();
  {
    const tb::stream_guard guard(other);
    for (int i = 0; i < 100; ++i) (void)(busy + 1);
  }
  tb::record_stream(x, other);
  x = {};
  const tb::tensor meanwhile = cuda_tests::filled({1 << 20}, 2, where);
  const bool was_busy = !other.done();
  CHECK((was_busy ? meanwhile.data() != data : meanwhile.data() == data));
  other.synchronize();
  // A miss looks at what others used.
  const tb::tensor again = cuda_tests::filled({1 << 20}, 3, where);
  CHECK((was_busy ? again.data() == data : again.data() != data));
}

TEST_CASE("stream: events have times and belong to a device", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  const tb::stream here = tb::stream::current(where);
  const tb::event from = here.record(true);
  const tb::tensor x = cuda_tests::filled({1 << 16}, 1, where);
  const tb::event to = here.record(true);
  to.synchronize();
  CHECK(from.done());
  CHECK(tb::milliseconds_between(from, to) >= 0);
  CHECK(tb::event().done());
  if (tb::cuda_device_count() > 1) {
    const tb::stream there = tb::stream::from_pool(tb::cuda(1));
    CHECK(toy::text_of<tb::device_error>([&] { tb::record_stream(x, there); }) ==
          "record_stream: found a tensor on cuda:0 and a stream of cuda:1, wanted one device");
  }
}

TEST_CASE("stream: threads have their own current streams", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    threads.emplace_back([&, i] {
      const tb::stream_guard guard(tb::stream::from_pool(where));
      tb::tensor x = cuda_tests::filled({1000}, static_cast<double>(i), where);
      for (int n = 0; n < 50; ++n) x = x + 1;
      sums[i] = cuda_tests::values(aten::sum(x))[0];
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == 1000 * (static_cast<double>(i) + 50));
}

TEST_CASE("stream: a native stream of another library has its device", "[cuda][stream]") {
  const tb::device where = cuda_tests::need();
  const tb::stream one = tb::stream::from_pool(where);
  CHECK(tb::stream::of_native(where, one.native()) == one);
  CHECK(tb::stream::of_native(where, nullptr) == tb::stream::default_stream(where));
  CHECK(toy::text_of<tb::device_error>([&] {
          (void)tb::stream::of_native(tb::cuda(100), nullptr);
        }).find("found cuda:100, wanted cuda:0") == 0);
  if (tb::cuda_device_count() > 1) {
    CHECK(toy::text_of<tb::device_error>([&] { (void)tb::stream::of_native(tb::cuda(1), one.native()); }) ==
          "stream: found a stream of cuda:0, wanted one of cuda:1");
  }
}

TEST_CASE("stream: a copy between devices is ordered with the work of both", "[cuda][stream]") {
  const tb::device first = cuda_tests::need(), second = cuda_tests::need(1);
  tb::tensor from = cuda_tests::filled({1000}, 1, first), to = cuda_tests::filled({1000}, 0, second);
  from += 1;
  to += 5;
  aten::copy_(to, from);
  aten::fill_Scalar_(from, 7);
  to += 10;
  tb::synchronize(first);  // the fill is done, and so is the copy, if it was waited for
  CHECK(cuda_tests::values(to) == std::vector<double>(1000, 12));
  CHECK(cuda_tests::values(from) == std::vector<double>(1000, 7));
}
