#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::tensor;
using toy::text_of;

namespace {

// A device that is host memory in disguise and counts what is asked of it.
struct fake_device {
  static constexpr tb::device where{tb::backend::PrivateUse7, 3};
  static inline int allocated = 0, released = 0, copied_in = 0, copied_out = 0;
  static inline bool full = false;
  static inline tb::device last;

  static void* allocate(tb::device d, std::size_t bytes) {
    last = d;
    if (full) throw tb::device_error("the fake device is full");
    ++allocated;
    return std::malloc(bytes);
  }
  static void release(tb::device d, void* p) noexcept {
    last = d;
    ++released;
    std::free(p);
  }
  static void copy_in(tb::device, void* to, const void* from, std::size_t bytes) {
    ++copied_in;
    std::memcpy(to, from, bytes);
  }
  static void copy_out(tb::device, void* to, const void* from, std::size_t bytes) {
    ++copied_out;
    std::memcpy(to, from, bytes);
  }
  static constexpr tb::memory_hook hook{allocate, release, copy_in, copy_out};

  fake_device() {
    tb::set_memory_hook(where.type, hook);
    allocated = released = copied_in = copied_out = 0;
    full = false;
  }
};

struct counted {
  int references = 1;
  int* destroyed;
  friend void add_reference(counted* c) noexcept { ++c->references; }
  friend void drop_reference(counted* c) noexcept {
    if (--c->references == 0) {
      ++*c->destroyed;
      delete c;
    }
  }
};

}  // namespace

TEST_CASE("storage: intrusive_ptr counts inside the object", "[tensor][storage]") {
  int destroyed = 0;
  {
    tb::intrusive_ptr<counted> a(new counted{1, &destroyed});
    CHECK(a->references == 1);
    tb::intrusive_ptr<counted> b = a;
    CHECK(a->references == 2);
    CHECK(a == b);
    tb::intrusive_ptr<counted> c = std::move(b);
    CHECK_FALSE(b);
    CHECK(c->references == 2);
    auto& self = c;
    c = self;
    CHECK(c->references == 2);
    a = {};
    CHECK(c->references == 1);
    CHECK(destroyed == 0);
  }
  CHECK(destroyed == 1);
}

TEST_CASE("storage: device memory is allocated and freed by its hook, once", "[tensor][storage]") {
  const fake_device fake;
  {
    const tensor t = tb::author::make_tensor({2, 3}, tb::dtype::float32, fake.where);
    CHECK(fake.last == fake.where);
    CHECK(t.data() != nullptr);
    const tensor view = tb::author::make_view(t, {3}, {1}, 3);
    const tensor copy = t;
    CHECK(fake.allocated == 1);
    CHECK(fake.released == 0);
  }
  CHECK(fake.released == 1);
}

TEST_CASE("storage: zero bytes allocate nothing", "[tensor][storage]") {
  const fake_device fake;
  CHECK(tb::author::make_tensor({0, 3}, tb::dtype::float32, fake.where).data() == nullptr);
  CHECK(fake.allocated == 0);
  CHECK(tb::author::make_tensor({0}, tb::dtype::float32, tb::cpu).data() == nullptr);
}

TEST_CASE("storage: a hook that throws leaks nothing", "[tensor][storage]") {
  const fake_device fake;
  fake_device::full = true;
  CHECK(text_of<tb::device_error>([&] { tb::author::make_tensor({2}, tb::dtype::float32, fake.where); }) ==
        "the fake device is full");
  CHECK(fake.released == 0);
}

TEST_CASE("storage: the error for a device without a hook names the module that provides it", "[tensor][storage]") {
  CHECK(text_of<tb::device_error>([] {
          tb::author::make_tensor({2}, tb::dtype::float32, {tb::backend::PrivateUse8, 0});
        }) == "device privateuse8:0: no memory hook is installed for it; a backend installs it with set_memory_hook");
}

TEST_CASE("storage: a hook is copied when it is installed", "[tensor][storage]") {
  constexpr tb::device there{tb::backend::PrivateUse6, 0};
  const fake_device fake;
  {
    tb::memory_hook mine = fake_device::hook;
    tb::set_memory_hook(there.type, mine);
    mine = {};
  }
  CHECK(tb::memory_of(there) == fake_device::hook);
  CHECK(&tb::memory_of(there) == &tb::memory_of(fake.where));  // equal ones are kept once
  tb::memory_hook other = fake_device::hook;
  other.copy_in = nullptr;
  const tensor before = tb::author::make_tensor({2}, tb::dtype::float32, there);
  tb::set_memory_hook(there.type, other);
  CHECK(tb::memory_of(there) == other);
  CHECK(*tb::author::record_of(before).data->hook == fake_device::hook);
}

TEST_CASE("storage: the memory hooks of host and meta cannot be replaced", "[tensor][storage]") {
  const auto text = [](tb::device_type t) {
    return text_of<tb::device_error>([t] { tb::set_memory_hook(t, fake_device::hook); });
  };
  const std::string wanted = ", wanted a device type other than cpu and meta";
  CHECK(text(tb::backend::CPU) == "set_memory_hook: found cpu" + wanted + ", whose memory is the host's");
  CHECK(text(tb::backend::Meta) == "set_memory_hook: found meta" + wanted + ", which has no memory");
}

TEST_CASE("storage: the meta device has sizes and no memory", "[tensor][storage]") {
  const tensor t = tb::author::make_tensor({1 << 20, 1 << 20}, tb::dtype::float64, tb::meta);
  CHECK(t.data() == nullptr);
  CHECK(tb::author::record_of(t).data->bytes == std::size_t{8} << 40);
}

TEST_CASE("storage: host memory begins at a cache line", "[tensor][storage]") {
  for (std::int64_t n : {1, 3, 100}) {
    const tensor t = tb::author::make_tensor({n}, tb::dtype::boolean, tb::cpu);
    CHECK(reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0);
  }
}

TEST_CASE("storage: copies between devices go through the hooks, as dense bytes", "[tensor][storage]") {
  const fake_device fake;
  const tensor here = support::numbers(1).tensor({2, 3}, tb::dtype::float64, support::arrangement::transposed);
  tensor there = tb::author::make_tensor({2, 3}, tb::dtype::float64, fake.where);
  // The fake device has no kernels: what dispatches on it must not be asked, so the host's copy is called by key.
  tb::aten::copy_.redispatch(tb::key_set(tb::key::CPU), there, here, false);
  CHECK(fake.copied_in == 1);
  tensor back = tb::author::make_tensor({2, 3}, tb::dtype::float64, tb::cpu);
  std::memcpy(back.data(), there.data(), 6 * sizeof(double));
  CHECK(support::values(back) == support::values(here));
}
