// Levels 0 to 3: memory, copies, views, factories.
module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

void test_memory(session& s) {
  const memory_hook& hook = memory_of(s.where());
  s.part("blocks", [&] {
    std::vector<void*> blocks;
    for (std::size_t bytes = 1; bytes < (std::size_t{1} << 20); bytes = bytes * 3 + 1) {
      blocks.push_back(hook.allocate(s.where(), bytes));
      const auto address = reinterpret_cast<std::uintptr_t>(blocks.back());
      s.check(address != 0, "allocate: found null for " + std::to_string(bytes) + " bytes, wanted an address");
      constexpr std::uintptr_t alignment = 16;
      s.check(address % alignment == 0,
              "allocate: found an address for " + std::to_string(bytes) + " bytes that is no multiple of 16");
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) s.check(blocks[i] != blocks[k], "allocate: gave one address twice");
    }
    for (void* b : blocks) hook.release(s.where(), b);
  });
  s.part("statistics", [&] {
    const std::uint64_t before = device_memory(s.where()).bytes_in_use;
    {
      const tensor x = empty({10000}, arg<"device"> = s.where());
      const device_memory_statistics with = device_memory(s.where());
      if (with.bytes_in_use == 0 && before == 0) return;  // the device cannot tell
      s.check(with.bytes_in_use >= before + 40000, "device_memory: found " + std::to_string(with.bytes_in_use) +
                                                       " bytes in use with a tensor of 40000, and " +
                                                       std::to_string(before) + " without it");
      s.check(with.peak_bytes_in_use == 0 || with.peak_bytes_in_use >= with.bytes_in_use,
              "device_memory: found a peak below what is in use");
    }
    synchronize(s.where());
    const std::uint64_t after = device_memory(s.where()).bytes_in_use;
    s.check(after == before, "device_memory: found " + std::to_string(after) +
                                 " bytes in use after the tensor ended, " + "wanted " + std::to_string(before) +
                                 " as before");
  });
  s.part("devices that do not exist", [&] {
    const int count = device_count(s.where().type);
    s.check(s.where().index < count,
            "device_count: found " + std::to_string(count) + ", wanted more than " + std::to_string(s.where().index));
    if (s.where() == cpu || count > 127) return;
    const device missing{s.where().type, static_cast<std::int8_t>(count)};
    const auto exists = [](const auto& use) {
      try {
        use();
        return true;
      } catch (const device_error&) {
        return false;
      }
    };
    // A backend with a memory hook alone does not say how many there are.
    if (exists([&] { static_cast<void>(stream::current(missing)); })) return;
    for (const std::int64_t elements : {0, 3}) {
      s.check(!exists([&] { static_cast<void>(empty({elements}, arg<"device"> = missing)); }),
              "empty: found a tensor on device " + std::to_string(count) + ", of which there are " +
                  std::to_string(count) + ", wanted device_error");
    }
  });
  s.part("exhaustion", [&] {
    constexpr std::size_t too_much = std::size_t{1} << 60;
    try {
      hook.release(s.where(), hook.allocate(s.where(), too_much));
      s.check(false, "allocate: found memory for 2^60 bytes, wanted device_error");
    } catch (const device_error&) {
      s.check(true, "");
    } catch (const std::bad_alloc&) {
      s.check(s.where() == cpu, "allocate: found std::bad_alloc for missing memory, wanted device_error");
    }
    const tensor after = ones({3}, arg<"device"> = s.where());
    s.compare("ones after memory was missing", after, ones({3}), exactly);
  });
}

