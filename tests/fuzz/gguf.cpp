// Any bytes are a header of a GGUF file or an error that a terminal can show; the tensors of a header lie inside the
// file, apart from each other; and what is written for a header is read back.
//
// A unit of the module, built together with the reader, so that libFuzzer sees which of its code has run.
module;
#include <cstdint>
#include <cstring>

#include "require.h"
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :gguf;
import :gguf_header;

namespace topbit::quantized {
namespace {

using fuzz::require;

struct bytes {
  const char* next;
  const char* end;
};

// `size` may count bytes behind those of the header, which must not be read.
gguf_contents read(std::string_view header, std::uint64_t size) {
  bytes b{header.data(), header.data() + header.size()};
  const gguf::source from{size, &b, [](void* context, void* to, std::uint64_t count) {
                            bytes& left = *static_cast<bytes*>(context);
                            require(count <= static_cast<std::uint64_t>(left.end - left.next), "reads inside the file");
                            std::memcpy(to, left.next, count);
                            left.next += count;
                          }};
  return gguf::read_header("fuzz: ", from);
}

void check_tensors(const gguf_contents& c, std::uint64_t size) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const gguf_tensor& t : c.tensors) {
    require(t.offset <= size && t.bytes <= size - t.offset, "elements are inside the file");
    if (t.bytes == 0) continue;
    require(t.offset % c.alignment == 0, "elements are aligned");
    all.emplace_back(t.offset, t.offset + t.bytes);
  }
  std::ranges::sort(all);
  for (std::size_t i = 1; i < all.size(); ++i) require(all[i - 1].second <= all[i].first, "elements are apart");
}

void check(std::string_view file) {
  gguf_contents c = read(file, file.size());
  check_tensors(c, file.size());
  const std::string header = gguf::write_header("fuzz: ", c.tensors, c.metadata);
  std::uint64_t size = header.size();
  for (const gguf_tensor& t : c.tensors) size = std::max(size, t.offset + t.bytes);
  gguf_contents again = read(header, size);
  check_tensors(again, size);
  require(gguf::write_header("fuzz: ", again.tensors, again.metadata) == header, "what is written is read back");
  require(again.metadata.size() == c.metadata.size() && again.tensors.size() == c.tensors.size(), "all of it");
}

}  // namespace
}  // namespace topbit::quantized

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    topbit::quantized::check({reinterpret_cast<const char*>(data), size});
  } catch (const topbit::error& e) {
    fuzz::require_shown_safely(e.what(), 2'000);
  }
  return 0;
}
