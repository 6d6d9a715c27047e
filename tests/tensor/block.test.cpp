#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#if __has_feature(address_sanitizer)
#  include <sanitizer/asan_interface.h>
#endif

#include "support/host_memory.h"
#include "support/raises.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using support::bytes, support::elsewhere, support::fill, support::holds, support::limit, support::KiB, support::MiB;
using tb::tensor;

namespace {

// A device whose memory is counted and not the host's.
struct counting_device {
  static constexpr tb::device where{tb::backend::PrivateUse5, 0};
  static inline int live = 0;
  static inline bool full = false;
  static void* allocate(tb::device, std::size_t n) {
    if (full) throw tb::device_error("full");
    ++live;
    return ::operator new(n);
  }
  static void release(tb::device, void* p) noexcept {
    --live;
    ::operator delete(p);
  }
  static constexpr tb::memory_hook hook{allocate, release, nullptr, nullptr};
  counting_device() {
    tb::set_memory_hook(where.type, hook);
    full = false;
  }
};

// What hangs on a tensor may hold tensors.
struct holder : tb::tensor_extension {
  explicit holder(tensor t) : held(std::move(t)) {}
  tensor held;
};

}  // namespace

TEST_CASE("block: a view keeps the elements alive, and frees the block", "[tensor][block]") {
  const limit all(64 * MiB);
  for (std::size_t n : {std::size_t{32}, 5 * KiB}) {
    INFO(n);
    const std::size_t in_use = tb::host_memory().bytes_in_use;
    tensor view;
    {
      const tensor base = bytes(n);
      fill(base, 7);
      view = tb::author::make_view(base, {16}, {2}, 0);
    }
    std::vector<tensor> others;
    for (int i = 0; i < 100; ++i) {
      others.push_back(bytes(n));
      fill(others.back(), 9);
    }
    CHECK(holds(view, 7));
    others.clear();
    tensor again = tb::author::make_view(view, {4}, {1}, 0);
    view = tensor();
    CHECK(holds(again, 7));
    elsewhere([&] { again = tensor(); });
    CHECK(tb::host_memory().bytes_in_use == in_use);
  }
}

TEST_CASE("block: a tensor outlives its first storage if given another one", "[tensor][block]") {
  const limit all(64 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  {
    const tensor t = bytes(32);
    const tensor other = bytes(32);
    fill(other, 3);
    tb::author::record_of(t).data = tb::author::record_of(other).data;
    CHECK(tb::host_memory().bytes_in_use > in_use);
    std::vector<tensor> more(100);
    for (tensor& m : more) {
      m = bytes(32);
      fill(m, 9);
    }
    CHECK(t.sizes() == tb::shape{32});
    CHECK(holds(t, 3));
    tb::author::record_of(t).data = tb::intrusive_ptr<tb::storage>(new tb::storage(tb::cpu, 5 * KiB));
    CHECK(tb::author::record_of(t).data->bytes == 5 * KiB);
    tb::author::record_of(t).data = {};
  }
  CHECK(tb::host_memory().bytes_in_use == in_use);
  {
    const tensor t = bytes(32);
    tb::author::record_of(t).data = tb::author::record_of(bytes(32)).data;  // all that is left of that tensor
    fill(t, 5);
  }
  CHECK(tb::host_memory().bytes_in_use == in_use);
}

TEST_CASE("block: a base and its view may be destroyed concurrently on two threads", "[tensor][block]") {
  const limit all(64 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  for (int i = 0; i < 200; ++i) {
    tensor base = bytes(32);
    tensor view = tb::author::make_view(base, {16}, {2}, 0);
    std::atomic<int> ready{0};
    const auto drop = [&ready](tensor t) {
      ++ready;
      while (ready.load() != 2) {
      }
      t = tensor();
    };
    std::thread other(drop, std::move(view));
    drop(std::move(base));
    other.join();
  }
  CHECK(tb::host_memory().bytes_in_use == in_use);
}

TEST_CASE("block: a tensor's extension may hold a view of it", "[tensor][block]") {
  const limit all(64 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  {
    const tensor t = bytes(32);
    tb::author::record_of(t).extension =
        tb::intrusive_ptr<tb::tensor_extension>(new holder(tb::author::make_view(t, {16}, {2}, 0)));
    const tensor other = bytes(32);
    tb::author::record_of(other).extension = tb::intrusive_ptr<tb::tensor_extension>(new holder(t));
  }
  CHECK(tb::host_memory().bytes_in_use == in_use);
}

TEST_CASE("block: records of tensors on other devices, and without storage, are cached too", "[tensor][block]") {
  const limit all(64 * MiB);
  const counting_device other;
  const auto each = [&] {
    const tensor there = tb::author::make_tensor({2, 3}, tb::dtype::float32, other.where);
    const tensor on_meta = tb::author::make_tensor({1 << 20, 1 << 20}, tb::dtype::float32, tb::meta);
    const tensor opaque = tb::author::make_opaque({2, 3}, tb::dtype::float32, other.where, there.keys());
    CHECK(other.live == 1);
  };
  each();
  const tb::memory_statistics before = tb::host_memory();
  each();
  const tb::memory_statistics after = tb::host_memory();
  CHECK(other.live == 0);
  CHECK(after.allocations == before.allocations + 3);
  CHECK(after.reused == before.reused + 3);
  counting_device::full = true;
  CHECK(toy::text_of<tb::device_error>([&] { each(); }) == "full");
  CHECK(tb::host_memory().bytes_in_use == after.bytes_in_use);
}

#if __has_feature(address_sanitizer)
TEST_CASE("block: the address sanitizer detects accesses outside the elements", "[tensor][block]") {
  for (std::size_t n : {std::size_t{1}, std::size_t{33}, 5 * KiB + 1}) {
    INFO(n);
    tensor t = bytes(n);
    const auto* const data = static_cast<const std::byte*>(t.data());
    CHECK(__asan_region_is_poisoned(const_cast<std::byte*>(data), n) == nullptr);
    CHECK(__asan_address_is_poisoned(data + n));
    CHECK(__asan_address_is_poisoned(data - 1));
    t = tensor();
    CHECK(__asan_address_is_poisoned(data));
  }
  // With a cache the next owner of a block has all of what is his.
  const limit all(64 * MiB);
  {
    const tensor t = bytes(65);
  }
  const tensor t = bytes(128);
  CHECK(__asan_region_is_poisoned(t.data(), 128) == nullptr);
}
#endif