void test_copies(session& s) {
  const memory_hook& hook = memory_of(s.where());
  s.part("bytes", [&] {
    constexpr std::size_t size = 1000;
    std::vector<std::uint8_t> sent(size), came(size, 0);
    for (std::uint8_t& b : sent) b = static_cast<std::uint8_t>(s.any(256));
    void* const block = hook.allocate(s.where(), size);
    hook.copy_in(s.where(), block, sent.data(), size);
    hook.copy_out(s.where(), came.data(), block, size);
    s.check(sent == came, "copy_in, copy_out: 1,000 bytes came back otherwise");
    // Parts at any address within a block, which views need.
    auto* const inside = static_cast<std::byte*>(block) + 13;
    hook.copy_in(s.where(), inside, sent.data(), 7);
    hook.copy_out(s.where(), came.data(), block, size);
    std::copy(sent.begin(), sent.begin() + 7, sent.begin() + 13);
    s.check(sent == came, "copy_in: 7 bytes at offset 13 of a block came back otherwise");
    std::fill(came.begin(), came.end(), std::uint8_t{0});
    hook.copy_out(s.where(), came.data(), inside, 9);
    s.check(std::equal(came.begin(), came.begin() + 9, sent.begin() + 13),
            "copy_out: 9 bytes at offset 13 of a block came out otherwise");
    hook.release(s.where(), block);
  });
  s.part("copies that need not wait", [&] {
    const tensor here = arranged(s, {500}, dtype::float32, 0);
    const tensor source = author::pinned_memory_of(s.where().type) != nullptr ? pin_memory(here, s.where()) : here;
    tensor far = zeros({500}, arg<"device"> = s.where());
    copy_(far, source, true);
    synchronize(s.where());
    s.compare("copy_() to the device with non_blocking", far, here, exactly);
    tensor back = zeros({500});
    copy_(back, far, true);
    synchronize(s.where());
    s.compare("copy_() to the host with non_blocking", s.there(back), here, exactly);
  });
  if (const int count = device_count(s.where().type); count > 1) {
    s.part("another device of the type", [&] {
      const device other{s.where().type, static_cast<std::int8_t>((s.where().index + 1) % count)};
      const tensor here = arranged(s, {30, 20}, dtype::float32, 0);
      const tensor x = s.there(here), y = to(x, other);
      s.check(y.device() == other, "to(): found a tensor on another device than " + to_string(other));
      s.compare("to() from " + to_string(s.where()) + " to " + to_string(other), s.there(to(y, cpu)), here, exactly);
      s.compare("a product there", to(y * 2, s.where()), here * 2, elementwise);
      tensor filled = zeros({30, 20}, arg<"device"> = other);
      copy_(filled, x);
      s.compare("copy_() to " + to_string(other), s.there(to(filled, cpu)), here, exactly);
    });
  }
  for (const dtype t : all_dtypes) {
    for (const shape& sizes : {shape{}, shape{0}, shape{3, 0, 2}, shape{5}, shape{3, 4}, shape{1000}}) {
      const tensor here = arranged(s, sizes, t, 0);
      s.part("copies", [&] {
        s.compare("to() of " + std::string(name_of(t)) + " " + to_string(sizes), to(here, s.where()), here, exactly);
      });
    }
  }
}

void test_views(session& s) {
  for (const dtype t : all_dtypes) {
    for (int way = 0; way < arrangements; ++way) {
      s.part("views", [&] {
        const tensor here = arranged(s, {3, 4, 5}, t, way), far = s.there(here);
        const std::string what = std::string(name_of(t)) + " " + name_of_arrangement(way);
        s.compare("contiguous() of " + what, contiguous(far), contiguous(here), exactly);
        s.compare("transpose() of " + what, contiguous(transpose(far, 0, 2)), contiguous(transpose(here, 0, 2)),
                  exactly);
        s.compare("select() of " + what, select(far, 1, -1), select(here, 1, -1), exactly);
        for (const dtype other : all_dtypes) {
          if (s.quick() && s.any(4) != 0) continue;
          s.compare("to " + std::string(name_of(other)) + " of " + what, to(far, other), to(here, other), exactly);
        }
      });
    }
    s.part("writes to views", [&] {
      const tensor here = arranged(s, {6, 4}, t, 0), far = s.there(here);
      const auto write = [](const tensor& all) {
        tensor part = slice(all, 0, 1, 6, 2);
        copy_(part, flip(slice(all, 0, 0, 6, 2), {0}));
        tensor column = select(all, 1, 3);
        fill_(column, 1);
      };
      write(here);
      write(far);
      s.compare("writes to views of " + std::string(name_of(t)), far, here, exactly);
    });
  }
}

void test_factories(session& s) {
  const device d = s.where();
  for (const dtype t : all_dtypes) {
    const std::string of = "() of " + std::string(name_of(t));
    s.part("factories", [&] {
      s.compare("zeros" + of, zeros({2, 3}, arg<"dtype"> = t, arg<"device"> = d), zeros({2, 3}, arg<"dtype"> = t),
                exactly);
      s.compare("ones" + of, ones({4}, arg<"dtype"> = t, arg<"device"> = d), ones({4}, arg<"dtype"> = t), exactly);
      s.compare("full" + of, full({2, 0}, 1, arg<"dtype"> = t, arg<"device"> = d), full({2, 0}, 1, arg<"dtype"> = t),
                exactly);
      s.compare("eye" + of, eye(3, arg<"dtype"> = t, arg<"device"> = d), eye(3, arg<"dtype"> = t), exactly);
      if (t != dtype::boolean) {
        s.compare("arange" + of, arange(7, arg<"dtype"> = t, arg<"device"> = d), arange(7, arg<"dtype"> = t), exactly);
      }
    });
  }
  s.part("linspace",
         [&] { s.compare("linspace()", linspace(0, 1, 11, arg<"device"> = d), linspace(0, 1, 11), elementwise); });
}

}  // namespace topbit::backend_test
