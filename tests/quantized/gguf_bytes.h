// Bytes of a GGUF file, put together by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace quantized_test {

struct gguf_bytes {
  std::string all;

  template <class T>
  gguf_bytes& number(T n) {
    char bytes[sizeof n];
    std::memcpy(bytes, &n, sizeof n);
    all.append(bytes, sizeof n);
    return *this;
  }
  gguf_bytes& u32(std::uint32_t n) { return number(n); }
  gguf_bytes& u64(std::uint64_t n) { return number(n); }
  gguf_bytes& string(std::string_view s) {
    u64(s.size());
    all += s;
    return *this;
  }
  gguf_bytes& begin(std::uint64_t tensors, std::uint64_t entries, std::uint32_t version = 3) {
    all = "GGUF";
    return u32(version).u64(tensors).u64(entries);
  }
  // Sizes in the order of the file, the last dimension first.
  gguf_bytes& tensor(std::string_view name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                     std::uint64_t offset) {
    string(name).u32(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) u64(size);
    return u32(type).u64(offset);
  }
  gguf_bytes& align(std::size_t alignment = 32) {
    all.resize((all.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  gguf_bytes& bytes(std::string_view more) {
    all += more;
    return *this;
  }
};

}  // namespace quantized_test
