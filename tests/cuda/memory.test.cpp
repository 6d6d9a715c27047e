// The memory of a device: kept, counted, and run out of.
#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEST_CASE("memory: freed memory is reused", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  tb::synchronize(where);
  const void* first = nullptr;
  for (const std::int64_t n : {1, 1000, 1 << 20}) {
    {
      const tb::tensor t = cuda_tests::filled({n}, 1, where);
      first = t.data();
    }
    const auto before = tb::device_memory(where);
    const tb::tensor t = cuda_tests::filled({n}, 2, where);
    const auto after = tb::device_memory(where);
    CHECK(t.data() == first);
    CHECK(after.reused == before.reused + 1);
    CHECK(after.bytes_reserved == before.bytes_reserved);
    CHECK(after.bytes_in_use >= before.bytes_in_use + static_cast<std::uint64_t>(n) * 4);
    CHECK(after.bytes_in_use <= after.bytes_reserved);
    CHECK(after.peak_bytes_in_use >= after.bytes_in_use);
  }
}

TEST_CASE("memory: cached memory can be released", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  tb::release_cached_memory(where);
  const auto before = tb::device_memory(where);
  {
    const tb::tensor large = cuda_tests::filled({1 << 22}, 1, where), small = cuda_tests::filled({10}, 1, where);
    CHECK(tb::device_memory(where).bytes_reserved > before.bytes_reserved);
  }
  CHECK(tb::device_memory(where).bytes_in_use == before.bytes_in_use);
  tb::release_cached_memory(where);
  CHECK(tb::device_memory(where).bytes_reserved == before.bytes_reserved);
}

TEST_CASE("memory: live tensors never share memory", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  std::vector<tb::tensor> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back(cuda_tests::filled({i * 37 % 101 + 1}, i, where));
    if (i % 3 == 2) all.erase(all.begin() + i % static_cast<int>(all.size()));
  }
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> spans;
  for (const tb::tensor& t : all) {
    const auto at = reinterpret_cast<std::uintptr_t>(t.data());
    spans.emplace_back(at, at + static_cast<std::uintptr_t>(t.numel()) * 4);
    const std::vector<double> found = cuda_tests::values(t);
    CHECK(std::all_of(found.begin(), found.end(), [&](double x) { return x == found[0]; }));
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i - 1].second <= spans[i].first);
}

TEST_CASE("memory: out of memory reports the usage, and the next small call works", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  tb::release_cached_memory(where);
  const auto before = tb::device_memory(where);
  const auto too_many = static_cast<std::int64_t>(before.bytes_on_device / 4 + 1024);
  const std::string text =
      toy::text_of<tb::out_of_device_memory>([&] { (void)cuda_tests::filled({too_many}, 1, where); });
  INFO(text);
  CHECK(text.starts_with("aten::full: in aten::empty.memory_format: allocating " + std::to_string(too_many * 4) +
                         " bytes on cuda:0: found no "));
  CHECK(text.find("are in use") != std::string::npos);
  CHECK(text.find("MiB free") != std::string::npos);
  CHECK(tb::device_memory(where).out_of_memory == before.out_of_memory + 1);
  CHECK(cuda_tests::values(cuda_tests::filled({2}, 3, where)) == std::vector<double>{3, 3});
}

TEST_CASE("memory: a limit holds, and cached memory is released before it is an error", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  tb::release_cached_memory(where);
  const auto held = tb::device_memory(where).bytes_reserved;
  tb::set_memory_limit(where, held + (std::uint64_t{20} << 20));
  {
    const tb::tensor sixteen = cuda_tests::filled({4 << 20}, 1, where);
  }
  // Another size: what is kept of the first has to go.
  {
    const tb::tensor twelve = cuda_tests::filled({3 << 20}, 1, where);
  }
  const std::string text =
      toy::text_of<tb::out_of_device_memory>([&] { (void)cuda_tests::filled({8 << 20}, 1, where); });
  CHECK(text.find("; the limit is ") != std::string::npos);
  tb::set_memory_limit(where, 0);
  CHECK(cuda_tests::values(aten::sum(cuda_tests::filled({8 << 20}, 1, where))) == std::vector<double>{8 << 20});
}

TEST_CASE("memory: copies from and to pinned memory do not block, and complete", "[cuda][memory]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor host = tb::pin_memory(aten::arange(1000));
  CHECK(tb::is_pinned(host));
  CHECK_FALSE(tb::is_pinned(aten::arange(10)));
  CHECK(host.device() == tb::cpu);
  tb::tensor there = aten::empty_like(host, tb::arg<"device"> = where);
  aten::copy_(there, host, true);
  const tb::tensor doubled = there * 2;
  tb::tensor back = tb::pin_memory(aten::zeros_like(host));
  aten::copy_(back, doubled, true);
  tb::synchronize(where);
  for (std::int64_t i = 0; i < 1000; ++i) CHECK(support::get(back, {i}) == 2 * static_cast<double>(i));
  // Without non_blocking it has arrived when the call returns.
  aten::copy_(back, doubled * 2);
  for (std::int64_t i = 0; i < 1000; ++i) CHECK(support::get(back, {i}) == 4 * static_cast<double>(i));
  CHECK(toy::text_of<tb::device_error>([&] { (void)tb::pin_memory(there); }) ==
        "pin_memory: found a tensor on cuda:0, wanted a host tensor");
}
